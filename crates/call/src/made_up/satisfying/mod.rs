//! Integers that satisfy what a function requires of its arrays.
//!
//! **The one idea.** Most requirements bound a cell by what is known, or by its neighbour: `0 <= crd[p] < M`,
//! `pos[i] <= pos[i + 1]`. So first every cell is taken from between its bounds, and an array whose cells are
//! compared with one another is put in order; then a comparison that fails moves one of its cells just as far
//! as it must, over and over, for as long as that is cheap. What does not settle is tried again from the
//! cells' own places, which are a permutation, and from the least numbers.

use super::cells::{Cells, Place, Values};
use atl_kernel::{Cmp, Ix, Pred, Var};
use atl_lang::ForAll;
use atl_loops::{Literal, Machine as _};
use atl_runtime::{Buffer, with_element};
use atl_session::elements::scalar;
use atl_session::signature::{Array, Signature, mentions};
use std::collections::{BTreeMap, BTreeSet};

/// Over the requirements it is gone this often.
const ROUNDS: usize = 6;
/// The most points that one attempt visits.
const POINTS: usize = 8_000_000;

/// How cells are chosen at first.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// From between their bounds, in no order.
    Spread,
    /// The least that there may be.
    Least,
    /// Each its own place.
    Places,
}

/// Changes made-up arrays of integers until they satisfy what the function requires of them; as it found them
/// if that fails. `order` says which of its possible values a cell takes; `given` names the arrays that stay
/// as they are.
pub(crate) fn satisfy(
    signature: &Signature,
    sizes: &[i64],
    arrays: &mut [(String, Buffer)],
    given: &BTreeSet<String>,
    order: &dyn Fn(usize) -> usize,
) {
    let made = |array: &&Array| !given.contains(&array.name);
    let made: BTreeSet<u32> = signature.arrays.iter().filter(made).map(|array| array.level).collect();
    let concerned = |all: &&ForAll| made.iter().any(|level| mentions(all, *level));
    let stated = signature.contents.iter().map(|contents| &contents.stated);
    let requirements: Vec<&ForAll> = stated.filter(concerned).collect();
    if requirements.is_empty() {
        return;
    }
    let Some(values) = values(signature, sizes, arrays, given) else { return };
    for start in [Start::Spread, Start::Places, Start::Least] {
        let mut attempt = Attempt {
            values: Values { sizes: values.sizes.clone(), arrays: values.arrays.clone() },
            left: POINTS,
        };
        if attempt.run(&requirements, start, order) == Some(true) {
            write(signature, &attempt.values, arrays);
            return;
        }
    }
}

/// The integers of the arrays.
fn values(
    signature: &Signature,
    sizes: &[i64],
    arrays: &[(String, Buffer)],
    given: &BTreeSet<String>,
) -> Option<Values> {
    let mut found = Vec::new();
    for p in &signature.arrays {
        let (_, buffer) = arrays.iter().find(|(name, _)| *name == p.name)?;
        let Some((cells, least, most)) = integers(buffer) else { continue };
        let cells =
            Cells { shape: buffer.shape().to_vec(), cells, least, most, given: given.contains(&p.name) };
        found.push((p.level, cells));
    }
    let sizes = signature.sizes.iter().zip(sizes).map(|(s, n)| (s.level, *n)).collect();
    Some(Values { sizes, arrays: found })
}

/// The integers of a buffer, the least one that it may hold, and the greatest.
fn integers(buffer: &Buffer) -> Option<(Vec<i64>, i64, i64)> {
    let scalar = scalar(buffer.dtype());
    let (least, most) = scalar.range().filter(|_| scalar.is_index())?;
    let cells = with_element!(buffer.dtype(), T => {
        buffer.as_slice::<T>().ok()?.iter().map(|x| x.value().integer()).collect::<Option<Vec<i64>>>()?
    });
    Some((cells, i64::try_from(least).ok()?, i64::try_from(most).ok()?))
}

fn write(signature: &Signature, values: &Values, arrays: &mut [(String, Buffer)]) {
    for p in &signature.arrays {
        let (Some(cells), Some((_, buffer))) =
            (values.array(p.level), arrays.iter_mut().find(|(name, _)| *name == p.name))
        else {
            continue;
        };
        if scalar(buffer.dtype()).is_index() {
            with_element!(buffer.dtype(), T => {
                if let Ok(slice) = buffer.as_mut_slice::<T>() {
                    slice.iter_mut().zip(&cells.cells).for_each(|(to, from)| *to = <T>::of(Literal::i64(*from)));
                }
            });
        }
    }
}

