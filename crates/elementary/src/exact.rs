//! Functions whose results are floats without rounding.

use crate::values::Real;
use crate::{Arithmetic, RoundTo};

/// The largest integral number not above.
pub(crate) fn floor<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    x.rounded(RoundTo::Down)
}

/// The smallest integral number not below.
pub(crate) fn ceil<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    x.rounded(RoundTo::Up)
}

/// The number without its fraction.
pub(crate) fn trunc<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    x.rounded(RoundTo::Zero)
}

/// The nearest integral number, of two the even one.
pub(crate) fn round<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    x.rounded(RoundTo::Even)
}

/// 1, -1, or the number itself where that is a zero or NaN.
pub(crate) fn sign<A: Arithmetic>(x: Real<'_, A>) -> Real<'_, A> {
    x.above(0.0).choose(1.0, x.less(0.0).choose(-1.0, x))
}

/// The size of the first, the sign of the second. A NaN counts as positive: processors and compilers differ in the sign of
/// the NaN that an operation without a value gives.
pub(crate) fn copysign<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>) -> Real<'a, A> {
    let size = x.abs();
    y.is_number().choose(size.flipped(y.sign()), size)
}

/// `x y + z`, rounded once.
pub(crate) fn fma<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>, z: Real<'a, A>) -> Real<'a, A> {
    x.mul_add(y, z)
}

/// `x` less the multiple of `y` whose quotient is cut: exact, with the sign of `x`.
pub(crate) fn fmod<'a, A: Arithmetic>(x: Real<'a, A>, y: Real<'a, A>) -> Real<'a, A> {
    Real { value: x.on.remainder(x.value, y.value), ..x }
}
