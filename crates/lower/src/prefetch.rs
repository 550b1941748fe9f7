//! Where prefetches are printed: at the beginning of the iterations that the schedule says.
//!
//! The translation keeps what stands around the place: the loops, by name, and the conditions. `atl_loops::prefetch` makes of
//! that and of a body what a later iteration will read. A loop over lanes has no iterations of its own, and one that searches for one place only that; they are not
//! meant. One that searches for a run has those of the run: there the arrays are asked for that have a cell wherever the key is read.

use crate::kernel::LoopName;
use crate::scope::Scope;
use atl_kernel::{Label, Pred};
use atl_loops::prefetch::{Ahead, Frame, Searched};
use atl_loops::search::Search;
use atl_loops::{Bool, Int, Name, Stmt};
use std::collections::BTreeSet;

/// A loop or condition around the place, and the name of a loop that may be meant.
pub(crate) struct Enclosing {
    pub(crate) name: Option<LoopName>,
    /// The loop's label, where it has iterations of its own.
    pub(crate) label: Option<Label>,
    pub(crate) frame: Frame,
}

impl Scope<'_> {
    /// The name of a loop at this place.
    pub(crate) fn loop_name(&self, label: &Label) -> Option<LoopName> {
        Some((self.lets.last().cloned(), label.name.to_string()))
    }

    /// Do something where a predicate holds, which is this condition of the loops.
    pub(crate) fn within_branch<T>(&mut self, p: Pred, cond: &Bool, run: impl FnOnce(&mut Self) -> T) -> T {
        self.around.push(Enclosing { name: None, label: None, frame: Frame::When(cond.clone()) });
        let result = self.assuming(p, run);
        self.around.pop();
        result
    }

    /// The body of the innermost loop, after what is prefetched there.
    pub(crate) fn prefetched(&mut self, body: Stmt) -> Stmt {
        self.after_prefetches(body, None)
    }

    /// What the innermost loop, of this name, does at each place of the run that it searches for, after what is prefetched there.
    pub(crate) fn prefetched_in_run(&mut self, label: &Label, cond: &Bool, then: Stmt) -> Stmt {
        let name = self.loop_name(label);
        let Some(Enclosing { name: here, label: own, frame: Frame::Loop { var, .. } }) = self.around.last_mut() else {
            return then;
        };
        *here = name;
        *own = Some(label.clone());
        let body = Stmt::guard(cond.clone(), then.clone());
        match Search::of(&var.clone(), &body) {
            Some(search) => self.after_prefetches(then, Some(search.key)),
            None => then,
        }
    }

    /// The same for both: the key is that of the run.
    fn after_prefetches(&mut self, body: Stmt, key: Option<&Int>) -> Stmt {
        let Some(Enclosing { name: Some(here), .. }) = self.around.last() else { return body };
        let mut stmts = Vec::new();
        let mut missing = Vec::new();
        for asked in self.prefetches.iter().filter(|asked| asked.each.contains(here)) {
            let Some(at) = self.positions(&asked.at) else { continue };
            let around = self.around[at[0]..].iter().map(|around| around.frame.clone());
            let (buf, around) = (Name::new(&asked.tensor), around.collect::<Vec<_>>());
            let at: Vec<usize> = at.iter().map(|position| position - at[0]).collect();
            let there = key.map(|key| self.beside(&buf, key)).unwrap_or_default();
            let searched = key.map(|key| Searched { key, there: &there });
            let ahead =
                Ahead { buf: &buf, inputs: &self.inputs, around: &around, at: &at, by: asked.by, searched };
            match ahead.of(&body) {
                Ok(prefetches) => stmts.push(prefetches),
                Err(why) => missing.push((asked.clone(), why)),
            }
        }
        self.missing.extend(missing);
        stmts.push(body);
        Stmt::seq(stmts)
    }

    /// The cells that an input has because those are there which a term reads, of itself or of inputs with the same extents.
    fn beside(&self, buf: &Name, term: &Int) -> Vec<Int> {
        let extents = |name: &Name| self.buffers.values().find(|b| b.name == *name).map(|b| &b.extents);
        let mut cells = Vec::new();
        term.for_each_read(&mut |other, cell| {
            if extents(buf).is_some() && extents(buf) == extents(other) {
                cells.push(cell.clone());
            }
        });
        cells
    }

    /// Which of the loops around these are, outermost first; at least one.
    fn positions(&self, loops: &[BTreeSet<LoopName>]) -> Option<Vec<usize>> {
        let mut positions = Vec::new();
        let mut around = self.around.as_slice();
        for names in loops.iter().rev() {
            let is_meant = |around: &Enclosing| around.name.as_ref().is_some_and(|name| names.contains(name));
            let position = around.iter().rposition(is_meant)?;
            positions.insert(0, position);
            around = &around[..position];
        }
        (!positions.is_empty()).then_some(positions)
    }
}
