//! Requirements of the usual forms, decided by a few passes over arrays.
//!
//! **The one idea.** What formats require is of two forms: a comparison of neighbouring cells at all
//! points of a constant range, or at all points of the segments that a `pos` array gives. The first is
//! a fold over slices, which a compiler makes a loop over vectors. The second is a fold over all
//! segments at once: where segments follow one another, the points at which the comparison fails must
//! all be ends of segments, so they are counted twice.
//!
//! Segments that increase say more than what is required of them: that their bounds rise, and between which
//! numbers their cells are ([`Known`]). Other requirements of the same format follow from it without a pass.
//!
//! This only ever says that a requirement holds. Whatever is of another form, or does not hold, goes on
//! to [`super::program`], which finds the point. The folds themselves are those of `atl_folds`.

use super::{ForAll, Integers};
use crate::{Bool, CmpOp, Int, IntOp, Name};
use atl_folds::{Segments, Side, against, beside, rise_from_zero, within};
use std::collections::BTreeMap;
use std::ops::Range;

/// No array has so many cells.
const MANY: usize = 1 << 48;

/// What passes over segments that increase say of their arrays.
#[derive(Default)]
pub(super) struct Known<'r, 'a>(Vec<Increasing<'r, 'a>>);

/// What one pass says.
struct Increasing<'r, 'a> {
    /// The requirement that the segments increase, which holds.
    requirement: &'r ForAll,
    /// Cells that never fall, from a first one that is not negative: the bounds.
    rising: (Integers<'a>, Range<usize>),
    /// The cells in segments, and the least and the greatest of them, if there is one.
    cells: (Integers<'a>, Range<usize>, Option<(i64, i64)>),
}

/// What is known of the arrays by those of the requirements that are about increasing segments.
pub(super) fn known<'r, 'a>(
    requirements: &'r [ForAll],
    sizes: &[(&Name, i64)],
    inputs: &BTreeMap<Name, Integers<'a>>,
) -> Known<'r, 'a> {
    let mut known = Known::default();
    let nothing = Known::default();
    let about = About { sizes, inputs, var: None, known: &nothing };
    for requirement in requirements {
        known.add(requirement, &about);
    }
    known
}

impl<'r, 'a> Known<'r, 'a> {
    /// Adds what is known if a requirement says that cells increase in each segment, and they do.
    fn add(&mut self, requirement: &'r ForAll, about: &About<'_, 'a>) -> Option<()> {
        let [outer, inner] = &requirement.binders[..] else { return None };
        let Bool::Cmp(CmpOp::Lt, a, b) = &requirement.cond else { return None };
        let Segmented { pos, places, var, left_out } = about.segmented(outer, inner, &requirement.cond)?;
        let about = About { var: Some(var), ..*about };
        let ((cells, s), (next, t)) = (about.linear(a)?.as_cell()?, about.linear(b)?.as_cell()?);
        if left_out != 1 || (s, t) != (0, 1) || !cells.is_same(&next) {
            return None;
        }
        let found = Segments::of(pos, places.clone())?.increase(cells)?;
        let cells = (cells, found.places, found.cells);
        self.0.push(Increasing { requirement, rising: (pos, places), cells });
        Some(())
    }

    /// Do the cells at these places rise?
    fn rises(&self, array: Integers<'_>, at: &Range<usize>) -> bool {
        self.0.iter().any(|known| known.rising.0.is_same(&array) && covers(&known.rising.1, at))
    }

    /// Are the cells at these places not negative and no greater than this number?
    fn within(&self, array: Integers<'_>, at: &Range<usize>, greatest: i64) -> bool {
        let is_known = |known: &Increasing<'_, '_>| {
            let (cells, places, ends) = &known.cells;
            let is_within = ends.is_some_and(|(first, last)| 0 <= first && last <= greatest);
            is_within && cells.is_same(&array) && covers(places, at)
        };
        let last = |at: &Range<usize>| array.at(i64::try_from(at.end).ok()? - 1);
        self.0.iter().any(is_known)
            || (!at.is_empty() && self.rises(array, at) && last(at).is_some_and(|last| last <= greatest))
    }
}

fn covers(places: &Range<usize>, at: &Range<usize>) -> bool {
    places.start <= at.start && at.end <= places.end
}

/// Does the requirement hold, as these passes can tell?
pub(super) fn holds(
    requirement: &ForAll,
    sizes: &[(&Name, i64)],
    inputs: &BTreeMap<Name, Integers<'_>>,
    known: &Known<'_, '_>,
) -> bool {
    if known.0.iter().any(|known| std::ptr::eq(known.requirement, requirement)) {
        return true;
    }
    let about = About { sizes, inputs, var: None, known };
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
    known: &'r Known<'r, 'r>,
}

/// Segments that follow one another, as ranges of a requirement.
struct Segmented<'r, 'a> {
    /// The array of their bounds, and the places of these.
    pos: Integers<'a>,
    places: Range<usize>,
    /// The variable of the points in a segment.
    var: &'r Name,
    /// How many points at the end of each are left out.
    left_out: u8,
}

/// A sum: a constant, a multiple of the point, and multiples of cells at a distance from it. No part of
/// it leaves 64 bits, whatever the cells hold.
struct Linear<'a> {
    constant: i64,
    point: i64,
    cells: Cells<'a>,
    /// The least and the greatest value.
    ends: (i64, i64),
}

/// Multiples of cells, with their distances from the point: no more than two, as in what formats require, so
/// that a call allocates nothing for them.
#[derive(Clone, Copy)]
struct Cells<'a>([Option<(i64, Integers<'a>, i64)>; 2]);

