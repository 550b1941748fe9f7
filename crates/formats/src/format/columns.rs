//! Columns of dimensions become columns of axes, and back, in the same memory.
//!
//! **The one idea.** Memory that is fresh costs as much as a pass. A dimension that is one axis is its
//! column. Two axes of one dimension, blocks and places within them, are made of its column, which becomes
//! the second of them; two of two dimensions, diagonals and places along them, replace both. And back. It may
//! be done piece by piece, so that what is next done with a piece finds it in a cache.

use super::{Axis, Reshape};
use crate::Refusal;
use std::ops::Range;

impl Reshape {
    /// The columns of dimensions where the axes stand that they become; no more than
    /// [`along`](Reshape::along) is to be done. Refused if an axis is too long.
    pub(crate) fn seated(
        &self,
        dimensions: Vec<Vec<i64>>,
        shape: &[usize],
    ) -> Result<Vec<Vec<i64>>, Refusal> {
        self.axes().iter().try_for_each(|axis| axis.extent(shape).map(|_| ()))?;
        let mut columns = vec![Vec::new(); self.axes().len()];
        for (d, column) in dimensions.into_iter().enumerate() {
            let (axis, one, two) = self.source(d);
            match axis {
                Axis::Diagonal { row, .. } | Axis::Along { row, .. } if row == d => columns[one] = column,
                Axis::Block { .. } | Axis::Within { .. } => {
                    columns[one].reserve_exact(column.len());
                    columns[two] = column;
                }
                _ => columns[two] = column,
            }
        }
        Ok(columns)
    }

    /// Makes coordinates along the axes of those entries, which follow the ones where that is done.
    pub(crate) fn along(&self, columns: &mut [Vec<i64>], shape: &[usize], entries: Range<usize>) {
        for d in 0..self.rank() {
            let (axis, one, two) = self.source(d);
            if one == two {
                continue;
            }
            let (before, after) = columns.split_at_mut(two);
            let (first, second) = (&mut before[one], &mut after[0][entries.clone()]);
            match axis {
                Axis::Block { size, .. } => split(second, first, size, First::Block),
                Axis::Within { size, .. } => split(second, first, size, First::Within),
                Axis::Diagonal { row, .. } if row == d => {
                    let zero = axis.offset(shape);
                    let pairs = first[entries.clone()].iter_mut().zip(second);
                    pairs.for_each(|(i, j)| (*i, *j) = (*j - *i + zero, *i.min(j)));
                }
                Axis::Along { row, column } if row == d => {
                    let zero = Axis::Diagonal { row, column }.offset(shape);
                    let pairs = first[entries.clone()].iter_mut().zip(second);
                    pairs.for_each(|(i, j)| (*i, *j) = (*i.min(j), *j - *i + zero));
                }
                // Both dimensions are done with the first of them.
                _ => {}
            }
        }
    }

    /// Whether places along the axes may be outside of the shape in this dimension.
    pub(crate) fn is_padded(&self, d: usize, shape: &[usize]) -> bool {
        match self.source(d).0 {
            Axis::Dimension(_) => false,
            Axis::Block { size, .. } | Axis::Within { size, .. } => !shape[d].is_multiple_of(size),
            Axis::Diagonal { .. } | Axis::Along { .. } => true,
        }
    }

    /// Makes the coordinates of a dimension of two axes, in the column of the second. The first one may be
    /// shorter: each of its coordinates stands for those of the second until its end. EntryPositions of
    /// padding get coordinates outside of the shape.
    pub(crate) fn join(
        &self,
        d: usize,
        shape: &[usize],
        first: (&[i64], Option<&[usize]>),
        second: &mut [i64],
    ) {
        let (axis, _, _) = self.source(d);
        let of =
            |block: i64, size: usize, within: i64| block.saturating_mul(size as i64).saturating_add(within);
        match axis {
            Axis::Dimension(_) => {}
            Axis::Block { size, .. } => join_by(first, second, |block, within| of(block, size, within)),
            Axis::Within { size, .. } => join_by(first, second, |within, block| of(block, size, within)),
            Axis::Diagonal { row, column } | Axis::Along { row, column } => {
                let zero = Axis::Diagonal { row, column }.offset(shape);
                let side = if d == row { -1 } else { 1 };
                let place = |diagonal: i64, along: i64| along + (side * (diagonal - zero)).max(0);
                match axis {
                    Axis::Diagonal { .. } => join_by(first, second, place),
                    _ => join_by(first, second, |along, diagonal| place(diagonal, along)),
                }
            }
        }
    }
}

