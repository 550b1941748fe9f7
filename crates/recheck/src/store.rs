//! Where everything is kept: one arena a kind, and the count of work done.

use crate::intern::Interner;
use crate::poly::Polynomials;
use crate::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

/// All index terms, predicates, terms, lists, definitions and polynomials of a run.
#[derive(Default)]
pub(crate) struct Store {
    pub(crate) ixs: Interner<IxNode, Measure>,
    pub(crate) preds: Interner<PredNode, Measure>,
    pub(crate) terms: Interner<TermNode, Measure>,
    pub(crate) lists: Interner<Rc<[u32]>>,
    pub(crate) definitions: Interner<Rc<Definition>>,
    pub(crate) polynomials: Polynomials,
    work: Cell<u64>,
}

impl Store {
    /// Count nodes that are worked on.
    pub(crate) fn work(&self, nodes: u64) -> Checked<()> {
        self.work.set(self.work.get().saturating_add(nodes));
        require(self.work.get() <= limits::WORK, "the proof asks for more work than the limits allow")
    }
}
