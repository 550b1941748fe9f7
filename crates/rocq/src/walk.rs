//! Two terms of one structure whose index terms are equal where they stand: the proof, by congruence.
//!
//! This is the kernel's `arith_eq`. It also proves what simplification did between a lemma's literal right
//! side and the kernel's, and that a body respects the replacement of what a `let` binds.

use crate::error::{Refusal, Result};
use crate::prove::Export;
use crate::raw;
use crate::scope::{Scope, Side, Slot};
use atl_kernel::{Cert, Expr, Ix, Node, Pred, Var};

/// Does a variable that differs from side to side occur?
fn paired(scope: &Scope, e: &Expr) -> bool {
    let pairs = (0..).zip(&scope.slots).filter(|(_, s)| matches!(s, Slot::Tensor { other: Some(_), .. }));
    pairs.into_iter().any(|(level, _)| raw::mentions(e, level))
}

impl Export<'_> {
    /// Prove the goal `teq shape a b`, where `a` is read on the left and `b` on the right.
    pub(crate) fn walk(
        &mut self,
        scope: &mut Scope,
        shape: &[Ix],
        a: &Expr,
        b: &Expr,
        known: &[Cert],
    ) -> Result<()> {
        if a == b && !paired(scope, a) {
            self.line("apply refl.");
            return Ok(());
        }
        match (&**a, &**b) {
            (Node::Var(Var::Free(l)), Node::Var(v)) if *v == Var::Free(*l) => {
                let Some(Slot::Tensor { ty, other: Some((.., proof)), .. }) =
                    scope.slots.get(*l as usize).cloned()
                else {
                    return differ();
                };
                self.cast(scope, shape, &ty.shape, known)?;
                self.line(&format!("exact {proof}."));
                Ok(())
            }
            (Node::Lit(s, x), Node::Lit(t, y)) if s == t && x == y => {
                self.line("apply refl.");
                Ok(())
            }
            (Node::Index(s, i), Node::Index(t, j)) if s == t => {
                let equal = self.equal(scope, i, j, known)?;
                self.line(&format!("apply cong_scalar; apply f_equal; exact {equal}."));
                Ok(())
            }
            (Node::Gen(l, n, e), Node::Gen(_, m, f)) => {
                let Some((outer, rest)) = shape.split_first() else { return differ() };
                if outer != n {
                    let natural: Vec<Ix> = [n.clone()].into_iter().chain(rest.iter().cloned()).collect();
                    self.cast(scope, shape, &natural, known)?;
                }
                let equal = self.equal(scope, n, m, known)?;
                self.line(&format!("apply (cong_gen _ _ _ _ _ {equal})."));
                self.walk_under(scope, l, n, rest, e, f, known)
            }
            (Node::Sum(l, n, e), Node::Sum(_, m, f)) => {
                let equal = self.equal(scope, n, m, known)?;
                self.line(&format!("apply (cong_sum _ _ _ _ _ _ {equal})."));
                self.walk_under(scope, l, n, shape, e, f, known)
            }
            (Node::Guard(p, e), Node::Guard(q, f)) => {
                let same = self.same_truth(scope, p, q, known)?;
                self.line(&format!("apply (cong_guard _ _ _ _ _ _ {same})."));
                self.assuming(scope, p, |export, scope| export.walk(scope, shape, e, f, known))
            }
            (Node::Select(p, e, f), Node::Select(q, g, h)) => {
                let same = self.same_truth(scope, p, q, known)?;
                self.line(&format!("apply (cong_select _ _ _ _ _ _ _ {same})."));
                self.block(|export| {
                    export.assuming(scope, p, |export, scope| export.walk(scope, shape, e, g, known))
                })?;
                self.block(|export| {
                    export.denying(scope, p, |export, scope| export.walk(scope, shape, f, h, known))
                })
            }
            (Node::Let(l, x, e), Node::Let(_, y, f)) => {
                let (left, right) = (scope.ty(x, Side::Left)?, scope.ty(y, Side::Right)?);
                let at = self.needs.shape(scope, Side::Left, &left.shape)?;
                self.line(&format!("apply (cong_let {at})."));
                self.block(|export| export.walk(scope, &left.shape, x, y, known))?;
                let level = scope.level();
                let (e, f) = (raw::open(e, level), raw::open(f, level));
                let names = scope.push_pair(l, left, right);
                let walked = self.block(|export| {
                    export.line(&format!("intros {}.", names.join(" ")));
                    export.walk(scope, shape, &e, &f, known)
                });
                scope.truncate(level);
                walked
            }
            (Node::Iterate(x), Node::Iterate(y)) if x.states.len() == y.states.len() => {
                self.iterations(scope, shape, x, y, known, None)
            }
            (Node::Get(e, i), Node::Get(f, j)) => {
                let (left, right) = (scope.ty(e, Side::Left)?, scope.ty(f, Side::Right)?);
                let (Some(n), Some(m)) = (left.shape.first(), right.shape.first()) else { return differ() };
                let (extents, indices) = (self.equal(scope, n, m, known)?, self.equal(scope, i, j, known)?);
                self.line(&format!("apply (cong_get _ _ _ _ _ _ _ _ {extents} {indices})."));
                let inner: Vec<Ix> = [n.clone()].into_iter().chain(shape.iter().cloned()).collect();
                self.walk(scope, &inner, e, f, known)
            }
            (Node::Prim(f, es), Node::Prim(g, fs)) if f == g && es.len() == fs.len() => {
                self.line(&format!("apply cong_prim{}.", es.len()));
                for (e, f) in es.iter().zip(fs) {
                    self.block(|export| export.walk(scope, shape, e, f, known))?;
                }
                Ok(())
            }
            (Node::View(s, e), Node::View(t, f)) if s == t => {
                self.line("apply cong_view.");
                self.walk(scope, shape, e, f, known)
            }
            (Node::Op(d, ..), Node::Op(c, ..)) if d == c => {
                let (e, f) = (scope.unfolded(a, Side::Left, false)?, scope.unfolded(b, Side::Right, false)?);
                self.unfold_here(scope, a, Side::Left)?;
                self.unfold_here(scope, b, Side::Right)?;
                self.walk(scope, shape, &e, &f, known)
            }
            _ => differ(),
        }
    }

    /// [`Export::walk`] below a loop, whose congruence has been applied.
    #[expect(clippy::too_many_arguments, reason = "a goal is a shape and two sides, in a scope")]
    fn walk_under(
        &mut self,
        scope: &mut Scope,
        label: &atl_kernel::Label,
        n: &Ix,
        shape: &[Ix],
        e: &Expr,
        f: &Expr,
        known: &[Cert],
    ) -> Result<()> {
        let level = scope.level();
        let (e, f) = (raw::open(e, level), raw::open(f, level));
        let names = scope.push_loop(label, n);
        self.line(&format!("intros {}.", names.join(" ")));
        let walked = self.walk(scope, shape, &e, &f, known);
        scope.truncate(level);
        walked
    }

    /// Do something below a guard, whose congruence has been applied.
    pub(crate) fn assuming<T>(
        &mut self,
        scope: &mut Scope,
        p: &Pred,
        run: impl FnOnce(&mut Self, &mut Scope) -> Result<T>,
    ) -> Result<T> {
        self.introducing(scope, p, None, run)
    }

    /// Do something below a hypothesis, to which this lemma is applied first.
    fn introducing<T>(
        &mut self,
        scope: &mut Scope,
        hypothesis: &Pred,
        lemma: Option<&str>,
        run: impl FnOnce(&mut Self, &mut Scope) -> Result<T>,
    ) -> Result<T> {
        let level = scope.level();
        let name = scope.push_hyp(hypothesis);
        self.line(&format!("intros {name}."));
        if let Some(lemma) = lemma {
            self.line(&format!("apply {lemma} in {name}."));
        }
        let result = run(self, scope);
        scope.truncate(level);
        result
    }

    /// Do something where a predicate fails: the premise is `p = false`, the kernel's hypothesis `mk_not(p)`.
    pub(crate) fn denying<T>(
        &mut self,
        scope: &mut Scope,
        p: &Pred,
        run: impl FnOnce(&mut Self, &mut Scope) -> Result<T>,
    ) -> Result<T> {
        let lemma = if matches!(p, Pred::Not(_)) { "of_negb_false" } else { "negb_of_false" };
        self.introducing(scope, &Pred::not(p.clone()), Some(lemma), run)
    }

    /// Unfold the definition of an applied operator in the goal.
    pub(crate) fn unfold_here(&mut self, scope: &mut Scope, e: &Expr, side: Side) -> Result<()> {
        if let Node::Op(def, _, args) = &**e {
            let types = args.iter().map(|a| scope.ty(a, side)).collect::<Result<Vec<_>>>()?;
            let name = self.needs.operator(def, &types)?;
            self.line(&format!("try unfold {name}."));
        }
        Ok(())
    }
}

fn differ<T>() -> Result<T> {
    Err(Refusal::Unknown("how two terms that differ in more than arithmetic could be equal"))
}
