//! Loops that were cut into whole vectors and a rest (`Cuts.v`).

use super::words::{ix, list, mismatch, nested, pred};
use super::{Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Cmp, Expr, Ix, Label, Pred};
use atl_loops::{Bool, CmpOp, Int, LoopKind, Stmt};

use super::place::Layer;

/// The rest of a vector loop: where it begins, the condition on its lanes, its end and what they do.
fn rest(stmt: &Stmt) -> Option<(&Int, &Int, &Bool, &Stmt)> {
    let Stmt::For { var, lo, hi, kind: LoopKind::Vector { .. }, body } = stmt else { return None };
    let Stmt::If { cond: cond @ Bool::Cmp(CmpOp::Lt, Int::Var(lane), _), then, otherwise: None } = &**body
    else {
        return None;
    };
    (lane == var).then_some((lo, hi, cond, &**then))
}

impl Lowering<'_, '_> {
    /// Do the statements begin with a loop that was cut? `true` where there are whole vectors before the rest.
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
                let (hi, end) = (ix(&self.vars, hi).ok()?, ix(&self.vars, end).ok()?);
                let simple = |i: &Ix| atl_arith::simplify(&scope.ctx, i);
                (simple(&hi) != simple(n) && simple(&end) == simple(n)).then_some(false)
            }
            [] => None,
        }
    }

    /// Prove the goal `fills G X stmts buf shape C (gen n body) kind` of such a loop.
    pub(super) fn whole_vectors(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): (&Label, &Ix, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Vec<String>> {
        let (first, second) = match stmts {
            [second] => (None, second),
            [first, second] => (Some(first), second),
            _ => return mismatch("a loop of whole vectors"),
        };
        let Some((lo, end, Bool::Cmp(_, _, bound), then)) = rest(second) else {
            return mismatch("the rest of a vector loop");
        };
        let (lo, end, bound) = (ix(&self.vars, lo)?, ix(&self.vars, end)?, ix(&self.vars, bound)?);
        let le = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Le, a.clone(), b.clone());
        let Some(whole) = first else {
            self.export.line("apply fills_gen_rest.");
            for (given, known) in [(&lo, &Ix::ZERO), (&bound, n)] {
                let equal = self.export.equal(scope, given, known, &[])?;
                self.by(&equal);
            }
            self.shown(scope, &raw::and(le(&Ix::ZERO, n), le(n, &end)))?;
            return Ok(vec![self.rest_text(scope, second, (label, n, body), None, then, shape, to)?]);
        };
        let Stmt::For { var, lo: zero, hi, body: inside, .. } = whole else { return mismatch("a loop") };
        let (zero, middle) = (ix(&self.vars, zero)?, ix(&self.vars, hi)?);
        self.export.line("apply fills_gen_cut.");
        for (given, known) in [(&zero, &Ix::ZERO), (&lo, &middle), (&bound, n)] {
            let equal = self.export.equal(scope, given, known, &[])?;
            self.by(&equal);
        }
        let inner = raw::and(le(&Ix::ZERO, &middle), le(&middle, n));
        self.shown(scope, &raw::and(inner, le(n, &end)))?;
        let texts = [&zero, &middle].map(|i| self.export.needs.ix(scope, Side::Left, i, &[]));
        let [zero, hi] = texts;
        let (zero, hi) = (zero?, hi?);
        let level = scope.level();
        let one = self.goal(|this| {
            let names = scope.push_loop(label, n);
            let before = this.vars.insert(var.clone(), level);
            this.export.line(&format!("intros {}.", names.join(" ")));
            let early = Pred::Cmp(Cmp::Lt, Ix::free(level), middle.clone());
            let to = Target { place: to.place.with(Layer::Index(Ix::free(level))), ..to.clone() };
            let inside = this.assuming(scope, &early, |this, scope| {
                this.fill(scope, list(inside), &raw::open(body, level), shape, &to)
            });
            scope.truncate(level);
            this.restore(var, before);
            Ok(format!("(For {zero} {hi} (fun {} =>\n  {}))", names[0], nested(&inside?)))
        })?;
        let late = Some(&middle);
        let two = self.goal(|this| this.rest_text(scope, second, (label, n, body), late, then, shape, to))?;
        Ok(vec![one, two])
    }

    /// The rest, of which the lemma has been applied.
    #[expect(clippy::too_many_arguments, reason = "a loop of the term and its statement")]
    fn rest_text(
        &mut self,
        scope: &mut Scope,
        stmt: &Stmt,
        (label, n, body): (&Label, &Ix, &Expr),
        late: Option<&Ix>,
        then: &Stmt,
        shape: &[Ix],
        to: &Target,
    ) -> Result<String> {
        let (Stmt::For { var, lo, hi, .. }, Some((_, _, cond, _))) = (stmt, rest(stmt)) else {
            return mismatch("the rest of a vector loop");
        };
        let texts = [ix(&self.vars, lo)?, ix(&self.vars, hi)?]
            .map(|i| self.export.needs.ix(scope, Side::Left, &i, &[]));
        let [lo, hi] = texts;
        let (lo, hi, level) = (lo?, hi?, scope.level());
        let names = scope.push_loop(label, n);
        let before = self.vars.insert(var.clone(), level);
        self.export.line(&format!("intros {}.", names.join(" ")));
        let cond = pred(&self.vars, cond).and_then(|q| self.export.needs.pred(scope, Side::Left, &q, &[]));
        let to = Target { place: to.place.with(Layer::Index(Ix::free(level))), ..to.clone() };
        let open = raw::open(body, level);
        let inside = match late {
            None => self.fill(scope, list(then), &open, shape, &to),
            Some(middle) => {
                let early = Pred::Cmp(Cmp::Lt, Ix::free(level), middle.clone());
                self.denying(scope, &early, |this, scope| this.fill(scope, list(then), &open, shape, &to))
            }
        };
        scope.truncate(level);
        self.restore(var, before);
        Ok(format!("(For {lo} {hi} (fun {} =>\n  (If {} {} Skip)))", names[0], cond?, nested(&inside?)))
    }
}
