//! The order of values: by what they are worth, whatever their types.
//!
//! Arithmetic gives an integer here and a decimal there, and what leaves 128 bits becomes a floating-point
//! number; so numbers are compared as numbers. Texts are in the order of their bytes, dates in that of days.
//! What is missing has no order.

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

/// The same, so that any values can be put in order: a rounded number comes behind an exact one that looks
/// like it, and NaN comes behind all numbers.
pub(crate) fn total(a: &Value, b: &Value) -> Ordering {
    let is_float = |value: &Value| matches!(value, Value::Float(_));
    let is_none = |value: &Value| matches!(value, Value::Float(x) if x.is_nan());
    match order(a, b) {
        Some(order) => order.then(is_float(a).cmp(&is_float(b))),
        None => is_none(a).cmp(&is_none(b)),
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
    fn any_numbers_can_be_put_in_order() {
        // Both integers look like the rounded one.
        let big = (1i128 << 60) + 1;
        let values = [
            Value::Decimal(big, 0),
            Value::Float(big as f64),
            Value::Int((1 << 60) + 2),
            Value::Float(f64::NAN),
            Value::Float(f64::NEG_INFINITY),
            Value::Float(0.0),
            Value::Float(-0.0),
            Value::Int(0),
        ];
        for a in &values {
            for b in &values {
                assert_eq!(total(a, b), total(b, a).reverse(), "{a} {b}");
                for c in &values {
                    let are_sorted = total(a, b).is_le() && total(b, c).is_le();
                    assert!(!are_sorted || total(a, c).is_le(), "{a} {b} {c}");
                }
            }
        }
    }

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
