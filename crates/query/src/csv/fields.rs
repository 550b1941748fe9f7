//! What a single field can be: an integer, a decimal, a date, a floating-point number, or text.

use crate::date;

/// What the fields of a column are taken for, from narrow to wide.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sort {
    Int,
    Decimal,
    Date,
    Float,
    Text,
}

/// The narrowest sort that has this field.
pub(super) fn sort(field: &[u8]) -> Sort {
    match decimal(field) {
        Some((_, 0)) => Sort::Int,
        Some(_) => Sort::Decimal,
        None if std::str::from_utf8(field).is_ok_and(|text| date::parse(text).is_some()) => Sort::Date,
        None => wider(field),
    }
}

/// A number without its point, with this number of digits after it: an integer or a decimal that has at most
/// these.
pub(crate) fn exact(field: &[u8], scale: u8) -> Option<i64> {
    let (value, digits) = decimal(field)?;
    value.checked_mul(10i64.checked_pow(u32::from(scale.checked_sub(digits)?))?)
}

/// An integer or a decimal without its point, and the digits after it. Zeros in front, and a plus, are no
/// number's; space around it is no part of it.
pub(super) fn decimal(field: &[u8]) -> Option<(i64, u8)> {
    let (is_negative, digits) = match field.trim_ascii() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let (mut value, mut after, mut whole) = (0i64, None::<u8>, 0usize);
    let is_padded = matches!(digits, [b'0', b'0'..=b'9', ..]);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                value = value.checked_mul(10)?.checked_sub(i64::from(byte - b'0'))?;
                match &mut after {
                    Some(after) => *after = after.checked_add(1).filter(|digits| *digits <= 18)?,
                    None => whole += 1,
                }
            }
            b'.' if after.is_none() => after = Some(0),
            _ => return None,
        }
    }
    let has_digits = whole > 0 || after.is_some_and(|after| after > 0);
    if !has_digits || is_padded {
        return None;
    }
    let value = if is_negative { value } else { value.checked_neg()? };
    Some((value, after.unwrap_or(0)))
}

/// What a column is that has a field which is no exact number: floating-point numbers are those with an
/// exponent, or with more digits after a point than an exact one has.
pub(super) fn wider(field: &[u8]) -> Sort {
    let is_fraction = field.iter().any(|byte| matches!(byte, b'e' | b'E' | b'.'));
    if is_fraction && float(field).is_some() { Sort::Float } else { Sort::Text }
}

/// A number, rounded to one of floating point.
pub(crate) fn float(field: &[u8]) -> Option<f64> {
    let field = field.trim_ascii();
    let begins = field.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.'));
    let padded = matches!(field, [b'0', b'0'..=b'9', ..] | [b'-', b'0', b'0'..=b'9', ..]);
    let text = std::str::from_utf8(field).ok().filter(|_| begins && !padded)?;
    text.parse().ok().filter(|value: &f64| value.is_finite())
}
