//! The order of values: by what they are worth, whatever their types.
//!
//! Arithmetic gives an integer here and a decimal there, and what leaves 128 bits becomes a floating-point number; so numbers are compared
//! as numbers. Texts are in the order of their bytes, dates in that of days. What is missing has no order.

use crate::table::{Value, power};
use std::cmp::Ordering;

/// An exact number without its point, and the digits after it.
pub(crate) fn exact(value: &Value) -> Option<(i128, u8)> {
    match value {
        Value::Int(value) => Some((i128::from(*value), 0)),
        Value::Decimal(value, scale) => Some((*value, *scale)),
        _ => None,
    }
}

/// A number, rounded.
pub(crate) fn float(value: &Value) -> Option<f64> {
    match (value, exact(value)) {
        (Value::Float(value), _) => Some(*value),
        (_, Some((value, scale))) => Some(value as f64 / power(scale)? as f64),
        _ => None,
    }
}

/// The order of two values of one type, or of two numbers.
pub(crate) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        _ => match (exact(a), exact(b)) {
            (Some(a), Some(b)) => Some(exactly(a, b)),
            _ => float(a)?.partial_cmp(&float(b)?),
        },
    }
}

/// Whole parts first, so that nothing is multiplied but what is less than 1.
fn exactly((a, left): (i128, u8), (b, right): (i128, u8)) -> Ordering {
    let scale = left.max(right);
    let parts = |value: i128, own: u8| {
        let unit = power(own)?;
        let rest = value.rem_euclid(unit).checked_mul(power(scale - own)?)?;
        Some((value.div_euclid(unit), rest))
    };
    match (parts(a, left), parts(b, right)) {
        (Some(a), Some(b)) => a.cmp(&b),
        // More digits after the point than 128 bits hold.
        _ => (a as f64 / 10f64.powi(left.into())).total_cmp(&(b as f64 / 10f64.powi(right.into()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let check = |a: Value, b: Value, expected| {
            assert_eq!(order(&a, &b), expected, "{a} {b}");
            assert_eq!(order(&b, &a), expected.map(Ordering::reverse), "{b} {a}");
        };
        check(Value::Int(2), Value::Decimal(200, 2), Some(Ordering::Equal));
        check(Value::Decimal(-5, 1), Value::Decimal(-51, 2), Some(Ordering::Greater));
        check(Value::Decimal(i128::MAX, 2), Value::Decimal(i128::MAX - 1, 2), Some(Ordering::Greater));
        check(Value::Decimal(i128::MAX, 0), Value::Decimal(i128::MAX, 18), Some(Ordering::Greater));
        check(Value::Int(i64::MAX), Value::Decimal(1 << 64, 0), Some(Ordering::Less));
        check(Value::Float(0.5), Value::Int(1), Some(Ordering::Less));
        check(Value::Float(-0.0), Value::Float(0.0), Some(Ordering::Equal));
        check(Value::Null, Value::Int(1), None);
        check(Value::Text("a".to_owned()), Value::Text("b".to_owned()), Some(Ordering::Less));
    }
}
