//! At how many places comparisons of cells fail.

use crate::{Integers, wide, with_integers};
use atl_scalars::CmpOp;
use std::ops::Range;

/// Sums of vectors of 32 bits do not overflow over so many points.
const BLOCK: usize = 1 << 14;

/// On which side of a comparison a number is.
#[derive(Clone, Copy)]
pub enum Side {
    /// `number < cell`.
    Left,
    /// `cell < number`.
    Right,
}

/// Are the cells at these places not negative, and none greater than this? By one pass, which looks at signs
/// alone; none for other types than `i32` and `i64`.
///
/// # Panics
/// The array has not so many cells.
#[inline(never)]
pub fn within(array: Integers<'_>, at: Range<usize>, greatest: i64) -> Option<bool> {
    if greatest < 0 {
        return Some(at.is_empty());
    }
    match array {
        // What is not negative is less than the type's greatest number, and may be subtracted from any such.
        Integers::I32(cells) => {
            let greatest = i32::try_from(greatest).unwrap_or(i32::MAX);
            Some(cells[at].iter().fold(0, |signs, x| signs | x | greatest.wrapping_sub(*x)) >= 0)
        }
        Integers::I64(cells) => {
            Some(cells[at].iter().fold(0, |signs, x| signs | x | greatest.wrapping_sub(*x)) >= 0)
        }
        _ => None,
    }
}

/// At how many of these places a comparison of the cell with a number fails.
///
/// # Panics
/// The array has not so many cells.
#[inline(never)]
pub fn against(op: CmpOp, number_is: Side, array: Integers<'_>, at: Range<usize>, number: i64) -> usize {
    match array {
        Integers::I32(cells) => against_number(&cells[at], op, number_is, number),
        Integers::I64(cells) => against_number(&cells[at], op, number_is, number),
        other => with_integers!(other, cells => {
            let wide: Vec<i64> = cells[at].iter().map(|x| wide(*x)).collect();
            against_number(&wide, op, number_is, number)
        }),
    }
}

fn against_number<T: Copy + Ord + TryFrom<i64> + Into<i64>>(
    cells: &[T],
    op: CmpOp,
    number_is: Side,
    number: i64,
) -> usize {
    let Ok(n) = T::try_from(number) else {
        let holds = |cell: &&T| match number_is {
            Side::Right => op.apply(&(**cell).into(), &number),
            Side::Left => op.apply(&number, &(**cell).into()),
        };
        return cells.len() - cells.iter().filter(holds).count();
    };
    match (op, number_is) {
        (CmpOp::Eq, _) => count(cells, |x| x != n),
        (CmpOp::Ne, _) => count(cells, |x| x == n),
        // Vectors of a plain machine have `<` alone.
        (CmpOp::Lt, Side::Right) => cells.len() - count(cells, |x| x < n),
        (CmpOp::Le, Side::Right) => count(cells, |x| n < x),
        (CmpOp::Lt, Side::Left) => cells.len() - count(cells, |x| n < x),
        (CmpOp::Le, Side::Left) => count(cells, |x| x < n),
    }
}

/// At how many places a comparison of a cell of one array with a cell of another fails; none where the arrays
/// are of two types, or of others than `i32` and `i64`.
///
/// # Panics
/// An array has not so many cells.
#[inline(never)]
pub fn beside(
    op: CmpOp,
    (a, at_a): (Integers<'_>, Range<usize>),
    (b, at_b): (Integers<'_>, Range<usize>),
) -> Option<usize> {
    match (a, b) {
        (Integers::I32(a), Integers::I32(b)) => Some(failing_pairs(&a[at_a], &b[at_b], op)),
        (Integers::I64(a), Integers::I64(b)) => Some(failing_pairs(&a[at_a], &b[at_b], op)),
        _ => None,
    }
}

/// Of as many pairs as both have.
pub(crate) fn failing_pairs<T: Copy + Ord>(a: &[T], b: &[T], op: CmpOp) -> usize {
    match op {
        CmpOp::Eq => count_pairs(a, b, |x, y| x != y),
        CmpOp::Ne => count_pairs(a, b, |x, y| x == y),
        CmpOp::Lt => a.len().min(b.len()) - count_pairs(a, b, |x, y| x < y),
        CmpOp::Le => count_pairs(a, b, |x, y| y < x),
    }
}

/// How many cells are such; by blocks whose counts have 32 bits, as lanes of vectors do.
fn count<T: Copy>(cells: &[T], is: impl Fn(T) -> bool) -> usize {
    let block = |cells: &[T]| cells.iter().fold(0u32, |sum, x| sum.wrapping_add(u32::from(is(*x))));
    cells.chunks(BLOCK).map(|cells| block(cells) as usize).sum()
}

fn count_pairs<T: Copy>(a: &[T], b: &[T], is: impl Fn(T, T) -> bool) -> usize {
    let block = |(a, b): (&[T], &[T])| {
        a.iter().zip(b).fold(0u32, |sum, (x, y)| sum.wrapping_add(u32::from(is(*x, *y))))
    };
    let few = a.len().min(b.len());
    a[..few].chunks(BLOCK).zip(b[..few].chunks(BLOCK)).map(|pair| block(pair) as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found of an array of each type at its ends, beside the comparison at each cell.
    #[test]
    fn counts_are_those_of_comparisons() {
        let numbers = [i64::MIN, i32::MIN.into(), -1, 0, 1, 7, i32::MAX.into(), i64::MAX];
        let narrow: Vec<i32> = numbers.iter().filter_map(|n| i32::try_from(*n).ok()).collect();
        for array in [Integers::I32(&narrow), Integers::I64(&numbers)] {
            let cells: Vec<i64> = (0..array.len()).filter_map(|at| array.at(at as i64)).collect();
            for number in numbers {
                let expected = cells.iter().all(|cell| (0..=number).contains(cell));
                assert_eq!(within(array, 0..array.len(), number), Some(expected), "{array:?} {number}");
                for op in [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le] {
                    let fails =
                        |holds: &dyn Fn(&i64) -> bool| cells.iter().filter(|cell| !holds(cell)).count();
                    let found = |side| against(op, side, array, 0..array.len(), number);
                    assert_eq!(found(Side::Right), fails(&|cell| op.apply(cell, &number)), "{op:?} {number}");
                    assert_eq!(found(Side::Left), fails(&|cell| op.apply(&number, cell)), "{number} {op:?}");
                }
            }
            for op in [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le] {
                let last = array.len() - 1;
                let expected = cells.windows(2).filter(|pair| !op.apply(&pair[0], &pair[1])).count();
                assert_eq!(beside(op, (array, 0..last), (array, 1..last + 1)), Some(expected), "{op:?}");
            }
        }
    }
}
