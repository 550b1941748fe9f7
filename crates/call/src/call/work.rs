//! How much a call does, counted: iterations of loops, and keys that searches look at.
//!
//! The one idea: what a program over sparse operands costs depends on its data, and a time on the machine as
//! well; these numbers do not. The loops' interpreter counts them, running of each search what a back end
//! runs. An iteration counts as one where its search has come to its end, too.

use super::Bound;
use crate::backends::CallError;
use crate::backends::loops::cells;
use atl_loops::interp::{Event, Options, Searches, observe};
use atl_session::Failure;
use std::fmt;

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Iterations of loops that are no searches: advances along what is stored, or along a dimension.
    pub iterations: u64,
    /// Searches.
    pub searches: u64,
    /// Keys that they look at: probes.
    pub looks: u64,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Work { iterations, searches, looks } = self;
        write!(f, "{iterations} iterations of loops, {searches} searches that look at {looks} keys")
    }
}

impl Bound<'_> {
    /// What a run does. It is counted, in the time that an interpreter takes; no result is kept.
    ///
    /// # Errors
    /// What the interpreter refuses.
    pub fn work(&self) -> Result<Work, Failure> {
        let inputs = self.inputs().iter().map(cells).collect::<Result<Vec<_>, _>>();
        let inputs = inputs.map_err(|why| self.kernel.failed(why))?;
        let options = Options { steps: u64::MAX, cells: usize::MAX, searches: Searches::Found };
        let (mut work, mut searched) = (Work::default(), false);
        let run =
            observe(&self.kernel.code.kernel, self.sizes(), &inputs, options, &mut |event| match event {
                Event::Searched { looks, .. } => {
                    searched = true;
                    work.searches += 1;
                    work.looks += looks;
                }
                // The loop of a search that was told of: its one iteration is part of it.
                Event::Entered { .. } if searched => searched = false,
                Event::Entered { turns, .. } => work.iterations += turns,
                _ => {}
            });
        run.map_err(|why| self.kernel.failed(CallError::Backend(why.to_string())))?;
        Ok(work)
    }
}
