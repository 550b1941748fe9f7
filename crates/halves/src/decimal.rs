//! Decimals, rounded to odd.
//!
//! Rust reads a decimal as the nearest `f64`. Where that may be midway between two numbers of 16 bits, its
//! digits, which are finitely many, are compared with the digits of the text.

use crate::round::to_odd;
use std::cmp::Ordering;
use std::num::ParseFloatError;

/// The decimal as an `f64`, to odd where the last bits could decide.
pub(crate) fn odd_of_text(text: &str) -> Result<f64, ParseFloatError> {
    let nearest: f64 = text.parse()?;
    // A number between two of 16 bits ends in zeros, and is not beyond all of them; any other is on the
    // right side already.
    let between = nearest.to_bits() & 0xff_ffff == 0 && (1e-45..1e39).contains(&nearest.abs());
    if !between {
        return Ok(nearest);
    }
    // More digits than such a number has.
    let own = Digits::of(&format!("{nearest:.200e}"));
    Ok(match Digits::of(text).cmp(&own) {
        Ordering::Equal => nearest,
        Ordering::Greater => to_odd(nearest, 1f64.copysign(nearest)),
        Ordering::Less => to_odd(nearest, -1f64.copysign(nearest)),
    })
}

/// The magnitude `0.d1 d2 d3 .. * 10^exponent`, where `d1` is not 0; zero has no digits. The order is that
/// of the numbers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Digits {
    exponent: i64,
    digits: Vec<u8>,
}

impl Digits {
    /// Of a text that is a decimal.
    fn of(text: &str) -> Digits {
        let text = text.trim_start_matches(['+', '-']);
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        let trailing = digits.iter().rev().take_while(|digit| **digit == b'0').count();
        if leading == digits.len() {
            return Digits { exponent: i64::MIN, digits: Vec::new() };
        }
        // An exponent that does not fit makes the number larger or smaller than every other.
        let beyond = if power.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
        let power: i64 = power.parse().unwrap_or(beyond).clamp(i64::MIN / 2, i64::MAX / 2);
        Digits {
            exponent: power + whole.len() as i64 - leading as i64,
            digits: digits[leading..digits.len() - trailing].to_vec(),
        }
    }
}
