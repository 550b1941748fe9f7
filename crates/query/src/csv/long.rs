//! Columns of numbers that are text, since one of them is too long.
//!
//! Nothing in the file says so, and texts have another order than numbers, and no sum. So whoever gave the file is told which field it was. A column
//! in which anything else stands, or a number with zeros in front, is text as it is meant to be: of that nothing is said.

use super::Forced;
use crate::table::{Column, Values};
use atl_diag::{Diagnostic, warning};

/// A warning where a column is text although each of its fields is a number: by a field, or by that of the first line.
pub(super) fn remark(file: &str, column: &Column, by: Option<&Forced>, first: u64) -> Option<Diagnostic> {
    let Values::Text(texts, codes) = &column.values else { return None };
    if !texts.iter().all(|text| is_number(text)) {
        return None;
    }
    let (line, field) = match by {
        Some(by) => (by.line, String::from_utf8_lossy(&by.field).into_owned()),
        None => (first, texts.get(usize::try_from(*codes.first()?).ok()?)?.clone()),
    };
    Some(
        warning!(E0551, "{file}: line {line}: `{field}` makes the column `{}` text", column.name)
            .note("all of its fields are numbers; exact ones have 64 bits, with at most 18 digits after the point")
            .help("shorten it, or write it with an exponent, as `1e20`: then the column is of floating-point numbers"),
    )
}

/// Is it written as a number, however long?
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_padded = matches!(digits.as_bytes(), [b'0', b'0'..=b'9', ..]);
    digits.starts_with(|c: char| c.is_ascii_digit()) && !is_padded && text.parse::<f64>().is_ok()
}
