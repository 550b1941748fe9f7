//! Sorts nearly sorted entries in place, bucket by bucket.
//!
//! **The one idea.** A conversion often leaves each entry near its place: rows in the order of a hash table,
//! blocks that were rows, rows that were blocks. Then the list is a sequence of short *buckets*: no entry
//! after a bucket is below an entry in it. Each bucket is sorted separately, and the list is read and written
//! once, whatever its number of columns.
//!
//! The list is looked at through a window that fits a near cache. There the coordinates of an entry become
//! one number, of which each column has as many bits as its coordinates in the window differ in; the low bits
//! are the entry's place, so the sort is stable. Where a bucket is long, or a later entry is below it, the
//! caller uses another sort; equal entries are still in their original order.

use crate::coordinates::Coordinates;
use crate::format::Reshape;
use crate::numbers::Numbers;
use crate::value::Value;
use crate::{Order, Refusal};
use std::ops::Range;

/// How many entries a window has.
const WINDOW: usize = 4 * LONGEST;
/// The longest bucket: it and what it is merged into fit a near cache, as a row of large blocks should.
const LONGEST: usize = 1 << PLACE;
/// The bits of a place in a bucket.
const PLACE: u32 = 12;

/// What windows and buckets are sorted in.
struct Scratch<V> {
    /// The coordinates of the window, as numbers.
    keys: Vec<u64>,
    /// The least number from here on.
    least: Vec<u64>,
    /// The numbers of a bucket.
    numbers: Numbers,
    /// The coordinates of a bucket in one column, as they stood.
    coordinates: Vec<i64>,
    /// The values of a bucket, as they stood.
    values: Vec<V>,
    /// Whether equal entries have been seen.
    equal: Equal,
}

/// What became of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buckets {
    /// They are sorted.
    Sorted(Equal),
    /// They do not stand in short buckets. Some of them are sorted.
    Long,
}

/// Whether there are entries with the same coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equal {
    /// There are none.
    None,
    /// There are some, perhaps.
    Some,
}

/// Sorts entries by all axes, if they stand in short buckets; refuses those in another order, if none is
/// expected. Their columns are [seated](Reshape::seated), and get their coordinates along the axes.
pub(crate) fn sort<V: Value>(
    reshape: &Reshape,
    entries: &mut Coordinates<V>,
    order: Order,
) -> Result<Buckets, Refusal> {
    let count = entries.values.len();
    let mut scratch = Scratch {
        keys: Vec::new(),
        least: Vec::new(),
        numbers: Numbers::of(LONGEST),
        coordinates: Vec::new(),
        values: Vec::new(),
        equal: Equal::None,
    };
    let (mut along, mut sorted) = (0, 0);
    while sorted < count {
        // The largest of those that are sorted comes first. What is below it now came after the window
        // before: the bucket is long.
        let from = sorted.saturating_sub(1);
        let window = from..count.min(from + WINDOW);
        reshape.along(&mut entries.columns, &entries.shape, along..window.end);
        along = window.end;
        if first_not_above(&entries.columns, window.clone()).is_none() {
            sorted = from + known(&window, count);
            continue;
        }
        keys(&entries.columns, window.clone(), &mut scratch.keys);
        if order == Order::Sorted
            && let Some(at) = scratch.keys.windows(2).position(|pair| pair[0] > pair[1])
        {
            return Err(Refusal::Unsorted { entry: from + at + 1 });
        }
        match sort_window(entries, window, &mut scratch) {
            Some(end) => sorted = end,
            None => {
                reshape.along(&mut entries.columns, &entries.shape, along..count);
                return Ok(Buckets::Long);
            }
        }
    }
    Ok(Buckets::Sorted(scratch.equal))
}

/// How many entries of a window are sorted by it: those that as many follow as the longest bucket has. Where
/// the bucket of a later one ends is not known, for it may go on behind the window.
fn known(window: &Range<usize>, count: usize) -> usize {
    if window.end == count { window.len() } else { window.len() - LONGEST }
}

/// The first entry of a window that is not above the one before it.
pub(crate) fn first_not_above(columns: &[Vec<i64>], window: Range<usize>) -> Option<usize> {
    let start = window.start;
    let pair = match columns {
        [only] => only[window].windows(2).position(|c| c[0] >= c[1]),
        [first, second] => {
            let mut pairs = first[window.clone()].windows(2).zip(second[window].windows(2));
            pairs.position(|(first, second)| {
                first[0] > first[1] || (first[0] == first[1] && second[0] >= second[1])
            })
        }
        _ => window.clone().zip(window.skip(1)).position(|(before, after)| {
            columns.iter().map(|column| column[before]).ge(columns.iter().map(|column| column[after]))
        }),
    };
    pair.map(|at| start + at + 1)
}

