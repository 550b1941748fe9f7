//! The work that conversions do, counted: what makes every script end soon, and end alike on every machine.
//!
//! **The one idea.** The kernel infers types by walking terms as trees, whatever they share, and every inference does so;
//! so the nodes walked are what conversions cost, in time and in the memory that records of theorems keep. They are
//! counted at the one door to the kernel, [`Cx`](crate::Cx), beside a flat charge for each question to the prover.
//!
//! A count that has reached its limit refuses every inference that follows. Conversions may take that for a refusal of
//! their own and leave a term alone, so whoever set the limit asks [`Work::is_spent`] whether a result is to be believed.

use atl_kernel::{Cert, Ctx, Error, Expr, Ix, Node, Pred, Prover, Type, Var};
use std::cell::Cell;
use std::rc::Rc;

/// What a question to the prover counts for, in nodes.
const QUESTION: u64 = 64;

/// What an operator counts for: its definition is walked at every use.
const OPERATOR: u64 = 16;

/// A count with a limit. Copies count together.
#[derive(Clone, Debug)]
pub struct Work {
    left: Rc<Cell<u64>>,
}

impl Default for Work {
    /// Without a limit.
    fn default() -> Work {
        Work::limited(u64::MAX)
    }
}

impl Work {
    /// At most so much work.
    pub fn limited(limit: u64) -> Work {
        Work { left: Rc::new(Cell::new(limit)) }
    }

    /// Was more asked for than was left? Then nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Account for the walk of a term.
    pub(crate) fn term(&self, e: &Expr) -> Result<(), Error> {
        self.count(|left| expr(e, left))
    }

    /// Account for the copies that a `let`, inlined, leaves: the limit is to be reached before they are made.
    pub(crate) fn inlined(&self, bound: &Expr, body: &Expr) -> Result<(), Error> {
        (0..uses(body, 0)).try_for_each(|_| self.term(bound))
    }

    /// Account for the walk of a type's extents, and of what is assumed where it is the type of something.
    pub(crate) fn ty(&self, ctx: &Ctx, ty: &Type) -> Result<(), Error> {
        self.count(|left| {
            spend(ctx.entries().len() as u64, left)?;
            ty.shape.iter().try_for_each(|n| ix(n, left))
        })
    }

    fn count(&self, walk: impl FnOnce(&mut u64) -> Option<()>) -> Result<(), Error> {
        let mut left = self.left.get();
        let within = walk(&mut left).is_some() && left > 0;
        self.left.set(if within { left } else { 0 });
        if within { Ok(()) } else { Err(Error::Mismatch("the limit of work is reached")) }
    }
}

/// A prover whose questions are counted; beyond the limit it has no answers.
pub(crate) struct Counted<'p> {
    pub(crate) prover: &'p mut dyn Prover,
    pub(crate) work: &'p Work,
}

impl Prover for Counted<'_> {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        let asked = self.work.count(|left| spend(QUESTION, left).and_then(|()| pred(goal, left)));
        asked.ok().and_then(|()| self.prover.prove(ctx, goal))
    }
}

/// Take so much away; none if it is not there.
fn spend(n: u64, left: &mut u64) -> Option<()> {
    *left = left.checked_sub(n)?;
    Some(())
}

fn expr(e: &Expr, left: &mut u64) -> Option<()> {
    spend(1, left)?;
    match &**e {
        Node::Var(_) | Node::Lit(..) | Node::Let(..) | Node::Prim(..) | Node::View(..) => {}
        Node::Index(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) => ix(i, left)?,
        Node::Guard(p, _) | Node::Select(p, ..) => pred(p, left)?,
        Node::Op(_, ixs, _) => {
            spend(OPERATOR, left)?;
            ixs.iter().try_for_each(|i| ix(i, left))?;
        }
    }
    e.children().into_iter().filter_map(|at| e.child(at)).try_for_each(|child| expr(child, left))
}

