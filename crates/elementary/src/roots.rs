//! `sqrt`, `cbrt`, `rsqrt`, `hypot`: a root, and its remainder divided by its derivative.

use crate::coefficients as c;
use crate::pairs::{ordered_sum, product};
use crate::values::Real;
use crate::{Arithmetic, Format};

/// The square root, correctly rounded.
pub(crate) fn sqrt<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    x.sqrt()
}

/// The cube root. Of `x = 2^(3 k + r) m`, a cubic start of the root of `m` is improved by Halley's step, then by the remainder.
pub(crate) fn cbrt<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let format = x.format();
    let whole = x.abs();
    let (normal, places) = x.by((f64::MIN_POSITIVE, 54), (f64::from(f32::MIN_POSITIVE), 24));
    let is_small = whole.less(normal);
    let moved = whole * 2f64.powi(places);
    let a = is_small.choose(moved, whole);

    let bits = a.bits();
    let exponent = (bits >> format.fraction()) + -format.bias();
    // A third, rounded down: of a number that is not negative, by a product.
    let k = (((exponent + 3072) * 21846) >> 16) + -1024;
    let r = exponent - k * 3;
    let fraction = bits & ((1 << format.fraction()) - 1);
    let m = (fraction + (format.bias() << format.fraction())).float();

    let (is_double, is_fourfold) = ((r & 1).is_set(), (r & 2).is_set());
    let (of_2, of_4) = (x.of(&c::CBRT_2)[0], x.of(&c::CBRT_4)[0]);
    let t = m.polynomial(x.of(&c::CBRT)) * is_fourfold.choose(of_4, is_double.choose(of_2, 1.0));
    // Exact.
    let m = m * r.power_of_two();
    let q = t * t;
    let top = q.mul_add(t, m + m);
    let below = (q + q).mul_add(t, m);
    let y = t.times(top / below);
    let (square, lost) = product(y, y);
    let remainder = (-square).mul_add(y, m);
    let remainder = (-y).mul_add(lost, remainder);
    let root = y + remainder / (square * 3.0);

    // Both products are exact: no cube root is subnormal.
    let value = root * k.power_of_two() * is_small.choose(2f64.powi(-places / 3), 1.0);
    let is_regular = whole.above(0.0) & whole.less(f64::INFINITY);
    is_regular.choose(value, whole).flipped(x.sign())
}

/// `1 / sqrt x`.
pub(crate) fn rsqrt<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let (least, places) = x.by((-900, 200), (-90, 50));
    let is_small = x.less(2f64.powi(least));
    let moved = x * 2f64.powi(places);
    let a = is_small.choose(moved, x);
    let s = a.sqrt();
    let y = x.number(1.0) / s;
    let of_root = (-s).mul_add(s, a);
    let of_inverse = (-y).mul_add(s, 1.0);
    let correction = (y * y).mul_add(of_root * -0.5, of_inverse);
    let value = y.mul_add(correction, y);
    // Exact.
    let back = value * 2f64.powi(places / 2);
    let value = is_small.choose(back, value);
    (x.above(0.0) & x.less(f64::INFINITY)).choose(value, y)
}

/// `sqrt(x^2 + y^2)`.
pub(crate) fn hypot<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>) -> Real<'a, A> {
    let infinite = |x: Real<'a, A>| x.abs().equals(f64::INFINITY);
    let is_infinite = infinite(x) | infinite(y);
    let value = match x.format() {
        Format::F32 => x.widened_with(y, |x, y| {
            // The squares are exact.
            let square = x * x;
            (square + y * y).sqrt()
        }),
        Format::F64 => hypot_of_doubles(x, y),
    };
    is_infinite.choose(f64::INFINITY, value)
}

fn hypot_of_doubles<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>) -> Real<'a, A> {
    let (x, y) = (x.abs(), y.abs());
    let is_less = x.less(y);
    let (a, b) = (is_less.choose(y, x), is_less.choose(x, y));
    let (is_large, is_small) = (a.above(2f64.powi(500)), a.less(2f64.powi(-400)));
    let factor = |n: i32| is_large.choose(2f64.powi(-n), is_small.choose(2f64.powi(n), 1.0));
    let (scale, back) = (factor(600), factor(-600));
    let (a, b) = (a * scale, b * scale);
    let ((p, p_lost), (q, q_lost)) = (product(a, a), product(b, b));
    let (total, lost) = ordered_sum(p, q);
    let low = lost + (p_lost + q_lost);
    let root = total.sqrt();
    let remainder = (-root).mul_add(root, total) + low;
    let divisor = root + root;
    let divisor = divisor.equals(0.0).choose(1.0, divisor);
    let value = (root + remainder / divisor) * back;
    // A comparison with NaN is false, and might have left one out.
    (x.is_number() & y.is_number()).choose(value, f64::NAN)
}
