//! For each entry of a list, its position at a level.
//!
//! Most lists of positions are trivial: all entries are below the root, or entry `e` is at position `e`.
//! These are not materialised, because packing and unpacking are bound by memory traffic.

/// The positions of entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryPositions {
    /// So many entries, all at position 0.
    Root(usize),
    /// So many entries; entry `e` is at position `e`.
    Each(usize),
    /// The position of each entry.
    List(Vec<usize>),
}

impl EntryPositions {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        match self {
            EntryPositions::Root(len) | EntryPositions::Each(len) => *len,
            EntryPositions::List(list) => list.len(),
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
            EntryPositions::Root(_) => 0,
            EntryPositions::Each(_) => entry,
            EntryPositions::List(list) => list[entry],
        }
    }

    /// All positions.
    pub fn into_list(self) -> Vec<usize> {
        match self {
            EntryPositions::Root(len) => vec![0; len],
            EntryPositions::Each(len) => (0..len).collect(),
            EntryPositions::List(list) => list,
        }
    }

    /// Whether each entry is at a higher position than the one before it.
    pub(crate) fn increase(&self) -> bool {
        match self {
            EntryPositions::Root(len) => *len <= 1,
            EntryPositions::Each(_) => true,
            EntryPositions::List(list) => {
                list.windows(2).fold(true, |so_far, pair| so_far & (pair[0] < pair[1]))
            }
        }
    }

    /// The values at the positions: in the same memory, if none is needed after it is overwritten.
    pub(crate) fn take<V: Copy>(&self, mut values: Vec<V>) -> Vec<V> {
        match self {
            EntryPositions::Each(len) if *len == values.len() => values,
            EntryPositions::List(list) if self.increase() => {
                (0..list.len()).for_each(|entry| values[entry] = values[list[entry]]);
                values.truncate(list.len());
                values.shrink_to_fit();
                values
            }
            _ => (0..self.len()).map(|entry| values[self.of(entry)]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EntryPositions;

    fn check(places: EntryPositions, expected: &[i64]) {
        assert_eq!(places.take(vec![10, 11, 12, 13]), expected, "{places:?}");
    }

    #[test]
    fn values_are_taken_from_any_positions() {
        check(EntryPositions::Each(4), &[10, 11, 12, 13]);
        check(EntryPositions::Each(2), &[10, 11]);
        check(EntryPositions::Root(2), &[10, 10]);
        check(EntryPositions::List(vec![]), &[]);
        check(EntryPositions::List(vec![1, 3]), &[11, 13]);
        check(EntryPositions::List(vec![0, 1, 2, 3]), &[10, 11, 12, 13]);
        check(EntryPositions::List(vec![1, 1, 2]), &[11, 11, 12]);
        check(EntryPositions::List(vec![2, 0, 1, 3, 3]), &[12, 10, 11, 13, 13]);
    }
}
