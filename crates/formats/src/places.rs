//! For each entry of a list, its position at a level.
//!
//! Most lists of positions are trivial: all entries are below the root, or entry `e` is position `e`. Those are not written out, for
//! packing and unpacking take as long as they read and write memory.

/// The positions of entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// So many entries, all at position 0.
    Root(usize),
    /// So many entries; entry `e` is at position `e`.
    Each(usize),
    /// The position of each entry.
    List(Vec<usize>),
}

impl Places {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        match self {
            Places::Root(len) | Places::Each(len) => *len,
            Places::List(list) => list.len(),
        }
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position of an entry.
    #[inline]
    pub fn of(&self, entry: usize) -> usize {
        match self {
            Places::Root(_) => 0,
            Places::Each(_) => entry,
            Places::List(list) => list[entry],
        }
    }

    /// All positions.
    pub fn into_list(self) -> Vec<usize> {
        match self {
            Places::Root(len) => vec![0; len],
            Places::Each(len) => (0..len).collect(),
            Places::List(list) => list,
        }
    }

    /// The values at the positions.
    pub(crate) fn take<V: Copy>(&self, values: Vec<V>) -> Vec<V> {
        match self {
            Places::Each(len) if *len == values.len() => values,
            _ => (0..self.len()).map(|entry| values[self.of(entry)]).collect(),
        }
    }
}