/// What becomes of the coordinates of two axes.
fn join_by((first, ends): (&[i64], Option<&[usize]>), second: &mut [i64], of: impl Fn(i64, i64) -> i64) {
    let Some(ends) = ends else {
        return second.iter_mut().zip(first).for_each(|(c, first)| *c = of(*first, *c));
    };
    let mut start = 0;
    for (first, &end) in first.iter().zip(ends) {
        second[start..end].iter_mut().for_each(|c| *c = of(*first, *c));
        start = end;
    }
}

/// Which of the two axes of a dimension stands first.
#[derive(Clone, Copy)]
enum First {
    Block,
    Within,
}

/// Cuts coordinates in blocks: one part is appended to a column, and the other takes their place.
fn split(whole: &mut [i64], appended: &mut Vec<i64>, size: usize, first: First) {
    if size.is_power_of_two() {
        let (bits, mask) = (size.trailing_zeros(), size as i64 - 1);
        split_by(whole, appended, |x| x.wrapping_shr(bits), |x| x & mask, first);
    } else {
        let size = size as u64;
        split_by(whole, appended, |x| (x as u64 / size) as i64, |x| (x as u64 % size) as i64, first);
    }
}

/// The same, by these functions.
fn split_by(
    whole: &mut [i64],
    appended: &mut Vec<i64>,
    block: impl Fn(i64) -> i64,
    within: impl Fn(i64) -> i64,
    first: First,
) {
    match first {
        First::Block => {
            appended.extend(whole.iter().map(|x| block(*x)));
            whole.iter_mut().for_each(|x| *x = within(*x));
        }
        First::Within => {
            appended.extend(whole.iter().map(|x| within(*x)));
            whole.iter_mut().for_each(|x| *x = block(*x));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Format;

    /// Takes all points of a shape to these axes, in two pieces, and back.
    fn check(format: &str, axes: fn(i64, i64) -> Vec<i64>) {
        let shape = [7, 9];
        let format = Format::parse(format, 2).unwrap();
        let (is, js): (Vec<i64>, Vec<i64>) = (0..7).flat_map(|i| (0..9).map(move |j| (i, j))).unzip();
        let reshape = format.reshape();
        let mut columns = reshape.seated(vec![is.clone(), js.clone()], &shape).unwrap();
        reshape.along(&mut columns, &shape, 0..20);
        reshape.along(&mut columns, &shape, 20..63);
        for (at, (i, j)) in is.iter().zip(&js).enumerate() {
            let point: Vec<i64> = columns.iter().map(|column| column[at]).collect();
            assert_eq!(point, axes(*i, *j), "({i}, {j}) of {format}");
            assert_eq!(reshape.index(&point, &shape), Some(vec![*i, *j]), "{point:?} of {format}");
        }
        for (d, expected) in [is, js].iter().enumerate() {
            let (_, one, two) = reshape.source(d);
            let mut column = columns[two].clone();
            if one != two {
                reshape.join(d, &shape, (&columns[one], None), &mut column);
            }
            assert_eq!(column, *expected, "dimension {d} of {format}");
        }
    }

    #[test]
    fn columns_of_axes_become_those_of_dimensions_again() {
        check("csc", |i, j| vec![j, i]);
        check("bcsr(4, 3)", |i, j| vec![i / 4, j / 3, i % 4, j % 3]);
        check("[dense of j % 8, dense of i, dense of j / 8]", |i, j| vec![j % 8, i, j / 8]);
        check("[dense of i % 1, dense of j % 5, dense of j / 5, dense of i / 1]", |i, j| {
            vec![0, j % 5, j / 5, i]
        });
        check("dia", |i, j| vec![j - i + 6, i.min(j)]);
        check("[dense of min(j, i), dense of i - j]", |i, j| vec![i.min(j), i - j + 8]);
    }

    #[test]
    fn places_of_padding_are_outside() {
        let outside = |format: &str, point: &[i64]| {
            let format = Format::parse(format, 2).unwrap();
            assert_eq!(format.reshape().index(point, &[7, 9]), None, "{point:?} of {format}");
            (0..2).map(|d| format.reshape().is_padded(d, &[7, 9])).collect::<Vec<bool>>()
        };
        assert_eq!(outside("bcsr(4, 3)", &[1, 0, 3, 0]), [true, false]);
        assert_eq!(outside("[dense of j / 4, dense of i, dense of j % 4]", &[2, 0, 1]), [false, true]);
        assert_eq!(outside("dia", &[14, 1]), [true, true]);
    }

    #[test]
    fn a_coordinate_stands_for_all_until_its_end() {
        let format = Format::parse("bcsr(4, 4)", 2).unwrap();
        let mut within = [0, 3, 1, 0, 2];
        format.reshape().join(0, &[40, 40], (&[5, 6, 7], Some(&[2, 2, 5])), &mut within);
        assert_eq!(within, [20, 23, 29, 28, 30]);
    }
}
