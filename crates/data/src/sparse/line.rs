//! One line of a text of numbers: its tokens, and what they are to be.
//!
//! One idea: tokens are what white space separates, and a carriage return is white space, so both ends of
//! lines are read. The caller that takes a token says what it must be; the refusal has the line, the token
//! and that.

use std::str::FromStr;

use super::super::Reason;
use super::super::number::parse;
use super::super::refusal::{Fault, Place, Refusal};
use atl_runtime::convert::{Number, Scalar, lacks};

/// What remains of a line.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: u64,
    rest: &'a [u8],
}

/// How the numbers of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// As integers only.
    Whole,
    /// As decimal fractions, or as integers.
    Decimal,
}

impl<'a> Line<'a> {
    pub(super) fn new(number: u64, rest: &'a [u8]) -> Line<'a> {
        Line { number, rest }
    }

    /// The next token.
    pub(super) fn token(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|&byte| !is_space(byte))?;
        let rest = &self.rest[start..];
        let end = rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len());
        let (token, rest) = rest.split_at(end);
        self.rest = rest;
        Some(token)
    }

    /// A refusal of a token of this line, or of the line's end.
    pub(super) fn refuse(&self, fault: Fault, token: Option<&[u8]>, expected: impl Into<String>) -> Refusal {
        self.refuse_all(fault, show(token), expected)
    }

    /// A refusal of what the tokens of this line say together.
    pub(super) fn refuse_all(&self, fault: Fault, found: String, expected: impl Into<String>) -> Refusal {
        Refusal::new(fault, Place::Line(self.number), found, expected)
    }

    /// There is no other token.
    pub(super) fn end(&mut self) -> Result<(), Reason> {
        match self.token() {
            None => Ok(()),
            token => Err(self.refuse(Fault::Syntax, token, "the end of the line").into()),
        }
    }

    /// The next token, a number from 1 to the extent, as a coordinate from 0.
    pub(super) fn coordinate(&mut self, what: &str, extent: usize) -> Result<usize, Reason> {
        let token = self.token();
        match token.and_then(natural).and_then(|number| number.checked_sub(1)) {
            Some(coordinate) if coordinate < extent => Ok(coordinate),
            _ => Err(self.no_coordinate(token, what, extent)),
        }
    }

    #[cold]
    fn no_coordinate(&self, token: Option<&[u8]>, what: &str, extent: usize) -> Reason {
        if !token.is_some_and(|token| token.iter().all(u8::is_ascii_digit)) {
            return self.refuse(Fault::Syntax, token, format!("a {what}, which is a number")).into();
        }
        let refusal = self.refuse(Fault::Range, token, format!("a {what} from 1 to {extent}"));
        match token.and_then(natural) {
            Some(0) => refusal.hint("the first has the number 1, not 0").into(),
            _ => refusal.into(),
        }
    }

    /// The next token, a number that the type has.
    pub(super) fn value<T: Scalar + FromStr>(&mut self, written: Written) -> Result<T, Reason> {
        let token = self.token();
        let text = token.and_then(|token| std::str::from_utf8(token).ok());
        let value = text.and_then(|text| match written {
            Written::Whole => text.parse().ok().map(Number::Int).and_then(T::from_number),
            Written::Decimal => parse(text),
        });
        value.ok_or_else(|| self.no_value::<T>(token, text, written))
    }

    #[cold]
    fn no_value<T: Scalar>(&self, token: Option<&[u8]>, text: Option<&str>, written: Written) -> Reason {
        if text.is_none_or(|text| text.parse::<f64>().is_err()) {
            let hint = text.is_some_and(|text| text.replace(['D', 'd'], "e").parse::<f64>().is_ok());
            let refusal = self.refuse(Fault::Syntax, token, "a value, which is a number");
            return if hint { refusal.hint("write exponents with `e`").into() } else { refusal.into() };
        }
        let digits =
            |text: &str| text.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit());
        let whole = text.is_some_and(digits);
        let number = text.and_then(|text| match text.parse() {
            Ok(value) if (i64::MIN.into()..=u64::MAX.into()).contains(&value) => Some(Number::Int(value)),
            _ => text.parse().ok().map(Number::Float),
        });
        match (written, number) {
            // It is the file that contradicts itself, whatever type is wanted.
            (Written::Whole, _) if !whole => {
                let expected = "an integer, as the first line says that values are";
                let refusal = self.refuse(Fault::Syntax, token, expected);
                refusal.hint("`real` in place of `integer` there allows fractions").into()
            }
            (Written::Whole, Some(Number::Float(_))) => {
                let expected =
                    "an integer from -2^63 to 2^64 - 1, as the first line says that values are integers";
                let refusal = self.refuse(Fault::Syntax, token, expected);
                refusal.hint("`real` in place of `integer` there makes floats of them").into()
            }
            (_, number) => {
                let refusal = self.refuse(Fault::Value, token, format!("a number of type {}", T::DTYPE));
                match number {
                    Some(number) => refusal.hint(lacks(T::DTYPE, number)).into(),
                    None => refusal.into(),
                }
            }
        }
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

/// The number that decimal digits denote; none if there is another byte, or if it does not fit.
pub(super) fn natural(token: &[u8]) -> Option<usize> {
    if token.is_empty() {
        return None;
    }
    token.iter().try_fold(0usize, |value, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(usize::from(digit))
    })
}

/// A token as a message shows it: short, and without bytes that a terminal obeys.
pub(super) fn show(token: Option<&[u8]>) -> String {
    const LONGEST: usize = 40;
    let Some(token) = token else { return "the end of the line".to_owned() };
    let text = String::from_utf8_lossy(&token[..token.len().min(LONGEST)]);
    let more = if token.len() > LONGEST { "…" } else { "" };
    format!("`{}{more}`", text.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naturals() {
        assert_eq!(natural(b"0018446744073709551615"), Some(usize::MAX));
        for token in ["", "-1", "+1", "1.0", "18446744073709551616", "1_0", "x"] {
            assert_eq!(natural(token.as_bytes()), None, "{token}");
        }
    }

    #[test]
    fn tokens_are_shown_safely() {
        assert_eq!(show(Some(b"\x1b[2J")), "`\\u{1b}[2J`");
        assert_eq!(show(Some(&[b'x'; 100])), format!("`{}…`", "x".repeat(40)));
    }
}
