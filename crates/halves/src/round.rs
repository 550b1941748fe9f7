//! Rounding to 16 bits, once.
//!
//! What comes from a wider place than `f64` is first an `f64` that is *rounded to odd*: where it is
//! inexact, the last bit is set. Such a number is never midway between two of the narrow format, so that
//! rounding it again gives what one rounding of the exact value does.

use crate::Format;

const FRACTION: u32 = 52;
const BIAS: i64 = 1023;

/// The bits of the nearest number of the format; of two the even one. A NaN stays one, with the upper bits
/// of its payload.
pub(crate) fn narrow(format: Format, x: f64) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let magnitude = bits & (u64::MAX >> 1);
    let lost = FRACTION - format.fraction;
    if x.is_nan() {
        let payload = (magnitude >> lost) as u16 & ((1 << format.fraction) - 1);
        return sign | format.infinity() | 1 << (format.fraction - 1) | payload;
    }
    let exponent = (magnitude >> FRACTION).cast_signed() - BIAS + format.bias;
    let rounded = if exponent >= 1 {
        rounded_shift(magnitude - ((BIAS - format.bias).cast_unsigned() << FRACTION), lost)
    } else {
        // A subnormal of the format; those of `f64` are all rounded to 0.
        let significand = magnitude & ((1 << FRACTION) - 1) | 1 << FRACTION;
        rounded_shift(significand, u32::try_from(i64::from(lost) + 1 - exponent).unwrap_or(u32::MAX))
    };
    sign | rounded.min(format.infinity().into()) as u16
}

/// Without its last `by` bits, rounded to nearest even.
fn rounded_shift(x: u64, by: u32) -> u64 {
    // Less than half of the last place.
    if by > FRACTION + 2 {
        return 0;
    }
    let (quotient, rest, half) = (x >> by, x & ((1 << by) - 1), 1 << (by - 1));
    quotient + u64::from(rest > half || (rest == half && quotient % 2 == 1))
}

/// The same number as an `f32`.
pub(crate) fn widen(format: Format, half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7fff) << (23 - format.fraction);
    let scale = 127 - format.bias;
    let widened = if half & 0x7fff >= format.infinity() {
        // Infinity; a NaN keeps its payload and becomes quiet.
        let is_nan = half & 0x7fff > format.infinity();
        magnitude | 0x7f80_0000 | u32::from(is_nan) << 22
    } else if scale == 0 {
        magnitude
    } else {
        // A power of two makes the exponent that of an `f32`: exact, of subnormals, too.
        (f32::from_bits(magnitude) * 2f32.powi(scale as i32)).to_bits()
    };
    f32::from_bits(sign | widened)
}

/// An integer as an `f64`, to odd.
pub(crate) fn odd_of_integer(n: i128) -> f64 {
    let magnitude = n.unsigned_abs();
    let lost = (u128::BITS - magnitude.leading_zeros()).saturating_sub(53);
    let rest = magnitude & ((1 << lost) - 1);
    let odd = (magnitude >> lost | u128::from(rest != 0)) as f64 * 2f64.powi(lost.cast_signed());
    if n < 0 { -odd } else { odd }
}

/// `a b + c` as an `f64`, to odd, of numbers of 16 bits, whose product is exact.
pub(crate) fn odd_mul_add(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    let of_product = sum - c;
    let rest = (product - of_product) + (c - (sum - of_product));
    to_odd(sum, rest)
}

/// The nearest `f64` to `x + rest`, to odd; `rest` counts by its sign alone. A zero has none of a rest.
pub(crate) fn to_odd(x: f64, rest: f64) -> f64 {
    if rest == 0.0 || !rest.is_finite() || !x.is_finite() || x.to_bits() % 2 == 1 {
        return x;
    }
    // One step toward the exact value, to a neighbour whose last bit is set.
    if rest > 0.0 { x.next_up() } else { x.next_down() }
}
