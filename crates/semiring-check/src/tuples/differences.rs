//! Which orders of numbers are possible, where only differences of two are known to be bounded.
//!
//! The one idea: of each two numbers the least bound of their difference that follows is kept. So a question
//! is one look at it, and a comparison that is learned improves others once. Of integers a bound is never
//! strict. It knows nothing of other sums, and says so.

use super::linear::Relation;
use super::way::Sort;

/// What a difference is at most, or below.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Bound {
    most: i128,
    is_below: bool,
}

impl Bound {
    fn is_better(self, than: Bound) -> bool {
        (self.most, !self.is_below) < (than.most, !than.is_below)
    }

    /// The bound of a sum; none if a number is too long.
    fn plus(self, other: Bound) -> Option<Bound> {
        Some(Bound { most: self.most.checked_add(other.most)?, is_below: self.is_below || other.is_below })
    }
}

/// `first - second + constant`, where numbers are named by place; the number at [`ZERO`] is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) constant: i128,
}

pub(super) const ZERO: usize = 0;

impl Difference {
    fn negated(self) -> Option<Difference> {
        let constant = self.constant.checked_neg()?;
        Some(Difference { first: self.second, second: self.first, constant })
    }
}

/// Numbers, and what is known of their differences.
#[derive(Clone, Debug, Default)]
pub(super) struct Differences {
    is_whole: Vec<bool>,
    /// Of the first less the second, by rows.
    bounds: Vec<Option<Bound>>,
}

impl Differences {
    /// Zero, and after it numbers of these sorts.
    pub(super) fn of(sorts: impl Iterator<Item = Sort>) -> Differences {
        let ranges = std::iter::once(Some((0, 0))).chain(sorts.map(|sort| match sort {
            Sort::Integer(least, most) => Some((least, most)),
            Sort::Real => None,
        }));
        let ranges: Vec<_> = ranges.collect();
        let apart = |x: Option<(i128, i128)>, y: Option<(i128, i128)>| {
            Some(Bound { most: x?.1.checked_sub(y?.0)?, is_below: false })
        };
        let row = |x: &Option<(i128, i128)>| {
            let x = *x;
            ranges.iter().map(move |y| apart(x, *y)).collect::<Vec<_>>()
        };
        let bounds = ranges.iter().flat_map(row).collect();
        Differences { is_whole: ranges.iter().map(Option::is_some).collect(), bounds }
    }

    fn bound(&self, first: usize, second: usize) -> Option<Bound> {
        if first == second {
            return Some(Bound { most: 0, is_below: false });
        }
        self.bounds[first * self.is_whole.len() + second]
    }

    /// What a comparison with zero, but no equation, says: of the first number less the second.
    fn said(&self, of: Difference, relation: Relation) -> Option<(usize, usize, Bound)> {
        // first - second + constant >= 0, that is second - first <= constant.
        let is_above = relation == Relation::AboveZero;
        let is_whole = [of.first, of.second].iter().all(|at| self.is_whole[*at]);
        let bound = match is_above && is_whole {
            true => Bound { most: of.constant.checked_sub(1)?, is_below: false },
            false => Bound { most: of.constant, is_below: is_above },
        };
        Some((of.second, of.first, bound))
    }

    /// Does what is known say that this does not hold? None if a number is too long.
    pub(super) fn excludes(&self, of: Difference, relation: Relation) -> Option<bool> {
        if relation == Relation::Zero {
            let (less, more) = (of.negated()?, of);
            let [less, more] = [less, more].map(|side| self.excludes(side, Relation::AtLeastZero));
            return Some(less? || more?);
        }
        let (x, y, claimed) = self.said(of, relation)?;
        let Some(other) = self.bound(y, x) else { return Some(false) };
        let around = claimed.plus(other)?;
        Some(around.most < 0 || (around.most == 0 && around.is_below))
    }

