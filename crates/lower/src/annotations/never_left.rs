//! Rounds that end by themselves, `until`, in lanes of a vector: no lane leaves the loop of the others.
//!
//! All rounds are run then, and change nothing after the end. That is right and may be slow, so it is
//! recorded here and the driver says so.

use crate::cx::LowerCx;
use crate::notes::NeverLeft;
use atl_loops::{LoopKind, Name};

impl LowerCx<'_> {
    /// The loop around that is in lanes, if one is.
    pub(crate) fn lanes(&self) -> Option<&Name> {
        let mut loops = self.loops.iter().rev();
        loops.find(|around| matches!(around.kind, LoopKind::Vector { .. })).map(|around| &around.name)
    }

    /// Record that rounds with an index of this name are not left, if they are in lanes.
    pub(crate) fn is_never_left(&mut self, rounds: &str) -> bool {
        let Some(lanes) = self.lanes().cloned() else { return false };
        let never_left = NeverLeft { rounds: rounds.to_owned(), lanes };
        if !self.never_left.contains(&never_left) {
            self.never_left.push(never_left);
        }
        true
    }
}
