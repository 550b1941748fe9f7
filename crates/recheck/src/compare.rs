//! `arith_eq`: two terms of one structure, whose index terms and predicates are equal where they stand.
//!
//! This is the one place where the file's lines count, and not only the terms on them: two terms are passed over
//! exactly if they are on the same line, labels included.

use crate::context::{Entry, Scope, Type};
use crate::index::{Ix, Pred};
use crate::inference::Written;
use crate::refusal::{Checked, refuse, require};
use crate::subst::Subst;
use crate::terms::TermNode;
use crate::typing::{Evidence, Judge};

/// The lines of terms, and the scope of those compared.
struct Comparison<'a> {
    written: &'a [Written],
    scope: Scope,
}

impl Judge<'_> {
    /// Compare the terms of two lines.
    pub(crate) fn arith_eq(
        &mut self,
        written: &[Written],
        e: usize,
        f: usize,
        evidence: &mut Evidence<'_>,
    ) -> Checked<()> {
        let mut comparison = Comparison { written, scope: Scope::top(&self.context) };
        self.compare(&mut comparison, e, f, evidence)
    }

    fn compare(
        &mut self,
        to: &mut Comparison<'_>,
        e: usize,
        f: usize,
        evidence: &mut Evidence<'_>,
    ) -> Checked<()> {
        self.store.work(1)?;
        if e == f {
            return Ok(());
        }
        let (left, right) = (&to.written[e], &to.written[f]);
        let pairs = || left.parts.iter().copied().zip(right.parts.iter().copied());
        let same_count = left.parts.len() == right.parts.len();
        require(same_count, "the terms compared have different structure")?;
        match (self.store.node(left.term), self.store.node(right.term)) {
            (TermNode::Index(of_e, i), TermNode::Index(of_f, j)) => {
                require(of_e == of_f, "the terms compared have different element types")?;
                self.same_resolved(&to.scope, i, j, evidence)
            }
            (TermNode::Loop(kind, n, _), TermNode::Loop(other, m, _)) if kind == other => {
                self.same_resolved(&to.scope, n, m, evidence)?;
                let extent = self.store.in_ix(Subst::Resolve(&to.scope.stack), n, 0)?;
                let level = self.context.len();
                self.context.push_index(&mut self.store, extent)?;
                self.below(to, level, left.parts[0], right.parts[0], evidence)
            }
            (TermNode::Guard(p, _), TermNode::Guard(q, _)) => {
                let p = self.same_pred(&to.scope, p, q, evidence)?;
                self.assuming(p, |judge| judge.compare(to, left.parts[0], right.parts[0], evidence))
            }
            (TermNode::Select(p, ..), TermNode::Select(q, ..)) => {
                let p = self.same_pred(&to.scope, p, q, evidence)?;
                self.assuming(p, |judge| judge.compare(to, left.parts[0], right.parts[0], evidence))?;
                let otherwise = self.store.mk_not(p)?;
                self.assuming(otherwise, |judge| judge.compare(to, left.parts[1], right.parts[1], evidence))
            }
            (TermNode::Let(..), TermNode::Let(..)) => {
                let ty = self.compare_typed(to, left.parts[0], right.parts[0], evidence)?;
                let level = self.context.len();
                self.context.push(Entry::Tensor(ty))?;
                self.below(to, level, left.parts[1], right.parts[1], evidence)
            }
            (TermNode::Get(_, i), TermNode::Get(_, j)) => {
                self.compare(to, left.parts[0], right.parts[0], evidence)?;
                self.same_resolved(&to.scope, i, j, evidence)
            }
            (TermNode::Prim(function, _), TermNode::Prim(other, _)) if function == other => {
                pairs().try_for_each(|(a, b)| self.compare(to, a, b, evidence))
            }
            (TermNode::View(algebra, _), TermNode::View(other, _)) if algebra == other => {
                self.compare(to, left.parts[0], right.parts[0], evidence)
            }
            (TermNode::Op(def, indices, _), TermNode::Op(other, others, _)) if def == other => {
                let (indices, others) = (self.store.ix_list(indices), self.store.ix_list(others));
                require(indices.len() == others.len(), "the terms compared have different structure")?;
                for (i, j) in indices.into_iter().zip(others) {
                    self.same_resolved(&to.scope, i, j, evidence)?;
                }
                pairs().try_for_each(|(a, b)| self.compare_typed(to, a, b, evidence).map(|_| ()))
            }
            (a, b) if left.parts.is_empty() && a == b => Ok(()),
            _ => refuse("the terms compared have different structure"),
        }
    }

    /// Compare below a binder, whose entries from `level` on are then dropped.
    fn below(
        &mut self,
        to: &mut Comparison<'_>,
        level: u32,
        e: usize,
        f: usize,
        evidence: &mut Evidence<'_>,
    ) -> Checked<()> {
        to.scope.stack.push(level);
        self.compare(to, e, f, evidence)?;
        to.scope.stack.pop();
        self.context.leave(level);
        Ok(())
    }

    /// Compare two terms, and their types too: where a type is kept, that of the left one is.
    fn compare_typed(
        &mut self,
        to: &mut Comparison<'_>,
        e: usize,
        f: usize,
        evidence: &mut Evidence<'_>,
    ) -> Checked<Type> {
        self.compare(to, e, f, evidence)?;
        let left = self.typed(&mut to.scope, to.written[e].term, evidence)?;
        let right = self.typed(&mut to.scope, to.written[f].term, evidence)?;
        self.same_type(left, right, evidence)?;
        Ok(left)
    }

    fn same_resolved(&mut self, scope: &Scope, i: Ix, j: Ix, evidence: &mut Evidence<'_>) -> Checked<()> {
        let i = self.store.in_ix(Subst::Resolve(&scope.stack), i, 0)?;
        let j = self.store.in_ix(Subst::Resolve(&scope.stack), j, 0)?;
        self.same_ix(i, j, evidence)
    }

    /// Two predicates are equivalent; the left one, resolved.
    fn same_pred(&mut self, scope: &Scope, p: Pred, q: Pred, evidence: &mut Evidence<'_>) -> Checked<Pred> {
        let p = self.store.in_pred(Subst::Resolve(&scope.stack), p, 0)?;
        let q = self.store.in_pred(Subst::Resolve(&scope.stack), q, 0)?;
        if p != q {
            let goal = self.store.iff(p, q)?;
            self.show(goal, evidence)?;
        }
        Ok(p)
    }
}
