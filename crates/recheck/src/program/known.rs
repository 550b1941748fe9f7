//! Tensors that are in memory, and what is known of the cells in which states of iterations are.
//!
//! A state may be held by some of its cells only, and a round may store to its cells one after the other: so
//! whatever is read of it asks that the cell holds it as yet.

use super::fill::{Filling, wrong_form};
use super::place::Target;
use crate::prelude::*;
use crate::subst::Subst;

/// A tensor that is in memory, by its level, and its buffer.
pub(super) struct Known {
    pub(super) level: u32,
    pub(super) buffer: usize,
    /// Where it is, if it is a state.
    pub(super) state: Option<State>,
}

/// Where a state is, and which of its elements. In predicates `bound k` is the index `k`.
#[derive(Clone)]
pub(super) struct State {
    pub(super) to: Target,
    /// Those that the cells hold.
    pub(super) held: Pred,
    /// Those that the round at hand may replace.
    pub(super) changed: Pred,
    /// Those that it may have replaced so far.
    pub(super) stored: Vec<Stored>,
}

/// Elements with these first indices, and the next one in a range.
#[derive(Clone)]
pub(super) struct Stored {
    index: Vec<Ix>,
    from: Ix,
    end: Ix,
}

impl Store {
    /// A predicate about elements, of one.
    pub(super) fn of_element(&self, pred: Pred, index: &[Ix]) -> Checked<Pred> {
        self.in_pred(Subst::Instance(index), pred, 0)
    }

    /// The element is another than these, or `other` holds.
    fn apart(&self, stored: &Stored, at: &[Ix], other: Pred) -> Checked<Pred> {
        let [lt, le] = [Relation::Lt, Relation::Le];
        let next = *at.get(stored.index.len()).ok_or("a state has fewer dimensions than its loops")?;
        let or = |p, q| self.pred(PredNode::Or(p, q));
        let beside = or(self.compare(lt, next, stored.from)?, self.compare(le, stored.end, next)?)?;
        let first = stored.index.iter().zip(at).rev();
        first.into_iter().try_fold(or(beside, other)?, |rest, (own, i)| {
            or(self.compare(lt, *i, *own)?, or(self.compare(lt, *own, *i)?, rest)?)
        })
    }
}

impl<'f> Filling<'f> {
    /// Is the tensor in this buffer?
    pub(super) fn is_known(&self, level: u32, buffer: usize) -> bool {
        self.known.iter().any(|known| (known.level, known.buffer) == (level, buffer))
    }

    /// The cell of an element that is read, within these extents; it holds the element.
    pub(super) fn cell_of(&mut self, level: u32, extents: &[Ix], at: &[Ix]) -> Checked<Ix> {
        for (i, n) in at.iter().zip(extents) {
            self.show(self.judge.store.inside(*i, *n)?)?;
        }
        let known = self.known.iter().find(|known| known.level == level);
        let Some(state) = known.and_then(|known| known.state.clone()) else {
            return self.judge.store.flat(extents, at);
        };
        let (cell, kept) = state.to.at(&self.judge.store, at.to_vec())?;
        self.show(kept)?;
        self.show(self.judge.store.of_element(state.held, at)?)?;
        let store = &self.judge.store;
        let stays = store.pred(PredNode::Not(store.of_element(state.changed, at)?))?;
        for stored in &state.stored {
            self.show(self.judge.store.apart(stored, at, stays)?)?;
        }
        Ok(cell)
    }

    /// The state that a round updates is no longer what its cells hold.
    pub(super) fn forget(&mut self, level: u32) {
        self.known.retain(|known| known.level != level);
    }

    /// Something after the round may have replaced elements of the old state: those whose next index is in
    /// one of these ranges.
    pub(super) fn after<T>(
        &mut self,
        to: &Target,
        ranges: &[(Ix, Ix)],
        then: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        let Some(old) = to.update.and_then(|update| update.old) else { return then(self) };
        let (index, base) = to.first(&self.judge.store)?;
        let at = self.known.iter().position(|known| known.level == old);
        let Some(at) = at else { return then(self) };
        let moved = |ix| self.judge.store.op(IxOp::Add, base, ix);
        let more = ranges
            .iter()
            .map(|(from, end)| Ok(Stored { index: index.clone(), from: moved(*from)?, end: moved(*end)? }));
        let more = more.collect::<Checked<Vec<_>>>()?;
        let Some(state) = &mut self.known[at].state else { return wrong_form() };
        let before = state.stored.len();
        state.stored.extend(more);
        let result = then(self)?;
        // An iteration inside may have made the old state unknown.
        let old = self.known.iter_mut().find(|known| known.level == old);
        if let Some(state) = old.and_then(|known| known.state.as_mut()) {
            state.stored.truncate(before);
        }
        Ok(result)
    }

    /// The tensor and the index of which a term is an element, at this index of the term.
    pub(super) fn element(&self, term: Term, index: &[Ix]) -> Checked<(u32, Vec<Ix>)> {
        let store = &self.judge.store;
        let (mut term, mut rest) = (term, index);
        while let (TermNode::Loop(Loop::Gen, _, body), [first, others @ ..]) = (store.node(term), rest) {
            (term, rest) = (store.at(body, *first)?, others);
        }
        let mut at = rest.to_vec();
        while let TermNode::Get(inner, i) = store.node(term) {
            at.insert(0, i);
            term = inner;
        }
        match store.node(term) {
            TermNode::Free(level) => Ok((level, at)),
            _ => refuse("a term is no part of a tensor that is in memory"),
        }
    }
}
