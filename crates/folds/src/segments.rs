//! Segments that a `pos` array gives, and the cells in them.
//!
//! **The one idea.** Segments that follow one another are one slice, so that neighbours in order are
//! counted by vectors however short the segments are. The pairs at which the order may fail are those at
//! ends of segments, which one look at each segment counts again. Where cells increase within each segment,
//! its first is the least and its last the greatest: the same look has the bounds of all cells.

use crate::Integers;
use crate::comparisons::failing_pairs;
use atl_scalars::CmpOp;
use std::ops::Range;

/// Segments: the `pos` array, and the places of their bounds in it.
#[derive(Clone)]
pub struct Segments<'a> {
    /// The bounds, one more than there are segments.
    bounds: &'a [i64],
}

/// What is known of segments whose cells increase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The cells that are in segments.
    pub places: Range<usize>,
    /// The least and the greatest of them, if there is one.
    pub cells: Option<(i64, i64)>,
}

/// Do the cells at these places never fall, from a first one that is not negative?
#[inline(never)]
pub fn rise_from_zero(array: Integers<'_>, places: Range<usize>) -> bool {
    match array {
        Integers::I32(cells) => cells.get(places).is_some_and(|cells| {
            let falls = failing_pairs(cells, cells.get(1..).unwrap_or_default(), CmpOp::Le);
            falls == 0 && cells.first().is_none_or(|first| *first >= 0)
        }),
        Integers::I64(cells) => cells.get(places).is_some_and(rise),
        _ => false,
    }
}

/// By signs, for vectors of a plain machine do not compare numbers of 64 bits; of two that are not negative
/// the difference has 64 bits.
fn rise(cells: &[i64]) -> bool {
    let pairs = cells.iter().zip(cells.get(1..).unwrap_or_default());
    let signs = pairs.fold(0, |signs, (x, next)| signs | x | next.wrapping_sub(*x));
    signs >= 0 && cells.last().is_none_or(|last| *last >= 0)
}

