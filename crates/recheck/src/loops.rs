//! The right sides of the rules about sums and nests of loops.

use crate::inference::Extra;
use crate::prelude::*;
use crate::rewrite::wrong_form;
use crate::subst::Subst;
use crate::typing::Judge;

impl Judge<'_> {
    /// Rules about `sum n e`, and about `gen n e` of a sum.
    pub(crate) fn loop_rule(&mut self, rule: Rule, of: (Loop, Ix, Term), extra: Extra) -> Checked<Term> {
        let (kind, n, body) = of;
        let zero = self.store.literal(0)?;
        match (rule, kind, extra) {
            (Rule::SumEmpty, Loop::Sum, _) => {
                self.show(self.store.compare(Relation::Le, n, zero)?)?;
                self.store.guard(self.store.pred(PredNode::False)?, self.store.at(body, zero)?)
            }
            (Rule::SumOne, Loop::Sum, _) => {
                self.show(self.store.compare(Relation::Eq, n, self.store.literal(1)?)?)?;
                self.store.at(body, zero)
            }
            (Rule::SumLast, Loop::Sum, _) => {
                self.show(self.store.compare(Relation::Lt, zero, n)?)?;
                let before = self.store.mk(IxOp::Sub, n, self.store.literal(1)?)?;
                let last = self.store.at(body, before)?;
                self.store.prim(Function::Add, &[self.store.sum(before, body)?, last])
            }
            (Rule::SumSplit, Loop::Sum, Extra::Split(k)) => self.sum_split(n, body, k),
            (Rule::SumTile, Loop::Sum, Extra::Tile(q, k)) => self.sum_tile(n, body, q, k),
            (Rule::SumSwap, Loop::Sum, _) | (Rule::GenSumSwap, Loop::Gen, _) => self.swap(kind, n, body),
            (Rule::SumAdd, Loop::Sum, _) => {
                let (a, b) = self.two(body, Function::Add)?;
                self.store.prim(Function::Add, &[self.store.sum(n, a)?, self.store.sum(n, b)?])
            }
            (Rule::SumOnes, Loop::Sum, _) => match self.store.node(body) {
                TermNode::Literal(element, Number::One) => {
                    self.store.term(TermNode::Index(element, self.store.mk(IxOp::Max, n, zero)?))
                }
                _ => wrong_form(),
            },
            (Rule::OnehotSum, Loop::Sum, _) => match self.store.node(body) {
                TermNode::Guard(p, e) => self.onehot(n, p, e),
                _ => wrong_form(),
            },
            _ => wrong_form(),
        }
    }

    /// An argument of a rule: an index term of the context, at least 0.
    fn at_least_zero(&mut self, ix: Ix) -> Checked<Pred> {
        self.context.at_top();
        self.context.resolve(&self.store, ix)?;
        self.store.compare(Relation::Le, self.store.literal(0)?, ix)
    }

    fn sum_split(&mut self, n: Ix, body: Term, k: Ix) -> Checked<Term> {
        let low = self.at_least_zero(k)?;
        self.show(self.store.mk_and(low, self.store.compare(Relation::Le, k, n)?)?)?;
        let (store, level) = (&self.store, self.context.len());
        let shifted = store.mk(IxOp::Add, store.free_ix(level)?, k)?;
        let rest = store.close(store.at(body, shifted)?, level)?;
        let rest = store.sum(store.mk(IxOp::Sub, n, k)?, rest)?;
        store.prim(Function::Add, &[store.sum(k, body)?, rest])
    }

    fn sum_tile(&mut self, n: Ix, body: Term, q: Ix, k: Ix) -> Checked<Term> {
        let (low, low_k) = (self.at_least_zero(q)?, self.at_least_zero(k)?);
        let low = self.store.mk_and(low, low_k)?;
        let exact = self.store.compare(Relation::Eq, n, self.store.mk(IxOp::Mul, q, k)?)?;
        self.show(self.store.mk_and(exact, low)?)?;
        let (store, level) = (&self.store, self.context.len());
        let start = store.mk(IxOp::Mul, store.free_ix(level)?, k)?;
        let place = store.mk(IxOp::Add, start, store.free_ix(level + 1)?)?;
        let tile = store.sum(k, store.close(store.at(body, place)?, level + 1)?)?;
        store.sum(q, store.close(tile, level)?)
    }

    /// A loop and a sum directly inside it change places.
    fn swap(&mut self, kind: Loop, n: Ix, body: Term) -> Checked<Term> {
        let (store, level) = (&self.store, self.context.len());
        let TermNode::Loop(Loop::Sum, m, inner) = store.node(body) else { return wrong_form() };
        let m = store.in_ix(Subst::At(store.free_ix(level)?), m, 0)?;
        require(store.ix_measure(m).free <= level, "the inner sum's extent depends on the outer index")?;
        // The outer variable is one binder further out; then the inner one.
        let inner = store.in_term(Subst::Open(level, 1), inner, 1)?;
        let inner = store.open(inner, level + 1)?;
        let inside = store.term(TermNode::Loop(kind, n, store.close(inner, level)?))?;
        store.sum(m, store.close(inside, level + 1)?)
    }

    /// A sum in which one index at most is not guarded away.
    fn onehot(&mut self, n: Ix, p: Pred, e: Term) -> Checked<Term> {
        let store = &self.store;
        let (first, rest) = match store.pred_node(p) {
            PredNode::And(first, rest) => (first, rest),
            _ => (p, store.pred(PredNode::True)?),
        };
        let PredNode::Compare(Relation::Eq, x, y) = store.pred_node(first) else { return wrong_form() };
        let is_index = |ix| store.ix_node(ix) == IxNode::Bound(0);
        require(is_index(x) || is_index(y), "no side of the guard's equation is the sum's index")?;
        let value = if is_index(x) { y } else { x };
        require(store.ix_measure(value).loose == 0, "the one index depends on the sum's index")?;
        let rest = store.in_pred(Subst::At(value), rest, 0)?;
        let guard = store.mk_and(store.in_range(value, n)?, rest)?;
        store.guard(guard, store.at(e, value)?)
    }
}
