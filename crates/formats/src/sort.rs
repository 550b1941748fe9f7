//! The order of entries: whether they stand in it, and sorting them in linear time.
//!
//! Sorting is by counting, from the last column to the first, so each pass keeps the order of the one before. A pass moves the entries
//! themselves: it reads in order and writes to as many places as there are keys. A column that is in order already costs one look, so
//! a transposition is one pass. Keys that are much larger than the number of entries are sorted by in two passes or more.

use crate::coordinates::Coordinates;
use crate::value::Value;
use crate::{Format, Places, Refusal};

/// The most bits that a pass sorts by where there are few entries.
const DIGIT: u32 = 12;

/// The first entry that stands before an earlier one, by columns from the first.
pub(crate) fn first_unsorted(columns: &[Vec<i64>]) -> Option<usize> {
    match columns {
        [only] => (1..only.len()).find(|&at| only[at - 1] > only[at]),
        [first, second] => (1..first.len()).find(|&at| {
            first[at - 1] > first[at] || (first[at - 1] == first[at] && second[at - 1] > second[at])
        }),
        _ => (1..columns.first().map_or(0, Vec::len))
            .find(|&at| columns.iter().map(|c| c[at - 1]).gt(columns.iter().map(|c| c[at]))),
    }
}

/// Sorts entries by their columns, which are along the format's axes. Entries with the same coordinates keep their order.
pub(crate) fn sort<V: Value>(format: &Format, entries: &mut Coordinates<V>) -> Result<(), Refusal> {
    for (column, axis) in format.reshape().axes().iter().enumerate().rev() {
        by_column(column, axis.extent(&entries.shape)?, entries);
    }
    Ok(())
}

/// Puts entries in the order of their positions, where a level has not kept their order.
pub(crate) fn by_position<V: Value>(positions: usize, at: Places, entries: &mut Coordinates<V>) -> Places {
    if (1..at.len()).all(|entry| at.of(entry - 1) <= at.of(entry)) {
        return at;
    }
    // They travel as one more column.
    entries.columns.push(at.into_list().into_iter().map(|at| at as i64).collect());
    by_column(entries.columns.len() - 1, positions, entries);
    let sorted = entries.columns.pop().unwrap_or_default();
    Places::List(sorted.into_iter().map(|at| at as usize).collect())
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
        by_digit(column, extent, pass * size, size, entries);
    }
}

/// One pass of counting, by some bits of a column of numbers below an extent.
fn by_digit<V: Value>(column: usize, extent: usize, shift: u32, size: u32, entries: &mut Coordinates<V>) {
    let Coordinates { columns, values, .. } = entries;
    let digit = |key: i64| (key as usize >> shift) & ((1 << size) - 1);
    let mut next = vec![0usize; 1 << size];
    columns[column].iter().for_each(|key| next[digit(*key)] += 1);
    let mut total = 0;
    for slot in &mut next {
        total += std::mem::replace(slot, total);
    }
    let place = |key: &i64| {
        let slot = &mut next[digit(*key)];
        *slot += 1;
        *slot - 1
    };
    let to: Vec<usize> = columns[column].iter().map(place).collect();
    let all = extent <= 1 << size;
    for (at, items) in columns.iter_mut().enumerate() {
        if at == column && all {
            // In order, it is told by the counts.
            items.clear();
            (0..).zip(&next).for_each(|(key, end)| items.resize(*end, key));
        } else if !items.is_empty() {
            // Columns that a level has taken are empty.
            *items = moved(items, &to);
        }
    }
    *values = moved(values, &to);
}

/// The items, each at its new place.
fn moved<T: Copy>(items: &[T], to: &[usize]) -> Vec<T> {
    let mut found = items.to_vec();
    to.iter().zip(items).for_each(|(to, item)| found[*to] = *item);
    found
}
