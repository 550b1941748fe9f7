//! The exponential.
//!
//! `x = k ln 2 + r` with an integer `k` and `|r| <= ln 2 / 2`, so `exp x = 2^k exp r`. The product `k ln 2` is taken away in two
//! parts, the first of them exact, and what rounding `r` loses is kept in `low`. Then `exp r = 1 + (r + (r^2 q(r) +
//! low))` with a polynomial `q`. The scaling is by two powers of two, since `2^k` alone may be no normal number: the first
//! product is exact, and the second rounds where the result is subnormal.

use crate::{Arithmetic, Format, polynomial, power_of_two};
use std::f64::consts::LOG2_E;

/// The numbers for a format.
struct Constants {
    /// The result is 0 at this number and below.
    lowest: f64,
    /// The result is infinite at this number and above.
    highest: f64,
    /// `1 / ln 2`.
    per_ln_2: f64,
    /// `ln 2` with a short fraction, so that its product with an exponent is exact.
    ln_2_high: f64,
    /// The rest of `ln 2`.
    ln_2_low: f64,
    /// `q`: the relative error of `1 + r + r^2 q(r)` is below `2^-28`, `2^-57`.
    q: &'static [f64],
}

const F32: Constants = Constants {
    lowest: -104.0,
    highest: 89.0,
    per_ln_2: LOG2_E as f32 as f64,
    ln_2_high: 0.693115234375,
    ln_2_low: 3.194618329871446e-05,
    q: &[
        0.4999999403953552,
        0.1666652113199234,
        0.04166838899254799,
        0.008368716575205326,
        0.0013814596459269524,
    ],
};

const F64: Constants = Constants {
    lowest: -746.0,
    highest: 710.0,
    per_ln_2: LOG2_E,
    ln_2_high: 0.693147180559663,
    ln_2_low: 2.8235290563031577e-13,
    q: &[
        0.5000000000000011,
        0.16666666666666413,
        0.041666666666530155,
        0.008333333333494463,
        0.0013888888943630016,
        0.00019841269506573356,
        2.480149309899833e-05,
        2.7557586380587015e-06,
        2.763024835048819e-07,
        2.500005892579531e-08,
    ],
};

/// `e` to the power of `x`.
pub fn exp<A: Arithmetic>(a: &mut A, x: A::Float) -> A::Float {
    let format = a.format();
    let c = match format {
        Format::F32 => &F32,
        Format::F64 => &F64,
    };
    // NaN is on neither side and stays.
    let highest = a.float(c.highest);
    let is_above = a.less(highest, x);
    let bounded = a.choose(is_above, highest, x);

    let per_ln_2 = a.float(c.per_ln_2);
    let rounder = a.float(format.rounder());
    let shifted = a.mul_add(bounded, per_ln_2, rounder);
    let shifted_bits = a.bits(shifted);
    let k = a.add_int(shifted_bits, -format.bits(format.rounder()));
    let k_float = a.sub(shifted, rounder);

    let high_part = a.float(-c.ln_2_high);
    let high = a.mul_add(k_float, high_part, bounded);
    let low_part = a.float(-c.ln_2_low);
    let r = a.mul_add(k_float, low_part, high);
    let taken = a.sub(high, r);
    let low = a.mul_add(k_float, low_part, taken);

    let square = a.mul(r, r);
    let q = polynomial(a, r, c.q);
    let small = a.mul_add(square, q, low);
    let less_one = a.add(r, small);
    let one = a.float(1.0);
    let mantissa = a.add(one, less_one);

    let half = a.shift_right(k, 1);
    let other = a.sub_int(k, half);
    let (half, other) = (power_of_two(a, half), power_of_two(a, other));
    let scaled = a.mul(mantissa, half);
    let value = a.mul(scaled, other);

    // Last, so that the result is no product either.
    let lowest = a.float(c.lowest);
    let is_below = a.less(x, lowest);
    let zero = a.float(0.0);
    a.choose(is_below, zero, value)
}
