//! Rational numbers of bounded size: arithmetic that is exact or refuses.

use std::cmp::Ordering;

/// A rational number in lowest terms, with a positive denominator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    numerator: i128,
    denominator: i128,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Ratio {
    /// The number zero.
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };

    /// An integer.
    pub fn integer(n: i64) -> Ratio {
        Ratio { numerator: i128::from(n), denominator: 1 }
    }

    /// The quotient; `None` if the denominator is 0 or the result too large.
    pub fn try_new(numerator: i128, denominator: i128) -> Option<Ratio> {
        if denominator == 0 {
            return None;
        }
        let divisor = i128::try_from(gcd(numerator.unsigned_abs(), denominator.unsigned_abs())).ok()?;
        let sign = denominator.signum();
        Some(Ratio {
            numerator: (numerator / divisor).checked_mul(sign)?,
            denominator: (denominator / divisor).checked_mul(sign)?,
        })
    }

    /// The decimal `mantissa * 10^exponent`.
    pub fn decimal(mantissa: i128, exponent: i32) -> Option<Ratio> {
        if mantissa == 0 {
            return Some(Ratio::ZERO);
        }
        let power = 10i128.checked_pow(exponent.unsigned_abs())?;
        if exponent >= 0 {
            Ratio::try_new(mantissa.checked_mul(power)?, 1)
        } else {
            Ratio::try_new(mantissa, power)
        }
    }

    /// The numerator, in lowest terms.
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// The denominator, in lowest terms, positive.
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    /// The sum; `None` if it is too large, as for the other operations.
    pub fn checked_add(self, other: Ratio) -> Option<Ratio> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Ratio::try_new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// The number with the other sign.
    pub fn checked_neg(self) -> Option<Ratio> {
        Some(Ratio { numerator: self.numerator.checked_neg()?, ..self })
    }

    /// The product.
    pub fn checked_mul(self, other: Ratio) -> Option<Ratio> {
        // Crossed factors are cancelled first, so that a product that fits is found.
        let a = Ratio::try_new(self.numerator, other.denominator)?;
        let b = Ratio::try_new(other.numerator, self.denominator)?;
        Some(Ratio {
            numerator: a.numerator.checked_mul(b.numerator)?,
            denominator: a.denominator.checked_mul(b.denominator)?,
        })
    }

    /// The reciprocal; `None` of zero.
    pub fn checked_recip(self) -> Option<Ratio> {
        Ratio::try_new(self.denominator, self.numerator)
    }

    /// The order of two numbers; `None` if finding it takes numbers that are too large.
    pub fn checked_cmp(self, other: Ratio) -> Option<Ordering> {
        let left = self.numerator.checked_mul(other.denominator)?;
        Some(left.cmp(&other.numerator.checked_mul(self.denominator)?))
    }

    /// The largest integer not above.
    pub fn floor(self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }

    /// The integer next to it towards zero.
    pub fn truncate(self) -> i128 {
        self.numerator / self.denominator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: i128, d: i128) -> Ratio {
        Ratio::try_new(n, d).expect("a small number")
    }

    #[test]
    fn numbers_are_in_lowest_terms() {
        assert_eq!(ratio(6, -4), ratio(-3, 2));
        assert_eq!((ratio(6, -4).numerator(), ratio(6, -4).denominator()), (-3, 2));
        assert_eq!(ratio(0, -7), Ratio::ZERO);
        assert_eq!(Ratio::decimal(125, -2), Some(ratio(5, 4)));
        assert_eq!(Ratio::try_new(1, 0), None);
    }

    #[test]
    fn arithmetic_is_exact() {
        assert_eq!(ratio(1, 3).checked_add(ratio(1, 6)), Some(ratio(1, 2)));
        assert_eq!(ratio(2, 3).checked_mul(ratio(-3, 4)), Some(ratio(-1, 2)));
        assert_eq!(ratio(-2, 3).checked_recip(), Some(ratio(-3, 2)));
        assert_eq!(Ratio::ZERO.checked_recip(), None);
        assert_eq!(ratio(1, 3).checked_cmp(ratio(2, 5)), Some(Ordering::Less));
        assert_eq!((ratio(-5, 2).floor(), ratio(-5, 2).truncate()), (-3, -2));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let large = ratio(i128::MAX, 1);
        assert_eq!(large.checked_add(large), None);
        assert_eq!(large.checked_mul(ratio(2, 1)), None);
        assert_eq!(large.checked_mul(ratio(1, i128::MAX)), Some(ratio(1, 1)));
        assert_eq!(ratio(i128::MIN, 1).checked_neg(), None);
        assert_eq!(Ratio::try_new(i128::MIN, -1), None);
        assert_eq!(Ratio::decimal(1, 40), None);
    }
}
