//! The values of a part of a group's key, by the codes that index a result.

use crate::table::{Value, Values};

/// The values of a part of the key, by its code.
#[derive(Clone, PartialEq, Debug)]
pub enum Domain {
    /// Distinct values, in order.
    Values(Values),
    /// Integers, from this one on.
    From(i64, usize),
    /// Tuples: values of these parts of the key.
    Tuples(Vec<usize>, Vec<Values>),
}

impl Domain {
    /// How many codes there are.
    pub fn len(&self) -> usize {
        match self {
            Domain::Values(values) => values.len(),
            Domain::From(_, len) => *len,
            Domain::Tuples(_, parts) => parts.first().map_or(0, Values::len),
        }
    }

    /// Is there no code?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts the values that a code denotes into a key, whose part this is unless it is several.
    pub(crate) fn place(&self, code: usize, part: usize, key: &mut [Value]) {
        let mut put = |part: usize, value: Value| {
            if let Some(place) = key.get_mut(part) {
                *place = value;
            }
        };
        match self {
            Domain::Values(values) => put(part, values.get(code).unwrap_or(Value::Null)),
            Domain::From(first, _) => put(part, Value::Int(first.saturating_add_unsigned(code as u64))),
            Domain::Tuples(parts, values) => {
                let each = parts.iter().zip(values);
                each.for_each(|(part, values)| put(*part, values.get(code).unwrap_or(Value::Null)));
            }
        }
    }
}
