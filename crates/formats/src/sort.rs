//! Sorting entries in linear time, wherever they stand.
//!
//! Sorting is by counting, from the last column to the first, so each pass keeps the order of the one before.
//! A pass moves the entries themselves: it reads in order and writes to as many places as there are keys. A
//! column that is in order already costs one look, so a transposition is one pass. Keys that are much larger
//! than the number of entries are sorted by in two passes or more.

use crate::coordinates::Coordinates;
use crate::value::Value;
use crate::{EntryPositions, Format, Refusal};

/// The most bits that a pass sorts by where there are few entries.
const DIGIT: u32 = 12;

/// Sorts entries by their columns, which are along the format's axes. Entries with the same coordinates keep
/// their order.
pub(crate) fn sort<V: Value>(format: &Format, entries: &mut Coordinates<V>) -> Result<(), Refusal> {
    for (column, axis) in format.reshape().axes().iter().enumerate().rev() {
        by_column(column, axis.extent(&entries.shape)?, entries);
    }
    Ok(())
}

/// Puts entries in the order of their positions, where a level has not kept their order.
pub(crate) fn by_position<V: Value>(
    positions: usize,
    at: EntryPositions,
    entries: &mut Coordinates<V>,
) -> EntryPositions {
    if (1..at.len()).all(|entry| at.of(entry - 1) <= at.of(entry)) {
        return at;
    }
    // They travel as one more column.
    entries.columns.push(at.into_list().into_iter().map(|at| at as i64).collect());
    by_column(entries.columns.len() - 1, positions, entries);
    let sorted = entries.columns.pop().unwrap_or_default();
    EntryPositions::List(sorted.into_iter().map(|at| at as usize).collect())
}

/// Sorts by a column of numbers below an extent. Entries with the same number keep their order.
fn by_column<V: Value>(column: usize, extent: usize, entries: &mut Coordinates<V>) {
    if entries.columns[column].is_sorted() {
        return;
    }
    let bits = usize::BITS - (extent - 1).leading_zeros();
    // A table of counts is no larger than the entries, and digits are of equal size.
    let passes = bits.div_ceil(DIGIT.max(entries.values.len().ilog2()));
    let size = bits.div_ceil(passes);
    for pass in 0..passes {
        match u32::try_from(entries.values.len()) {
            Ok(_) => by_digit::<V, u32>(column, extent, pass * size, size, entries),
            Err(_) => by_digit::<V, usize>(column, extent, pass * size, size, entries),
        }
    }
}

/// A number of entries, in as few bytes as they are: a table of counts should fit in a near cache.
trait Count: Copy + Default {
    /// This number.
    fn get(self) -> usize;
    /// One more.
    fn add_one(&mut self);
    /// A number of entries, of which there are no more than this type counts.
    fn of(entries: usize) -> Self;
}

impl Count for u32 {
    fn get(self) -> usize {
        self as usize
    }
    fn add_one(&mut self) {
        *self += 1;
    }
    fn of(entries: usize) -> u32 {
        entries as u32
    }
}

impl Count for usize {
    fn get(self) -> usize {
        self
    }
    fn add_one(&mut self) {
        *self += 1;
    }
    fn of(entries: usize) -> usize {
        entries
    }
}

/// One pass of counting, by some bits of a column of numbers below an extent.
///
/// Memory that is fresh costs as much as a pass. So where a pass sorts by all of a column, it is the list of
/// places meanwhile, and told by the counts afterwards; and each column has for its memory that of the one
/// before.
fn by_digit<V: Value, N: Count>(
    column: usize,
    extent: usize,
    shift: u32,
    size: u32,
    entries: &mut Coordinates<V>,
) {
    let Coordinates { columns, values, .. } = entries;
    let digit = |key: i64| (key as usize >> shift) & ((1 << size) - 1);
    let mut next = vec![N::default(); 1 << size];
    columns[column].iter().for_each(|key| next[digit(*key)].add_one());
    let mut total = 0;
    for slot in &mut next {
        total += std::mem::replace(slot, N::of(total)).get();
    }
    let mut place = |key: i64| {
        let slot = &mut next[digit(key)];
        slot.add_one();
        slot.get() as i64 - 1
    };
    let all = extent <= 1 << size;
    let mut to = match all {
        true => std::mem::take(&mut columns[column]),
        false => columns[column].clone(),
    };
    to.iter_mut().for_each(|key| *key = place(*key));
    let mut spare = Vec::new();
    // Columns that a level has taken are empty.
    columns.iter_mut().filter(|items| !items.is_empty()).for_each(|items| put(items, &to, &mut spare));
    put(values, &to, &mut Vec::new());
    if all {
        to.clear();
        (0..).zip(&next).for_each(|(key, end)| to.resize(end.get(), key));
        columns[column] = to;
    }
}

/// Puts each item at its new place.
fn put<T: Copy>(items: &mut Vec<T>, to: &[i64], spare: &mut Vec<T>) {
    let Some(first) = items.first() else { return };
    spare.resize(items.len(), *first);
    to.iter().zip(items.iter()).for_each(|(to, item)| spare[*to as usize] = *item);
    std::mem::swap(items, spare);
}

#[cfg(test)]
mod tests {
    use super::{by_digit, sort};
    use crate::{Coordinates, Format};

    /// Entries of which many share a row and some both coordinates; values say where they stood.
    fn entries(rows: usize, count: usize, in_order: bool) -> Coordinates<i64> {
        let mut state = 7usize;
        let mut random = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        };
        let mut is: Vec<i64> = (0..count).map(|_| random(rows) as i64).collect();
        if in_order {
            is.sort_unstable();
        }
        let js = (0..count).map(|_| random(9) as i64).collect();
        Coordinates { shape: vec![rows, 9], columns: vec![is, js], values: (0..count as i64).collect() }
    }

    /// The entries sorted by a comparison that keeps the order of equal ones.
    fn expected(entries: &Coordinates<i64>) -> Vec<(i64, i64, i64)> {
        let (is, js) = (&entries.columns[0], &entries.columns[1]);
        let mut list: Vec<_> = (0..entries.values.len()).map(|e| (is[e], js[e], entries.values[e])).collect();
        list.sort_by_key(|(i, j, _)| (*i, *j));
        list
    }

    #[test]
    fn sorting_keeps_the_order_of_equal_entries() {
        let format = Format::parse("csr", 2).unwrap();
        for (rows, count, in_order) in
            [(1, 0, true), (1, 1, true), (1, 65, true), (40, 300, true), (40, 300, false)]
        {
            let mut sorted = entries(rows, count, in_order);
            let expected = expected(&sorted);
            sort(&format, &mut sorted).unwrap();
            let found: Vec<_> =
                (0..count).map(|e| (sorted.columns[0][e], sorted.columns[1][e], sorted.values[e])).collect();
            assert_eq!(found, expected, "{rows} rows, {count} entries");
        }
    }

    #[test]
    fn counts_of_both_widths_do_the_same() {
        let (mut narrow, mut wide) = (entries(40, 300, false), entries(40, 300, false));
        by_digit::<i64, u32>(0, 40, 0, 6, &mut narrow);
        by_digit::<i64, usize>(0, 40, 0, 6, &mut wide);
        assert_eq!(narrow, wide);
        assert!(narrow.columns[0].is_sorted());
    }
}
