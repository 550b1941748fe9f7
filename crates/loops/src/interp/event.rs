//! What an observer of a run is told: which loops are entered, where buffers begin to live, and every store.
//!
//! Events come in the order of the run. Loads are not told; they follow from the stores' text.

use crate::{Name, StoreMode};

/// Something that happened in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event<'a> {
    /// A loop is entered, and its body will be run this many times. Of several sequences that are walked together it is told
    /// first that they are entered, with no turns, and once they have been, how many keys were gone over.
    Entered {
        /// The loop variable.
        var: &'a Name,
        /// How often.
        turns: u64,
    },
    /// A search is about to run.
    Searched {
        /// The loop variable.
        var: &'a Name,
        /// How many keys a back end looks at.
        looks: u64,
    },
    /// An output or scratch buffer is allocated, and its first lifetime begins.
    Allocated {
        /// The buffer.
        buf: &'a Name,
        /// Its extents; none is negative.
        extents: &'a [usize],
    },
    /// A new lifetime of a buffer begins.
    Reset {
        /// The buffer.
        buf: &'a Name,
    },
    /// A cell was stored to.
    Stored {
        /// The buffer.
        buf: &'a Name,
        /// The cell, counted in row-major order.
        index: usize,
        /// Replaced or combined.
        mode: StoreMode,
    },
}
