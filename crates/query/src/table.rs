//! Tables: rows of typed columns.
//!
//! A table is a bag of rows: the same row may be there several times, and every one counts. A column holds
//! values of one type, all of them exact where the text was: a decimal is an integer and a scale, a date its
//! days, a text its place in a dictionary in order, so that texts compare as their codes do. There are no
//! nulls.

use crate::date;
use crate::file::Declared;
use crate::order::total;
use atl_diag::{Diagnostic, err};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// The most rows that a table may have: their numbers are 32-bit.
pub(crate) const MOST_ROWS: usize = i32::MAX as usize;

/// The names of a file's columns, of which none that is wanted is there twice. One without a name cannot be
/// asked for.
pub(crate) fn checked_header<'n>(
    file: &str,
    names: impl Iterator<Item = &'n str>,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<String>, Box<Diagnostic>> {
    let header: Vec<String> = names.map(str::to_owned).collect();
    if header.iter().all(String::is_empty) {
        let message = err!(E0540, "{file}: no column has a name");
        return Err(Box::new(message.help("the first line of a CSV file names its columns")));
    }
    let named = |column: &&String| !column.is_empty() && wanted(column);
    for (at, column) in header.iter().enumerate().filter(|(_, column)| named(column)) {
        if header[..at].iter().any(|other| other.eq_ignore_ascii_case(column)) {
            let message = err!(E0540, "{file}: two columns are called `{column}`");
            return Err(Box::new(message.help("rename one, in the file or where its columns are declared")));
        }
    }
    Ok(header)
}

/// Whether all the columns that are described are there.
pub(crate) fn all_there(file: &str, declared: &Declared, header: &[String]) -> Result<(), Box<Diagnostic>> {
    let Some(stray) = declared.stray(header) else { return Ok(()) };
    let message = err!(E0540, "{file}: there is no column `{stray}`, of which it is said what is empty");
    Err(Box::new(message.help(format!("its columns are {}", header.join(", ")))))
}

/// The type of a column or an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// An integer of 64 bits.
    Int,
    /// A number with this number of digits after the point, at most 18, that is an integer of 64 bits without
    /// the point.
    Decimal(u8),
    /// A floating-point number of 64 bits.
    Float,
    /// A date.
    Date,
    /// A text.
    Text,
}

impl Type {
    /// Is it a number?
    pub fn is_number(self) -> bool {
        matches!(self, Type::Int | Type::Decimal(_) | Type::Float)
    }

    /// The digits after the point of an exact number.
    pub fn scale(self) -> Option<u8> {
        match self {
            Type::Int => Some(0),
            Type::Decimal(scale) => Some(scale),
            Type::Float | Type::Date | Type::Text => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int => f.write_str("integer"),
            Type::Decimal(scale) => write!(f, "decimal with {scale} digits after the point"),
            Type::Float => f.write_str("floating-point number"),
            Type::Date => f.write_str("date"),
            Type::Text => f.write_str("text"),
        }
    }
}

