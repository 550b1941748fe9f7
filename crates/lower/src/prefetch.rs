//! Where prefetches are printed: at the beginning of the iterations that the schedule says.
//!
//! The translation keeps what stands around the place: the loops, by name, and the conditions. `atl_loops::prefetch` makes of
//! that and of a body what a later iteration will read. A loop over lanes has no iterations of its own, and one that searches only one; they are not meant.

use crate::kernel::LoopName;
use crate::scope::Scope;
use atl_kernel::{Label, Pred};
use atl_loops::prefetch::{Ahead, Frame};
use atl_loops::{Bool, Name, Stmt};
use std::collections::BTreeSet;

/// A loop or condition around the place, and the name of a loop that may be meant.
pub(crate) struct Enclosing {
    pub(crate) name: Option<LoopName>,
    pub(crate) frame: Frame,
}

impl Scope<'_> {
    /// The name of a loop at this place.
    pub(crate) fn loop_name(&self, label: &Label) -> Option<LoopName> {
        Some((self.lets.last().cloned(), label.name.to_string()))
    }

    /// Do something where a predicate holds, which is this condition of the loops.
    pub(crate) fn within_branch<T>(&mut self, p: Pred, cond: &Bool, run: impl FnOnce(&mut Self) -> T) -> T {
        self.around.push(Enclosing { name: None, frame: Frame::When(cond.clone()) });
        let result = self.assuming(p, run);
        self.around.pop();
        result
    }

    /// The body of the innermost loop, after what is prefetched there.
    pub(crate) fn prefetched(&mut self, body: Stmt) -> Stmt {
        let Some(Enclosing { name: Some(here), .. }) = self.around.last() else { return body };
        let mut stmts = Vec::new();
        let mut missing = Vec::new();
        for asked in self.prefetches.iter().filter(|asked| asked.each.contains(here)) {
            let Some(at) = self.positions(&asked.at) else { continue };
            let around = self.around[at[0]..].iter().map(|around| around.frame.clone());
            let (buf, around) = (Name::new(&asked.tensor), around.collect::<Vec<_>>());
            let at: Vec<usize> = at.iter().map(|position| position - at[0]).collect();
            let ahead = Ahead { buf: &buf, inputs: &self.inputs, around: &around, at: &at, by: asked.by };
            match ahead.of(&body) {
                Ok(prefetches) => stmts.push(prefetches),
                Err(why) => missing.push((asked.clone(), why)),
            }
        }
        self.missing.extend(missing);
        stmts.push(body);
        Stmt::seq(stmts)
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