/// How often the variable stands that so many binders above bind.
fn uses(e: &Expr, binder: u32) -> u64 {
    let own = u64::from(matches!(&**e, Node::Var(Var::Bound(b)) if *b == binder));
    let below = e.children().into_iter().filter_map(|at| Some((e.child(at)?, e.binds(at))));
    own + below.map(|(child, binds)| uses(child, binder + u32::from(binds))).sum::<u64>()
}

fn ix(i: &Ix, left: &mut u64) -> Option<()> {
    spend(1, left)?;
    match i {
        Ix::Lit(_) | Ix::Var(_) => Some(()),
        Ix::Bin(_, ab) => ix(&ab.0, left).and_then(|()| ix(&ab.1, left)),
        Ix::Read(_, at) => at.iter().try_for_each(|i| ix(i, left)),
    }
}

fn pred(p: &Pred, left: &mut u64) -> Option<()> {
    spend(1, left)?;
    match p {
        Pred::True | Pred::False => Some(()),
        Pred::Cmp(_, a, b) => ix(a, left).and_then(|()| ix(b, left)),
        Pred::Not(p) => pred(p, left),
        Pred::And(ab) | Pred::Or(ab) => pred(&ab.0, left).and_then(|()| pred(&ab.1, left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cx::Cx;
    use atl_arith::Arith;
    use atl_kernel::{Label, Prim, Rule, Scalar};
    use std::sync::Arc;

    fn var(v: Var) -> Expr {
        Arc::new(Node::Var(v))
    }

    /// `let x = t; let x = x + x; .. x`: small, and large once it is written out.
    fn doubled(times: usize, t: Expr) -> Expr {
        let sum: Expr = Arc::new(Node::Prim(Prim::Add, vec![var(Var::Bound(0)); 2]));
        let last = var(Var::Bound(0));
        let below = (0..times).fold(last, |e, _| Arc::new(Node::Let(Label::new("x"), sum.clone(), e)));
        Arc::new(Node::Let(Label::new("x"), t, below))
    }

    /// What is left of this much after so many `let`s were inlined from the outside, and the refusal.
    fn inlined(limit: u64, times: usize) -> (u64, Option<Error>) {
        let mut ctx = Ctx::new();
        let elem = atl_semirings::elem(Scalar::F32, "plus_times").expect("ordinary floats");
        let t = ctx.push_tensor(Label::new("t"), Type { elem, shape: vec![] });
        let (mut arith, work) = (Arith::new(), Work::limited(limit));
        let mut cx = Cx::new(Arc::new(ctx), &mut arith).with_work(&work);
        let mut e = doubled(times, var(Var::Free(t)));
        while let Node::Let(..) = &*e {
            match cx.rule(Rule::LetInline, &e) {
                Ok(thm) => e = thm.rhs().clone(),
                Err(why) => return (work.left.get(), Some(why)),
            }
        }
        (work.left.get(), None)
    }

    #[test]
    fn copies_are_counted_before_they_are_made() {
        assert_eq!(inlined(1 << 20, 5).1, None);
        let (left, refused) = inlined(1 << 20, 60);
        assert_eq!((left, refused.is_some()), (0, true));
    }

    #[test]
    fn a_count_is_the_same_every_time() {
        assert_eq!(inlined(1 << 20, 10), inlined(1 << 20, 10));
        assert!(inlined(1 << 20, 10).0 < inlined(1 << 20, 9).0);
    }

    #[test]
    fn nothing_is_inferred_or_asked_once_the_limit_is_reached() {
        let (mut arith, work) = (Arith::new(), Work::limited(70));
        let mut cx = Cx::new(Arc::new(Ctx::new()), &mut arith).with_work(&work);
        let goal = Pred::le(Ix::ZERO, Ix::ONE);
        assert!(cx.proves(&goal) && !work.is_spent());
        assert!(!cx.proves(&goal) && work.is_spent());
        assert!(!cx.within(cx.ctx.clone()).proves(&Pred::True));
    }
}
