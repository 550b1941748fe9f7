//! Comma-separated numbers: one row a line.
//!
//! One idea: a text of numbers and nothing else. Blank lines and lines that begin with `#` are skipped; there
//! is no header, and a number may stand in double quotes. One row or one column is a vector, unless a matrix
//! is wanted; one number is a scalar if that is wanted. Numbers are read straight into the wanted element
//! type, so decimal digits round once; without one, a file of integers is `i64` and any other `f64`.
//!
//! Floats are written with the fewest digits that read back as the same value.

use std::str::FromStr;

use super::{Reason, Wanted, number};
use atl_runtime::convert::{Number, Scalar, lacks};
use atl_runtime::shape::show_shape;
use atl_runtime::with_element;
use atl_runtime::{Buffer, DType};

/// One field and where it is.
struct Field<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

/// Decodes a text of numbers.
pub(super) fn read(bytes: &[u8], wanted: Wanted) -> Result<Buffer, Reason> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| Reason::Corrupt("the file is not UTF-8 text".to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (fields, rows, columns) = split(text)?;
    let shape = match (wanted.rank, rows, columns) {
        (Some(0), 1, 1) => vec![],
        (Some(2), _, _) => vec![rows, columns],
        (_, 0, _) => vec![0],
        (_, 1, count) | (_, count, 1) => vec![count],
        _ => vec![rows, columns],
    };
    let whole = fields.iter().all(|field| i64::from_str(field.text).is_ok());
    let dtype = wanted.dtype.unwrap_or(if whole { DType::I64 } else { DType::F64 });
    with_element!(dtype, T => {
        let elements = fields.iter().map(|field| parse::<T>(field)).collect::<Result<Vec<T>, _>>()?;
        Ok(Buffer::from_vec(elements, &shape)?)
    })
}

/// The fields in order, the number of rows, and the number of columns.
fn split(text: &str) -> Result<(Vec<Field<'_>>, usize, usize), Reason> {
    let mut fields = Vec::new();
    let (mut rows, mut columns) = (0, 0);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let before = fields.len();
        let row = line.split(',').enumerate();
        fields.extend(row.map(|(column, text)| Field {
            text: unquoted(text.trim()),
            line: number + 1,
            column: column + 1,
        }));
        let found = fields.len() - before;
        if rows > 0 && found != columns {
            return Err(Reason::Corrupt(format!(
                "line {} has {found} numbers, the lines before it have {columns}",
                number + 1
            )));
        }
        columns = found;
        rows += 1;
    }
    Ok((fields, rows, columns))
}

/// What stands in the double quotes of a field, or the field.
fn unquoted(field: &str) -> &str {
    let inner = field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.map_or(field, str::trim)
}

fn parse<T: Scalar + FromStr>(field: &Field<'_>) -> Result<T, Reason> {
    number::parse(field.text).ok_or_else(|| {
        let Field { text, line, column } = field;
        let dtype = T::DTYPE;
        let number = match (text.parse(), text.parse()) {
            (Ok(value), _) => Some(Number::Int(value)),
            (_, Ok(value)) => Some(Number::Float(value)),
            _ => None,
        };
        let why = number.map_or_else(|| no_number(field), |number| format!(": {}", lacks(dtype, number)));
        Reason::Corrupt(format!(
            "line {line}, column {column}: `{text}` is not a number of type {dtype}{why}"
        ))
    })
}

/// What makes a text no number at all, where that can be told.
fn no_number(field: &Field<'_>) -> String {
    let text = field.text;
    let why = if text.is_empty() {
        "each line has as many numbers, with commas between them"
    } else if text.contains([';', '\t', ' ', '|']) {
        "numbers are separated by commas"
    } else if field.line == 1 && text.starts_with(char::is_alphabetic) {
        "there is no line of names; one that begins with `#` is passed over"
    } else {
        return String::new();
    };
    format!(": {why}")
}

