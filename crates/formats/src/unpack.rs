//! `unpack`: a tensor in a format becomes a list of entries, in linear time.
//!
//! **The one idea.** Levels are expanded from the outermost. A column of coordinates stays as short as its
//! level has positions, beside running totals that say where the entries below each position end. The level
//! that completes a dimension joins the columns of both its axes to one. At last each dimension's column is
//! written out for all entries, once, and not for every level in between.

use crate::coordinates::Coordinates;
use crate::format::Reshape;
use crate::value::Value;
use crate::{EntryPositions, Level, Metadata, Refusal, Sparse, Zeros};

/// The entries of a tensor, in the order in which they are stored.
pub(crate) fn unpack<V: Value>(tensor: Sparse<V>, zeros: Zeros) -> Result<Coordinates<V>, Refusal> {
    let Sparse { instance, metadata, values, zero } = tensor;
    let (reshape, shape) = (instance.format().reshape(), instance.shape());
    if values.is_empty() {
        // Its levels may have any number of parents.
        let columns = vec![Vec::new(); shape.len()];
        return Ok(Coordinates { shape: shape.to_vec(), columns, values: Vec::new() });
    }
    let mut expanded = Expanded {
        axes: Vec::new(),
        depths: Vec::new(),
        dimensions: vec![(Vec::new(), 0); shape.len()],
        ends: Vec::new(),
        positions: EntryPositions::Root(1),
    };
    for (depth, (level, metadata)) in instance.levels().iter().zip(metadata).enumerate() {
        expanded.expand(depth, &**level, metadata)?;
        expanded.complete(depth, reshape, shape);
    }
    let Expanded { dimensions, ends, positions, .. } = expanded;
    let values = positions.take(values);
    let columns = dimensions.into_iter().map(|(column, depth)| match ends.get(depth) {
        Some(ends) => repeated(&column, ends),
        None => column,
    });
    let mut found = Coordinates { shape: shape.to_vec(), columns: columns.collect(), values };
    let padded: Vec<usize> = (0..shape.len()).filter(|d| reshape.is_padded(*d, shape)).collect();
    if !padded.is_empty() || zeros == Zeros::Drop {
        let inside = |found: &Coordinates<V>, entry: usize| {
            padded.iter().all(|&d| (found.columns[d][entry] as u64) < shape[d] as u64)
        };
        let stored = |value: V| zeros == Zeros::Keep || !value.same(zero);
        found.retain(|all, entry| stored(all.values[entry]) && inside(all, entry));
    }
    Ok(found)
}

/// The levels of a tensor, as far as they are expanded.
struct Expanded {
    /// A column for each axis, until its dimension is complete.
    axes: Vec<Vec<i64>>,
    /// The level of each axis.
    depths: Vec<usize>,
    /// The dimensions that are complete, and the level that completed each.
    dimensions: Vec<(Vec<i64>, usize)>,
    /// For each level above the last one, where the last one's positions end that are below its positions.
    ends: Vec<Vec<usize>>,
    /// The positions of the last level.
    positions: EntryPositions,
}

impl Expanded {
    /// Expands the next level.
    fn expand(&mut self, depth: usize, level: &dyn Level, metadata: Metadata) -> Result<(), Refusal> {
        let found = level.expand(metadata, &self.positions)?;
        let (mut totals, mut total) = (found.counts, 0);
        for count in &mut totals {
            total += *count;
            *count = total;
        }
        for end in self.ends.iter_mut().flatten() {
            *end = end.checked_sub(1).map_or(0, |last| totals[last]);
        }
        // The first level is below the root, where no coordinates are.
        if depth > 0 {
            self.ends.push(totals);
        }
        self.depths.resize(self.depths.len() + found.crd.len(), depth);
        self.axes.extend(found.crd);
        self.positions = found.positions;
        Ok(())
    }

    /// Makes the dimensions whose last axis is in the level that was expanded last.
    fn complete(&mut self, depth: usize, reshape: &Reshape, shape: &[usize]) {
        for d in 0..reshape.rank() {
            let (_, one, two) = reshape.source(d);
            if self.depths.get(two) != Some(&depth) {
                continue;
            }
            // Diagonals make two dimensions.
            let again = (d + 1..reshape.rank()).any(|later| reshape.source(later).2 == two);
            let mut column = match again {
                true => self.axes[two].clone(),
                false => std::mem::take(&mut self.axes[two]),
            };
            if one != two {
                let ends = self.ends.get(self.depths[one]).map(|ends| &ends[..]);
                reshape.join(d, shape, (&self.axes[one], ends), &mut column);
            }
            if !again {
                self.axes[one] = Vec::new();
            }
            self.dimensions[d] = (column, depth);
        }
    }
}

/// Each entry of a column, until its end.
fn repeated(column: &[i64], ends: &[usize]) -> Vec<i64> {
    let mut found = Vec::with_capacity(ends.last().copied().unwrap_or(0));
    column.iter().zip(ends).for_each(|(c, end)| found.resize(*end, *c));
    found
}

#[cfg(test)]
mod tests {
    use crate::{Coordinates, Format, Order, Rules, Zeros, pack};

    /// Packs entries of the shape 5 x 7 x 6 and reads them back.
    fn check(format: &str) {
        let points: Vec<[i64; 3]> = (0..210)
            .filter(|at| at * at % 7 < 3 && at / 42 != 2)
            .map(|at| [at / 42, at / 6 % 7, at % 6])
            .collect();
        let entries = Coordinates {
            shape: vec![5, 7, 6],
            columns: (0..3).map(|d| points.iter().map(|point| point[d]).collect()).collect(),
            values: (1..=points.len() as i64).collect(),
        };
        let rules = || Rules { order: Order::Sort, ..Rules::default() };
        let format = Format::parse(format, 3).unwrap();
        let found = pack(&format, entries.clone(), 0, &rules()).unwrap().unpack(Zeros::Drop).unwrap();
        let coo = Format::parse("coo", 3).unwrap();
        assert_eq!(pack(&coo, found, 0, &rules()).unwrap().unpack(Zeros::Keep).unwrap(), entries, "{format}");
    }

    #[test]
    fn axes_of_a_dimension_may_be_levels_apart() {
        check("[compressed of i / 2, hash of j, dense of i % 2, compressed of k]");
        check("[dense of j % 3, compressed of i, compressed of (k / 4, j / 3), dense of k % 4]");
        check("[compressed of (i / 3, i % 3), dense of k, compressed of j]");
        check("[compressed of k - i, compressed of j, dense of min(i, k)]");
        check("[hash of min(j, k), compressed of i / 2, compressed of k - j, compressed of i % 2]");
    }
}
