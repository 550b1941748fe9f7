//! The order of entries: known, made, and what is done with several entries at one place.
//!
//! One idea: lexicographic order is made one dimension at a time, from the last to the first, by sorts that keep the order
//! of equals. Each is a counting sort, hence linear, unless the extent is much larger than the number of entries. Sums
//! add up in the order in which the entries stood.

use super::{Coordinates, CoordinatesError};
use crate::Buffer;
use crate::convert::Scalar;
use crate::dtype::with_element;

/// In which order entries stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Lexicographic, each at a place of its own.
    Strict,
    /// Lexicographic, and some share a place.
    Repeating,
    /// Another one.
    Unsorted,
}

/// What becomes of entries that share a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// They are refused.
    #[default]
    Refuse,
    /// Their sum is the entry; of truth values, their disjunction.
    Add,
}

/// What becomes of entries that are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zeros {
    /// They stay.
    #[default]
    Keep,
    /// They are left out; a negative zero is one, a NaN is not.
    Drop,
}

/// What entries in lexicographic order are to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Entries that share a place.
    pub duplicates: Duplicates,
    /// Entries that are zero.
    pub zeros: Zeros,
}

/// Entries in strict order, and what became of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Arranged {
    /// In strict order.
    pub coordinates: Coordinates,
    /// How many entries were added to another one.
    pub added: usize,
    /// How many zeros were dropped.
    pub dropped: usize,
}

impl Coordinates {
    /// The entries in strict lexicographic order.
    ///
    /// # Errors
    /// Two entries at one place, if that is not wished; or their sum is no value of the type.
    pub fn arranged(mut self, wish: Wish) -> Result<Arranged, CoordinatesError> {
        let mut stood = None;
        if self.order == Order::Unsorted {
            let permutation = permutation(&self.shape, &self.columns, self.len());
            self = self.gathered(&permutation)?;
            self.order = of(&self.columns, self.len());
            stood = Some(permutation);
        }
        let before = self.len();
        if self.order == Order::Repeating {
            match wish.duplicates {
                Duplicates::Refuse => return Err(self.duplicate(stood.as_deref())),
                Duplicates::Add => self = self.coalesced()?,
            }
        }
        let distinct = self.len();
        if wish.zeros == Zeros::Drop {
            self = self.without_zeros()?;
        }
        let (added, dropped) = (before - distinct, distinct - self.len());
        Ok(Arranged { coordinates: self, added, dropped })
    }

    /// The first place with two entries, which are named as they stood before they were sorted.
    fn duplicate(&self, stood: Option<&[usize]>) -> CoordinatesError {
        let same = |p: &usize| self.columns.iter().all(|column| column[p - 1] == column[*p]);
        let second = (1..self.len()).find(same).unwrap_or_default();
        let before = |p: usize| stood.map_or(p, |stood| stood[p]);
        CoordinatesError::Duplicate {
            first: before(second.saturating_sub(1)),
            second: before(second),
            place: self.place(second).unwrap_or_default(),
        }
    }

    /// The sums of neighbours that share a place.
    fn coalesced(mut self) -> Result<Coordinates, CoordinatesError> {
        let mut kept: Vec<usize> = Vec::new();
        let mut values = self.values.clone();
        with_element!(values.dtype(), T => {
            let sums = values.as_mut_slice::<T>()?;
            for entry in 0..sums.len() {
                match kept.last() {
                    Some(&last) if self.columns.iter().all(|column| column[last] == column[entry]) => {
                        sums[last] = sums[last].checked_sum(sums[entry]).ok_or_else(|| {
                            CoordinatesError::Overflow {
                                place: self.place(entry).unwrap_or_default(),
                                dtype: self.dtype(),
                            }
                        })?;
                    }
                    _ => kept.push(entry),
                }
            }
        });
        self.values = values;
        self.order = Order::Strict;
        self.gathered(&kept)
    }

    fn without_zeros(self) -> Result<Coordinates, CoordinatesError> {
        let kept: Vec<usize> = with_element!(self.values.dtype(), T => {
            let values = self.values.as_slice::<T>()?;
            (0..values.len()).filter(|&entry| values[entry] != T::default()).collect()
        });
        if kept.len() == self.len() { Ok(self) } else { self.gathered(&kept) }
    }

    /// The entries at these positions, which keep what is said of their order.
    fn gathered(&self, positions: &[usize]) -> Result<Coordinates, CoordinatesError> {
        let gather = |column: &Vec<usize>| positions.iter().map(|&p| column[p]).collect();
        let mut values = Buffer::zeros(self.values.dtype(), &[positions.len()])?;
        with_element!(self.values.dtype(), T => {
            let from = self.values.as_slice::<T>()?;
            for (to, &p) in values.as_mut_slice::<T>()?.iter_mut().zip(positions) {
                *to = from[p];
            }
        });
        let columns = self.columns.iter().map(gather).collect();
        Ok(Coordinates { shape: self.shape.clone(), columns, values, order: self.order })
    }
}

/// The order of this many entries with these coordinates.
pub(super) fn of(columns: &[Vec<usize>], len: usize) -> Order {
    let mut order = Order::Strict;
    for entry in 1..len {
        let different = columns.iter().map(|column| (column[entry - 1], column[entry])).find(|(a, b)| a != b);
        match different {
            None => order = Order::Repeating,
            Some((before, after)) if after < before => return Order::Unsorted,
            Some(_) => {}
        }
    }
    order
}

