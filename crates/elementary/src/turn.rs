//! What is left of a huge argument when the quarters of a turn are taken away.
//!
//! `x 2/pi` modulo 4, in integers: of the binary digits of `2/pi`, those before the place where products with the 53 bits of
//! `x` are below 4 do not matter, and 192 from there on leave 126 digits of the fraction. So even the worst argument, whose
//! fraction begins with 60 zeros, has 66 that count. The fraction is made a number from -1/2 to 1/2, and its product with
//! `pi/2` is a pair. Arguments of any exponent are allowed; `f32` uses it too.

use crate::coefficients::{PI_HALF, TWO_OVER_PI_BITS};

/// `x` less a multiple of `pi/2`, as a pair, and the multiple, up to a multiple of 4. An infinite `x` has NaN.
pub fn turn(x: f64) -> (f64, f64, i64) {
    if !x.is_finite() {
        return (f64::NAN, 0.0, 0);
    }
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as usize;
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    // The table begins with 128 zeros before the binary point; a digit before it has the place 128 or less. Below 2^-77
    // there is nothing to take away.
    let Some(place) = (exponent + 126).checked_sub(1075) else { return (x, 0.0, 0) };
    let (word, shift) = (place / 64, place % 64);
    let digits = |k: usize| {
        let (first, second) = (TWO_OVER_PI_BITS[word + k], TWO_OVER_PI_BITS[word + k + 1]);
        if shift == 0 { first } else { first << shift | second >> (64 - shift) }
    };
    let product = |k: usize| u128::from(mantissa) * u128::from(digits(k));
    let whole = u128::from(mantissa.wrapping_mul(digits(0))) << 64;
    let turns = whole.wrapping_add(product(1)).wrapping_add(product(2) >> 64);

    // Two digits before the point: the quarters, rounded to the nearest.
    let quarters = (turns.wrapping_add(1 << 125) >> 126) as i64;
    let fraction = turns.wrapping_sub((quarters as u128) << 126).cast_signed();
    let high = ((fraction >> 64) as i64) as f64;
    let low = fraction.wrapping_sub(i128::from(high as i64) << 64) as f64;
    let (high, low) = (high * 2f64.powi(-62), low * 2f64.powi(-126));
    let total = high + low;
    let rest = (high - total) + low;

    let pi_half = PI_HALF.double;
    let product = total * pi_half[0];
    let lost = total.mul_add(pi_half[0], -product);
    let lost = total.mul_add(pi_half[1], lost);
    let lost = rest.mul_add(pi_half[0], lost);
    let first = product + lost;
    let second = (product - first) + lost;
    if x < 0.0 { (-first, -second, -quarters) } else { (first, second, quarters) }
}
