//! `sinh`, `cosh`, `tanh`.
//!
//! For `a = |x|`, a quarter of `e^a` is a pair `h + l`. Then half of `cosh` is that plus `1/(16 h)`, half of `sinh` that less
//! `1/(16 h)`; doubling comes last, so nothing is infinite too soon. `tanh = 1 - 2/(e^2a + 1)` keeps the remainder of
//! the quotient. Near zero, where differences cancel, `sinh` and `tanh` are odd polynomials.

use crate::coefficients as c;
use crate::exponential::{Power, power};
use crate::pairs::ordered_sum;
use crate::values::Real;
use crate::{Arithmetic, coefficients::Both};

/// `e^a / 4` for `0 <= a`, and a quarter of `e^-a`. Above the bound, where the results are infinite, those at the bound.
fn quarters<A: Arithmetic>(a: Real<'_, A>) -> [Real<'_, A>; 3] {
    let Power { k, h, l } = power(a.at_most(a.by(710.5, 89.5)));
    let (m, rest) = ordered_sum(a.number(1.0), h);
    let scale = (k + -2).power_of_two();
    // Both products are exact.
    let (high, low) = (scale * m, scale * (rest + l));
    [high, low, a.number(1.0) / (high * 16.0)]
}

/// `a + a^3 p(a^2)`.
fn odd<'a, A: Arithmetic>(a: Real<'a, A>, p: &Both) -> Real<'a, A> {
    let z = a * a;
    let p = z.polynomial(a.of(p));
    (a * z).mul_add(p, a)
}

/// The hyperbolic sine.
pub(crate) fn sinh<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let a = x.abs();
    let [high, low, inverse] = quarters(a);
    let (difference, rest) = ordered_sum(high, -inverse);
    let half = difference + (rest + low);
    a.less(1.0).choose(odd(a, &c::SINH), half + half).flipped(x.sign())
}

/// The hyperbolic cosine.
pub(crate) fn cosh<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let [high, low, inverse] = quarters(x.abs());
    let (total, rest) = ordered_sum(high, inverse);
    let half = total + (rest + low);
    half + half
}

/// The hyperbolic tangent.
pub(crate) fn tanh<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    let a = x.abs();
    let bounded = a.at_most(a.by(22.0, 10.0));
    let Power { k, h, l } = power(bounded + bounded);
    let (m, rest) = ordered_sum(x.number(1.0), h);
    let scale = k.power_of_two();
    // Both products are exact.
    let (high, low) = (scale * m, scale * (rest + l));
    let (divisor, lost) = ordered_sum(high, x.number(1.0));
    let lost = lost + low;
    let quotient = x.number(2.0) / divisor;
    let remainder = (-quotient).mul_add(divisor, 2.0);
    let remainder = (-quotient).mul_add(lost, remainder);
    let total = x.number(1.0) - quotient;
    let rest = x.number(1.0) - total - quotient;
    let far = total + (quotient * -0.5).mul_add(remainder, rest);
    let value = a.less(0.55).choose(odd(a, &c::TANH), far);
    a.is_number().choose(value, a).flipped(x.sign())
}
