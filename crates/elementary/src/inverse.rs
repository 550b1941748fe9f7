//! `atan`, `atan2`, `asin`, `acos`.
//!
//! The angle of `a / b` is that of a ratio below `tan(pi/8)`, beside none, an eighth or a quarter of a turn: of `a / b`, of
//! `(a - b) / (a + b)`, or of `-b / a`. The ratio keeps its remainder, and the angles are pairs.
//!
//! `asin a = a + a^3 p(a^2)` below a half; above, `asin a = pi/2 - 2 asin w` with `w^2 = (1 - a) / 2`, which is exact; the root keeps
//! its remainder.

use crate::Arithmetic;
use crate::coefficients as c;
use crate::pairs::{ordered_sum, sum};
use crate::values::{Mask, Real};

/// The angle whose tangent is `a / b`, for `a` and `b` from 0 on that are not both 0 and not both infinite, as a pair.
fn angle<'a, A: Arithmetic>(a: Real<'a, A>, b: Real<'a, A>) -> (Real<'a, A>, Real<'a, A>) {
    let is_steep = a.above(b * 2.414213562373095);
    let is_middle = a.above(b * 0.41421356237309503);
    let is_steep_not = is_middle & !is_steep;
    let (difference, difference_lost) = sum(a, -b);
    let (total, total_lost) = sum(a, b);
    let top = is_steep.choose(-b, is_middle.choose(difference, a));
    let below = is_steep.choose(a, is_middle.choose(total, b));
    let top_low = is_steep_not.choose(difference_lost, 0.0);
    let below_low = is_steep_not.choose(total_lost, 0.0);

    let inverse = a.number(1.0) / below;
    let ratio = top.times(inverse);
    let remainder = (-ratio).mul_add(below, top) + top_low;
    let remainder = (-ratio).mul_add(below_low, remainder);
    let ratio_low = remainder * inverse;
    let z = ratio * ratio;
    let p = z.polynomial(a.of(&c::ATAN));
    let rest = (ratio * z).mul_add(p, ratio_low);

    let (quarter, eighth) = (a.of(&c::PI_HALF), a.of(&c::PI_QUARTER));
    let base = is_steep.choose(quarter[0], is_middle.choose(eighth[0], 0.0));
    let base_low = is_steep.choose(quarter[1], is_middle.choose(eighth[1], 0.0));
    let low = rest + base_low;
    let (angle, lost) = ordered_sum(base, ratio);
    (angle, lost + low)
}

/// The arc tangent.
pub(crate) fn atan<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let a = x.abs().at_most(x.by(2f64.powi(60), 2f64.powi(30)));
    let (high, low) = angle(a, x.number(1.0));
    (high + low).flipped(x.sign())
}

/// The angle of the point `(x, y)`, from `-pi` to `pi`.
pub(crate) fn atan2<'a, A: Arithmetic>(y: Real<'a, A>, x: Real<'a, A>) -> Real<'a, A> {
    let (a, b) = (y.abs(), x.abs());
    let (a_infinite, b_infinite) = (a.equals(f64::INFINITY), b.equals(f64::INFINITY));
    let a1 = a_infinite.choose(1.0, b_infinite.choose(0.0, a));
    let b1 = b_infinite.choose(1.0, a_infinite.choose(0.0, b));
    let is_origin = a1.equals(0.0) & b1.equals(0.0);
    let b1 = is_origin.choose(1.0, b1);

    // Both are scaled, so that no remainder is subnormal and no sum infinite.
    let larger = a1.less(b1).choose(b1, a1);
    let (most, least, down, up) = x.by((900, 100, -200, 400), (100, 10, -30, 60));
    let is_large = larger.above(2f64.powi(most));
    let is_small = larger.less(2f64.powi(least));
    let scale = is_large.choose(2f64.powi(down), is_small.choose(2f64.powi(up), 1.0));
    let (high, low) = angle(a1.times(scale), b1.times(scale));

    let right = high + low;
    let pi = x.of(&c::PI);
    let (left, lost) = ordered_sum(x.number(pi[0]), -high);
    let left = left + (lost + (x.number(pi[1]) - low));
    let value = x.has_sign().choose(left, right).flipped(y.sign());
    let are_numbers = x.is_number() & y.is_number();
    are_numbers.choose(value, x + y)
}

/// `asin a = w + t` for `a = |x|` up to a half; above, `asin a = pi/2 - 2 (w + t)`.
struct Arc<'a, A: Arithmetic> {
    is_above: Mask<'a, A>,
    w: Real<'a, A>,
    t: Real<'a, A>,
}

fn arc<A: Arithmetic>(x: Real<'_, A>) -> Arc<'_, A> {
    let a = x.abs();
    let is_above = a.above(0.5);
    let z = is_above.choose(a.mul_add(-0.5, 0.5), a * a);
    let w = is_above.choose(z.sqrt(), a);
    let remainder = (-w).mul_add(w, z);
    let divisor = w.equals(0.0).choose(1.0, w + w);
    let low = is_above.choose(remainder / divisor, 0.0);
    let p = z.polynomial(x.of(&c::ASIN));
    Arc { is_above, w, t: (w * z).mul_add(p, low) }
}

/// `whole - high - low`, for a whole in two parts.
fn less_pair<'a, A: Arithmetic>(whole: &[f64], high: Real<'a, A>, low: Real<'a, A>) -> Real<'a, A> {
    let (total, lost) = ordered_sum(high.number(whole[0]), -high);
    let low = lost + (high.number(whole[1]) - low);
    total + low
}

/// The arc sine.
pub(crate) fn asin<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let Arc { is_above, w, t } = arc(x);
    let far = less_pair(x.of(&c::PI_HALF), w + w, t + t);
    is_above.choose(far, w + t).flipped(x.sign())
}

/// The arc cosine.
pub(crate) fn acos<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let Arc { is_above, w, t } = arc(x);
    let sign = x.sign();
    let near = less_pair(x.of(&c::PI_HALF), w.flipped(sign), t.flipped(sign));
    let (w, t) = (w + w, t + t);
    let far = x.has_sign().choose(less_pair(x.of(&c::PI), w, t), w + t);
    is_above.choose(far, near)
}
