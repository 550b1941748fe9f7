//! Loops that were cut into whole vectors and a rest (`Cuts.v`).

use super::place::Layer;
use super::step::{Arg, Evidence, Step, step};
use super::words::{Text, ix, list, mismatch, nested};
use super::{Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::Scope;
use atl_kernel::{Cmp, Expr, Ix, Label, Pred};
use atl_loops::{Bool, CmpOp, Int, LoopKind, Name, Stmt};

/// The rest of a vector loop: where it begins, the condition on its lanes, its end and what they do.
fn rest(stmt: &Stmt) -> Option<(&Int, &Int, &Bool, &Stmt)> {
    let Stmt::For { var, lo, hi, kind: LoopKind::Vector { .. }, body } = stmt else { return None };
    let Stmt::If { cond: cond @ Bool::Cmp(CmpOp::Lt, Int::Var(lane), _), then, otherwise: None } = &**body
    else {
        return None;
    };
    (lane == var).then_some((lo, hi, cond, &**then))
}

impl Text {
    /// The condition of a lane, around what it does.
    fn around_lanes(&self, then: &Text) -> Text {
        Text {
            plain: format!("(If {} {} Skip)", self.plain, then.plain),
            deep: format!("(LIf {} {} LSkip)", self.deep, then.deep),
        }
    }
}

impl Lowering<'_, '_> {
    /// Do the statements begin with a loop that was cut? `true` where there are whole vectors before the
    /// rest.
    pub(super) fn cut(&self, scope: &Scope, n: &Ix, stmts: &[Stmt]) -> Option<bool> {
        match stmts {
            [Stmt::For { hi, kind: LoopKind::Vector { .. }, .. }, second, ..]
                if rest(second).is_some_and(|(lo, ..)| lo == hi && *lo != Int::Lit(0)) =>
            {
                Some(true)
            }
            [first, ..] => {
                let (_, hi, cond, _) = rest(first)?;
                // A loop with a guard of its own ends where the term's does.
                let Bool::Cmp(_, _, end) = cond else { return None };
                let (hi, end) = (ix(&self.names, hi).ok()?, ix(&self.names, end).ok()?);
                let simple = |i: &Ix| atl_arith::simplify(&scope.ctx, i);
                (simple(&hi) != simple(n) && simple(&end) == simple(n)).then_some(false)
            }
            [] => None,
        }
    }

    /// The texts of such a loop, and how it fills.
    pub(super) fn whole_vectors(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): (&Label, &Ix, &Expr),
        (extent, shape): (&Ix, &[Ix]),
        to: &Target,
    ) -> Result<(Vec<Text>, Step)> {
        let (first, second) = match stmts {
            [second] => (None, second),
            [first, second] => (Some(first), second),
            _ => return mismatch("a loop of whole vectors"),
        };
        let (Stmt::For { var, .. }, Some((lo, hi, cond, then))) = (second, rest(second)) else {
            return mismatch("the rest of a vector loop");
        };
        let le = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Le, a.clone(), b.clone());
        let (middle, end) = (ix(&self.names, lo)?, ix(&self.names, hi)?);
        let equal = self.equal(scope, extent, n)?;
        let ((lo_text, lo_reads), (hi_text, hi_reads)) = (self.index(scope, lo)?, self.index(scope, hi)?);
        let filling = |this: &mut Self, scope: &mut Scope, inside: &Stmt, level: u32| {
            let to = Target { place: to.place.with(Layer::Index(Ix::free(level))), ..to.clone() };
            this.fill(scope, list(inside), &raw::open(body, level), shape, &to)
        };
        let Some(whole) = first else {
            let zero = self.equal(scope, &middle, &Ix::ZERO)?;
            let (asked, each, lane) = self.lane(scope, (label, n, var), cond)?;
            let order = self.shown(scope, &raw::and(le(&Ix::ZERO, n), le(n, &end)))?;
            let (text, how) =
                self.looped(scope, (label, n, var), (&lo_text, &hi_text), |this, scope, level| {
                    let (texts, how) = filling(this, scope, then, level)?;
                    Ok((vec![asked.around_lanes(&nested(&texts))], how))
                })?;
            let reads = Arg::Rows(vec![lo_reads, hi_reads]);
            return Ok((vec![text], step!("Resting", equal, reads, zero, each, lane, order, how)));
        };
        let Stmt::For { var: whole_var, lo: zero, hi: up, body: inside, .. } = whole else {
            return mismatch("a loop");
        };
        let (zero, zero_reads, from) = self.given(scope, zero, &Ix::ZERO)?;
        let (up_text, up_reads) = self.index(scope, up)?;
        let m = ix(&self.names, up)?;
        let same = self.equal(scope, &middle, &m)?;
        let (asked, each, lane) = self.lane(scope, (label, n, var), cond)?;
        let inner = raw::and(le(&Ix::ZERO, &m), le(&m, n));
        let order = self.shown(scope, &raw::and(inner, le(n, &end)))?;
        let early = |level| Pred::Cmp(Cmp::Lt, Ix::free(level), m.clone());
        let (one, h) =
            self.looped(scope, (label, n, whole_var), (&zero, &up_text), |this, scope, level| {
                this.assuming(scope, &early(level), |this, scope| filling(this, scope, inside, level))
            })?;
        let (two, z) = self.looped(scope, (label, n, var), (&lo_text, &hi_text), |this, scope, level| {
            let late = raw::not(&early(level));
            let (texts, how) =
                this.assuming(scope, &late, |this, scope| filling(this, scope, then, level))?;
            Ok((vec![asked.around_lanes(&nested(&texts))], how))
        })?;
        let reads = Arg::Rows(vec![zero_reads, up_reads, lo_reads, hi_reads]);
        Ok((vec![one, two], step!("Cutting", equal, reads, from, same, each, lane, order, h, z)))
    }

    /// Every lane asks whether it is below the end: that condition's text, what its reads ask, and evidence
    /// that it is this one.
    fn lane(
        &mut self,
        scope: &mut Scope,
        (label, n, var): (&Label, &Ix, &Name),
        cond: &Bool,
    ) -> Result<(Text, Vec<Evidence>, Evidence)> {
        let level = scope.level();
        scope.push_index(label);
        self.entered.push(level);
        self.binders.push(level);
        let before = self.names.vars.insert(var.clone(), level);
        let found = self.decided_by(scope, cond, &Pred::Cmp(Cmp::Lt, Ix::free(level), n.clone()));
        match before {
            Some(before) => self.names.vars.insert(var.clone(), before),
            None => self.names.vars.remove(var),
        };
        self.binders.pop();
        self.entered.pop();
        scope.truncate(level);
        found
    }
}
