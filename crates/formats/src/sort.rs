//! The order of entries: whether they stand in it, and sorting them in linear time.
//!
//! Sorting is by counting, from the last column to the first, so each pass keeps the order of the one before. A column that is in order
//! already costs one look: a transposition is one pass. Columns with large extents are sorted by digits.

use crate::coordinates::Coordinates;
use crate::value::Value;
use crate::{Format, Refusal};

/// The bits of a digit: a table of counts that stays in the cache.
const DIGIT: u32 = 11;

/// The first entry that stands before an earlier one, by columns from the first.
pub(crate) fn first_unsorted(columns: &[Vec<i64>]) -> Option<usize> {
    let entries = columns.first().map_or(0, Vec::len);
    (1..entries).find(|&at| {
        let differ = columns.iter().find(|column| column[at - 1] != column[at]);
        differ.is_some_and(|column| column[at - 1] > column[at])
    })
}

/// Sorts entries by their columns, which are along the format's axes. Entries with the same coordinates keep their order.
pub(crate) fn sort<V: Value>(format: &Format, entries: &mut Coordinates<V>) -> Result<(), Refusal> {
    let mut order: Vec<usize> = (0..entries.values.len()).collect();
    for (axis, column) in format.reshape().axes().iter().zip(&entries.columns).rev() {
        let extent = axis.extent(&entries.shape)?;
        by_column(&mut order, extent, |at| column[at] as usize);
    }
    reorder(&order, entries);
    Ok(())
}

/// Puts entries in the order of their positions, where a level has not kept their order.
pub(crate) fn by_position<V: Value>(positions: usize, at: &mut Vec<usize>, entries: &mut Coordinates<V>) {
    let mut order: Vec<usize> = (0..at.len()).collect();
    by_column(&mut order, positions, |entry| at[entry]);
    *at = order.iter().map(|entry| at[*entry]).collect();
    reorder(&order, entries);
}

fn reorder<V: Value>(order: &[usize], entries: &mut Coordinates<V>) {
    for column in &mut entries.columns {
        *column = order.iter().map(|at| column[*at]).collect();
    }
    entries.values = order.iter().map(|at| entries.values[*at]).collect();
}

/// Sorts an order by keys below an extent, and by the order before where keys are equal.
fn by_column(order: &mut Vec<usize>, extent: usize, key: impl Fn(usize) -> usize) {
    if order.windows(2).all(|pair| key(pair[0]) <= key(pair[1])) {
        return;
    }
    let bits = usize::BITS - (extent - 1).leading_zeros();
    // Digits of equal size, as small as they can be.
    let digits = bits.div_ceil(DIGIT);
    let size = bits.div_ceil(digits);
    let mut spare = vec![0; order.len()];
    for shift in (0..digits).map(|digit| digit * size) {
        by_digit(order, &mut spare, 1 << size, |at| (key(at) >> shift) & ((1 << size) - 1));
        std::mem::swap(order, &mut spare);
    }
}

/// One pass of counting, from one order to the next.
fn by_digit(order: &[usize], sorted: &mut [usize], values: usize, digit: impl Fn(usize) -> usize) {
    let mut next = vec![0; values];
    order.iter().for_each(|at| next[digit(*at)] += 1);
    let mut total = 0;
    for slot in &mut next {
        total += std::mem::replace(slot, total);
    }
    for &at in order {
        let slot = &mut next[digit(at)];
        sorted[*slot] = at;
        *slot += 1;
    }
}
