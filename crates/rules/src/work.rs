//! The work that conversions do, counted: what makes every script end soon, and end alike on every machine.
//!
//! **The one idea.** The kernel infers types by walking terms as trees, whatever they share, and every inference does so;
//! so the nodes walked are what conversions cost, in time and in the memory that records of theorems keep. They are
//! counted at the one door to the kernel, [`Cx`](crate::Cx), beside a flat charge for each question to the prover.
//!
//! A count that has reached its limit refuses every inference that follows. Conversions may take that for a refusal of
//! their own and leave a term alone, so whoever set the limit asks [`Work::is_spent`] whether a result is to be believed.

use atl_arith::Map;
use atl_arith::size::Sizes;
use atl_kernel::{Cert, Ctx, Error, Expr, Node, Pred, Prover, Type, Var};
use atl_lang::extents;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Weak};

/// What a question to the prover counts for, in nodes.
const QUESTION: u64 = 64;

/// The limit of an account without one: more than can be spent.
const UNLIMITED: u64 = u64::MAX;

/// What an operator counts for: its definition is walked at every use.
const OPERATOR: u64 = 16;

/// A count with a limit. Copies count together.
#[derive(Clone, Debug)]
pub struct Work {
    limit: u64,
    left: Rc<Cell<u64>>,
    long_extents: Rc<Cell<bool>>,
    met: Rc<RefCell<Met>>,
}

impl Default for Work {
    /// Without a limit.
    fn default() -> Work {
        Work::limited(UNLIMITED)
    }
}

impl Work {
    /// At most so much work.
    pub fn limited(limit: u64) -> Work {
        Work { limit, left: Rc::new(Cell::new(limit)), long_extents: Rc::default(), met: Rc::default() }
    }

    /// An account with what is left here, which counts for itself until it is settled.
    pub fn trial(&self) -> Work {
        Work { left: Rc::new(Cell::new(self.left.get())), long_extents: Rc::default(), ..self.clone() }
    }

    /// Count here what was done on a trial of this account.
    pub fn settle(&self, trial: &Work) {
        self.left.set(trial.left.get());
    }

    /// Was more asked for than was left? Then nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Is nothing left because the extents of a type were longer than may be?
    pub fn met_long_extents(&self) -> bool {
        self.long_extents.get()
    }

    /// Account for the walk of a term.
    pub(crate) fn term(&self, e: &Expr) -> Result<(), Error> {
        self.spend(self.met.borrow_mut().size(e))
    }

    /// Account for the copies that a `let`, inlined, leaves: the limit is to be reached before they are made.
    pub(crate) fn inlined(&self, bound: &Expr, body: &Expr) -> Result<(), Error> {
        let copies = {
            let mut met = self.met.borrow_mut();
            met.uses(body, 0).saturating_mul(met.size(bound))
        };
        self.spend(copies)
    }

    /// Account for the walk of a type's extents, and of what is assumed where it is the type of something.
    pub(crate) fn ty(&self, ctx: &Ctx, ty: &Type) -> Result<(), Error> {
        if self.limit < UNLIMITED && !extents::fit(ty) {
            self.long_extents.set(true);
            return self.spend(u64::MAX);
        }
        let mut sizes = Sizes::default();
        let known = ctx.entries().len() as u64;
        self.spend(ty.shape.iter().fold(known, |sum, n| sum.saturating_add(sizes.ix(n))))
    }

    fn spend(&self, n: u64) -> Result<(), Error> {
        let left = self.left.get().saturating_sub(n);
        self.left.set(left);
        if left > 0 { Ok(()) } else { Err(Error::Mismatch("the limit of work is reached")) }
    }
}

/// A prover whose questions are counted; beyond the limit it has no answers.
pub(crate) struct Counted<'p> {
    pub(crate) prover: &'p mut dyn Prover,
    pub(crate) work: &'p Work,
}