impl<'a> Segments<'a> {
    /// The segments whose bounds stand at these places of an array; none where it is of another type than
    /// `i64`.
    pub fn of(pos: Integers<'a>, places: Range<usize>) -> Option<Segments<'a>> {
        let Integers::I64(pos) = pos else { return None };
        Some(Segments { bounds: pos.get(places).filter(|bounds| !bounds.is_empty())? })
    }

    /// Do the bounds rise from 0 on or later to no more cells than there are, and do the cells increase
    /// within each segment? If so, their ends; nothing is said where not.
    #[inline(never)]
    pub fn increase(&self, cells: Integers<'_>) -> Option<Ends> {
        let (start, end) = (*self.bounds.first()?, *self.bounds.last()?);
        let places = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
        let cells = match cells {
            Integers::I32(cells) => {
                let cells = cells.get(places.clone())?;
                let looked_at = self.look(cells)?;
                let failures = failing_pairs(cells, cells.get(1..).unwrap_or_default(), CmpOp::Lt);
                (failures == looked_at.falls).then_some(looked_at.ends)?
            }
            Integers::I64(cells) => {
                let cells = cells.get(places.clone())?;
                let looked_at = self.look(cells)?;
                (failing_wide(cells)? == looked_at.falls).then_some(looked_at.ends)?
            }
            _ => return None,
        };
        Some(Ends { places, cells })
    }

    /// At how many last points of segments, but the last of all, a comparison of a cell of one array with a
    /// cell of another fails; the cells are those of the points from the first of the first segment on.
    /// None where the arrays are of two types, or of others than `i32` and `i64`.
    ///
    /// # Panics
    /// An array has not so many cells.
    #[inline(never)]
    pub fn failures_at_ends(
        &self,
        op: CmpOp,
        (a, at_a): (Integers<'_>, Range<usize>),
        (b, at_b): (Integers<'_>, Range<usize>),
    ) -> Option<usize> {
        match (a, b) {
            (Integers::I32(a), Integers::I32(b)) => Some(self.failing_ends(op, &a[at_a], &b[at_b])),
            (Integers::I64(a), Integers::I64(b)) => Some(self.failing_ends(op, &a[at_a], &b[at_b])),
            _ => None,
        }
    }

    fn failing_ends<T: Copy + Ord>(&self, op: CmpOp, a: &[T], b: &[T]) -> usize {
        match op {
            CmpOp::Eq => self.ends_that(|x, y| x != y, a, b),
            CmpOp::Ne => self.ends_that(|x, y| x == y, a, b),
            CmpOp::Lt => self.ends_that(|x, y| y <= x, a, b),
            CmpOp::Le => self.ends_that(|x, y| y < x, a, b),
        }
    }

    fn ends_that<T: Copy>(&self, fails: impl Fn(T, T) -> bool, a: &[T], b: &[T]) -> usize {
        let points = a.len().min(b.len());
        let (a, b) = (&a[..points], &b[..points]);
        let start = self.bounds.first().copied().unwrap_or(0);
        let mut count = 0;
        for (from, to) in self.bounds.iter().zip(&self.bounds[1..]) {
            // Behind the last point of all there is none to compare; to count too few says of nothing that
            // it holds.
            let last = usize::try_from(to.wrapping_sub(1).wrapping_sub(start)).unwrap_or(points);
            if last < points && from < to {
                count += usize::from(fails(a[last], b[last]));
            }
        }
        count
    }

    /// Looks at the first and the last cell of each segment of the cells of all.
    fn look<T: Copy + Ord + Into<i64>>(&self, cells: &[T]) -> Option<LookedAt> {
        let start = *self.bounds.first()?;
        let (mut signs, mut falls) = (0, 0);
        // Nothing falls to the first cell; if that is the least number, it counts, and nothing is said.
        let (mut least, mut greatest, mut before) = (i64::MAX, i64::MIN, i64::MIN);
        for (from, to) in self.bounds.iter().zip(&self.bounds[1..]) {
            signs |= from | to.wrapping_sub(*from);
            if from < to {
                // Where bounds fall, cells may not be there.
                let at =
                    |bound: i64| cells.get(bound.wrapping_sub(start) as usize).map(|cell| (*cell).into());
                let (first, last): (i64, i64) = (at(*from)?, at(to.wrapping_sub(1))?);
                falls += usize::from(first <= before);
                (least, greatest, before) = (least.min(first), greatest.max(last), last);
            }
        }
        let ends = (least <= greatest).then_some((least, greatest));
        (signs >= 0).then_some(LookedAt { falls, ends })
    }
}

/// What the first and the last cells of segments are.
struct LookedAt {
    /// At how many ends of segments the next cell is not greater.
    falls: usize,
    ends: Option<(i64, i64)>,
}

/// At how many places the next cell is not greater; none where a cell is negative. By signs, as above.
fn failing_wide(cells: &[i64]) -> Option<usize> {
    let pairs = cells.iter().zip(cells.get(1..).unwrap_or_default());
    let (signs, failures) = pairs.fold((0, 0), |(signs, failures): (i64, u64), (x, next)| {
        let falls = next.wrapping_sub(*x).wrapping_sub(1) as u64 >> 63;
        (signs | x | next, failures.wrapping_add(falls))
    });
    (signs >= 0).then(|| usize::try_from(failures).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the definition says.
    fn expected(pos: &[i64], cells: &[i64]) -> Option<Ends> {
        let rises = pos.windows(2).all(|pair| pair[0] <= pair[1]) && pos[0] >= 0;
        let end = usize::try_from(*pos.last()?).ok().filter(|end| rises && *end <= cells.len())?;
        let segments = pos.windows(2).map(|pair| &cells[pair[0] as usize..pair[1] as usize]);
        let increase = segments.clone().all(|segment| segment.windows(2).all(|pair| pair[0] < pair[1]));
        let places = pos[0] as usize..end;
        let inside = &cells[places.clone()];
        let ends = inside.iter().min().copied().zip(inside.iter().max().copied());
        increase.then_some(Ends { places, cells: ends })
    }

    fn check(pos: &[i64], cells: &[i64]) -> bool {
        let segments = Segments::of(Integers::I64(pos), 0..pos.len()).expect("there are bounds");
        let expected = expected(pos, cells);
        if let Ok(narrow) = cells.iter().map(|cell| i32::try_from(*cell)).collect::<Result<Vec<i32>, _>>() {
            assert_eq!(segments.increase(Integers::I32(&narrow)), expected, "{pos:?} {cells:?}");
        }
        let found = segments.increase(Integers::I64(cells));
        // Of negative cells of 64 bits nothing is said where there are neighbours, and of the least number
        // never.
        let inside = expected.as_ref().map(|ends| &cells[ends.places.clone()]);
        let is_said = inside.is_none_or(|cells| {
            cells.iter().all(|cell| *cell >= 0) || matches!(cells, [cell] if *cell > i64::MIN)
        });
        assert_eq!(found, expected.clone().filter(|_| is_said), "{pos:?} {cells:?}");
        expected.is_some()
    }

    #[test]
    fn all_small_segments() {
        let (mut held, mut refused) = (0, 0);
        let numbers = [-1, 0, 1, 2, 3];
        for a in numbers {
            for b in numbers {
                for c in numbers {
                    for cells in 0..64i64 {
                        let cells = [cells % 4, cells / 4 % 4, cells / 16];
                        match check(&[a, b, c], &cells) {
                            true => held += 1,
                            false => refused += 1,
                        }
                    }
                }
            }
        }
        assert!(held > 300 && refused > 300, "{held} {refused}");
    }

    #[test]
    fn ends_of_the_types() {
        for cells in [
            vec![0, i64::MAX],
            vec![i64::MAX, 0],
            vec![i64::MIN, i64::MAX],
            vec![i32::MIN.into(), i32::MAX.into()],
            vec![i32::MAX.into(), i32::MIN.into()],
            vec![i64::MIN, i64::MIN],
            vec![i64::MAX - 1, i64::MAX],
        ] {
            check(&[0, 2], &cells);
            check(&[0, 1, 2], &cells);
            check(&[1, 1, 2], &cells);
        }
        for pos in [[i64::MIN, 0, 2], [0, i64::MAX, 2], [0, i64::MIN, 2], [0, 3, 2], [0, 2, i64::MAX]] {
            assert!(!check(&pos, &[0, 1]), "{pos:?}");
        }
    }

    #[test]
    fn signs_say_what_rises() {
        let numbers = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
        let mut held = 0;
        for a in numbers {
            for b in numbers {
                for c in numbers {
                    let expected = 0 <= a && a <= b && b <= c;
                    assert_eq!(rise(&[a, b, c]), expected, "{a} {b} {c}");
                    held += usize::from(expected);
                }
                assert_eq!(rise(&[a, b]), 0 <= a && a <= b, "{a} {b}");
            }
            assert_eq!(rise(&[a]), 0 <= a, "{a}");
        }
        assert!(held > 10 && rise(&[]));
    }
}
