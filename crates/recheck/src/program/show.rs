//! Evidence for what a step asks: nothing where it is plain or known, else the next certificate.

use super::fill::Filling;
use crate::context::Entry;
use crate::prelude::*;
use crate::subst::Subst;

impl Filling<'_> {
    /// A condition holds.
    pub(super) fn show(&mut self, goal: Pred) -> Checked<()> {
        if self.is_direct(goal)? || self.is_merged(goal)? { Ok(()) } else { self.judge.show(goal) }
    }

    /// Two index terms are equal.
    pub(super) fn equal(&mut self, a: Ix, b: Ix) -> Checked<()> {
        self.show(self.judge.store.compare(Relation::Eq, a, b)?)
    }

    /// A condition does not hold.
    pub(super) fn deny(&mut self, p: Pred) -> Checked<()> {
        self.show(self.judge.store.pred(PredNode::Not(p))?)
    }

    /// Two conditions have one truth value.
    pub(super) fn alike(&mut self, p: Pred, q: Pred) -> Checked<()> {
        if self.same(p, q)? {
            return Ok(());
        }
        let store = &self.judge.store;
        let not = |p| store.pred(PredNode::Not(p));
        let (both, neither) =
            (store.pred(PredNode::And(p, q))?, store.pred(PredNode::And(not(p)?, not(q)?))?);
        self.show(store.pred(PredNode::Or(both, neither))?)
    }

    /// Is it plain, a hypothesis, or a conjunction of such?
    fn is_direct(&self, goal: Pred) -> Checked<bool> {
        if self.is_plain(goal)? {
            return Ok(true);
        }
        for entry in self.judge.context.entries() {
            if let Entry::Hypothesis(known) = entry
                && (*known == goal || self.same(*known, goal)?)
            {
                return Ok(true);
            }
        }
        match self.judge.store.pred_node(goal) {
            PredNode::And(p, q) => Ok(self.is_direct(p)? && self.is_direct(q)?),
            _ => Ok(false),
        }
    }

    /// `b - a`, if it is a number.
    fn difference(&self, a: Ix, b: Ix) -> Option<i128> {
        let store = &self.judge.store;
        let difference = store.poly_add(store.poly(b).ok()?, -1, store.poly(a).ok()?).ok()?;
        store.polynomials.as_constant(difference)
    }

    /// Are the polynomials of two index terms equal?
    pub(super) fn is_same(&self, a: Ix, b: Ix) -> bool {
        self.difference(a, b) == Some(0)
    }

    /// Is it true whatever its variables are?
    fn is_plain(&self, goal: Pred) -> Checked<bool> {
        self.judge.store.work(1)?;
        Ok(match self.judge.store.pred_node(goal) {
            PredNode::True => true,
            PredNode::False | PredNode::Not(_) => false,
            PredNode::Compare(Relation::Eq, a, b) => self.is_same(a, b),
            PredNode::Compare(Relation::Le, a, b) => self.difference(a, b).is_some_and(|d| d >= 0),
            PredNode::Compare(Relation::Lt, a, b) => self.difference(a, b).is_some_and(|d| d > 0),
            PredNode::And(p, q) => self.is_plain(p)? && self.is_plain(q)?,
            PredNode::Or(p, q) => self.is_plain(p)? || self.is_plain(q)?,
        })
    }

    /// Are they one predicate, with index terms that are equal as polynomials?
    pub(super) fn same(&self, p: Pred, q: Pred) -> Checked<bool> {
        self.judge.store.work(1)?;
        let (p, q) = (self.judge.store.pred_node(p), self.judge.store.pred_node(q));
        Ok(match (p, q) {
            (PredNode::True, PredNode::True) | (PredNode::False, PredNode::False) => true,
            (PredNode::Compare(r, a, b), PredNode::Compare(s, x, y)) => {
                r == s && self.is_same(a, x) && self.is_same(b, y)
            }
            (PredNode::Not(p), PredNode::Not(q)) => self.same(p, q)?,
            (PredNode::And(p, q), PredNode::And(r, s)) | (PredNode::Or(p, q), PredNode::Or(r, s)) => {
                self.same(p, r)? && self.same(q, s)?
            }
            _ => false,
        })
    }

    /// An equation that is plain where quotients of quotients are merged.
    fn is_merged(&self, goal: Pred) -> Checked<bool> {
        match self.judge.store.pred_node(goal) {
            PredNode::Compare(Relation::Eq, a, b) => Ok(self.is_same(self.merged(a)?, self.merged(b)?)),
            _ => Ok(false),
        }
    }

    /// The index term with `x div p div q` as `x div (p * q)`, where `p` and `q` are known to be positive,
    /// and remainders by quotients.
    fn merged(&self, ix: Ix) -> Checked<Ix> {
        let store = &self.judge.store;
        store.work(1)?;
        let IxNode::Op(op, a, b) = store.ix_node(ix) else { return Ok(ix) };
        let (a, b) = (self.merged(a)?, self.merged(b)?);
        let node = |op, a, b| store.ix(IxNode::Op(op, a, b));
        let quotient = || match store.ix_node(a) {
            IxNode::Op(IxOp::Div, x, p) if self.is_positive(p)? && self.is_positive(b)? => {
                node(IxOp::Div, x, node(IxOp::Mul, p, b)?)
            }
            _ => node(IxOp::Div, a, b),
        };
        match op {
            IxOp::Div => quotient(),
            IxOp::Mod => node(IxOp::Sub, a, node(IxOp::Mul, b, quotient()?)?),
            op => node(op, a, b),
        }
    }

    /// Is it a positive number, known to be positive, or a product of such?
    fn is_positive(&self, ix: Ix) -> Checked<bool> {
        let store = &self.judge.store;
        let wanted = store.compare(Relation::Lt, store.literal(0)?, ix)?;
        for entry in self.judge.context.entries() {
            if let Entry::Hypothesis(known) = entry
                && self.same(*known, wanted)?
            {
                return Ok(true);
            }
        }
        Ok(match store.ix_node(ix) {
            IxNode::Literal(value) => value > 0,
            IxNode::Op(IxOp::Mul, a, b) => self.is_positive(a)? && self.is_positive(b)?,
            _ => false,
        })
    }

    /// An index term of the loops, where they stand: its variables are those of the loops around.
    pub(super) fn index(&mut self, ix: Ix) -> Checked<Ix> {
        let context = &mut self.judge.context;
        context.stack.clone_from(&self.loops);
        context.base = self.base;
        let resolved = context.resolve(&self.judge.store, ix);
        context.at_top();
        resolved
    }

    /// A condition of the loops, where they stand.
    pub(super) fn condition(&mut self, pred: Pred) -> Checked<Pred> {
        let context = &mut self.judge.context;
        context.stack.clone_from(&self.loops);
        context.base = self.base;
        let resolved = context.resolve_pred(&self.judge.store, pred);
        context.at_top();
        resolved
    }

    /// Whatever an index term of the loops reads is there.
    pub(super) fn reads(&mut self, ix: Ix) -> Checked<()> {
        match self.judge.store.ix_node(ix) {
            IxNode::Literal(_) | IxNode::Free(_) | IxNode::Bound(_) => Ok(()),
            IxNode::Op(_, a, b) => {
                self.judge.store.work(1)?;
                self.reads(a)?;
                self.reads(b)
            }
            IxNode::Read(array, at) => {
                let (level, ty) = self.judge.context.tensor(self.judge.store.node(array))?;
                require(self.is_input(level), "an index term of the loops reads a buffer that is no input")?;
                let (at, extents) = (self.judge.store.ix_list(at), self.judge.store.ix_list(ty.shape));
                let ([index], [extent]) = (&at[..], &extents[..]) else {
                    return refuse("an index term of the loops reads an array of several dimensions");
                };
                self.reads(*index)?;
                self.show(self.judge.store.inside(*index, *extent)?)
            }
        }
    }

    /// Whatever a condition of the loops reads is there. The second part is evaluated if the first decides
    /// nothing.
    pub(super) fn reads_of_condition(&mut self, pred: Pred) -> Checked<()> {
        match self.judge.store.pred_node(pred) {
            PredNode::True | PredNode::False => Ok(()),
            PredNode::Compare(_, a, b) => {
                self.reads(a)?;
                self.reads(b)
            }
            PredNode::Not(p) => self.reads_of_condition(p),
            PredNode::And(p, q) => {
                self.reads_of_condition(p)?;
                self.assuming(p, |this| this.reads_of_condition(q))
            }
            PredNode::Or(p, q) => {
                self.reads_of_condition(p)?;
                let not = self.judge.store.pred(PredNode::Not(p))?;
                self.assuming(not, |this| this.reads_of_condition(q))
            }
        }
    }

    /// An index term of the loops gives this one; it, for what else it is asked.
    pub(super) fn gives(&mut self, ix: Ix, wanted: Ix) -> Checked<()> {
        let ix = self.index(ix)?;
        self.reads(ix)?;
        self.equal(ix, wanted)
    }

    /// A condition of the loops decides this one.
    pub(super) fn decides(&mut self, pred: Pred, wanted: Pred) -> Checked<()> {
        let pred = self.condition(pred)?;
        self.reads_of_condition(pred)?;
        self.alike(pred, wanted)
    }

    /// With a hypothesis more.
    pub(super) fn assuming<T>(&mut self, p: Pred, then: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        let level = self.judge.context.len();
        self.judge.context.push(Entry::Hypothesis(p))?;
        let result = then(self)?;
        self.judge.context.leave(level);
        Ok(result)
    }

    /// The predicate below a binder, if it does not mention the binder's index.
    pub(super) fn settled(&self, pred: Pred) -> Checked<Pred> {
        let store = &self.judge.store;
        let level = self.judge.context.len();
        let opened = store.in_pred(Subst::Open(level, 1), pred, 0)?;
        require(store.pred_measure(opened).free <= level, "a condition depends on the loop's index")?;
        Ok(opened)
    }
}