impl<'a> Cells<'a> {
    const NONE: Cells<'static> = Cells([None; 2]);

    fn is_empty(&self) -> bool {
        self.0[0].is_none()
    }

    fn iter(&self) -> impl Iterator<Item = &(i64, Integers<'a>, i64)> {
        self.0.iter().flatten()
    }

    /// One more; none where there are two.
    fn with(mut self, cell: (i64, Integers<'a>, i64)) -> Option<Cells<'a>> {
        *self.0.iter_mut().find(|place| place.is_none())? = Some(cell);
        Some(self)
    }
}

impl<'a> Linear<'a> {
    fn constant(constant: i64) -> Linear<'a> {
        Linear { constant, point: 0, cells: Cells::NONE, ends: (constant, constant) }
    }

    fn as_constant(&self) -> Option<i64> {
        (self.point == 0 && self.cells.is_empty()).then_some(self.constant)
    }

    /// The distance of the cell that it is from the point.
    fn as_cell(&self) -> Option<(Integers<'a>, i64)> {
        match self.cells.0 {
            [Some((1, array, shift)), None] if self.constant == 0 && self.point == 0 => Some((array, shift)),
            _ => None,
        }
    }

    /// The sum of this and a multiple of another, where its value has 64 bits.
    fn plus(self, times: i64, other: &Linear<'a>) -> Option<Linear<'a>> {
        let (a, b) = (other.ends.0.checked_mul(times)?, other.ends.1.checked_mul(times)?);
        let ends = (self.ends.0.checked_add(a.min(b))?, self.ends.1.checked_add(a.max(b))?);
        let mut cells = self.cells;
        for (factor, array, shift) in other.cells.iter() {
            cells = cells.with((factor.checked_mul(times)?, *array, *shift))?;
        }
        Some(Linear {
            constant: self.constant.checked_add(other.constant.checked_mul(times)?)?,
            point: self.point.checked_add(other.point.checked_mul(times)?)?,
            cells,
            ends,
        })
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
                let ends = (0, MANY as i64);
                Some(Linear { constant: 0, point: 1, cells: Cells::NONE, ends })
            }
            Int::Var(_) => Some(Linear::constant(self.constant(int)?)),
            Int::Bin(op, a, b) => {
                let (a, b) = (self.linear(a)?, self.linear(b)?);
                match (op, a.as_constant(), b.as_constant()) {
                    (IntOp::Add, ..) => a.plus(1, &b),
                    (IntOp::Sub, ..) => a.plus(-1, &b),
                    (IntOp::Mul, Some(n), None) => Linear::constant(0).plus(n, &b),
                    (IntOp::Mul, _, Some(n)) => Linear::constant(0).plus(n, &a),
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
                Some(Linear {
                    constant: 0,
                    point: 0,
                    cells: Cells([Some((1, array, cell.constant)), None]),
                    ends,
                })
            }
        }
    }

    /// The value of a term of sizes.
    fn constant(&self, int: &Int) -> Option<i64> {
        match int {
            Int::Lit(value) => Some(*value),
            Int::Var(name) if self.var == Some(name) => None,
            Int::Var(name) => Some(self.sizes.iter().find(|(known, _)| *known == name)?.1),
            Int::Bin(op, a, b) => op.apply(self.constant(a)?, self.constant(b)?),
            Int::Load(..) => None,
        }
    }

    /// A range whose ends no variable changes.
    fn range(&self, lo: &Int, hi: &Int) -> Option<Range<usize>> {
        let (lo, hi) = (self.constant(lo)?, self.constant(hi)?);
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
        let end = self.constant(end)?;
        let greatest = match op {
            CmpOp::Lt => end.checked_sub(1)?,
            CmpOp::Le => end,
            _ => return None,
        };
        match self.known.within(array, &at, greatest) {
            true => Some(true),
            false => within(array, at, greatest),
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
            (Some((x, s)), Some((y, t)), ..) => self.failures_beside(op, (x, s), (y, t), points),
            (Some((x, s)), _, _, Some(n)) => {
                Some(against(op, Side::Right, x, shifted(points, s, x.len())?, n))
            }
            (_, Some((y, t)), Some(n), _) => {
                Some(against(op, Side::Left, y, shifted(points, t, y.len())?, n))
            }
            _ => None,
        }
        .or_else(|| Some(points.clone().filter(|point| !op.apply(&a.at(*point), &b.at(*point))).count()))
    }

    /// At how many points a comparison of cells with cells fails; none where the arrays are of two types.
    fn failures_beside(
        &self,
        op: CmpOp,
        (a, s): (Integers<'_>, i64),
        (b, t): (Integers<'_>, i64),
        points: &Range<usize>,
    ) -> Option<usize> {
        let (at_a, at_b) = (shifted(points, s, a.len())?, shifted(points, t, b.len())?);
        if op == CmpOp::Le && a.is_same(&b) && t == s.checked_add(1)? {
            let all = at_a.start..at_b.end;
            if self.known.rises(a, &all) || matches!(a, Integers::I64(_)) && rise_from_zero(a, all) {
                return Some(0);
            }
        }
        beside(op, (a, at_a), (b, at_b))
    }

    /// The segments over which the variables of a requirement range, if they are some.
    fn segmented<'t>(
        &self,
        (outer, first, last): &'t (Name, Int, Int),
        (inner, lo, hi): &'t (Name, Int, Int),
        cond: &Bool,
    ) -> Option<Segmented<'t, 'a>> {
        let numbers = self.range(first, last)?;
        // What is subtracted leaves no 64 bits where the bounds rise from 0 on.
        let (hi, left_out) = match hi {
            Int::Bin(IntOp::Sub, next, one) if **one == Int::Lit(1) => (&**next, 1),
            _ => (hi, 0),
        };
        let of_number = About { var: Some(outer), ..*self };
        let ((pos, shift), (next, beyond)) =
            (of_number.linear(lo)?.as_cell()?, of_number.linear(hi)?.as_cell()?);
        if beyond != shift.checked_add(1)? || !pos.is_same(&next) || mentions(cond, outer) {
            return None;
        }
        let places = shifted(&(numbers.start..numbers.end + 1), shift, pos.len())?;
        Some(Segmented { pos, places, var: inner, left_out })
    }

    /// Does a condition hold at all points of segments that follow one another, but for the last of
    /// each if the range says so?
    fn segments(
        &self,
        outer: &'r (Name, Int, Int),
        inner: &'r (Name, Int, Int),
        cond: &Bool,
    ) -> Option<bool> {
        if self.range(&outer.1, &outer.2)?.is_empty() {
            return Some(true);
        }
        let Segmented { pos, places, var, left_out } = self.segmented(outer, inner, cond)?;
        let bounds = |k: usize| pos.at(k as i64).and_then(|bound| usize::try_from(bound).ok());
        let (start, end) = (bounds(places.start)?, bounds(places.end - 1)?);
        if !(self.known.rises(pos, &places) || rise_from_zero(pos, places.clone())) || end >= MANY {
            return None;
        }
        let about = About { var: Some(var), ..*self };
        if left_out == 0 || start == end {
            return about.all(cond, start..end);
        }
        let Bool::Cmp(op, a, b) = cond else { return None };
        let failures = about.failures(*op, a, b, &(start..end - 1))?;
        if failures == 0 {
            return Some(true);
        }
        let (a, b) = (about.linear(a)?, about.linear(b)?);
        let of_cells = || {
            let ((a, s), (b, t)) = (a.as_cell()?, b.as_cell()?);
            let points = start..end - 1;
            let (at_a, at_b) = (shifted(&points, s, a.len())?, shifted(&points, t, b.len())?);
            Segments::of(pos, places.clone())?.failures_at_ends(*op, (a, at_a), (b, at_b))
        };
        let at_ends = of_cells().or_else(|| {
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

/// Does a condition speak of a variable?
fn mentions(cond: &Bool, var: &Name) -> bool {
    let mut found = false;
    cond.for_each_var(&mut |name| found |= name == var);
    found
}

#[cfg(test)]
mod tests;
