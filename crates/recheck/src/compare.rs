//! `arith_eq`: two terms of one structure, whose index terms and predicates are equal where they stand.
//!
//! This is the one place where the file's lines count, and not only the terms on them: two terms are passed over
//! exactly if they are on the same line, labels included.

use crate::context::{Entry, Type};
use crate::inference::Written;
use crate::prelude::*;
use crate::typing::Judge;

impl Judge<'_> {
    /// Compare the terms of two lines, below the binders that were entered.
    pub(crate) fn same_terms(&mut self, written: &[Written], e: usize, f: usize) -> Checked<()> {
        self.store.work(1)?;
        if e == f {
            return Ok(());
        }
        let (left, right) = (&written[e], &written[f]);
        let (node, other) = (self.store.node(left.term), self.store.node(right.term));
        let (of_left, of_right) = (self.store.parts(node), self.store.parts(other));
        let counts = |ixs: &[Ix], terms: &[Term]| (ixs.len(), terms.len());
        let same_counts = counts(&of_left.ixs, &of_left.terms) == counts(&of_right.ixs, &of_right.terms);
        // Of one kind is what differs in its parts alone.
        let same_kind = same_counts && self.store.rebuilt(node, &of_right)? == other;
        require(same_kind, "the terms compared have different structure")?;
        let level = self.context.len();
        let part = |judge: &mut Self, k: usize| judge.same_terms(written, left.parts[k], right.parts[k]);
        let typed_part =
            |judge: &mut Self, k: usize| judge.same_typed(written, left.parts[k], right.parts[k]);
        let ixs = |judge: &mut Self| {
            let mut pairs = of_left.ixs.iter().zip(&of_right.ixs);
            pairs.try_for_each(|(i, j)| {
                let i = judge.context.resolve(&judge.store, *i)?;
                judge.same_ix(i, judge.context.resolve(&judge.store, *j)?)
            })
        };
        match node {
            TermNode::Free(_) | TermNode::Bound(_) | TermNode::Literal(..) => Ok(()),
            TermNode::Index(..) => ixs(self),
            TermNode::Loop(_, n, _) => {
                ixs(self)?;
                let n = self.context.resolve(&self.store, n)?;
                self.context.push_index(&self.store, n)?;
                self.below(level, |judge| part(judge, 0))
            }
            TermNode::Let(..) => {
                let ty = typed_part(self, 0)?;
                self.context.push(Entry::Tensor(ty))?;
                self.below(level, |judge| part(judge, 1))
            }
            TermNode::Iterate(n, ..) => {
                ixs(self)?;
                let n = self.context.resolve(&self.store, n)?;
                let last = left.parts.len() - 1;
                let starts = (0..last).step_by(2).map(|k| typed_part(self, k));
                let types = starts.collect::<Checked<Vec<_>>>()?;
                let step = |judge: &mut Self, k: usize, _| {
                    let level = judge.context.len();
                    judge.context.push_index(&judge.store, n)?;
                    judge.below(level, |judge| part(judge, 2 * k + 1))
                };
                self.rounds(&types, step, |judge| part(judge, last))
            }
            TermNode::Guard(p, _) => {
                let p = self.same_pred(p, of_right.pred)?;
                self.assuming(p, |judge| part(judge, 0))
            }
            TermNode::Select(p, ..) => {
                let p = self.same_pred(p, of_right.pred)?;
                self.assuming(p, |judge| part(judge, 0))?;
                self.assuming(self.store.mk_not(p)?, |judge| part(judge, 1))
            }
            // What holds inside may equate extents that `get` then drops.
            TermNode::Get(e, _) => {
                if Some(&e) != of_right.terms.first() {
                    typed_part(self, 0)?;
                }
                ixs(self)
            }
            TermNode::View(..) | TermNode::Prim(..) | TermNode::Bundle(_) => {
                (0..left.parts.len()).try_for_each(|k| part(self, k))
            }
            TermNode::Op(..) => {
                ixs(self)?;
                (0..left.parts.len()).try_for_each(|k| typed_part(self, k).map(|_| ()))
            }
        }
    }

    /// Compare two terms, and their types too; the left one's.
    fn same_typed(&mut self, written: &[Written], e: usize, f: usize) -> Checked<Type> {
        self.same_terms(written, e, f)?;
        let (left, right) = (self.typed(written[e].term)?, self.typed(written[f].term)?);
        self.same_type(left, right)?;
        Ok(left)
    }

    /// Two predicates are equivalent; the left one, resolved.
    fn same_pred(&mut self, p: Pred, q: Option<Pred>) -> Checked<Pred> {
        let p = self.context.resolve_pred(&self.store, p)?;
        let q = self.context.resolve_pred(&self.store, q.ok_or("a predicate is compared with none")?)?;
        if p != q {
            self.show(self.store.iff(p, q)?)?;
        }
        Ok(p)
    }
}
