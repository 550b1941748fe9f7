//! Loops that were written out: some iterations, then some more.

use super::fill::{Filling, Goal, part, split_at, wrong_form};
use super::place::{Held, Layer};
use super::{Fills, Step};
use crate::prelude::*;

impl<'f> Filling<'f> {
    pub(super) fn written(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        body: Term,
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        let Some((extent, inner)) = shape.split_first() else { return wrong_form() };
        let Some((total, counts)) = step.counts.split_first() else { return wrong_form() };
        self.equal(*extent, self.judge.store.literal(*total as i64)?)?;
        let (mut first, mut left) = (0, statements);
        for k in 0..step.parts.len() {
            // The last piece has what is left.
            let (width, own, rest) = match counts.get(2 * k..2 * k + 2) {
                Some([width, count]) => {
                    let (own, rest) = split_at(*count, left)?;
                    (*width, own, rest)
                }
                _ => (total.checked_sub(first).ok_or("a loop is cut into more than it has")?, left, &[][..]),
            };
            let store = &self.judge.store;
            let (from, extent) = (store.literal(first as i64)?, store.literal(width as i64)?);
            // The iterations from one on, as a loop of their own.
            let level = self.judge.context.len();
            let index = store.op(IxOp::Add, from, store.free_ix(level)?)?;
            let term = store.close(store.at(body, index)?, level)?;
            let term = store.term(TermNode::Loop(Loop::Gen, extent, term))?;
            let shape: Vec<Ix> = [extent].into_iter().chain(inner.iter().copied()).collect();
            let to = to.under(Layer::Up(from));
            self.fill(part(step, k)?, own, Goal { term, shape: &shape, to: &to })?;
            (first, left) = (first + width, rest);
        }
        Ok(())
    }

    /// A sum whose terms are added one after the other.
    pub(super) fn summed_written(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, body): (Ix, Term),
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        self.accumulates(to)?;
        let to = to.holding(Held::Adding);
        let Some((total, counts)) = step.counts.split_first() else { return wrong_form() };
        require(*total == step.parts.len(), "a sum is cut into more or fewer than it has")?;
        self.equal(n, self.judge.store.literal(*total as i64)?)?;
        let mut left = statements;
        for k in 0..*total {
            let own = match counts.get(2 * k..2 * k + 2) {
                Some([1, count]) => {
                    let (own, rest) = split_at(*count, left)?;
                    left = rest;
                    own
                }
                Some(_) => return wrong_form(),
                None => left,
            };
            let term = self.judge.store.at(body, self.judge.store.literal(k as i64)?)?;
            self.fill(part(step, k)?, own, Goal { term, shape, to: &to })?;
        }
        Ok(())
    }
}