impl Prover for Counted<'_> {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        let asked = self.work.spend(Sizes::default().pred(goal).saturating_add(QUESTION));
        asked.ok().and_then(|()| self.prover.prove(ctx, goal))
    }
}

/// The sizes of terms that were met, as trees. From one inference to the next most parts stay, and are not counted again. What is
/// kept of a term is its address alone, and the promise of a weak reference that no other term gets it.
#[derive(Default, Debug)]
struct Met {
    sizes: Map<*const Node, (Weak<Node>, u64)>,
    /// Of `let`s, how many binders above bind a name that stands in them.
    reaches: Map<*const Node, (Weak<Node>, u32)>,
}

impl Met {
    /// So many sizes are kept; beyond that, all are forgotten.
    const CAPACITY: usize = 1 << 16;

    /// Smaller terms are counted again.
    const SMALL: u64 = 16;

    fn size(&mut self, e: &Expr) -> u64 {
        self.expr(e, &mut Sizes::default())
    }

    fn expr(&mut self, e: &Expr, indices: &mut Sizes) -> u64 {
        // What is not shared is met again only with what it stands in, and of that a chain of `let`s is long.
        let is_kept = Arc::strong_count(e) > 1 || matches!(**e, Node::Let(..));
        let key = Arc::as_ptr(e);
        if is_kept && let Some((_, known)) = self.sizes.get(&key) {
            return *known;
        }
        let own = match &**e {
            Node::Var(_) | Node::Lit(..) | Node::Let(..) => 1,
            Node::Prim(..) | Node::View(..) | Node::Bundle(..) => 1,
            Node::Index(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) => {
                indices.ix(i).saturating_add(1)
            }
            Node::Guard(p, _) | Node::Select(p, ..) => indices.pred(p).saturating_add(1),
            Node::Iterate(it) => indices.ix(&it.extent).saturating_add(1),
            Node::Op(_, ixs, _) => ixs.iter().fold(1 + OPERATOR, |sum, i| sum.saturating_add(indices.ix(i))),
        };
        let below = e.children().filter_map(|at| e.child(at));
        let all = below.fold(own, |sum, child| sum.saturating_add(self.expr(child, indices)));
        if is_kept && all > Met::SMALL {
            if self.sizes.len() >= Met::CAPACITY {
                self.sizes.clear();
            }
            self.sizes.insert(key, (Arc::downgrade(e), all));
        }
        all
    }

    /// How many binders above bind a name that stands in the term.
    fn reach(&mut self, e: &Expr) -> u32 {
        if let Node::Var(Var::Bound(b)) = **e {
            return b.saturating_add(1);
        }
        let (key, is_kept) = (Arc::as_ptr(e), matches!(**e, Node::Let(..)));
        if is_kept && let Some((_, known)) = self.reaches.get(&key) {
            return *known;
        }
        let below = e.children().filter_map(|at| Some((e.child(at)?, e.binds(at))));
        let reach = below.map(|(child, binds)| self.reach(child).saturating_sub(binds)).max().unwrap_or(0);
        if is_kept {
            if self.reaches.len() >= Met::CAPACITY {
                self.reaches.clear();
            }
            self.reaches.insert(key, (Arc::downgrade(e), reach));
        }
        reach
    }

    /// How often the variable stands that so many binders above bind.
    fn uses(&mut self, e: &Expr, binder: u32) -> u64 {
        // In a chain of `let`s, a name is read soon, and most of what follows is met again.
        if matches!(**e, Node::Let(..)) && self.reach(e) <= binder {
            return 0;
        }
        let own = u64::from(matches!(&**e, Node::Var(Var::Bound(b)) if *b == binder));
        let below = e.children().filter_map(|at| Some((e.child(at)?, e.binds(at))));
        own + below.map(|(child, binds)| self.uses(child, binder + binds)).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cx::Cx;
    use atl_arith::Arith;
    use atl_kernel::{Ix, Label, Prim, Rule, Scalar};

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