/// The values of a column.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Integers.
    Int(Arc<Vec<i64>>),
    /// Decimals without their point, and the digits after it.
    Decimal(u8, Arc<Vec<i64>>),
    /// Floating-point numbers.
    Float(Arc<Vec<f64>>),
    /// Days.
    Date(Arc<Vec<i32>>),
    /// Texts, as their places in a list of distinct texts in order.
    Text(Arc<Vec<String>>, Arc<Vec<i32>>),
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Int(values) | Values::Decimal(_, values) => values.len(),
            Values::Float(values) => values.len(),
            Values::Date(values) | Values::Text(_, values) => values.len(),
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their type.
    pub fn ty(&self) -> Type {
        match self {
            Values::Int(_) => Type::Int,
            Values::Decimal(scale, _) => Type::Decimal(*scale),
            Values::Float(_) => Type::Float,
            Values::Date(_) => Type::Date,
            Values::Text(..) => Type::Text,
        }
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Option<Value> {
        Some(match self {
            Values::Int(values) => Value::Int(*values.get(row)?),
            Values::Decimal(scale, values) => Value::Decimal(i128::from(*values.get(row)?), *scale),
            Values::Float(values) => Value::Float(*values.get(row)?),
            Values::Date(values) => Value::Date(*values.get(row)?),
            Values::Text(dictionary, codes) => {
                Value::Text(dictionary.get(usize::try_from(*codes.get(row)?).ok()?)?.clone())
            }
        })
    }

    /// The distinct ones, in order; of texts all that the column's list has.
    pub(crate) fn distinct(&self) -> Values {
        fn sorted<T: Copy + Ord>(values: &[T]) -> Arc<Vec<T>> {
            let mut values = values.to_vec();
            values.sort_unstable();
            values.dedup();
            Arc::new(values)
        }
        match self {
            Values::Int(values) => Values::Int(sorted(values)),
            Values::Decimal(scale, values) => Values::Decimal(*scale, sorted(values)),
            Values::Date(values) => Values::Date(sorted(values)),
            Values::Float(values) => {
                let mut values = values.to_vec();
                values.sort_unstable_by(f64::total_cmp);
                values.dedup();
                Values::Float(Arc::new(values))
            }
            Values::Text(texts, _) => {
                let len = i32::try_from(texts.len()).unwrap_or(i32::MAX);
                Values::Text(texts.clone(), Arc::new((0..len).collect()))
            }
        }
    }

    /// The values of these rows, in this order; any value for a row that is not there.
    pub(crate) fn take_or(&self, rows: &[u32]) -> Values {
        fn pick<T: Copy + Default>(values: &[T], rows: &[u32]) -> Arc<Vec<T>> {
            Arc::new(rows.iter().map(|row| values.get(*row as usize).copied().unwrap_or_default()).collect())
        }
        match self {
            Values::Int(values) => Values::Int(pick(values, rows)),
            Values::Decimal(scale, values) => Values::Decimal(*scale, pick(values, rows)),
            Values::Float(values) => Values::Float(pick(values, rows)),
            Values::Date(values) => Values::Date(pick(values, rows)),
            Values::Text(dictionary, codes) if dictionary.is_empty() => {
                Values::Text(Arc::new(vec![String::new()]), pick(codes, rows))
            }
            Values::Text(dictionary, codes) => Values::Text(dictionary.clone(), pick(codes, rows)),
        }
    }

    /// The values of these rows, in this order.
    pub(crate) fn take(&self, rows: &[u32]) -> Values {
        fn pick<T: Copy>(values: &[T], rows: &[u32]) -> Arc<Vec<T>> {
            Arc::new(rows.iter().map(|row| values[*row as usize]).collect())
        }
        match self {
            Values::Int(values) => Values::Int(pick(values, rows)),
            Values::Decimal(scale, values) => Values::Decimal(*scale, pick(values, rows)),
            Values::Float(values) => Values::Float(pick(values, rows)),
            Values::Date(values) => Values::Date(pick(values, rows)),
            Values::Text(dictionary, codes) => Values::Text(dictionary.clone(), pick(codes, rows)),
        }
    }
}

/// One value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A number without its point, and the digits after it.
    Decimal(i128, u8),
    /// A floating-point number.
    Float(f64),
    /// A date.
    Date(i32),
    /// A text.
    Text(String),
    /// The minimum of nothing: no value.
    Null,
}

impl Value {
    /// The order of SQL among values of one type, or among numbers; what is missing comes last.
    pub fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Null, _) | (_, Value::Null) => {
                matches!(self, Value::Null).cmp(&matches!(other, Value::Null))
            }
            (a, b) => total(a, b),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Decimal(value, 0) => write!(f, "{value}"),
            Value::Decimal(value, scale) => {
                let digits = format!("{:0>width$}", value.unsigned_abs(), width = usize::from(*scale) + 1);
                let (whole, part) = digits.split_at(digits.len() - usize::from(*scale));
                write!(f, "{}{whole}.{part}", if *value < 0 { "-" } else { "" })
            }
            // The shortest digits that give the number back, and a point.
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Date(days) => f.write_str(&date::text(*days)),
            Value::Text(text) => f.write_str(text),
            Value::Null => Ok(()),
        }
    }
}

/// A column.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Its name, as the file has it.
    pub name: String,
    /// Its values.
    pub values: Values,
    /// Of texts in a CSV file: the field for which they are no numbers and no dates.
    pub text_by: Option<TextBy>,
}

/// A field that makes the column of a CSV file texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextBy {
    /// Its line, from 1.
    pub line: u64,
    /// What stands there.
    pub field: String,
}

/// A table. Columns that a query does not name need not be there.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// Its name in queries.
    pub name: String,
    /// Names of all its columns, as the file has them.
    pub header: Vec<String>,
    /// The columns that were read, in the file's order.
    pub columns: Vec<Column>,
    /// How many rows it has.
    pub rows: usize,
    /// What the author of the file may not expect of it: warnings.
    pub remarks: Vec<Diagnostic>,
}

impl Table {
    /// The column of this name, whatever its case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// `10` to this power; none beyond what 128 bits hold.
pub(crate) fn power(exponent: u8) -> Option<i128> {
    10i128.checked_pow(u32::from(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_with_all_their_digits() {
        let check = |value: Value, expected: &str| assert_eq!(value.to_string(), expected);
        check(Value::Decimal(5, 2), "0.05");
        check(Value::Decimal(-5, 2), "-0.05");
        check(Value::Decimal(-1205, 2), "-12.05");
        check(Value::Decimal(12, 0), "12");
        check(Value::Float(2.0), "2.0");
        check(Value::Date(0), "1970-01-01");
        check(Value::Null, "");
    }
}
