//! What the values along the axes of relations are.
//!
//! All columns of one size share a dictionary: their distinct values in order. Or the call says how many
//! there are; then they are the integers from 0, whether or not they occur, as the vertices of a graph do of
//! which some have no edge.

use super::{Given, MOST_ELEMENTS, Refusal};
use crate::query::Value;
use atl_diag::err;
use atl_query::table::Type;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// The values along an axis.
pub(super) struct Axis {
    ty: Type,
    /// In order, each once.
    pub(super) values: Vec<Value>,
    /// Is it said how many there are?
    is_said: bool,
}

pub(super) type Domains<'a> = BTreeMap<&'a str, Axis>;

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.values[..], self.values.len()) {
            ([], _) => f.write_str("no value"),
            ([one], _) => write!(f, "{one} alone"),
            ([first, .., last], count) => write!(f, "{count} values, from {first} to {last}"),
        }
    }
}

/// The values of each size: those of its columns, or as many integers as the call says.
pub(super) fn domains<'a>(
    given: &'a [Given<'a>],
    said: &[&'a (String, String)],
) -> Result<Domains<'a>, Refusal> {
    let mut domains: Domains<'a> = BTreeMap::new();
    for (name, text) in said {
        let count = text.parse().ok().filter(|count| (0..=MOST_ELEMENTS as i64).contains(count));
        let count = count.ok_or_else(|| {
            let message = err!(E0521, "`{text}` is not a number of values, which `{name}` is to be");
            let help = format!(
                "`--set {name}=N` gives this axis the integers from 0, at most {MOST_ELEMENTS} of them"
            );
            Box::new(message.help(help))
        })?;
        let values = (0..count).map(Value::Int).collect();
        domains.insert(name, Axis { ty: Type::Int, values, is_said: true });
    }
    for Given { wanted, table, keys, .. } in given {
        for (name, column) in wanted.axes.iter().zip(keys) {
            let values = &table.columns[*column].values;
            let ty = values.ty();
            let axis = domains.entry(name).or_insert_with(|| Axis { ty, values: Vec::new(), is_said: false });
            // A column without values meets any.
            if values.is_empty() {
                continue;
            } else if axis.values.is_empty() && !axis.is_said {
                axis.ty = ty;
            }
            if ty == Type::Float || ty != axis.ty {
                let message = err!(E0550, wanted.span, "the column `{name}` of `{}` holds {ty}", wanted.name);
                return Err(Box::new(message.label("declared here").help(match (ty, axis.is_said) {
                    (_, true) => format!("`--set {name}` says that its values are the integers from 0"),
                    (Type::Float, _) => {
                        "floating-point numbers are no keys; what is equal is not certain of them".to_owned()
                    }
                    _ => {
                        let known = axis.ty;
                        format!(
                            "another column of `{name}` holds {known}, and rows meet where values are equal"
                        )
                    }
                })));
            }
            let all = (0..values.len()).filter_map(|row| values.get(row));
            if axis.is_said {
                let count = axis.values.len();
                let below = |value: &Value| matches!(value, Value::Int(n) if usize::try_from(*n).is_ok_and(|n| n < count));
                if let Some(outside) = all.into_iter().find(|value| !below(value)) {
                    let message =
                        err!(E0550, wanted.span, "the column `{name}` of `{}` holds {outside}", wanted.name);
                    return Err(Box::new(message.label("declared here").help(format!(
                        "`--set {name}={count}` says that its values are the integers from 0 to below {count}"
                    ))));
                }
            } else {
                axis.values.extend(all);
                axis.values.sort_by(Value::compare);
                axis.values.dedup_by(|a, b| a.compare(b) == Ordering::Equal);
            }
        }
    }
    Ok(domains)
}
