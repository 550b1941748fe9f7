//! `having`: which groups are wanted.
//!
//! By now a group is its key and its sums. What has no value, as the sum of no rows, is neither equal to anything nor different from it:
//! such a comparison is unknown, and a group is kept only where the condition is known to hold.

use crate::answer::{exact, float};
use crate::query::{Having, Outcome};
use crate::table::{Value, power};
use std::cmp::Ordering;

/// Does it hold of a group with these values? None where that is unknown.
pub(crate) fn holds(having: &Having, value: &dyn Fn(&Outcome) -> Value) -> Option<bool> {
    match having {
        Having::Compare(comparison, a, b) => order(&value(a), &value(b)).map(|order| comparison.holds(order)),
        Having::Not(inner) => holds(inner, value).map(|known| !known),
        Having::And(parts) => joined(parts, value, false),
        Having::Or(parts) => joined(parts, value, true),
    }
}

/// One part with this truth decides; else an unknown one leaves it unknown.
fn joined(parts: &[Having], value: &dyn Fn(&Outcome) -> Value, decides: bool) -> Option<bool> {
    let found: Vec<Option<bool>> = parts.iter().map(|part| holds(part, value)).collect();
    if found.contains(&Some(decides)) {
        return Some(decides);
    }
    if found.contains(&None) { None } else { Some(!decides) }
}

/// The order of two values of one type, or of two numbers.
fn order(a: &Value, b: &Value) -> Option<Ordering> {
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
    use crate::query::Comparison;

    #[test]
    fn numbers_are_compared_by_value() {
        let check = |a: Value, b: Value, expected| assert_eq!(order(&a, &b), expected, "{a} {b}");
        check(Value::Int(2), Value::Decimal(200, 2), Some(Ordering::Equal));
        check(Value::Decimal(-5, 1), Value::Decimal(-51, 2), Some(Ordering::Greater));
        check(Value::Decimal(i128::MAX, 2), Value::Decimal(i128::MAX - 1, 2), Some(Ordering::Greater));
        check(Value::Decimal(i128::MAX, 0), Value::Decimal(i128::MAX, 18), Some(Ordering::Greater));
        check(Value::Float(0.5), Value::Int(1), Some(Ordering::Less));
        check(Value::Null, Value::Int(1), None);
        check(Value::Text("a".to_owned()), Value::Text("b".to_owned()), Some(Ordering::Less));
    }

    #[test]
    fn what_is_unknown_does_not_hold_nor_its_negation() {
        let constant = |value| Outcome::Constant(value, crate::table::Type::Int);
        let is = |value| Having::Compare(Comparison::Eq, constant(value), constant(Value::Int(1)));
        let value = |outcome: &Outcome| match outcome {
            Outcome::Constant(value, _) => value.clone(),
            _ => Value::Null,
        };
        let check = |having: &Having, expected| assert_eq!(holds(having, &value), expected, "{having:?}");
        let unknown = || is(Value::Null);
        check(&unknown(), None);
        check(&Having::Not(Box::new(unknown())), None);
        check(&Having::And(vec![unknown(), is(Value::Int(2))]), Some(false));
        check(&Having::And(vec![unknown(), is(Value::Int(1))]), None);
        check(&Having::Or(vec![unknown(), is(Value::Int(1))]), Some(true));
        check(&Having::Or(vec![unknown(), is(Value::Int(2))]), None);
        check(&Having::And(Vec::new()), Some(true));
    }
}
