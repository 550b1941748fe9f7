//! `x` to the power of `y`.
//!
//! `2^(y log2 |x|)`: the logarithm is a pair, right to about `2^-66` of itself, and so is the product; what is not integral of it is the
//! exponent of a small power. The sign and the special cases, as the C standard has them, come last. Of single numbers
//! it is computed in doubles.

use crate::coefficients as c;
use crate::exponential::{nearest, power_near_one, scaled};
use crate::logarithm::split;
use crate::pairs::{ordered_sum, product};
use crate::values::{Mask, Real};
use crate::{Arithmetic, Format, RoundTo};

/// `x` to the power of `y`.
pub(crate) fn pow<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>) -> Real<'a, A> {
    match x.format() {
        Format::F32 => x.widened_with(y, |x, y| special(x, y, size_of_single(x.abs(), y))),
        Format::F64 => special(x, y, size(x.abs(), y)),
    }
}

/// The power of a positive number.
fn size<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>) -> Real<'a, A> {
    let (log, log_low) = log2_closer(x);
    let (high, lost) = product(y, log);
    let low = y.mul_add(log_low, lost);
    let (is_above, is_below) = (high.above(1100.0), high.less(-1100.0));
    let high = is_above.choose(1100.0, is_below.choose(-1100.0, high));
    let low = (is_above | is_below).choose(0.0, low);
    let (k_float, k) = nearest(high + x.format().rounder());
    let first = high - k_float;
    let r = first + low;
    let rest = first - r + low;
    scaled(power_near_one(r, Some(rest)), k)
}

/// The logarithm to base 2 as a pair: `2 s + 2/3 s^3 + ..` with the first two terms in pairs.
fn log2_closer<A: Arithmetic>(x: Real<'_, A>) -> (Real<'_, A>, Real<'_, A>) {
    let (k, f) = split(x);
    let divisor = f.number(2.0) + f;
    let divisor_low = f.number(2.0) - divisor + f;
    let inverse = f.number(1.0) / divisor;
    let s = f.times(inverse);
    let remainder = (-s).mul_add(divisor, f);
    let s_low = (-s).mul_add(divisor_low, remainder) * inverse;
    let (z, lost) = product(s, s);
    let z_low = (s + s).mul_add(s_low, lost);

    let third = c::TWO_THIRDS.double;
    let tail = z.times(z.polynomial(c::LOG_CLOSER));
    let (p, p_lost) = ordered_sum(f.number(third[0]), tail);
    let p_low = p_lost + third[1];
    let (u, lost) = product(z, p);
    let u_low = z.mul_add(p_low, lost);
    let u_low = z_low.mul_add(p, u_low);
    let (v, lost) = ordered_sum(f.number(2.0), u);
    let v_low = lost + u_low;
    let (log, lost) = product(s, v);
    let log_low = s.mul_add(v_low, lost);
    let log_low = s_low.mul_add(v, log_low);

    let per = c::PER_LN_2.double;
    let (scaled, lost) = product(log, f.number(per[0]));
    let low = log.mul_add(per[1], lost);
    let low = log_low.mul_add(per[0], low);
    let (total, lost) = ordered_sum(k, scaled);
    (total, lost + low)
}

/// The same, as close as single numbers need it.
fn size_of_single<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>) -> Real<'a, A> {
    let (k, f) = split(x);
    let s = f / (f.number(2.0) + f);
    let z = s * s;
    let p = z.polynomial(c::LOG_FOR_SINGLE);
    let log = (s * z).mul_add(p, s + s);
    let log2 = log.mul_add(c::PER_LN_2.double[0], k);
    let exponent = y.times(log2);
    let exponent = exponent.above(400.0).choose(400.0, exponent.less(-400.0).choose(-400.0, exponent));
    let (k_float, k) = nearest(exponent + x.format().rounder());
    let r = exponent - k_float;
    let q = r.polynomial(c::EXP2_FOR_SINGLE);
    let less_one = (r * r).mul_add(q, r * c::LN_2.double[0]);
    scaled(x.number(1.0) + less_one, k)
}

/// Is it integral?
fn is_integral<A: Arithmetic>(x: Real<'_, A>) -> Mask<'_, A> {
    x.rounded(RoundTo::Zero).equals(x)
}

/// The power, by its size.
fn special<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>, size: Real<'a, A>) -> Real<'a, A> {
    let (a, exponent) = (x.abs(), y.abs());
    // From 2^53 on every number is even.
    let is_huge = !exponent.less(2f64.powi(53));
    let bounded = is_huge.choose(0.0, exponent);
    let is_whole = is_integral(bounded);
    let is_odd = is_whole & !is_integral(bounded * 0.5) & !is_huge;

    let (is_zero, is_infinite) = (x.equals(0.0), a.equals(f64::INFINITY));
    let (of_zero, of_infinity) = {
        let is_negative = y.less(0.0);
        (is_negative.choose(f64::INFINITY, 0.0), is_negative.choose(0.0, f64::INFINITY))
    };
    let value = is_infinite.choose(of_infinity, is_zero.choose(of_zero, size));
    let has_none = x.less(0.0) & !is_infinite & !is_whole;
    let value = has_none.choose(f64::NAN, value);
    let value = (x.has_sign() & is_odd).choose(-value, value);
    let value = (a.equals(1.0) & exponent.equals(f64::INFINITY)).choose(1.0, value);
    let value = (x.is_number() & y.is_number()).choose(value, x + y);
    (x.equals(1.0) | y.equals(0.0)).choose(1.0, value)
}
