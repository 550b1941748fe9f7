//! Where everything is kept: one arena a kind, and the count of work done.

use crate::index::{IxNode, Measure, PredNode};
use crate::intern::Interner;
use crate::limits;
use crate::poly::Polynomials;
use crate::refusal::{Checked, require};
use crate::terms::{Definition, TermNode};
use std::rc::Rc;

/// All index terms, predicates, terms, lists, definitions and polynomials of a run.
pub(crate) struct Store {
    pub(crate) ixs: Interner<IxNode>,
    pub(crate) ix_measures: Vec<Measure>,
    pub(crate) degrees: Vec<u32>,
    pub(crate) preds: Interner<PredNode>,
    pub(crate) pred_measures: Vec<Measure>,
    pub(crate) terms: Interner<TermNode>,
    pub(crate) term_measures: Vec<Measure>,
    pub(crate) lists: Interner<Rc<[u32]>>,
    pub(crate) definitions: Interner<Rc<Definition>>,
    pub(crate) polynomials: Polynomials,
    work: u64,
}

impl Store {
    pub(crate) fn new() -> Store {
        Store {
            ixs: Interner::new(),
            ix_measures: Vec::new(),
            degrees: Vec::new(),
            preds: Interner::new(),
            pred_measures: Vec::new(),
            terms: Interner::new(),
            term_measures: Vec::new(),
            lists: Interner::new(),
            definitions: Interner::new(),
            polynomials: Polynomials::new(),
            work: 0,
        }
    }

    /// Count nodes that are worked on.
    pub(crate) fn work(&mut self, nodes: u64) -> Checked<()> {
        self.work = self.work.saturating_add(nodes);
        require(self.work <= limits::WORK, "the proof asks for more work than the limits allow")
    }
}