    /// Learn this. False if a number is too long, so that something is not known.
    pub(super) fn learn(&mut self, of: Difference, relation: Relation) -> bool {
        let sides = match relation {
            Relation::Zero => {
                let Some(negated) = of.negated() else { return false };
                vec![(of, Relation::AtLeastZero), (negated, Relation::AtLeastZero)]
            }
            _ => vec![(of, relation)],
        };
        sides.into_iter().all(|(of, relation)| match self.said(of, relation) {
            Some((x, y, bound)) => self.improve(x, y, bound),
            None => false,
        })
    }

    fn improve(&mut self, x: usize, y: usize, bound: Bound) -> bool {
        let count = self.is_whole.len();
        if x == y || self.bound(x, y).is_some_and(|known| !bound.is_better(known)) {
            return true;
        }
        let mut is_whole = true;
        for i in 0..count {
            let Some(first) = self.bound(i, x) else { continue };
            for j in 0..count {
                let Some(last) = self.bound(y, j).filter(|_| i != j) else { continue };
                let Some(way) = first.plus(bound).and_then(|way| way.plus(last)) else {
                    is_whole = false;
                    continue;
                };
                let known = &mut self.bounds[i * count + j];
                if known.is_none_or(|known| way.is_better(known)) {
                    *known = Some(way);
                }
            }
        }
        is_whole
    }

    /// How many steps it takes to learn something.
    pub(super) fn steps(&self) -> usize {
        self.bounds.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Relation::{AboveZero, AtLeastZero, Zero};

    const SORTS: [Sort; 4] = [Sort::Real, Sort::Real, Sort::Integer(-8, 7), Sort::Integer(0, 9)];

    /// Is the claim excluded by what is known?
    fn check(
        known: &[(usize, usize, i128, Relation)],
        claim: (usize, usize, i128, Relation),
        expected: bool,
    ) {
        let of = |(first, second, constant, relation)| (Difference { first, second, constant }, relation);
        let mut all = Differences::of(SORTS.into_iter());
        for fact in known {
            let (of, relation) = of(*fact);
            assert!(all.learn(of, relation));
        }
        let (of, relation) = of(claim);
        assert_eq!(all.excludes(of, relation), Some(expected), "{known:?} {claim:?}");
    }

    #[test]
    fn what_follows_of_chains_is_known_and_nothing_else() {
        // x < y, y <= 3.
        let chain = [(2, 1, 0, AboveZero), (ZERO, 2, 3, AtLeastZero)];
        check(&chain, (1, ZERO, -3, AtLeastZero), true);
        check(&chain, (1, ZERO, -3, Zero), true);
        check(&chain, (1, ZERO, -2, Zero), false);
        check(&chain, (1, 2, 0, AtLeastZero), true);
        check(&chain, (2, 1, -100, AboveZero), false);
        // x = y is excluded by neither of x <= y and y <= x.
        let equal = [(2, 1, 0, AtLeastZero), (1, 2, 0, AtLeastZero)];
        check(&equal, (1, 2, 0, Zero), false);
        check(&equal, (1, 2, 0, AboveZero), true);
        check(&equal, (2, 1, 0, AboveZero), true);
        check(&[], (1, 2, 0, Zero), false);
    }

    #[test]
    fn integers_have_ranges_and_none_between() {
        check(&[], (3, ZERO, 8, AtLeastZero), false);
        check(&[], (ZERO, 3, -9, AtLeastZero), true);
        check(&[], (3, 4, -8, AtLeastZero), true);
        check(&[], (3, 4, -7, AtLeastZero), false);
        // i < j < i + 1, of integers and of real numbers.
        check(&[(4, 3, 0, AboveZero)], (3, 4, 1, AboveZero), true);
        check(&[(2, 1, 0, AboveZero)], (1, 2, 1, AboveZero), false);
    }

    #[test]
    fn what_is_too_long_is_not_known() {
        let mut all = Differences::of(SORTS.into_iter());
        let long = |first, second| Difference { first, second, constant: i128::MIN };
        assert!(!all.learn(long(3, 4), AboveZero));
        assert!(!all.learn(long(1, 2), Zero));
        assert_eq!(all.excludes(long(3, 4), AboveZero), None);
    }
}
