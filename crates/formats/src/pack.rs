//! `pack`: a list of entries becomes a tensor in a format, in linear time.
//!
//! **The one idea.** Entries are sorted in the order of the format's axes; then the levels are written one
//! after the other, from the outermost. Each takes for every entry the position of its parent and replaces it
//! by the entry's own position; at last the values go to theirs. Nothing is searched, and memory is read and
//! written in order.

use crate::bucket_sort::{self, Buckets, Equal};
use crate::coordinates::Coordinates;
use crate::level::{PackedLevel, SortedEntries};
use crate::run_length::{self, ZeroSlices};
use crate::sort;
use crate::value::Value;
use crate::{EntryPositions, Format, Instance, Refusal, Sparse};

/// How many values are stored at a time.
const PIECE: usize = 1024;

/// What to do with entries that are not as they should be.
#[derive(Debug)]
pub struct Rules<V> {
    /// Entries in another order.
    pub order: Order,
    /// Several entries with the same coordinates.
    pub duplicates: Duplicates<V>,
    /// Entries whose value is zero.
    pub zeros: Zeros,
}

impl<V> Default for Rules<V> {
    /// Entries are sorted and unique, and zeros are stored.
    fn default() -> Rules<V> {
        Rules { order: Order::Sorted, duplicates: Duplicates::Refuse, zeros: Zeros::Keep }
    }
}

/// What to do with entries in another order than the format's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Refuse them.
    Sorted,
    /// Sort them.
    Sort,
}

/// What to do with several entries that have the same coordinates.
#[derive(Clone, Copy, Debug)]
pub enum Duplicates<V> {
    /// Refuse them.
    Refuse,
    /// Add them, in the order in which they stand.
    Add(fn(V, V) -> V),
}

/// What to do with entries whose value is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    /// Store them.
    Keep,
    /// Leave them out.
    Drop,
}

/// The entries in a format. Widths that the format does not give are chosen so that all entries fit.
pub fn pack<V: Value>(
    format: &Format,
    entries: Coordinates<V>,
    zero: V,
    rules: &Rules<V>,
) -> Result<Sparse<V>, Refusal> {
    format.accepts(&entries.shape)?;
    entries.validate()?;
    let (mut entries, found) = in_order(format, entries, rules.order)?;
    if found == Equal::Some {
        coalesce(format, &mut entries, rules)?;
    }
    if rules.zeros == Zeros::Drop {
        entries.retain(|all, entry| !all.values[entry].same(zero));
    }
    write(format, entries, zero)
}

/// The same for entries that were in a format: they are inside the shape and unique.
pub(crate) fn repack<V: Value>(
    format: &Format,
    entries: Coordinates<V>,
    zero: V,
) -> Result<Sparse<V>, Refusal> {
    format.accepts(&entries.shape)?;
    let (entries, _) = in_order(format, entries, Order::Sort)?;
    write(format, entries, zero)
}

/// Entries with coordinates along the axes, from those of the dimensions, in order; and whether some may be
/// equal.
fn in_order<V: Value>(
    format: &Format,
    entries: Coordinates<V>,
    order: Order,
) -> Result<(Coordinates<V>, Equal), Refusal> {
    let Coordinates { shape, columns, values } = entries;
    let reshape = format.reshape();
    let mut entries = Coordinates { columns: reshape.seated(columns, &shape)?, shape, values };
    let equal = match bucket_sort::sort(reshape, &mut entries, order)? {
        Buckets::Sorted(equal) => equal,
        Buckets::Long => {
            sort::sort(format, &mut entries)?;
            Equal::Some
        }
    };
    Ok((entries, equal))
}

/// Adds neighbouring entries with the same coordinates, or refuses them.
fn coalesce<V: Value>(
    format: &Format,
    entries: &mut Coordinates<V>,
    rules: &Rules<V>,
) -> Result<(), Refusal> {
    let Coordinates { shape, columns, values } = entries;
    let same = |columns: &[Vec<i64>], a: usize, b: usize| columns.iter().all(|column| column[a] == column[b]);
    let Some(first) = bucket_sort::first_not_above(columns, 0..values.len()) else { return Ok(()) };
    let Duplicates::Add(add) = rules.duplicates else {
        let along: Vec<i64> = columns.iter().map(|column| column[first]).collect();
        let coordinate = format.reshape().index(&along, shape).unwrap_or(along);
        return Err(Refusal::Duplicate { coordinate });
    };
    let mut last = first - 1;
    for at in first..values.len() {
        if same(columns, last, at) {
            values[last] = add(values[last], values[at]);
        } else {
            last += 1;
            values[last] = values[at];
            columns.iter_mut().for_each(|column| column[last] = column[at]);
        }
    }
    values.truncate(last + 1);
    columns.iter_mut().for_each(|column| column.truncate(last + 1));
    Ok(())
}

