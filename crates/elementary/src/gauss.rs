//! The error function, and what it leaves of 1.
//!
//! Near zero `erf a = a (2 / sqrt pi) + a^3 p(a^2)`, the first product a pair. Further out `erfc a = exp(-a^2) g(t) / (1 + 2 a)`
//! with `t = (a - 4) / (a + 4)`: the square, the power and the quotient are pairs. Of single numbers both are computed in
//! doubles, with polynomials of lower degrees.

use crate::coefficients as c;
use crate::exponential::{Power, nearest, power_closer, scaled};
use crate::pairs::{ordered_sum, product, sum};
use crate::values::{Real, Word};
use crate::{Arithmetic, Format};

/// `erf a` for small `a` as a pair: a product, and the rest.
fn near_zero<A: Arithmetic>(a: Real<'_, A>) -> (Real<'_, A>, Real<'_, A>) {
    let z = a * a;
    let p = z.polynomial(c::ERF);
    let factor = c::TWO_OVER_SQRT_PI.double;
    let (high, lost) = product(a, a.number(factor[0]));
    let low = a.mul_add(factor[1], lost);
    (high, (a * z).mul_add(p, low))
}

/// `erfc a = 2^k (high + low)` for `a` from 1/2 to 28.
struct Tail<'a, A: Arithmetic> {
    k: Word<'a, A>,
    high: Real<'a, A>,
    low: Real<'a, A>,
}

impl<'a, A: Arithmetic> Tail<'a, A> {
    /// `whole` less it.
    fn taken_from(&self, whole: f64) -> Real<'a, A> {
        let high = scaled(self.high, self.k);
        let low = scaled(self.low, self.k);
        let total = high.number(whole) - high;
        let lost = high.number(whole) - total - high;
        total + (lost - low)
    }
}

fn tail<A: Arithmetic>(a: Real<'_, A>) -> Tail<'_, A> {
    let (square, square_low) = product(a, a);
    let Power { k, h, l } = power_closer(-square);
    let (m, lost) = ordered_sum(a.number(1.0), h);
    let m_low = lost + (-h).mul_add(square_low, l - square_low);

    let (top, top_lost) = sum(a, a.number(-4.0));
    let (below, below_lost) = sum(a, a.number(4.0));
    let t = top / below;
    let remainder = (-t).mul_add(below, top) + top_lost;
    let remainder = (-t).mul_add(below_lost, remainder);
    let t_low = remainder / below;
    let (rest, rest_lost) = product(t, t.polynomial(c::ERFC));
    let slope = t.polynomial(c::ERFC_SLOPE);
    let rest_low = t_low.mul_add(slope, rest_lost);
    let middle = c::ERFC_MIDDLE.double;
    let (g, g_lost) = ordered_sum(a.number(middle[0]), rest);
    let g_low = g_lost + middle[1] + rest_low;

    let (divisor, divisor_lost) = sum(a + a, a.number(1.0));
    let quotient = g / divisor;
    let remainder = (-quotient).mul_add(divisor, g) + g_low;
    let remainder = (-quotient).mul_add(divisor_lost, remainder);
    let quotient_low = remainder / divisor;
    let (high, lost) = product(m, quotient);
    let low = m.mul_add(quotient_low, lost);
    Tail { k, high, low: m_low.mul_add(quotient, low) }
}

/// The error function.
pub(crate) fn erf<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    if x.format() == Format::F32 {
        return x.widened(erf_of_single);
    }
    let a = x.abs();
    let (high, low) = near_zero(a);
    let near = high + low;
    let far = tail(a.at_most(6.0)).taken_from(1.0);
    let value = a.less(0.85).choose(near, far);
    a.is_number().choose(value, a).flipped(x.sign())
}

/// `1 - erf x`, without the cancellation.
pub(crate) fn erfc<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    if x.format() == Format::F32 {
        return x.widened(erfc_of_single);
    }
    let a = x.abs();
    let bounded = a.at_most(28.0);
    let (high, low) = near_zero(bounded);
    let (small, small_low) = ordered_sum(high, low);
    let one = x.number(1.0);
    let total = one - small;
    let right_of_zero = total + (one - total - small - small_low);
    let total = one + small;
    let left_of_zero = total + (small - (total - one) + small_low);

    let tail = tail(bounded);
    let right = scaled(tail.high + tail.low, tail.k);
    let left = tail.taken_from(2.0);
    let is_left = x.has_sign();
    let near = is_left.choose(left_of_zero, right_of_zero);
    let far = is_left.choose(left, right);
    let value = a.less(0.5).choose(near, far);
    x.is_number().choose(value, x)
}

/// `exp(-a^2)` and `g / (1 + 2 a)`, as close as single numbers need it.
fn tail_of_single<A: Arithmetic>(a: Real<'_, A>) -> (Real<'_, A>, Real<'_, A>) {
    let square = -a.times(a);
    let (k_float, k) = nearest(square.mul_add(c::PER_LN_2.double[0], a.format().rounder()));
    let r = k_float.mul_add(-c::LN_2.double[0], square);
    let q = r * c::PER_LN_2.double[0];
    let p = q.polynomial(c::EXP2_FOR_SINGLE);
    let power = scaled(a.number(1.0) + (q * q).mul_add(p, r), k);
    let t = (a - 4.0) / (a + 4.0);
    let g = t.polynomial(c::ERFC_FOR_SINGLE);
    (power, g / a.mul_add(2.0, 1.0))
}

fn near_zero_of_single<A: Arithmetic>(a: Real<'_, A>) -> Real<'_, A> {
    let p = (a * a).polynomial(c::ERF_FOR_SINGLE);
    a.mul_add(p, a)
}

fn erf_of_single<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let a = x.abs();
    let (power, quotient) = tail_of_single(a.at_most(6.0));
    let far = power.mul_add(-quotient, 1.0);
    let value = a.less(1.0).choose(near_zero_of_single(a), far);
    a.is_number().choose(value, a).flipped(x.sign())
}

fn erfc_of_single<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let a = x.abs();
    let bounded = a.at_most(11.0);
    let small = near_zero_of_single(bounded);
    let (power, quotient) = tail_of_single(bounded);
    let is_left = x.has_sign();
    let near = is_left.choose(x.number(1.0) + small, x.number(1.0) - small);
    let far = is_left.choose(power.mul_add(-quotient, 2.0), power.times(quotient));
    let value = a.less(0.5).choose(near, far);
    x.is_number().choose(value, x)
}
