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

    /// Whether each entry is at a higher position than the one before it.
    pub(crate) fn increase(&self) -> bool {
        match self {
            Places::Root(len) => *len <= 1,
            Places::Each(_) => true,
            Places::List(list) => list.windows(2).fold(true, |so_far, pair| so_far & (pair[0] < pair[1])),
        }
    }

    /// The values at the positions: in the same memory, if none is needed after it is overwritten.
    pub(crate) fn take<V: Copy>(&self, mut values: Vec<V>) -> Vec<V> {
        match self {
            Places::Each(len) if *len == values.len() => values,
            Places::List(list) if self.increase() => {
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
    use super::Places;

    fn check(places: Places, expected: &[i64]) {
        assert_eq!(places.take(vec![10, 11, 12, 13]), expected, "{places:?}");
    }

    #[test]
    fn values_are_taken_from_any_positions() {
        check(Places::Each(4), &[10, 11, 12, 13]);
        check(Places::Each(2), &[10, 11]);
        check(Places::Root(2), &[10, 10]);
        check(Places::List(vec![]), &[]);
        check(Places::List(vec![1, 3]), &[11, 13]);
        check(Places::List(vec![0, 1, 2, 3]), &[10, 11, 12, 13]);
        check(Places::List(vec![1, 1, 2]), &[11, 11, 12]);
        check(Places::List(vec![2, 0, 1, 3, 3]), &[12, 10, 11, 13, 13]);
    }
}
