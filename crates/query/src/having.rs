//! `having`: which groups are wanted.
//!
//! By now a group is its key and its sums. What has no value, as the sum of no rows, is neither equal to
//! anything nor different from it: such a comparison is unknown, and a group is kept only where the condition
//! is known to hold.

use crate::order::order;
use crate::query::{Having, Outcome};
use crate::table::Value;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Comparison;

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
