//! `sin`, `cos`, `tan`.
//!
//! `x = q pi/2 + r + l` with an integer `q` and `|r| <= pi/4`: `q` times the first part of `pi/2` leaves an exact difference,
//! the second product is a pair, the third one float. Larger arguments go another way, [`Arithmetic::huge_turn`]. The sine
//! and the cosine of `r + l` are both computed, by polynomials; `q` says which it is, and the sign.

use crate::coefficients as c;
use crate::exponential::nearest;
use crate::pairs::{ordered_sum, product, sum};
use crate::values::{Real, Word};
use crate::{Arithmetic, Turned};

/// The argument, without quarters of a turn.
fn turned<A: Arithmetic>(x: Real<'_, A>) -> (Real<'_, A>, Real<'_, A>, Word<'_, A>) {
    let pi_half = x.of(&c::PI_HALF);
    let (q_float, q) = nearest(x.mul_add(x.of(&c::TWO_OVER_PI)[0], x.format().rounder()));
    // Exact.
    let r = q_float.mul_add(-pi_half[0], x);
    let second = x.number(pi_half[1]);
    let (taken, lost) = product(q_float, second);
    let (total, rest) = sum(r, -taken);
    let rest = q_float.mul_add(-pi_half[2], rest - lost);
    let (high, low) = ordered_sum(total, rest);
    let is_huge = !x.abs().less(x.by(2f64.powi(27), 2f64.powi(13)));
    let small = Turned { high: high.value, low: low.value, quarters: q.value() };
    let all = x.on.huge_turn(is_huge.value(), x.value, small);
    (Real { value: all.high, ..x }, Real { value: all.low, ..x }, Word::new(x.on, all.quarters))
}

/// The sine of `r + l` as `r` and the rest, and the cosine likewise.
fn of_small<'a, A: Arithmetic>(r: Real<'a, A>, l: Real<'a, A>) -> [Real<'a, A>; 3] {
    let z = r * r;
    let (s, p) = (z.polynomial(r.of(&c::SIN)), z.polynomial(r.of(&c::COS)));
    let w = z.mul_add(-0.5, 1.0);
    let cube = r * z;
    let rest_of_sin = cube.mul_add(s, l * w);
    let fourth = z * z;
    let lost = z.mul_add(-0.5, r.number(1.0) - w);
    let lost = (-l).mul_add(r, lost);
    [rest_of_sin, w, fourth.mul_add(p, lost)]
}

/// The sine of `x` and `ahead` quarters of a turn.
fn sine<A: Arithmetic>(x: Real<'_, A>, ahead: i64) -> Real<'_, A> {
    let (r, l, q) = turned(x);
    let [rest_of_sin, w, rest_of_cos] = of_small(r, l);
    let q = if ahead == 0 { q } else { q + ahead };
    let value = (q & 1).is_set().choose(w + rest_of_cos, r + rest_of_sin);
    value.flipped((q & 2) << (x.format().width() - 2))
}

/// The sine.
pub(crate) fn sin<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    x.equals(0.0).choose(x, sine(x, 0))
}

/// The cosine.
pub(crate) fn cos<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    sine(x, 1)
}

/// The tangent: a quotient of pairs.
pub(crate) fn tan<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let (r, l, q) = turned(x);
    let [rest_of_sin, w, rest_of_cos] = of_small(r, l);
    let (sin, sin_low) = ordered_sum(r, rest_of_sin);
    let (cos, cos_low) = ordered_sum(w, rest_of_cos);
    let is_odd = (q & 1).is_set();
    let (top, top_low) = (is_odd.choose(-cos, sin), is_odd.choose(-cos_low, sin_low));
    let (below, below_low) = (is_odd.choose(sin, cos), is_odd.choose(sin_low, cos_low));
    let quotient = top / below;
    let remainder = (-quotient).mul_add(below, top) + top_low;
    let remainder = (-quotient).mul_add(below_low, remainder);
    x.equals(0.0).choose(x, quotient + remainder / below)
}
