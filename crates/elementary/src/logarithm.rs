//! Logarithms.
//!
//! `x = 2^k m` with `m` between the square roots of a half and of two, `f = m - 1`, so `log x = k ln 2 + log(1 + f)`. With `s = f / (2 +
//! f)` and `z = s^2`, `log(1 + f) = 2 atanh s = 2 s + s z p(z)` with a polynomial `p`. As `2 s = f - s f` and `s f = f^2/2 - s
//! f^2/2`, that is `f - (h - s (h + z p(z)))` with `h = f^2/2`: whatever is rounded before the last steps is small.
//!
//! For other bases, `f` and the rest are a pair that is multiplied by a pair. `log1p` takes the logarithm of `u = 1 + x` and
//! adds what `u` lost, divided by `u`.

use crate::Arithmetic;
use crate::coefficients as c;
use crate::pairs::{ordered_sum, sum};
use crate::values::Real;
use std::f64::consts::FRAC_1_SQRT_2;

/// `x = 2^k (1 + f)`, for a positive finite `x`.
pub(crate) fn split<A: Arithmetic>(x: Real<'_, A>) -> (Real<'_, A>, Real<'_, A>) {
    let format = x.format();
    let (normal, places) = x.by((f64::MIN_POSITIVE, 54), (f64::from(f32::MIN_POSITIVE), 25));
    let is_small = x.less(normal);
    let moved = x * 2f64.powi(places);
    let argument = is_small.choose(moved, x);
    let correction = is_small.choose(f64::from(-places), 0.0);

    // The bits counted from those of the least m: above the fraction they are the exponent.
    let least = format.bits(FRAC_1_SQRT_2);
    let counted = argument.bits() + -least;
    let k = counted >> format.fraction();
    let m = ((counted & ((1 << format.fraction()) - 1)) + least).float();
    let k = (k + format.bits(format.rounder())).float() - format.rounder();
    (k + correction, m - 1.0)
}

/// `log(1 + f) + small = f + rest`; no `small` is 0.
fn rest<'a, A: Arithmetic>(f: Real<'a, A>, small: Option<Real<'a, A>>) -> Real<'a, A> {
    let s = f / (f.number(2.0) + f);
    let z = s * s;
    let p = z.polynomial(f.of(&c::LOG));
    let h = f * 0.5 * f;
    let sum = z.mul_add(p, h);
    let small = match small {
        Some(small) => s.mul_add(sum, small),
        None => s.times(sum),
    };
    (f * -0.5).mul_add(f, small)
}

/// The value for a positive number; else what a logarithm is there. NaN is on neither side, and the last choice gives it back.
fn where_positive<'a, A: Arithmetic>(x: Real<'a, A>, value: Real<'a, A>) -> Real<'a, A> {
    let value = x.above(0.0).choose(value, f64::NEG_INFINITY);
    let value = x.less(0.0).choose(f64::NAN, value);
    x.less(f64::INFINITY).choose(value, x)
}

/// The natural logarithm.
pub(crate) fn log<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let (k, f) = split(x);
    let ln_2 = x.of(&c::LN_2_SHORT);
    let of_m = f + rest(f, Some(k * ln_2[1]));
    where_positive(x, k.mul_add(ln_2[0], of_m))
}

/// `log(1 + f)` times a factor in two parts, as a pair.
fn times_factor<'a, A: Arithmetic>(f: Real<'a, A>, factor: &[f64]) -> (Real<'a, A>, Real<'a, A>) {
    let (high, low) = ordered_sum(f, rest(f, None));
    let product = high.times(factor[0]);
    let lost = high.mul_add(factor[0], -product);
    let lost = high.mul_add(factor[1], lost);
    (product, low.mul_add(factor[0], lost))
}

/// The logarithm to base 2, exact at powers of 2.
pub(crate) fn log2<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let (k, f) = split(x);
    let (high, low) = times_factor(f, x.of(&c::PER_LN_2));
    let (total, lost) = ordered_sum(k, high);
    where_positive(x, total + (lost + low))
}

/// The logarithm to base 10.
pub(crate) fn log10<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let (k, f) = split(x);
    let (high, low) = times_factor(f, x.of(&c::PER_LN_10));
    let log10_2 = x.of(&c::LOG10_2_SHORT);
    let of_k = k.times(log10_2[0]);
    let low = k.mul_add(log10_2[1], low);
    let (total, lost) = ordered_sum(of_k, high);
    where_positive(x, total + (lost + low))
}

/// `log(1 + x)`.
pub(crate) fn log1p<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let (u, lost) = sum(x.number(1.0), x);
    let (k, f) = split(u);
    // Where 1 + x is nearly 1, x itself is f, and nothing is lost.
    let is_near = k.equals(0.0);
    let f = is_near.choose(x, f);
    let correction = is_near.choose(0.0, lost / u);
    let correction = u.less(f64::INFINITY).choose(correction, 0.0);
    let ln_2 = x.of(&c::LN_2_SHORT);
    let of_m = f + rest(f, Some(k.mul_add(ln_2[1], correction)));
    let value = k.mul_add(ln_2[0], of_m);
    let value = x.equals(0.0).choose(x, value);
    x.is_number().choose(where_positive(u, value), x)
}