/// One try.
struct Attempt {
    values: Values,
    /// How many more points are looked at.
    left: usize,
}

impl Attempt {
    /// Does everything hold in the end? None where that took too long.
    fn run(
        &mut self,
        requirements: &[&ForAll],
        start: Start,
        order: &dyn Fn(usize) -> usize,
    ) -> Option<bool> {
        if start == Start::Places {
            for (_, array) in self.values.arrays.iter_mut().filter(|(_, array)| !array.given) {
                for (k, cell) in array.cells.iter_mut().enumerate() {
                    *cell = i64::try_from(k).unwrap_or(i64::MAX).clamp(array.least, array.most);
                }
            }
        } else {
            for requirement in requirements {
                self.within_bounds(requirement, start, order)?;
            }
        }
        for _ in 0..ROUNDS {
            let mut moved = false;
            for requirement in requirements {
                self.visit(requirement, &mut |attempt, point| {
                    if attempt.values.holds(&requirement.holds, point) != Some(true) {
                        moved = true;
                        attempt.mend(&requirement.holds, point);
                    }
                    Some(())
                })?;
            }
            if !moved {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Calls `each` at every point of a requirement; none where that are too many, or a range has no meaning.
    fn visit(
        &mut self,
        requirement: &ForAll,
        each: &mut dyn FnMut(&mut Attempt, &[i64]) -> Option<()>,
    ) -> Option<()> {
        self.visit_from(requirement, &mut Vec::new(), each)
    }

    fn visit_from(
        &mut self,
        requirement: &ForAll,
        point: &mut Vec<i64>,
        each: &mut dyn FnMut(&mut Attempt, &[i64]) -> Option<()>,
    ) -> Option<()> {
        let Some(variable) = requirement.variables.get(point.len()) else {
            self.left = self.left.checked_sub(1)?;
            return each(self, point);
        };
        let lo = self.values.index(&variable.lo, point)?;
        let mut at = lo;
        // A cell that is moved on the way may be the range's own end.
        while at < self.values.index(&variable.hi, point)? {
            point.push(at);
            self.visit_from(requirement, point, each)?;
            point.pop();
            at = at.checked_add(1)?;
        }
        Some(())
    }

    /// Takes the cells that a requirement bounds from between their bounds, and puts arrays whose cells it
    /// compares in order.
    fn within_bounds(
        &mut self,
        requirement: &ForAll,
        start: Start,
        order: &dyn Fn(usize) -> usize,
    ) -> Option<()> {
        let mut bounds: BTreeMap<Place, (i64, i64)> = BTreeMap::new();
        self.visit(requirement, &mut |attempt, point| {
            attempt.bounds(&requirement.holds, point, &mut bounds);
            Some(())
        })?;
        for ((level, place), (lo, hi)) in bounds {
            let Some(array) = self.values.array_mut(level).filter(|array| !array.given) else { continue };
            let Some(cell) = array.cells.get_mut(place) else { continue };
            let known = (lo > array.least, hi < array.most);
            let count =
                hi.checked_sub(lo).and_then(|n| n.checked_add(1)).and_then(|n| usize::try_from(n).ok());
            *cell = match (known, start, count) {
                ((true, true), Start::Spread, Some(count)) if count > 0 => {
                    lo + i64::try_from(order(place).wrapping_mul(5) % count).unwrap_or(0)
                }
                ((true, _), Start::Least, _) => lo,
                _ => (*cell).max(lo).min(hi.max(lo)),
            };
        }
        let sorted = compared(&requirement.holds);
        for (level, array) in self.values.arrays.iter_mut().filter(|(_, array)| !array.given) {
            if sorted.contains(level) && array.shape.len() == 1 && start == Start::Spread {
                array.cells.sort_unstable();
            }
        }
        Some(())
    }

    /// What the conjuncts of a predicate say of single cells.
    fn bounds(&self, p: &Pred, point: &[i64], bounds: &mut BTreeMap<Place, (i64, i64)>) {
        let mut bound = |ix: &Ix, lo: Option<i64>, hi: Option<i64>| {
            let Ix::Read(Var::Free(level), at) = ix else { return };
            let Some(place) = self.values.place(*level, at, point) else { return };
            let Some(array) = self.values.array(*level) else { return };
            let known = bounds.entry(place).or_insert((array.least, array.most));
            known.0 = known.0.max(lo.unwrap_or(i64::MIN));
            known.1 = known.1.min(hi.unwrap_or(i64::MAX));
        };
        match p {
            Pred::And(pq) => {
                self.bounds(&pq.0, point, bounds);
                self.bounds(&pq.1, point, bounds);
            }
            Pred::Cmp(_, a, b) if !levels(a).is_disjoint(&levels(b)) => {}
            Pred::Cmp(cmp, a, b) => {
                let (low, high) = (self.values.index(a, point), self.values.index(b, point));
                let gap = i64::from(*cmp == Cmp::Lt);
                let (up, down) =
                    (low.and_then(|n| n.checked_add(gap)), high.and_then(|n| n.checked_sub(gap)));
                let equal = *cmp == Cmp::Eq;
                bound(a, high.filter(|_| equal), down);
                bound(b, up, low.filter(|_| equal));
            }
            _ => {}
        }
    }

    /// Moves a cell so that the predicate holds here, if one can be.
    fn mend(&mut self, p: &Pred, point: &[i64]) {
        match p {
            Pred::And(pq) => {
                self.mend(&pq.0, point);
                self.mend(&pq.1, point);
            }
            Pred::Or(pq) if self.values.holds(p, point) != Some(true) => {
                self.mend(&pq.0, point);
                if self.values.holds(&pq.0, point) != Some(true) {
                    self.mend(&pq.1, point);
                }
            }
            Pred::Not(q) if self.values.holds(q, point) == Some(true) => match &**q {
                Pred::Cmp(Cmp::Le, a, b) => self.mend(&Pred::lt(b.clone(), a.clone()), point),
                Pred::Cmp(Cmp::Lt, a, b) => self.mend(&Pred::le(b.clone(), a.clone()), point),
                Pred::Cmp(Cmp::Eq, a, b) => self.mend(&Pred::lt(a.clone(), b.clone()), point),
                _ => {}
            },
            Pred::Cmp(cmp, a, b) if self.values.holds(p, point) == Some(false) => {
                let (Some(low), Some(high)) = (self.values.index(a, point), self.values.index(b, point))
                else {
                    return;
                };
                let Some(excess) =
                    low.checked_sub(high).and_then(|n| n.checked_add(i64::from(*cmp == Cmp::Lt)))
                else {
                    return;
                };
                let mut cells = Vec::new();
                self.values.summands(a, 1, point, &mut cells);
                self.values.summands(b, -1, point, &mut cells);
                // The last of an array's cells, so that what was visited stays.
                let free = |((level, _), _): &&(Place, i64)| {
                    self.values.array(*level).is_some_and(|array| !array.given)
                };
                let Some(((level, place), factor)) = cells.iter().filter(free).max().copied() else { return };
                let Some(array) = self.values.array_mut(level) else { return };
                let Some(cell) = array.cells.get_mut(place) else { return };
                if let Some(moved) = excess.checked_mul(factor).and_then(|n| cell.checked_sub(n)) {
                    *cell = moved.clamp(array.least, array.most);
                }
            }
            _ => {}
        }
    }
}

/// The arrays that an index term reads, outermost alone.
fn levels(ix: &Ix) -> BTreeSet<u32> {
    match ix {
        Ix::Read(Var::Free(level), _) => BTreeSet::from([*level]),
        Ix::Bin(_, ab) => levels(&ab.0).union(&levels(&ab.1)).copied().collect(),
        _ => BTreeSet::new(),
    }
}

/// The arrays of which two cells are compared.
fn compared(p: &Pred) -> BTreeSet<u32> {
    match p {
        Pred::True | Pred::False => BTreeSet::new(),
        Pred::Cmp(_, a, b) => levels(a).intersection(&levels(b)).copied().collect(),
        Pred::Not(q) => compared(q),
        Pred::And(pq) | Pred::Or(pq) => compared(&pq.0).union(&compared(&pq.1)).copied().collect(),
    }
}

#[cfg(test)]
mod tests;
