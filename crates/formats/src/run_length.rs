//! Run-length compression: runs of equal slices among sorted entries.
//!
//! A run-length level stores one slice for neighbouring coordinates with equal slices: the entries of the
//! first coordinate remain, and the bounds of the run replace their coordinates. Each slice is compared with
//! the last one that remains, entry by entry, in time linear in the entries.

use crate::coordinates::Coordinates;
use crate::level::Builder;
use crate::value::Value;
use crate::{Dimensions, EntryPositions, Metadata, Refusal};
use std::ops::Range;

/// What happens to slices of zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ZeroSlices {
    /// They are runs like others.
    Stay,
    /// They leave, for the level fills its gaps with zeros.
    Leave,
}

/// Merges the slices of a level whose entries have these parents and coordinates; what stands below are the
/// other columns, and the values. Returns the bounds of runs, in two columns, and the parents of the entries
/// that stay.
pub(crate) fn merge<V: Value>(
    dimensions: &Dimensions,
    crd: &[Vec<i64>],
    at: &EntryPositions,
    below: &mut Coordinates<V>,
    zeros: (ZeroSlices, V),
) -> Result<(Vec<Vec<i64>>, EntryPositions), Refusal> {
    let count = below.values.len();
    let number = |entry: usize| {
        let point: Vec<i64> = crd.iter().map(|column| column[entry]).collect();
        dimensions.number(&point).map(|number| number as i64).ok_or(Refusal::Unsorted { entry })
    };
    let same_slice =
        |a: usize, b: usize| at.of(a) == at.of(b) && crd.iter().all(|column| column[a] == column[b]);
    let (mut kept, mut runs, mut parents) = (vec![false; count], [Vec::new(), Vec::new()], Vec::new());
    let mut last: Range<usize> = 0..0;
    let mut start = 0;
    while start < count {
        let end = (start + 1..count).find(|next| !same_slice(start, *next)).unwrap_or(count);
        let slice = start..end;
        let (c, parent) = (number(start)?, at.of(start));
        let follows = !last.is_empty() && at.of(last.start) == parent && runs[1].last() == Some(&c);
        let is_zero = || below.values[slice.clone()].iter().all(|v| v.same(zeros.1));
        if follows && same_entries(below, &last, &slice) {
            let longer = runs[1].len() - last.len();
            runs[1][longer..].iter_mut().for_each(|end| *end += 1);
        } else if zeros.0 == ZeroSlices::Stay || !is_zero() {
            for entry in slice.clone() {
                kept[entry] = true;
                parents.push(parent);
                runs[0].push(c);
                runs[1].push(c + 1);
            }
            last = slice;
        }
        start = end;
    }
    below.retain(|_, entry| kept[entry]);
    Ok((runs.into(), EntryPositions::List(parents)))
}

/// Whether two slices have the same entries. Columns that are stored already are empty.
fn same_entries<V: Value>(below: &Coordinates<V>, a: &Range<usize>, b: &Range<usize>) -> bool {
    let mut columns = below.columns.iter().filter(|column| !column.is_empty());
    a.len() == b.len()
        && columns.all(|column| column[a.clone()] == column[b.clone()])
        && below.values[a.clone()].iter().zip(&below.values[b.clone()]).all(|(a, b)| a.same(*b))
}

/// A writer of a level of runs.
pub(crate) trait RunWriter: Builder {
    /// Stores a run that follows the one before and ends inside the extent, and returns its position.
    fn run(&mut self, left: usize, right: usize) -> Result<usize, Refusal>;
}

/// A writer whose coordinates are the bounds of runs, as [`merge`] returns them.
pub(crate) struct Runs<W>(pub(crate) W);

impl<W: RunWriter> Builder for Runs<W> {
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        // Bounds that are negative are far outside of every extent.
        self.0.run(crd[0] as usize, crd[1] as usize)
    }

    fn finish(&mut self) -> Result<(), Refusal> {
        self.0.finish()
    }

    fn close(self: Box<Self>) -> Metadata {
        Box::new(self.0).close()
    }
}
