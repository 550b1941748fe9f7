//! What one level stores: how many parents it serves, and integer arrays.
//!
//! The names of the arrays are the level's ([`Level::arrays`](crate::Level::arrays)), in the same order.
//! Entries are signed, so that a damaged array can be represented, and named in a refusal, instead of being
//! misread.

/// The metadata of one level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// How many positions the level above has; the root level has one parent, also for a tensor of zeros.
    pub parents: usize,
    /// The arrays, in the order of the level's names.
    pub arrays: Vec<Vec<i64>>,
}

impl Metadata {
    /// Metadata of these parts.
    pub fn new(parents: usize, arrays: Vec<Vec<i64>>) -> Metadata {
        Metadata { parents, arrays }
    }

    /// Entry `at` of an array as a position. The arrays are well formed: the entry exists and is not
    /// negative.
    pub(crate) fn position(&self, array: usize, at: usize) -> usize {
        self.arrays[array][at] as usize
    }

    /// Two neighbouring entries of an array of running totals.
    pub(crate) fn segment(&self, array: usize, at: usize) -> std::ops::Range<usize> {
        self.position(array, at)..self.position(array, at + 1)
    }
}