/// The coordinates of a window as numbers that are in the same order, and leave bits for places.
fn keys(columns: &[Vec<i64>], window: Range<usize>, keys: &mut Vec<u64>) {
    const MOST: u32 = u64::BITS - PLACE;
    keys.clear();
    keys.resize(window.len(), 0);
    let mut below = 0;
    for column in columns.iter().rev().map(|column| &column[window.clone()]) {
        // The bits in which coordinates differ from the first one; those above are the same in all.
        let differ = column.iter().fold(0, |bits, c| bits | (c ^ column[0]));
        let bits = u64::BITS - (differ as u64).leading_zeros();
        let mask = u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0);
        let digits = column.iter().map(|c| *c as u64 & mask);
        if below + bits > MOST {
            below = ranks(keys);
        }
        if below + bits > MOST {
            let mut digits: Vec<u64> = digits.collect();
            let bits = ranks(&mut digits);
            keys.iter_mut().zip(digits).for_each(|(key, digit)| *key |= digit << below);
            below += bits;
        } else if bits > 0 {
            // The same digits, without a check in each step.
            keys.iter_mut().zip(digits).for_each(|(key, digit)| *key |= digit.wrapping_shl(below));
            below += bits;
        }
    }
}

/// Puts the ranks of numbers in their place, and says how many bits they have: a window's are few.
fn ranks(numbers: &mut [u64]) -> u32 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    for number in numbers {
        *number = sorted.partition_point(|other| other < number) as u64;
    }
    WINDOW.ilog2()
}

/// Sorts the buckets of a window, and says up to where the list is sorted; `None` if there is a long one.
/// What is not [`known`] is left to the next window.
fn sort_window<V: Value>(
    entries: &mut Coordinates<V>,
    window: Range<usize>,
    scratch: &mut Scratch<V>,
) -> Option<usize> {
    let count = entries.values.len();
    let keys = std::mem::take(&mut scratch.keys);
    scratch.least.resize(keys.len(), 0);
    let mut least = u64::MAX;
    for (slot, key) in scratch.least.iter_mut().zip(&keys).rev() {
        least = least.min(*key);
        *slot = least;
    }
    let (mut start, mut most, mut before) = (0, 0, None);
    for at in 0..known(&window, count) {
        most = most.max(keys[at]);
        if scratch.least.get(at + 1).is_some_and(|least| *least < most) {
            continue;
        }
        if before == Some(scratch.least[start]) {
            scratch.equal = Equal::Some;
        }
        if at > start {
            if at + 1 - start > LONGEST {
                return None;
            }
            let bucket = window.start + start..window.start + at + 1;
            sort_bucket(entries, bucket, &keys[start..=at], scratch);
        }
        (start, before) = (at + 1, Some(most));
    }
    scratch.keys = keys;
    // If nothing was sorted but what was before, it is because of a long one.
    (start > 1 || window.end == count).then_some(window.start + start)
}

/// Sorts the entries of a bucket, whose coordinates are these numbers.
fn sort_bucket<V: Value>(
    entries: &mut Coordinates<V>,
    bucket: Range<usize>,
    keys: &[u64],
    scratch: &mut Scratch<V>,
) {
    let Scratch { numbers, coordinates, values, equal, .. } = scratch;
    let sorted = numbers.sorted(keys.iter().zip(0..LONGEST).map(|(key, place)| key << PLACE | place as u64));
    if sorted.windows(2).fold(false, |equal, pair| equal | (pair[0] >> PLACE == pair[1] >> PLACE)) {
        *equal = Equal::Some;
    }
    entries.columns.iter_mut().for_each(|column| permute(&mut column[bucket.clone()], sorted, coordinates));
    permute(&mut entries.values[bucket], sorted, values);
}

/// Puts items in the order of the places below these numbers.
fn permute<T: Copy>(items: &mut [T], sorted: &[u64], stood: &mut Vec<T>) {
    stood.resize(LONGEST, items[0]);
    stood[..items.len()].copy_from_slice(items);
    let stood: &[T; LONGEST] = stood[..].try_into().expect("it has that length");
    items.iter_mut().zip(sorted).for_each(|(item, number)| *item = stood[*number as usize % LONGEST]);
}

#[cfg(test)]
mod tests;
