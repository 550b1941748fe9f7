//! Exact rational numbers with checked 64-bit parts.
//!
//! An operation that does not fit yields `None`: the search that asked gives up rather than be wrong.

use std::cmp::Ordering;

/// A reduced fraction with a positive denominator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rational {
    num: i64,
    den: i64,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(mut x), Ok(mut y)) = (u64::try_from(a), u64::try_from(b)) {
            while y != 0 {
                (x, y) = (y, x % y);
            }
            return u128::from(x);
        }
        (a, b) = (b, a % b);
    }
    a
}

impl Rational {
    pub(crate) const ZERO: Rational = Rational { num: 0, den: 1 };
    pub(crate) const ONE: Rational = Rational { num: 1, den: 1 };

    fn reduced(num: i128, den: i128) -> Option<Rational> {
        let g = i128::try_from(gcd(num.unsigned_abs(), den.unsigned_abs())).ok()?;
        let g = if den < 0 { -g } else { g };
        Some(Rational { num: i64::try_from(num / g).ok()?, den: i64::try_from(den / g).ok()? })
    }

    pub(crate) fn is_zero(self) -> bool {
        self.num == 0
    }

    pub(crate) fn sign(self) -> Ordering {
        self.num.cmp(&0)
    }

    pub(crate) fn is_integer(self) -> bool {
        self.den == 1
    }

    pub(crate) fn numerator(self) -> i64 {
        self.num
    }

    pub(crate) fn denominator(self) -> i64 {
        self.den
    }

    /// The greatest integer that is not greater.
    pub(crate) fn floor(self) -> i64 {
        self.num.div_euclid(self.den)
    }

    /// What is left above the floor.
    pub(crate) fn fraction(self) -> Rational {
        Rational { num: self.num.rem_euclid(self.den), den: self.den }
    }

    pub(crate) fn negate(self) -> Option<Rational> {
        Some(Rational { num: self.num.checked_neg()?, den: self.den })
    }

    pub(crate) fn plus(self, other: Rational) -> Option<Rational> {
        if self.den == 1 && other.den == 1 {
            return Some(Rational::from(self.num.checked_add(other.num)?));
        }
        let [a, b, c, d] = [self.num, self.den, other.num, other.den].map(i128::from);
        Rational::reduced((a * d).checked_add(c * b)?, b * d)
    }

    pub(crate) fn times(self, other: Rational) -> Option<Rational> {
        if self.den == 1 && other.den == 1 {
            return Some(Rational::from(self.num.checked_mul(other.num)?));
        }
        let [a, b, c, d] = [self.num, self.den, other.num, other.den].map(i128::from);
        Rational::reduced(a * c, b * d)
    }

    /// The quotient; `None` by zero.
    pub(crate) fn over(self, other: Rational) -> Option<Rational> {
        let [a, b, c, d] = [self.num, self.den, other.num, other.den].map(i128::from);
        if c == 0 { None } else { Rational::reduced(a * d, b * c) }
    }
}

impl From<i64> for Rational {
    fn from(num: i64) -> Rational {
        Rational { num, den: 1 }
    }
}

/// The least positive integer that makes every one of these whole.
pub(crate) fn common_denominator(values: impl Iterator<Item = Rational>) -> Option<i128> {
    let mut lcm: i128 = 1;
    for v in values {
        let den = i128::from(v.den);
        let g = i128::try_from(gcd(lcm.unsigned_abs(), den.unsigned_abs())).ok()?;
        lcm = lcm.checked_mul(den / g)?;
    }
    Some(lcm)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: Option<Rational>, num: i64, den: i64) {
        assert_eq!(value.map(|v| (v.num, v.den)), Some((num, den)));
    }

    #[test]
    fn arithmetic_reduces() {
        let (half, third) = (Rational { num: 1, den: 2 }, Rational { num: -1, den: 3 });
        check(half.plus(third), 1, 6);
        check(half.times(third), -1, 6);
        check(half.over(third), -3, 2);
        check(third.negate(), 1, 3);
        check(Some(third.fraction()), 2, 3);
        assert_eq!(third.floor(), -1);
        assert_eq!(common_denominator([half, third].into_iter()), Some(6));
    }

    #[test]
    fn overflow_is_no_answer() {
        let big = Rational::from(i64::MAX);
        assert_eq!(big.plus(Rational::ONE), None);
        assert_eq!(big.times(big), None);
        assert_eq!(big.over(Rational::ZERO), None);
    }
}
