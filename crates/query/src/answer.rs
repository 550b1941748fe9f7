//! Answers: what the kernels added up, as rows of values in order.
//!
//! From here on everything is small: a cell for each group. Averages and other arithmetic of sums, the order
//! of rows and how many of them are wanted are settled here, exactly where the numbers are exact.

use crate::having::holds;
use crate::order::{exact, float};
use crate::program::Program;
use crate::query::{Aggregate, Direction, Operation, Outcome, Query};
use crate::table::{Type, Value, Values, power};
use std::cmp::Ordering;

/// What a kernel added up, a cell for each combination of codes, the first part of the key outermost.
#[derive(Clone, PartialEq, Debug)]
pub enum Cells {
    /// Exact.
    Int(Vec<i64>),
    /// Of floating point.
    Float(Vec<f64>),
}

/// Rows of values.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// What the columns are called.
    pub names: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

impl Answer {
    /// As CSV, with a line of names. A row of one field that is empty is `""`: many readers pass over lines
    /// without anything.
    pub fn to_csv(&self) -> String {
        let field = |text: String| {
            if text.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text
            }
        };
        let line = |fields: Vec<String>| match fields.as_slice() {
            [alone] if alone.is_empty() => "\"\"".to_owned(),
            _ => fields.into_iter().map(field).collect::<Vec<_>>().join(","),
        };
        let header = line(self.names.clone());
        let rows = self.rows.iter().map(|row| line(row.iter().map(Value::to_string).collect()));
        std::iter::once(header).chain(rows).map(|line| line + "\n").collect()
    }
}

/// The rows of a query: `counts` has how many rows each group has, `cells` what each aggregate adds up.
pub fn answer(query: &Query, program: &Program, counts: &[i64], cells: &[Cells]) -> Answer {
    let domains = &program.domains;
    let mut rows: Vec<(Vec<Value>, Vec<Value>)> = Vec::new();
    for (cell, count) in counts.iter().enumerate().filter(|(_, count)| **count != 0 || query.is_total) {
        let mut rest = cell;
        let mut key = vec![Value::Null; query.keys.len()];
        for (part, domain) in domains.iter().enumerate().rev() {
            domain.place(rest % domain.len().max(1), part, &mut key);
            rest /= domain.len().max(1);
        }
        let aggregate = |(at, (aggregate, _)): (usize, &(Aggregate, _))| {
            let found = cells.get(at).map_or(Value::Null, |cells| value(aggregate, cells, cell, *count));
            match (found, program.places.get(&at)) {
                (Value::Null, _) => Value::Null,
                (found, None) => found,
                (found, Some(values)) => value_at(&found, values),
            }
        };
        let aggregates: Vec<Value> = query.aggregates.iter().enumerate().map(aggregate).collect();
        let evaluate = |outcome: &Outcome| evaluated(outcome, &key, &aggregates);
        if query.having.as_ref().is_some_and(|having| holds(having, &evaluate) != Some(true)) {
            continue;
        }
        let row: Vec<Value> = query.outputs.iter().map(|output| evaluate(&output.value)).collect();
        let order: Vec<Value> = query.order.iter().map(|(outcome, _)| evaluate(outcome)).collect();
        let times = if query.lists_rows { usize::try_from(*count).unwrap_or(0) } else { 1 };
        rows.extend(std::iter::repeat_n((order, row), times));
    }
    rows.sort_by(|(a, _), (b, _)| {
        let pairs = a.iter().zip(b).zip(&query.order);
        let each = pairs.map(|((a, b), (_, direction))| match (direction, a, b) {
            (Direction::Descending, Value::Null, _) | (Direction::Descending, _, Value::Null) => a.compare(b),
            (Direction::Descending, ..) => b.compare(a),
            (Direction::Ascending, ..) => a.compare(b),
        });
        each.fold(Ordering::Equal, Ordering::then)
    });
    let rows = rows.into_iter().map(|(_, row)| row);
    let rows = rows.skip(query.offset).take(query.limit.unwrap_or(usize::MAX)).collect();
    Answer { names: query.outputs.iter().map(|output| output.name.clone()).collect(), rows }
}

/// The value whose place this is, as a number of its type without a point.
fn value_at(place: &Value, values: &Values) -> Value {
    let place = match place {
        Value::Int(place) => usize::try_from(*place).ok(),
        Value::Decimal(place, _) => usize::try_from(*place).ok(),
        Value::Date(place) => usize::try_from(*place).ok(),
        Value::Float(_) | Value::Text(_) | Value::Null => None,
    };
    place.and_then(|place| values.get(place)).unwrap_or(Value::Null)
}

