//! What the iterations of a concurrent loop do to each other, so far as the text decides it.

use super::{Rule, Validator};
use crate::{Bool, Int, Name};
use std::collections::BTreeSet;

/// A concurrent loop around the current statement.
pub(super) struct Concurrent {
    pub(super) var: Name,
    /// Variables whose values depend on the iteration.
    pub(super) dependent: BTreeSet<Name>,
    /// How many conditions on dependent variables stand around the statement.
    pub(super) conditions: usize,
    /// The buffers in scope at its entry.
    pub(super) outer_buffers: BTreeSet<Name>,
    /// Those among them that its body stores to.
    pub(super) written: BTreeSet<Name>,
}

impl Concurrent {
    /// May the term have another value in another iteration?
    pub(super) fn varies(&self, int: &Int) -> bool {
        let mut found = false;
        int.for_each_var(&mut |v| found |= self.dependent.contains(v));
        int.for_each_read(&mut |buf, _| found |= !self.outer_buffers.contains(buf));
        found
    }

    /// May the predicate have another value in another iteration?
    pub(super) fn varies_where(&self, cond: &Bool) -> bool {
        let mut found = false;
        cond.for_each_var(&mut |v| found |= self.dependent.contains(v));
        cond.for_each_read(&mut |buf, _| found |= !self.outer_buffers.contains(buf));
        found
    }
}

impl Validator {
    /// The variables of the concurrent loops that share the buffer between iterations.
    pub(super) fn shared_with(&self, buf: &Name) -> Vec<Name> {
        let shared = self.concurrent.iter().filter(|c| c.outer_buffers.contains(buf));
        shared.map(|concurrent| concurrent.var.clone()).collect()
    }

    pub(super) fn store_race(&mut self, buf: &Name, index: &Int) {
        let shared = self.shared_with(buf);
        let races = |c: &Concurrent| shared.contains(&c.var) && c.conditions == 0 && !c.varies(index);
        if let Some(concurrent) = self.concurrent.iter().find(|c| races(c)) {
            let message = format!(
                "every iteration of the concurrent loop over `{}` stores `{buf}[{index}]`",
                concurrent.var
            );
            self.report(Rule::Race, message);
        }
    }

    /// An index term reads a cell that another iteration may be storing to.
    pub(super) fn read_race(&mut self, buf: &Name, cell: &Int) {
        if let Some(concurrent) = self.concurrent.iter().find(|concurrent| concurrent.written.contains(buf)) {
            let message = format!(
                "an index term reads `{buf}[{cell}]`, which the concurrent loop over `{}` stores to",
                concurrent.var
            );
            self.report(Rule::Race, message);
        }
    }
}