/// Encodes a scalar, a vector (one element a line) or a matrix.
pub(super) fn write(buffer: &Buffer) -> Result<Vec<u8>, Reason> {
    let columns = match *buffer.shape() {
        [] | [_] => 1,
        [_, columns] => columns,
        _ => {
            return Err(Reason::Unsupported(format!(
                "an array of shape {} is no table; .csv holds vectors and matrices, use .npy",
                show_shape(buffer.shape())
            )));
        }
    };
    let texts: Vec<String> = with_element!(buffer.dtype(), T => {
        buffer.as_slice::<T>()?.iter().map(|element| number::Text(*element).to_string()).collect()
    });
    let mut csv = String::new();
    // An empty matrix has no rows to show.
    for row in texts.chunks(columns.max(1)) {
        csv.push_str(&row.join(","));
        csv.push('\n');
    }
    Ok(csv.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FREE: Wanted = Wanted { dtype: None, rank: None };

    fn check(text: &str, wanted: Wanted, expected: &Buffer) {
        assert_eq!(
            &read(text.as_bytes(), wanted).unwrap_or_else(|reason| panic!("{text}: {reason:?}")),
            expected
        );
    }

    fn check_refused(text: &[u8], wanted: Wanted, needle: &str) {
        let reason = format!("{:?}", read(text, wanted).expect_err(needle));
        assert!(reason.contains(needle), "{reason}");
    }

    #[test]
    fn shapes_and_types() {
        let ints = Buffer::from_slice(&[1i64, 2, 3, 4], &[2, 2]).expect("small");
        check("1,2\n3,4\n", FREE, &ints);
        check("\u{feff}# a table\r\n 1 , 2\r\n\r\n3,4", FREE, &ints);
        check("\"1\",2\n3,\" 4 \"\n", FREE, &ints);
        check("1,2.5\n", FREE, &Buffer::from_slice(&[1.0f64, 2.5], &[2]).expect("small"));
        check("1\n2\n", FREE, &Buffer::from_slice(&[1i64, 2], &[2]).expect("small"));
        check(
            "1\n2\n",
            Wanted { rank: Some(2), ..FREE },
            &Buffer::from_slice(&[1i64, 2], &[2, 1]).expect("small"),
        );
        check("7", Wanted { rank: Some(0), ..FREE }, &Buffer::from_slice(&[7i64], &[]).expect("small"));
        check("", FREE, &Buffer::zeros(DType::I64, &[0]).expect("small"));
        let bools = Wanted { dtype: Some(DType::Bool), rank: None };
        check("true,0,1", bools, &Buffer::from_slice(&[true, false, true], &[3]).expect("small"));
        let int = Wanted { dtype: Some(DType::I32), rank: None };
        check("1e3,2", int, &Buffer::from_slice(&[1000i32, 2], &[2]).expect("small"));
    }

    #[test]
    fn errors_say_where() {
        check_refused(b"1,2\n3\n", FREE, "line 2 has 1");
        check_refused(b"1,2\n3,x\n", FREE, "line 2, column 2: `x`");
        check_refused(b"a,b\n1,2\n", FREE, "line 1, column 1");
        check_refused(b"1,,2", FREE, "column 2");
        check_refused(b"1,\"1,000\"\n", FREE, "line 1, column 2: `");
        check_refused(b"1,\"\"\n", FREE, "column 2");
        check_refused(b"300", Wanted { dtype: Some(DType::U8), rank: None }, "type u8");
        check_refused(
            b"a,b\n1,2",
            FREE,
            "there is no line of names; one that begins with `#` is passed over",
        );
        check_refused(b"1;2", FREE, "numbers are separated by commas");
        check_refused(b"1,,2", FREE, "`` is not a number of type f64: each line has as many numbers");
        check_refused(b"1,1e39", Wanted { dtype: Some(DType::F32), rank: None }, "`1e39` is not a number");
        check_refused(b"\xff", FREE, "UTF-8");
    }

    #[test]
    fn only_tables_are_written() {
        assert!(write(&Buffer::zeros(DType::F32, &[1, 1, 1]).expect("small")).is_err());
        let empty = Buffer::zeros(DType::F32, &[3, 0]).expect("small");
        assert_eq!(write(&empty).expect("a table"), b"");
    }

    proptest! {
        #[test]
        fn floats_read_back_bit_for_bit(bits in proptest::collection::vec(any::<u32>(), 1..20)) {
            let floats: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
            let buffer = Buffer::from_slice(&floats, &[floats.len()]).expect("small");
            let text = write(&buffer).expect("a table");
            let again = read(&text, Wanted { dtype: Some(DType::F32), rank: Some(1) }).expect("numbers");
            for (found, expected) in again.as_slice::<f32>().expect("f32").iter().zip(&floats) {
                prop_assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
            }
        }
    }
}
