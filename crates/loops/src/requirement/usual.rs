//! Requirements of the usual forms, decided by a few passes over arrays.
//!
//! **The one idea.** What formats require is of two forms: a comparison of neighbouring cells at all
//! points of a constant range, or at all points of the segments that a `pos` array gives. The first is
//! a fold over slices, which a compiler makes a loop over vectors. The second is a fold over all
//! segments at once: where segments follow one another, the points at which the comparison fails must
//! all be ends of segments, so they are counted twice.
//!
//! This only ever says that a requirement holds. Whatever is of another form, or does not hold, goes on
//! to [`super::program`], which finds the point.

use super::{ForAll, Integers, with_integers};
use crate::{Bool, CmpOp, Int, IntOp, Name};
use std::collections::BTreeMap;
use std::ops::Range;

/// No array has so many cells.
const MANY: usize = 1 << 48;

/// Sums of vectors of 32 bits do not overflow over so many points.
const BLOCK: usize = 1 << 14;

/// Does the requirement hold, as these passes can tell?
pub(super) fn holds(
    requirement: &ForAll,
    sizes: &[(&Name, i64)],
    inputs: &BTreeMap<Name, Integers<'_>>,
) -> bool {
    let about = About { sizes, inputs, var: None };
    let found = match &requirement.binders[..] {
        [(var, lo, hi)] => about.range(lo, hi).and_then(|points| {
            let about = About { var: Some(var), ..about };
            about.all(&requirement.cond, points)
        }),
        [outer, inner] => about.segments(outer, inner, &requirement.cond),
        _ => None,
    };
    found.unwrap_or(false)
}

/// What terms are about.
#[derive(Clone, Copy)]
struct About<'r, 'a> {
    sizes: &'r [(&'r Name, i64)],
    inputs: &'r BTreeMap<Name, Integers<'a>>,
    /// The variable of the points.
    var: Option<&'r Name>,
}

/// A sum: a constant, a multiple of the point, and multiples of cells at a distance from it. No part of
/// it leaves 64 bits, whatever the cells hold.
struct Linear<'a> {
    constant: i64,
    point: i64,
    cells: Vec<(i64, Integers<'a>, i64)>,
    /// The least and the greatest value.
    ends: (i128, i128),
}

impl<'a> Linear<'a> {
    fn constant(constant: i64) -> Linear<'a> {
        Linear { constant, point: 0, cells: Vec::new(), ends: (constant.into(), constant.into()) }
    }

    fn as_constant(&self) -> Option<i64> {
        (self.point == 0 && self.cells.is_empty()).then_some(self.constant)
    }

    /// The distance of the cell that it is from the point.
    fn as_cell(&self) -> Option<(Integers<'a>, i64)> {
        match self.cells[..] {
            [(1, array, shift)] if self.constant == 0 && self.point == 0 => Some((array, shift)),
            _ => None,
        }
    }

    /// The sum of this and a multiple of another.
    fn plus(self, times: i64, other: Linear<'a>) -> Option<Linear<'a>> {
        let scaled = |x: i128| x.checked_mul(times.into());
        let (a, b) = (scaled(other.ends.0)?, scaled(other.ends.1)?);
        let ends = (self.ends.0 + a.min(b), self.ends.1 + a.max(b));
        let mut cells = self.cells;
        for (factor, array, shift) in other.cells {
            cells.push((factor.checked_mul(times)?, array, shift));
        }
        Some(Linear {
            constant: self.constant.checked_add(other.constant.checked_mul(times)?)?,
            point: self.point.checked_add(other.point.checked_mul(times)?)?,
            cells,
            ends,
        })
    }

    /// The same, where its value has 64 bits.
    fn fits(self) -> Option<Linear<'a>> {
        let bits = i128::from(i64::MIN)..=i128::from(i64::MAX);
        (bits.contains(&self.ends.0) && bits.contains(&self.ends.1)).then_some(self)
    }

    /// Its value at a point whose cells are there.
    fn at(&self, point: usize) -> i64 {
        let cell = |array: &Integers<'_>, shift: i64| array.at(point as i64 + shift).unwrap_or(0);
        let cells = self.cells.iter().map(|(factor, array, shift)| factor.wrapping_mul(cell(array, *shift)));
        let point = self.point.wrapping_mul(point as i64);
        cells.fold(self.constant.wrapping_add(point), i64::wrapping_add)
    }

    /// Are its cells there at all points?
    fn is_there(&self, points: &Range<usize>) -> bool {
        self.cells.iter().all(|(_, array, shift)| shifted(points, *shift, array.len()).is_some())
    }
}

