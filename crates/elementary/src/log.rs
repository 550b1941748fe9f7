//! The natural logarithm.
//!
//! `x = 2^k m` with `m` between the square roots of a half and of two, `f = m - 1`, so `log x = k ln 2 + log(1 + f)`. With `s = f / (2 +
//! f)` and `z = s^2`, `log(1 + f) = 2 atanh s = 2 s + s z p(z)` with a polynomial `p`. As `2 s = f - s f` and `s f = f^2/2 - s
//! f^2/2`, that is `f - (h - s (h + z p(z)))` with `h = f^2/2`: whatever is rounded before the last steps is small.

use crate::{Arithmetic, Format, polynomial};
use std::f64::consts::FRAC_1_SQRT_2;

/// The numbers for a format.
struct Constants {
    /// The smallest normal number.
    normal: f64,
    /// How many places smaller ones are moved up.
    places: i32,
    /// `ln 2` with a short fraction, so that its product with an exponent is exact.
    ln_2_high: f64,
    /// The rest of `ln 2`.
    ln_2_low: f64,
    /// `p`: the error of `2 s + s z p(z)` is below `2^-30`, `2^-59` of the result.
    p: &'static [f64],
}

const F32: Constants = Constants {
    normal: f32::MIN_POSITIVE as f64,
    places: 25,
    ln_2_high: 0.693115234375,
    ln_2_low: 3.194618329871446e-05,
    p: &[0.6666677594184875, 0.3997754156589508, 0.29871729016304016],
};

const F64: Constants = Constants {
    normal: f64::MIN_POSITIVE,
    places: 54,
    ln_2_high: 0.693147180559663,
    ln_2_low: 2.8235290563031577e-13,
    p: &[
        0.6666666666666734,
        0.3999999999941468,
        0.2857142874238719,
        0.22222198573235466,
        0.18183564323170337,
        0.15314050634423962,
        0.1479594881666536,
    ],
};

/// The natural logarithm of `x`: of 0 it is less than all numbers, of a negative number it is NaN.
pub fn log<A: Arithmetic>(a: &mut A, x: A::Float) -> A::Float {
    let format = a.format();
    let c = match format {
        Format::F32 => &F32,
        Format::F64 => &F64,
    };
    let normal = a.float(c.normal);
    let is_small = a.less(x, normal);
    let factor = a.float(2f64.powi(c.places));
    let moved = a.mul(x, factor);
    let argument = a.choose(is_small, moved, x);
    let zero = a.float(0.0);
    let places = a.float(f64::from(-c.places));
    let correction = a.choose(is_small, places, zero);

    // The bits of the least m, and the bits counted from there: above the fraction they are the exponent.
    let least = format.bits(FRAC_1_SQRT_2);
    let bits = a.bits(argument);
    let counted = a.add_int(bits, -least);
    let k = a.shift_right(counted, format.fraction());
    let fraction = a.and_int(counted, (1 << format.fraction()) - 1);
    let m_bits = a.add_int(fraction, least);
    let m = a.of_bits(m_bits);
    let shifted_bits = a.add_int(k, format.bits(format.rounder()));
    let shifted = a.of_bits(shifted_bits);
    let rounder = a.float(format.rounder());
    let k = a.sub(shifted, rounder);
    let k = a.add(k, correction);

    let (one, two, half, less_half) = (a.float(1.0), a.float(2.0), a.float(0.5), a.float(-0.5));
    let f = a.sub(m, one);
    let divisor = a.add(two, f);
    let s = a.div(f, divisor);
    let z = a.mul(s, s);
    let p = polynomial(a, z, c.p);
    let half_f = a.mul(half, f);
    let h = a.mul(half_f, f);
    let ln_2_low = a.float(c.ln_2_low);
    let k_low = a.mul(k, ln_2_low);
    let sum = a.mul_add(z, p, h);
    let small = a.mul_add(s, sum, k_low);
    let less_half_f = a.mul(less_half, f);
    let rest = a.mul_add(less_half_f, f, small);
    let of_m = a.add(f, rest);
    let ln_2_high = a.float(c.ln_2_high);
    let regular = a.mul_add(k, ln_2_high, of_m);

    // NaN is above nothing and below nothing: it passes the first two choices, and the last one gives it back.
    let (minus_infinity, infinity, nan) =
        (a.float(f64::NEG_INFINITY), a.float(f64::INFINITY), a.float(f64::NAN));
    let is_positive = a.less(zero, x);
    let value = a.choose(is_positive, regular, minus_infinity);
    let is_negative = a.less(x, zero);
    let value = a.choose(is_negative, nan, value);
    let is_finite = a.less(x, infinity);
    a.choose(is_finite, value, x)
}
