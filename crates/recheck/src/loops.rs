//! The right sides of the rules about sums and nests of loops.

use crate::algebra::Function;
use crate::context::Scope;
use crate::index::{Ix, IxNode, IxOp, Pred, PredNode, Relation};
use crate::inference::Extra;
use crate::refusal::{Checked, require};
use crate::rewrite::wrong_form;
use crate::rules::Rule;
use crate::subst::Subst;
use crate::terms::{Loop, Term, TermNode};
use crate::typing::{Evidence, Judge};

impl Judge<'_> {
    /// Rules about `sum n e`, and about `gen n e` of a sum.
    pub(crate) fn loop_rule(
        &mut self,
        rule: Rule,
        kind: Loop,
        n: Ix,
        body: Term,
        extra: Extra,
        evidence: &mut Evidence<'_>,
    ) -> Checked<Term> {
        match (rule, kind, extra) {
            (Rule::SumEmpty, Loop::Sum, _) => {
                let zero = self.store.literal(0)?;
                let empty = self.store.compare(Relation::Le, n, zero)?;
                self.show(empty, evidence)?;
                let first = self.store.at(body, zero)?;
                let never = self.store.pred(PredNode::False)?;
                self.store.term(TermNode::Guard(never, first))
            }
            (Rule::SumOne, Loop::Sum, _) => {
                let (zero, one) = (self.store.literal(0)?, self.store.literal(1)?);
                let single = self.store.compare(Relation::Eq, n, one)?;
                self.show(single, evidence)?;
                self.store.at(body, zero)
            }
            (Rule::SumSplit, Loop::Sum, Extra::Split(k)) => self.sum_split(n, body, k, evidence),
            (Rule::SumTile, Loop::Sum, Extra::Tile(q, k)) => self.sum_tile(n, body, q, k, evidence),
            (Rule::SumSwap, Loop::Sum, _) | (Rule::GenSumSwap, Loop::Gen, _) => self.swap(kind, n, body),
            (Rule::SumAdd, Loop::Sum, _) => {
                let (a, b) = self.two(body, Function::Add)?;
                let a = self.sum(n, a)?;
                let b = self.sum(n, b)?;
                self.store.prim(Function::Add, &[a, b])
            }
            (Rule::OnehotSum, Loop::Sum, _) => match self.store.node(body) {
                TermNode::Guard(p, e) => self.onehot(n, p, e),
                _ => wrong_form(),
            },
            _ => wrong_form(),
        }
    }

    fn sum(&mut self, n: Ix, body: Term) -> Checked<Term> {
        self.store.term(TermNode::Loop(Loop::Sum, n, body))
    }

    /// An argument of a rule: an index term of the context.
    fn argument(&mut self, ix: Ix) -> Checked<()> {
        Scope::top(&self.context).check_ix(&mut self.store, &self.context, ix)
    }

    fn sum_split(&mut self, n: Ix, body: Term, k: Ix, evidence: &mut Evidence<'_>) -> Checked<Term> {
        self.argument(k)?;
        let zero = self.store.literal(0)?;
        let low = self.store.compare(Relation::Le, zero, k)?;
        let high = self.store.compare(Relation::Le, k, n)?;
        let within = self.store.mk_and(low, high)?;
        self.show(within, evidence)?;
        let level = self.context.len();
        let index = self.store.free_ix(level)?;
        let shifted = self.store.mk(IxOp::Add, index, k)?;
        let rest = self.store.at(body, shifted)?;
        let rest = self.store.close(rest, level)?;
        let remaining = self.store.mk(IxOp::Sub, n, k)?;
        let (first, second) = (self.sum(k, body)?, self.sum(remaining, rest)?);
        self.store.prim(Function::Add, &[first, second])
    }

    fn sum_tile(&mut self, n: Ix, body: Term, q: Ix, k: Ix, evidence: &mut Evidence<'_>) -> Checked<Term> {
        self.argument(q)?;
        self.argument(k)?;
        let zero = self.store.literal(0)?;
        let product = self.store.mk(IxOp::Mul, q, k)?;
        let exact = self.store.compare(Relation::Eq, n, product)?;
        let (q_low, k_low) =
            (self.store.compare(Relation::Le, zero, q)?, self.store.compare(Relation::Le, zero, k)?);
        let low = self.store.mk_and(q_low, k_low)?;
        let goal = self.store.mk_and(exact, low)?;
        self.show(goal, evidence)?;
        let level = self.context.len();
        let (outer, inner) = (self.store.free_ix(level)?, self.store.free_ix(level + 1)?);
        let start = self.store.mk(IxOp::Mul, outer, k)?;
        let place = self.store.mk(IxOp::Add, start, inner)?;
        let tile = self.store.at(body, place)?;
        let tile = self.store.close(tile, level + 1)?;
        let tile = self.sum(k, tile)?;
        let tile = self.store.close(tile, level)?;
        self.sum(q, tile)
    }

    /// A loop and a sum directly inside it change places.
    fn swap(&mut self, kind: Loop, n: Ix, body: Term) -> Checked<Term> {
        let TermNode::Loop(Loop::Sum, m, inner) = self.store.node(body) else { return wrong_form() };
        let level = self.context.len();
        let index = self.store.free_ix(level)?;
        let m = self.store.in_ix(Subst::At(index), m, 0)?;
        require(!self.mentions(m, level), "the inner sum's extent depends on the outer index")?;
        // The outer variable is one binder further out; then the inner one.
        let inner = self.store.in_term(Subst::Open(level), inner, 1)?;
        let inner = self.store.open(inner, level + 1)?;
        let inside = self.store.close(inner, level)?;
        let inside = self.store.term(TermNode::Loop(kind, n, inside))?;
        let inside = self.store.close(inside, level + 1)?;
        self.sum(m, inside)
    }

    /// A sum in which one index at most is not guarded away.
    fn onehot(&mut self, n: Ix, p: Pred, e: Term) -> Checked<Term> {
        let (first, rest) = match self.store.pred_node(p) {
            PredNode::And(first, rest) => (first, rest),
            _ => (p, self.store.pred(PredNode::True)?),
        };
        let PredNode::Compare(Relation::Eq, x, y) = self.store.pred_node(first) else { return wrong_form() };
        let is_index = |ix| self.store.ix_node(ix) == IxNode::Bound(0);
        let value = match (is_index(x), is_index(y)) {
            (true, _) => y,
            (false, true) => x,
            (false, false) => return wrong_form(),
        };
        require(self.store.ix_measure(value).loose == 0, "the one index depends on the sum's index")?;
        let within = self.store.in_range(value, n)?;
        let rest = self.store.in_pred(Subst::At(value), rest, 0)?;
        let guard = self.store.mk_and(within, rest)?;
        let e = self.store.at(e, value)?;
        self.store.term(TermNode::Guard(guard, e))
    }
}