/// The points at a distance from these, where an array of this length has them.
fn shifted(points: &Range<usize>, shift: i64, len: usize) -> Option<Range<usize>> {
    let at = |point: usize| usize::try_from(i64::try_from(point).ok()?.checked_add(shift)?).ok();
    let found = at(points.start)?..at(points.end)?;
    (found.end <= len).then_some(found)
}

impl<'r, 'a> About<'r, 'a> {
    /// The sum that a term is at the points of the variable, of which there are no more than an array
    /// has cells.
    fn linear(&self, int: &Int) -> Option<Linear<'a>> {
        match int {
            Int::Lit(value) => Some(Linear::constant(*value)),
            Int::Var(name) if self.var == Some(name) => {
                let ends = (0, MANY as i128);
                Some(Linear { constant: 0, point: 1, cells: Vec::new(), ends })
            }
            Int::Var(name) => {
                let size = self.sizes.iter().find(|(known, _)| *known == name)?;
                Some(Linear::constant(size.1))
            }
            Int::Bin(op, a, b) => {
                let (a, b) = (self.linear(a)?, self.linear(b)?);
                match (op, a.as_constant(), b.as_constant()) {
                    (IntOp::Add, ..) => a.plus(1, b)?.fits(),
                    (IntOp::Sub, ..) => a.plus(-1, b)?.fits(),
                    (IntOp::Mul, Some(n), None) => Linear::constant(0).plus(n, b)?.fits(),
                    (IntOp::Mul, _, Some(n)) => Linear::constant(0).plus(n, a)?.fits(),
                    (_, Some(a), Some(b)) => op.apply(a, b).map(Linear::constant),
                    _ => None,
                }
            }
            Int::Load(buf, cell) => {
                let cell = self.linear(cell)?;
                if cell.point != 1 || !cell.cells.is_empty() {
                    return None;
                }
                let array = *self.inputs.get(buf)?;
                let ends = array.range();
                Some(Linear { constant: 0, point: 0, cells: vec![(1, array, cell.constant)], ends })
            }
        }
    }

    /// A range whose ends no variable changes.
    fn range(&self, lo: &Int, hi: &Int) -> Option<Range<usize>> {
        let (lo, hi) = (self.linear(lo)?.as_constant()?, self.linear(hi)?.as_constant()?);
        let (lo, hi) = (usize::try_from(lo).ok()?, usize::try_from(hi.max(lo)).ok()?);
        (hi < MANY).then_some(lo..hi)
    }

    /// Does a condition hold at all points?
    fn all(&self, cond: &Bool, points: Range<usize>) -> Option<bool> {
        match cond {
            Bool::And(a, b) => match self.below(a, b, &points) {
                Some(found) => Some(found),
                None => Some(self.all(a, points.clone())? && self.all(b, points)?),
            },
            Bool::Cmp(op, a, b) => Some(self.failures(*op, a, b, &points)? == 0),
            Bool::Lit(value) => Some(*value || points.is_empty()),
            _ => None,
        }
    }

    /// Do two conditions hold at all points that say of a cell that it is not negative and below a number?
    /// By one pass, which looks at signs alone.
    fn below(&self, least: &Bool, most: &Bool, points: &Range<usize>) -> Option<bool> {
        let (Bool::Cmp(CmpOp::Le, Int::Lit(0), cell), Bool::Cmp(op, own, end)) = (least, most) else {
            return None;
        };
        let (array, shift) = self.linear(cell).filter(|_| cell == own)?.as_cell()?;
        let at = shifted(points, shift, array.len())?;
        let end = self.linear(end)?.as_constant()?;
        let greatest = match op {
            CmpOp::Lt => end.checked_sub(1)?,
            CmpOp::Le => end,
            _ => return None,
        };
        if greatest < 0 {
            return Some(at.is_empty());
        }
        match array {
            // What is not negative is less than the type's greatest number, and may be subtracted from any
            // such.
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

    /// At how many points a comparison fails.
    fn failures(&self, op: CmpOp, a: &Int, b: &Int, points: &Range<usize>) -> Option<usize> {
        let (a, b) = (self.linear(a)?, self.linear(b)?);
        if points.is_empty() {
            return Some(0);
        }
        // Without cells nothing bounds how many points there are.
        if a.cells.is_empty() && b.cells.is_empty() || !a.is_there(points) || !b.is_there(points) {
            return None;
        }
        match (a.as_cell(), b.as_cell(), a.as_constant(), b.as_constant()) {
            (Some((x, s)), Some((y, t)), ..) => beside(op, (x, s), (y, t), points),
            (Some((x, s)), _, _, Some(n)) => Some(against(op, Side::Right, (x, s), n, points)),
            (_, Some((y, t)), Some(n), _) => Some(against(op, Side::Left, (y, t), n, points)),
            _ => None,
        }
        .or_else(|| Some(points.clone().filter(|point| !op.apply(&a.at(*point), &b.at(*point))).count()))
    }

    /// Does a condition hold at all points of segments that follow one another, but for the last of
    /// each if the range says so?
    fn segments(
        &self,
        (outer, first, last): &'r (Name, Int, Int),
        (inner, lo, hi): &'r (Name, Int, Int),
        cond: &Bool,
    ) -> Option<bool> {
        let numbers = self.range(first, last)?;
        if numbers.is_empty() {
            return Some(true);
        }
        // What is subtracted leaves no 64 bits where the bounds rise from 0 on.
        let (hi, left_out) = match hi {
            Int::Bin(IntOp::Sub, next, one) if **one == Int::Lit(1) => (&**next, 1),
            _ => (hi, 0),
        };
        let of_number = About { var: Some(outer), ..*self };
        let ((pos, shift), (next, beyond)) =
            (of_number.linear(lo)?.as_cell()?, of_number.linear(hi)?.as_cell()?);
        if beyond != shift.checked_add(1)? || !is_same(pos, next) || mentions(cond, outer) {
            return None;
        }
        let places = shifted(&(numbers.start..numbers.end + 1), shift, pos.len())?;
        let bounds = |k: usize| pos.at(k as i64).and_then(|bound| usize::try_from(bound).ok());
        let (start, end) = (bounds(places.start)?, bounds(places.end - 1)?);
        if !rises(pos, &places) || end >= MANY {
            return None;
        }
        let about = About { var: Some(inner), ..*self };
        if left_out == 0 || start == end {
            return about.all(cond, start..end);
        }
        let Bool::Cmp(op, a, b) = cond else { return None };
        let failures = about.failures(*op, a, b, &(start..end - 1))?;
        if failures == 0 {
            return Some(true);
        }
        let (a, b) = (about.linear(a)?, about.linear(b)?);
        let pair = a.as_cell().zip(b.as_cell());
        let known = pair.and_then(|(x, y)| failures_at_ends(*op, x, y, (pos, &places), end));
        let at_ends = known.or_else(|| {
            let mut count = 0;
            for k in places.start..places.end - 1 {
                let (from, to) = (bounds(k)?, bounds(k + 1)?);
                let fails = from < to && to < end && !op.apply(&a.at(to - 1), &b.at(to - 1));
                count += usize::from(fails);
            }
            Some(count)
        })?;
        Some(failures == at_ends)
    }
}

/// At how many last points of segments, but the last of all, a comparison of cells with cells fails;
/// none where the arrays are of other types.
fn failures_at_ends(
    op: CmpOp,
    (a, s): (Integers<'_>, i64),
    (b, t): (Integers<'_>, i64),
    (pos, places): (Integers<'_>, &Range<usize>),
    end: usize,
) -> Option<usize> {
    fn of<T: Copy>(fails: impl Fn(T, T) -> bool, (a, b): (&[T], &[T]), pos: &[i64], start: i64) -> usize {
        let points = a.len().min(b.len());
        let (a, b) = (&a[..points], &b[..points]);
        let mut count = 0;
        for (from, to) in pos.iter().zip(pos.get(1..).unwrap_or_default()) {
            // Behind the last point of all there is none to compare; to count too few says of nothing that it holds.
            let last = usize::try_from(to - 1 - start).unwrap_or(points);
            if last < points && from < to {
                count += usize::from(fails(a[last], b[last]));
            }
        }
        count
    }
    fn by<T: Copy + Ord>(op: CmpOp, cells: (&[T], &[T]), pos: &[i64], start: i64) -> usize {
        match op {
            CmpOp::Eq => of(|x, y| x != y, cells, pos, start),
            CmpOp::Ne => of(|x, y| x == y, cells, pos, start),
            CmpOp::Lt => of(|x, y| y <= x, cells, pos, start),
            CmpOp::Le => of(|x, y| y < x, cells, pos, start),
        }
    }
    let Integers::I64(pos) = pos else { return None };
    let pos = pos.get(places.clone())?;
    let (start, end) = (*pos.first()?, i64::try_from(end).ok()?);
    let points = usize::try_from(start).ok()?..usize::try_from(end - 1).ok()?;
    let (at_a, at_b) = (shifted(&points, s, a.len())?, shifted(&points, t, b.len())?);
    match (a, b) {
        (Integers::I32(a), Integers::I32(b)) => Some(by(op, (&a[at_a], &b[at_b]), pos, start)),
        (Integers::I64(a), Integers::I64(b)) => Some(by(op, (&a[at_a], &b[at_b]), pos, start)),
        _ => None,
    }
}

/// Does a condition speak of a variable?
fn mentions(cond: &Bool, var: &Name) -> bool {
    let mut found = false;
    cond.for_each_var(&mut |name| found |= name == var);
    found
}

/// Are two arrays the same cells?
fn is_same(a: Integers<'_>, b: Integers<'_>) -> bool {
    match (a, b) {
        (Integers::I32(a), Integers::I32(b)) => std::ptr::eq(a, b),
        (Integers::I64(a), Integers::I64(b)) => std::ptr::eq(a, b),
        _ => false,
    }
}

/// Do the cells at these places never fall, from a first one that is not negative?
fn rises(array: Integers<'_>, places: &Range<usize>) -> bool {
    match array {
        Integers::I32(cells) => cells.get(places.clone()).is_some_and(|cells| {
            let falls = count_pairs(cells, cells.get(1..).unwrap_or_default(), |x, next| next < x);
            falls == 0 && cells.first().is_none_or(|first| *first >= 0)
        }),
        Integers::I64(cells) => cells.get(places.clone()).is_some_and(rises_from_zero),
        _ => false,
    }
}

/// Do numbers never fall, from a first one that is not negative? By signs, for vectors of a plain machine do
/// not compare numbers of 64 bits; of two that are not negative the difference has 64 bits.
fn rises_from_zero(cells: &[i64]) -> bool {
    let pairs = cells.iter().zip(cells.get(1..).unwrap_or_default());
    let signs = pairs.fold(0, |signs, (x, next)| signs | x | next.wrapping_sub(*x));
    signs >= 0 && cells.last().is_none_or(|last| *last >= 0)
}

/// On which side of a comparison a number is.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// At how many points a comparison of cells with a number fails.
fn against(
    op: CmpOp,
    number_is: Side,
    (array, shift): (Integers<'_>, i64),
    number: i64,
    points: &Range<usize>,
) -> usize {
    fn of<T: Copy + Ord + TryFrom<i64> + Into<i64>>(
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
    let Some(at) = shifted(points, shift, array.len()) else { return usize::MAX };
    match array {
        Integers::I32(cells) => of(&cells[at], op, number_is, number),
        Integers::I64(cells) => of(&cells[at], op, number_is, number),
        other => with_integers!(other, cells => {
            let wide: Vec<i64> = cells[at].iter().map(|x| super::wide(*x)).collect();
            of(&wide, op, number_is, number)
        }),
    }
}

/// At how many points a comparison of cells with cells fails; none where the arrays are of two types.
fn beside(
    op: CmpOp,
    (a, s): (Integers<'_>, i64),
    (b, t): (Integers<'_>, i64),
    points: &Range<usize>,
) -> Option<usize> {
    fn of<T: Copy + Ord>(a: &[T], b: &[T], op: CmpOp) -> usize {
        match op {
            CmpOp::Eq => count_pairs(a, b, |x, y| x != y),
            CmpOp::Ne => count_pairs(a, b, |x, y| x == y),
            CmpOp::Lt => a.len() - count_pairs(a, b, |x, y| x < y),
            CmpOp::Le => count_pairs(a, b, |x, y| y < x),
        }
    }
    let (at_a, at_b) = (shifted(points, s, a.len())?, shifted(points, t, b.len())?);
    if let (Integers::I64(cells), CmpOp::Le) = (a, op)
        && is_same(a, b)
        && t == s.checked_add(1)?
        && rises_from_zero(&cells[at_a.start..at_b.end])
    {
        return Some(0);
    }
    match (a, b) {
        (Integers::I32(a), Integers::I32(b)) => Some(of(&a[at_a], &b[at_b], op)),
        (Integers::I64(a), Integers::I64(b)) => Some(of(&a[at_a], &b[at_b], op)),
        _ => None,
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
mod tests;
