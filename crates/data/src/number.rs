//! Numbers in texts, read straight into an element type, so that decimal digits round once.
//!
//! One idea: a text is a number of a type if the type has its value. Digits that overflow are no infinity,
//! which has to be written as such; a float that is whole is an integer where one is wanted. What is written
//! reads back as the same value.

use std::fmt;
use std::str::FromStr;

use atl_runtime::convert::{Number, Scalar};

/// The element that a text denotes, if the type has it.
pub(super) fn parse<T: Scalar + FromStr>(text: &str) -> Option<T> {
    let written = || text.trim_start_matches(['+', '-']).starts_with(['i', 'I']);
    let finite = |value: &T| value.to_number().as_float().is_none_or(|x| !x.is_infinite()) || written();
    if let Ok(value) = text.parse::<T>() {
        return Some(value).filter(finite);
    }
    let integer = || text.parse().ok().map(Number::Int);
    let float = || text.parse().ok().map(Number::Float);
    integer().or_else(float).and_then(T::from_number)
}

/// Writes an element so that [`parse`] reads it back; very large and small floats have an exponent.
pub(super) struct Text<T>(pub(super) T);

impl<T: Scalar> fmt::Display for Text<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.to_number() {
            Number::Int(value) => fmt::Display::fmt(&value, f),
            // `Debug` writes the shortest digits of the element's own type, and an exponent where that is
            // shorter.
            Number::Float(_) => fmt::Debug::fmt(&self.0, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Scalar + FromStr>(text: &str, expected: Option<T>) {
        assert_eq!(parse::<T>(text), expected, "{text}");
    }

    #[test]
    fn values_that_a_type_has() {
        check("1.5", Some(1.5f32));
        check("+3", Some(3u8));
        check("1e3", Some(1000i32));
        check("1", Some(true));
        check("-Infinity", Some(f32::NEG_INFINITY));
        check("9223372036854775807", Some(i64::MAX));
    }

    #[test]
    fn values_that_a_type_does_not_have() {
        check::<f32>("1e39", None);
        check::<f64>("-1e999", None);
        check::<i64>("9223372036854775808", None);
        check::<i32>("nan", None);
        check::<i32>("0.5", None);
        check::<u8>("256", None);
        check::<bool>("2", None);
        check::<f64>("1.0D3", None);
        check::<f64>("", None);
    }
}