/// Where each entry of the sorted list stands in the given one; entries at one place keep their order.
fn permutation(shape: &[usize], columns: &[Vec<usize>], len: usize) -> Vec<usize> {
    let mut permutation: Vec<usize> = (0..len).collect();
    for (column, &extent) in columns.iter().zip(shape).rev() {
        if permutation.windows(2).all(|pair| column[pair[0]] <= column[pair[1]]) {
            continue;
        }
        // The counts should not take more room than the entries.
        if extent <= len.saturating_mul(2) {
            permutation = counting_sort(&permutation, column, extent);
        } else {
            permutation.sort_by_key(|&entry| column[entry]);
        }
    }
    permutation
}

/// The same entries by their coordinates in a column, all below the extent.
fn counting_sort(permutation: &[usize], column: &[usize], extent: usize) -> Vec<usize> {
    let mut next = vec![0; extent + 1];
    for &crd in column {
        next[crd + 1] += 1;
    }
    for crd in 0..extent {
        next[crd + 1] += next[crd];
    }
    let mut sorted = vec![0; permutation.len()];
    for &entry in permutation {
        let slot = &mut next[column[entry]];
        sorted[*slot] = entry;
        *slot += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinates::Parts;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn coordinates(shape: &[usize], columns: Vec<Vec<usize>>, values: &[i64]) -> Coordinates {
        let values = Buffer::from_slice(values, &[values.len()]).expect("small");
        Coordinates::try_new(Parts { shape: shape.to_vec(), columns, values }).expect("in range")
    }

    const ADD: Wish = Wish { duplicates: Duplicates::Add, zeros: Zeros::Keep };

    fn check_refused(columns: Vec<Vec<usize>>, values: &[i64], wish: Wish, needle: &str) {
        let error = coordinates(&[9, 9], columns, values).arranged(wish).expect_err(needle).to_string();
        assert!(error.contains(needle), "{error}");
    }

    #[test]
    fn duplicates_are_named_as_they_stood() {
        let columns = || vec![vec![3, 1, 3, 0], vec![4, 1, 4, 0]];
        check_refused(columns(), &[1, 2, 3, 4], Wish::default(), "the entries 0 and 2 are both at [3, 4]");
        check_refused(
            vec![vec![1, 1], vec![2, 2]],
            &[1, 1],
            Wish::default(),
            "the entries 0 and 1 are both at [1, 2]",
        );
        check_refused(
            columns(),
            &[i64::MAX, 2, 3, 4],
            ADD,
            "the sum of the entries at [3, 4] is no value of type i64",
        );
    }

    #[test]
    fn zeros_are_dropped_after_sums() {
        let columns = vec![vec![1, 0, 1], vec![0, 0, 0]];
        let wish = Wish { duplicates: Duplicates::Add, zeros: Zeros::Drop };
        let arranged = coordinates(&[2, 1], columns, &[5, 7, -5]).arranged(wish).expect("small");
        assert_eq!((arranged.added, arranged.dropped), (1, 1));
        assert_eq!(arranged.coordinates, coordinates(&[2, 1], vec![vec![0], vec![0]], &[7]));
    }

    #[test]
    fn floats_add_up_in_the_order_given() {
        let values = [1e30f32, 1.0, -1e30];
        let sums = |order: [usize; 3]| {
            let columns = vec![vec![0, 0, 0]];
            let values = Buffer::from_slice(&order.map(|k| values[k]), &[3]).expect("small");
            let given = Coordinates::try_new(Parts { shape: vec![1], columns, values }).expect("in range");
            given.arranged(ADD).expect("floats").coordinates.values().as_slice::<f32>().expect("f32")[0]
        };
        assert_eq!((sums([0, 1, 2]), sums([0, 2, 1])), (0.0, 1.0));
    }

    proptest! {
        /// Extents that are sorted by counting, and extents that are not.
        #[test]
        fn arranging_is_a_sorted_map(
            entries in proptest::collection::vec((0usize..5, 0usize..200, 0usize..2, -3i64..4), 0..40),
        ) {
            let columns = vec![
                entries.iter().map(|e| e.0).collect(),
                entries.iter().map(|e| e.1).collect(),
                entries.iter().map(|e| e.2).collect(),
            ];
            let values: Vec<i64> = entries.iter().map(|e| e.3).collect();
            let arranged = coordinates(&[5, 200, 2], columns, &values).arranged(ADD).expect("small");
            let mut map = BTreeMap::new();
            for &(i, j, k, value) in &entries {
                *map.entry(vec![i, j, k]).or_insert(0) += value;
            }
            prop_assert_eq!(arranged.added, entries.len() - map.len());
            let found = arranged.coordinates;
            prop_assert_eq!(found.order(), Order::Strict);
            let places: Vec<_> = (0..found.len()).map(|p| found.place(p).expect("an entry")).collect();
            prop_assert_eq!(places, map.keys().cloned().collect::<Vec<_>>());
            let sums: Vec<i64> = map.into_values().collect();
            prop_assert_eq!(found.values().as_slice::<i64>().expect("i64"), &sums[..]);
        }
    }
}
