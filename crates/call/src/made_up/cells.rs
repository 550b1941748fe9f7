//! The integers of a call, and what index terms and predicates over them are worth.

use atl_kernel::{Cmp, Ix, IxOp, Pred, Var, eval_op};

/// An array of integers or truth values.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pub(super) shape: Vec<usize>,
    pub(super) cells: Vec<i64>,
    /// What its type holds.
    pub(super) least: i64,
    pub(super) most: i64,
    /// Was it given? Then it stays as it is.
    pub(super) given: bool,
}

/// A cell of an array, by the array's level.
pub(super) type Place = (u32, usize);

/// Values for everything that a requirement speaks of.
pub(super) struct Values {
    /// By level of the function's context: a size.
    pub(super) sizes: Vec<(u32, i64)>,
    /// By level of the function's context: an array.
    pub(super) arrays: Vec<(u32, Cells)>,
}

impl Values {
    pub(super) fn array(&self, level: u32) -> Option<&Cells> {
        self.arrays.iter().find(|(l, _)| *l == level).map(|(_, cells)| cells)
    }

    pub(super) fn array_mut(&mut self, level: u32) -> Option<&mut Cells> {
        self.arrays.iter_mut().find(|(l, _)| *l == level).map(|(_, cells)| cells)
    }

    /// The cell that a read means; none where it is not there.
    pub(super) fn place(&self, level: u32, at: &[Ix], point: &[i64]) -> Option<Place> {
        let array = self.array(level)?;
        let mut place = 0usize;
        for (ix, extent) in at.iter().zip(&array.shape) {
            let i = usize::try_from(self.index(ix, point)?).ok().filter(|i| i < extent)?;
            place = place.checked_mul(*extent)?.checked_add(i)?;
        }
        Some((level, place))
    }

    /// The value of a term at a point, `Bound(k)` being its number `k`; none where it reads what is not
    /// there.
    pub(super) fn index(&self, ix: &Ix, point: &[i64]) -> Option<i64> {
        i64::try_from(self.wide(ix, point)?).ok()
    }

    fn wide(&self, ix: &Ix, point: &[i64]) -> Option<i128> {
        match ix {
            Ix::Lit(n) => Some(i128::from(*n)),
            Ix::Var(Var::Bound(k)) => point.get(*k as usize).map(|n| i128::from(*n)),
            Ix::Var(Var::Free(level)) => {
                self.sizes.iter().find(|(l, _)| l == level).map(|(_, n)| i128::from(*n))
            }
            Ix::Bin(op, ab) => eval_op(*op, self.wide(&ab.0, point)?, self.wide(&ab.1, point)?),
            Ix::Read(Var::Free(level), at) => {
                let (_, place) = self.place(*level, at, point)?;
                self.array(*level)?.cells.get(place).map(|n| i128::from(*n))
            }
            Ix::Read(Var::Bound(_), _) => None,
        }
    }

    /// Does the predicate hold at a point? None where it reads what is not there, unless the rest decides.
    pub(super) fn holds(&self, p: &Pred, point: &[i64]) -> Option<bool> {
        match p {
            Pred::True => Some(true),
            Pred::False => Some(false),
            Pred::Cmp(cmp, a, b) => {
                let (a, b) = (self.wide(a, point)?, self.wide(b, point)?);
                Some(match cmp {
                    Cmp::Eq => a == b,
                    Cmp::Lt => a < b,
                    Cmp::Le => a <= b,
                })
            }
            Pred::Not(q) => Some(!self.holds(q, point)?),
            Pred::And(pq) => Some(self.holds(&pq.0, point)? && self.holds(&pq.1, point)?),
            Pred::Or(pq) => Some(self.holds(&pq.0, point)? || self.holds(&pq.1, point)?),
        }
    }

    /// The cells that a term reads, each with the factor by which the term grows with it: 1 or -1, where that
    /// is known.
    pub(super) fn summands(&self, ix: &Ix, factor: i64, point: &[i64], found: &mut Vec<(Place, i64)>) {
        match ix {
            Ix::Read(Var::Free(level), at) => {
                found.extend(self.place(*level, at, point).map(|place| (place, factor)));
            }
            Ix::Bin(IxOp::Add, ab) => {
                self.summands(&ab.0, factor, point, found);
                self.summands(&ab.1, factor, point, found);
            }
            Ix::Bin(IxOp::Sub, ab) => {
                self.summands(&ab.0, factor, point, found);
                self.summands(&ab.1, -factor, point, found);
            }
            _ => {}
        }
    }
}
