//! Pairs: a number as the sum of two floats, the second small beside the first.
//!
//! Each function gives the rounded result of an operation, and beside it exactly what the rounding took away.

use crate::Arithmetic;
use crate::values::Real;

/// `a + b`.
pub(crate) fn sum<'a, A: Arithmetic>(a: Real<'a, A>, b: Real<'a, A>) -> (Real<'a, A>, Real<'a, A>) {
    let total = a + b;
    let of_b = total - a;
    let of_a = total - of_b;
    let lost_of_a = a - of_a;
    let lost_of_b = b - of_b;
    (total, lost_of_a + lost_of_b)
}

/// `a + b` where `b` is no larger than `a`, or `a` is 0, or the result is exact.
pub(crate) fn ordered_sum<'a, A: Arithmetic>(a: Real<'a, A>, b: Real<'a, A>) -> (Real<'a, A>, Real<'a, A>) {
    let total = a + b;
    let of_b = total - a;
    (total, b - of_b)
}

/// `a b`. Neither part is a product that a compiler may fuse.
pub(crate) fn product<'a, A: Arithmetic>(a: Real<'a, A>, b: Real<'a, A>) -> (Real<'a, A>, Real<'a, A>) {
    let product = a.times(b);
    (product, a.mul_add(b, -product))
}
