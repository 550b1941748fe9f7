//! Columns of numbers or dates that are text since one of them is too long or is none, and numbers that are rounded.
//!
//! Nothing in the file says so, and texts have another order than numbers, and no sum. So a warning names the
//! field. A column in which anything else stands, or a number with zeros in front,
//! is text as it is meant to be, without a warning.

use crate::date;
use crate::table::{Column, TextBy, Values};
use atl_diag::{Diagnostic, warning};

/// The most digits that a number of floating point needs to be told from all others.
const MOST_DIGITS: usize = 17;

/// A warning where a column is text although each of its fields is a number, or is written as a date.
pub(super) fn remark(file: &str, column: &Column) -> Option<Diagnostic> {
    let Values::Text(texts, _) = &column.values else { return None };
    if texts.iter().all(|text| date::is_written(text)) && texts.iter().any(|text| is_date(text)) {
        return impossible(file, column, texts.iter().find(|text| !is_date(text))?);
    }
    if !texts.iter().all(|text| is_number(text)) || !texts.iter().any(|text| is_plain(text)) {
        return None;
    }
    let TextBy { line, field } = column.text_by.as_ref()?;
    let message = warning!(E0551, "{file}: line {line}: `{field}` makes the column `{}` text", column.name);
    let is_too_large = |field: &str| field.parse().is_ok_and(f64::is_infinite);
    Some(if is_plain(field) && is_too_large(field.trim_ascii()) {
        message
            .note("all of its fields are numbers, and no floating-point number is as large")
            .help("write a smaller number, or leave its row out")
    } else if is_plain(field) {
        message
            .note("all of its fields are numbers; exact ones have 64 bits, with at most 18 digits after the point")
            .help("shorten it, or write it with an exponent, as `1e20`: then the column is of floating-point numbers")
    } else {
        message
            .note("all of its fields are numbers, and a column of numbers has finite ones, written without a plus")
            .help("write it as such a number, or leave its row out")
    })
}

/// A warning of a day that the calendar does not have.
fn impossible(file: &str, column: &Column, day: &str) -> Option<Diagnostic> {
    let TextBy { line, field } = column.text_by.as_ref()?;
    let at = if field == day { format!("line {line}: ") } else { String::new() };
    let message = warning!(E0551, "{file}: {at}`{day}` makes the column `{}` text", column.name);
    let message = message.note("all of its fields are written as dates, and the calendar has no such day");
    Some(message.help("write a day that there is, or leave its row out"))
}

fn is_date(text: &str) -> bool {
    date::parse(text).is_some()
}

/// A warning where a number has more digits than the floating-point number that it is read as.
pub(super) fn rounded(file: &str, column: &str, field: &[u8]) -> Diagnostic {
    let field = String::from_utf8_lossy(field);
    warning!(E0551, "{file}: `{field}` of the column `{column}` is rounded to a floating-point number")
        .note(
            "exact numbers have 64 bits, with at most 18 digits after the point, as many for all of a column",
        )
        .help("write fewer digits, so that all of the column is exact")
}

/// Has it more digits than a floating-point number?
pub(super) fn is_long(field: &[u8]) -> bool {
    let mantissa = field.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
    let significant = mantissa.filter(|byte| byte.is_ascii_digit()).skip_while(|digit| **digit == b'0');
    significant.count() > MOST_DIGITS
}

/// Is it written as a number, whether as a column of numbers may have it or not?
fn is_number(text: &str) -> bool {
    let text = text.trim_ascii();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_padded = matches!(digits.as_bytes(), [b'0', b'0'..=b'9', ..]);
    !is_padded && text.parse::<f64>().is_ok()
}

/// Is it written with digits, and without a plus?
fn is_plain(text: &str) -> bool {
    let text = text.trim_ascii();
    text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit() || c == '.')
}
