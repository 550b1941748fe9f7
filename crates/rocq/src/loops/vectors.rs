//! Loops that were cut into whole vectors and a rest (`Cuts.v`).

use super::words::{ix, list, mismatch, nested};
use super::{Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::Scope;
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
                let (hi, end) = (ix(&self.names, hi).ok()?, ix(&self.names, end).ok()?);
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
        let (middle, extent) = (ix(&self.names, lo)?, ix(&self.names, end)?);
        let le = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Le, a.clone(), b.clone());
        let Some(whole) = first else {
            self.export.line("eapply fills_gen_rest.");
            self.given(scope, lo, &Ix::ZERO)?;
            self.given(scope, end, &extent)?;
            self.before(scope, bound, n)?;
            self.shown(scope, &raw::and(le(&Ix::ZERO, n), le(n, &extent)))?;
            return Ok(vec![self.rest_text(scope, second, (label, n, body), None, then, shape, to)?]);
        };
        let Stmt::For { var, lo: zero, hi, body: inside, .. } = whole else { return mismatch("a loop") };
        self.export.line("eapply fills_gen_cut.");
        let zero = self.given(scope, zero, &Ix::ZERO)?;
        let hi = self.given(scope, hi, &middle)?;
        self.given(scope, lo, &middle)?;
        self.given(scope, end, &extent)?;
        self.before(scope, bound, n)?;
        let inner = raw::and(le(&Ix::ZERO, &middle), le(&middle, n));
        self.shown(scope, &raw::and(inner, le(n, &extent)))?;
        let level = scope.level();
        let one = self.goal(|this| {
            let names = scope.push_loop(label, n);
            let before = this.names.vars.insert(var.clone(), level);
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

    /// Every lane asks whether it is below the end.
    fn before(&mut self, scope: &Scope, bound: &Int, n: &Ix) -> Result<()> {
        let (_, proof) = self.gives(scope, bound, n)?;
        let lane = "(gives_int _ _ eq_refl)";
        if bound.reads() {
            self.by(&format!("(fun i => decides_compare Z.ltb _ _ _ _ {lane} {proof})"));
        } else {
            let equal = self.export.equal(scope, n, &ix(&self.names, bound)?, &[])?;
            self.by(&format!("(fun i => decides_test _ _ (f_equal (Z.ltb i) {equal}))"));
        }
        Ok(())
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
        let ((lo, _), (hi, _), level) = (self.exactly(scope, lo)?, self.exactly(scope, hi)?, scope.level());
        let names = scope.push_loop(label, n);
        let before = self.names.vars.insert(var.clone(), level);
        self.export.line(&format!("intros {}.", names.join(" ")));
        let cond = self.test(scope, cond).map(|(text, _)| text);
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