/// Writes the levels of sorted entries, whose columns are along the format's axes.
fn write<V: Value>(format: &Format, mut entries: Coordinates<V>, zero: V) -> Result<Sparse<V>, Refusal> {
    let (mut at, mut parents) = (EntryPositions::Root(entries.values.len()), 1);
    let (mut levels, mut parameters, mut metadata) = (Vec::new(), Vec::new(), Vec::new());
    for depth in 0..format.entries().len() {
        let crd: Vec<Vec<i64>> =
            entries.columns[format.columns(depth)].iter_mut().map(std::mem::take).collect();
        parameters.push(format.fitted(depth, || longest(&crd, &at)));
        let level = format.level(depth, &entries.shape, &parameters[depth])?;
        let (crd, at_parents) = match level.in_runs() {
            false => (crd, at),
            true => {
                let full = level.capabilities().full;
                let zeros = if full { ZeroSlices::Leave } else { ZeroSlices::Stay };
                run_length::merge(level.dimensions(), &crd, &at, &mut entries, (zeros, zero))?
            }
        };
        let PackedLevel { metadata: written, positions } =
            level.pack(SortedEntries { parents, crd, at: at_parents })?;
        at = positions;
        parents = level.npos(&written);
        metadata.push(written);
        let last = depth + 1 == format.entries().len();
        if !last && !level.capabilities().ordered {
            at = sort::by_position(parents, at, &mut entries);
        }
        levels.push(level);
    }
    let Coordinates { shape, values, .. } = entries;
    let instance = Instance { format: format.with_parameters(parameters), shape, levels };
    if parents == values.len() && (0..parents).all(|entry| at.of(entry) == entry) {
        return Ok(Sparse { instance, metadata, values, zero });
    }
    let stored = scattered(&values, &at.into_list(), parents, zero)?;
    Ok(Sparse { instance, metadata, values: stored, zero })
}

/// The values at their positions, among zeros. These are written a little ahead of the values, so that they
/// are in a near cache then.
fn scattered<V: Value>(values: &[V], at: &[usize], positions: usize, zero: V) -> Result<Vec<V>, Refusal> {
    let mut stored = Vec::new();
    let what = || Refusal::TooLarge { what: format!("an array of {positions} entries") };
    stored.try_reserve_exact(positions).map_err(|_| what())?;
    for (at, values) in at.chunks(PIECE).zip(values.chunks(PIECE)) {
        let end = at.iter().fold(stored.len(), |end, position| end.max(position + 1));
        stored.resize(end, zero);
        at.iter().zip(values).for_each(|(position, value)| stored[*position] = *value);
    }
    stored.resize(positions, zero);
    Ok(stored)
}

/// The largest number of coordinates that one parent has.
fn longest(crd: &[Vec<i64>], at: &EntryPositions) -> usize {
    let (mut longest, mut row) = (0, 0);
    for entry in 0..at.len() {
        let same_parent = entry > 0 && at.of(entry - 1) == at.of(entry);
        let same = same_parent && crd.iter().all(|column| column[entry - 1] == column[entry]);
        row = if same_parent { row + usize::from(!same) } else { 1 };
        longest = longest.max(row);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::{PIECE, scattered};

    /// Stores numbers from 1 at these positions.
    fn check(at: &[usize], positions: usize) {
        let values: Vec<i64> = (1..=at.len() as i64).collect();
        let mut expected = vec![0; positions];
        at.iter().zip(&values).for_each(|(position, value)| expected[*position] = *value);
        assert_eq!(scattered(&values, at, positions, 0).unwrap(), expected);
    }

    #[test]
    fn values_are_stored_at_any_positions() {
        check(&[], 0);
        check(&[], 3);
        check(&[2, 0], 4);
        let many = 3 * PIECE + 7;
        check(&(0..many).map(|entry| 2 * entry + 1).collect::<Vec<usize>>(), 2 * many + 5);
        check(&(0..many).rev().collect::<Vec<usize>>(), many);
        check(&(0..many).map(|entry| entry * 1009 % many).collect::<Vec<usize>>(), many);
    }
}