/// What was added up in a group, as a value; nothing has no sum, as SQL has it.
fn value(aggregate: &Aggregate, cells: &Cells, cell: usize, count: i64) -> Value {
    let scalar = match aggregate {
        Aggregate::Count => return Value::Int(count),
        _ if count == 0 => return Value::Null,
        Aggregate::Sum(scalar) | Aggregate::Min(scalar) | Aggregate::Max(scalar) => scalar,
    };
    match cells {
        Cells::Float(cells) => cells.get(cell).map_or(Value::Null, |value| Value::Float(*value)),
        Cells::Int(cells) => match (cells.get(cell), scalar.ty()) {
            (None, _) => Value::Null,
            (Some(value), Type::Date) => i32::try_from(*value).map_or(Value::Null, Value::Date),
            (Some(value), Type::Decimal(scale)) => Value::Decimal(i128::from(*value), scale),
            (Some(value), _) => Value::Int(*value),
        },
    }
}

fn evaluated(outcome: &Outcome, key: &[Value], aggregates: &[Value]) -> Value {
    match outcome {
        Outcome::Key(at) => key.get(*at).cloned().unwrap_or(Value::Null),
        Outcome::Aggregate(at) => aggregates.get(*at).cloned().unwrap_or(Value::Null),
        Outcome::Constant(value, Type::Int) => match value {
            Value::Decimal(value, _) => i64::try_from(*value).map_or(Value::Null, Value::Int),
            value => value.clone(),
        },
        Outcome::Constant(value, _) => value.clone(),
        Outcome::Binary(operation, a, b) => {
            computed(*operation, &evaluated(a, key, aggregates), &evaluated(b, key, aggregates))
        }
    }
}

/// An operation on values; what has no value, as a quotient by zero, is missing.
fn computed(operation: Operation, a: &Value, b: &Value) -> Value {
    if let (Operation::Sub, Value::Date(a), Value::Date(b)) = (operation, a, b) {
        return Value::Int(i64::from(*a) - i64::from(*b));
    }
    let exactly = || {
        let ((x, left), (y, right)) = (exact(a)?, exact(b)?);
        let scale = left.max(right);
        let scaled = |value: i128, scale_of: u8| value.checked_mul(power(scale - scale_of)?);
        let (value, scale) = match operation {
            Operation::Add => (scaled(x, left)?.checked_add(scaled(y, right)?)?, scale),
            Operation::Sub => (scaled(x, left)?.checked_sub(scaled(y, right)?)?, scale),
            Operation::Mul => (x.checked_mul(y)?, left.checked_add(right)?),
            // Both as integers, so that only the quotient is rounded.
            Operation::Div => {
                let (x, y) = (scaled(x, left)?, scaled(y, right)?);
                return (y != 0).then(|| Value::Float(x as f64 / y as f64));
            }
        };
        Some(match i64::try_from(value) {
            Ok(value) if scale == 0 => Value::Int(value),
            _ => Value::Decimal(value, scale),
        })
    };
    let rounded = || {
        let (x, y) = (float(a)?, float(b)?);
        match operation {
            Operation::Add => Some(Value::Float(x + y)),
            Operation::Sub => Some(Value::Float(x - y)),
            Operation::Mul => Some(Value::Float(x * y)),
            Operation::Div if y == 0.0 => None,
            Operation::Div => Some(Value::Float(x / y)),
        }
    };
    exactly().or_else(rounded).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_of_sums_is_exact_but_for_quotients() {
        let check = |operation, a: Value, b: Value, expected: Value| {
            assert_eq!(computed(operation, &a, &b), expected)
        };
        check(Operation::Add, Value::Decimal(105, 2), Value::Int(1), Value::Decimal(205, 2));
        check(Operation::Mul, Value::Decimal(105, 2), Value::Decimal(5, 1), Value::Decimal(525, 3));
        check(Operation::Sub, Value::Int(1), Value::Int(3), Value::Int(-2));
        check(Operation::Div, Value::Decimal(10, 1), Value::Int(4), Value::Float(0.25));
        check(Operation::Div, Value::Int(1), Value::Int(0), Value::Null);
        check(Operation::Add, Value::Null, Value::Int(0), Value::Null);
        check(Operation::Sub, Value::Date(-3), Value::Date(10), Value::Int(-13));
        check(Operation::Sub, Value::Null, Value::Date(10), Value::Null);
        check(Operation::Add, Value::Int(i64::MAX), Value::Int(1), Value::Decimal(1 << 63, 0));
        check(Operation::Div, Value::Decimal(90003, 4), Value::Int(3), Value::Float(3.0001));
    }

    #[test]
    fn fields_with_commas_and_quotes_are_quoted() {
        let rows = vec![vec![Value::Text("a,\"b\"".to_owned()), Value::Int(1)]];
        let answer = Answer { names: vec!["x".to_owned(), "n".to_owned()], rows };
        assert_eq!(answer.to_csv(), "x,n\n\"a,\"\"b\"\"\",1\n");
    }
}
