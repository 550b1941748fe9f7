//! Powers of e, of 2, and of 10.
//!
//! `x = k ln 2 + r` with an integer `k` and `|r| <= ln 2 / 2`, so `exp x = 2^k exp r`. The product `k ln 2` is taken away in two
//! parts, the first of them exact, and what rounding `r` loses is kept in `low`. Then `exp r = 1 + (r + (r^2 q(r) +
//! low))` with a polynomial `q`. The scaling is by two powers of two, since `2^k` alone may be no normal number: the first
//! product is exact, and the second rounds where the result is subnormal.

use crate::Arithmetic;
use crate::coefficients as c;
use crate::pairs::{ordered_sum, sum};
use crate::values::{Real, Word};

/// The integer that was rounded to by adding the format's rounder: as a float, and as bits.
pub(crate) fn nearest<A: Arithmetic>(shifted: Real<'_, A>) -> (Real<'_, A>, Word<'_, A>) {
    let rounder = shifted.format().rounder();
    let bits = shifted.bits() + -shifted.format().bits(rounder);
    (shifted - rounder, bits)
}

/// `m 2^k`, rounded once.
pub(crate) fn scaled<'a, A: Arithmetic>(m: Real<'a, A>, k: Word<'a, A>) -> Real<'a, A> {
    let half = k >> 1;
    let other = k - half;
    let first = m * half.power_of_two();
    first.times(other.power_of_two())
}

/// `x = k ln 2 + r + low`.
struct Reduced<'a, A: Arithmetic> {
    k: Word<'a, A>,
    r: Real<'a, A>,
    low: Real<'a, A>,
}

/// `x - k unit` with the unit in two parts, the first short; `k` is nearest to `x per_unit`.
fn reduced<'a, A: Arithmetic>(x: Real<'a, A>, per_unit: f64, unit: &[f64]) -> Reduced<'a, A> {
    let (k_float, k) = nearest(x.mul_add(per_unit, x.format().rounder()));
    let high = k_float.mul_add(-unit[0], x);
    let r = k_float.mul_add(-unit[1], high);
    let taken = high - r;
    Reduced { k, r, low: k_float.mul_add(-unit[1], taken) }
}

/// The argument of an exponential, without the multiples of `ln 2`.
fn without_ln_2<A: Arithmetic>(x: Real<'_, A>) -> Reduced<'_, A> {
    reduced(x, x.of(&c::PER_LN_2)[0], x.of(&c::LN_2_SHORT))
}

/// `e` to the power of `x`.
pub(crate) fn exp<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    // NaN is on neither side and stays.
    let Reduced { k, r, low } = without_ln_2(x.at_most(x.by(710.0, 89.0)));
    let square = r * r;
    let small = square.mul_add(r.polynomial(x.of(&c::EXP)), low);
    let less_one = r + small;
    let mantissa = x.number(1.0) + less_one;
    let value = scaled(mantissa, k);
    x.less(x.by(-746.0, -104.0)).choose(0.0, value)
}

/// `2^(r + low)` for `|r| <= 1/2`; no `low` is 0.
pub(crate) fn power_near_one<'a, A: Arithmetic>(r: Real<'a, A>, low: Option<Real<'a, A>>) -> Real<'a, A> {
    let q = r.polynomial(r.of(&c::EXP2));
    base_near_one(r, low, r.of(&c::LN_2), q)
}

/// `base^(r + low)` by the logarithm of the base in two parts: `1 + r ln base + r^2 q`.
fn base_near_one<'a, A: Arithmetic>(
    r: Real<'a, A>,
    low: Option<Real<'a, A>>,
    log_of_base: &[f64],
    q: Real<'a, A>,
) -> Real<'a, A> {
    let square = r * r;
    let tail = r * log_of_base[1];
    let tail = low.map_or(tail, |low| low.mul_add(log_of_base[0], tail));
    let small = square.mul_add(q, tail);
    r.number(1.0) + r.mul_add(log_of_base[0], small)
}

/// 2 to the power of `x`.
pub(crate) fn exp2<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let bounded = x.between(x.by(-1080.0, -155.0), x.by(1025.0, 129.0));
    let (k_float, k) = nearest(bounded + x.format().rounder());
    scaled(power_near_one(bounded - k_float, None), k)
}

/// 10 to the power of `x`.
pub(crate) fn exp10<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let bounded = x.between(x.by(-325.0, -46.5), x.by(309.0, 39.0));
    let Reduced { k, r, low } = reduced(bounded, x.of(&c::LOG2_10)[0], x.of(&c::LOG10_2_SHORT));
    let q = r.polynomial(x.of(&c::EXP10));
    scaled(base_near_one(r, Some(low), x.of(&c::LN_10), q), k)
}

/// `e^x = 2^k (1 + h + l)`.
pub(crate) struct Power<'a, A: Arithmetic> {
    pub(crate) k: Word<'a, A>,
    pub(crate) h: Real<'a, A>,
    pub(crate) l: Real<'a, A>,
}

/// `e^x` in a pair.
pub(crate) fn power<A: Arithmetic>(x: Real<'_, A>) -> Power<'_, A> {
    let Reduced { k, r, low } = without_ln_2(x);
    let q = r.polynomial(x.of(&c::EXPM1));
    let square = r * r;
    let (h, l) = ordered_sum(r, square.mul_add(q, low));
    Power { k, h, l }
}

/// `e^x` in a pair that is closer: `r^2 / 2` is in two parts as well.
pub(crate) fn power_closer<A: Arithmetic>(x: Real<'_, A>) -> Power<'_, A> {
    let Reduced { k, r, low } = without_ln_2(x);
    // Exact.
    let half = r * 0.5;
    let square_high = half.times(r);
    let square_low = half.mul_add(r, -square_high) + low;
    let q = r.polynomial(&x.of(&c::EXPM1)[1..]);
    let square = r * r;
    let cube = square * r;
    let small = cube.mul_add(q, square_low);
    let (first, rest) = ordered_sum(r, square_high);
    let (h, l) = ordered_sum(first, rest + small);
    Power { k, h, l }
}

/// `e^x - 1`. Half of it is computed, which is finite wherever the result is.
pub(crate) fn expm1<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let bounded = x.between(x.by(-40.0, -18.0), x.by(710.0, 89.0));
    let Power { k, h, l } = power_closer(bounded);
    let scale = (k + -1).power_of_two();
    let (whole, lost) = sum(scale, x.number(-0.5));
    // The product is exact.
    let (total, low) = sum(whole, scale * h);
    let low = scale.mul_add(l, low + lost);
    let half = total + low;
    let tiny = x.by(2f64.powi(-60), 2f64.powi(-30));
    x.abs().less(tiny).choose(x, half + half)
}
