//! What is known of a query's conditions before it runs.
//!
//! A comparison of constants holds or does not, and so does one with a text that a column has not. What is known is left out, down
//! to choices; where nothing can hold, no row is left. What all alternatives of an `or` say is said once, so that an equation of
//! keys among it can lead from one table to another.

use crate::query::{Aggregate, ColumnOf, Comparison, Condition, Query, Scalar};
use crate::table::{Column, Table, Type, Value, Values};

/// What is left of a condition.
enum Left {
    Known(bool),
    Condition(Condition),
}

/// The query with what is known settled; and its tables, without rows where none can satisfy it.
pub(crate) fn folded(query: Query, tables: Vec<Table>) -> (Query, Vec<Table>) {
    let values = |query: &Query, of: ColumnOf| -> Values {
        tables[query.sources[of.source].table].columns[of.column].values.clone()
    };
    let values = |of| values(&query, of);
    let mut conditions = Vec::new();
    let mut never = false;
    for (condition, span) in &query.conditions {
        match left(condition, &values) {
            Left::Known(holds) => never |= !holds,
            Left::Condition(Condition::And(parts)) => {
                conditions.extend(parts.into_iter().map(|part| (part, *span)))
            }
            Left::Condition(condition) => conditions.push((condition, *span)),
        }
    }
    let mut found = query.clone();
    found.keys.iter_mut().for_each(|(key, _)| *key = scalar(key, &values));
    for (aggregate, _) in &mut found.aggregates {
        if let Aggregate::Sum(inner) | Aggregate::Min(inner) | Aggregate::Max(inner) = aggregate {
            *inner = scalar(inner, &values);
        }
    }
    found.conditions = if never { Vec::new() } else { conditions };
    let tables = if never { tables.iter().map(emptied).collect() } else { tables };
    (found, tables)
}

/// A table without rows.
fn emptied(table: &Table) -> Table {
    let columns = table.columns.iter();
    let columns = columns.map(|column| Column { values: column.values.take(&[]), ..column.clone() });
    Table { columns: columns.collect(), rows: 0, ..table.clone() }
}

fn left(condition: &Condition, values: &dyn Fn(ColumnOf) -> Values) -> Left {
    match condition {
        Condition::Compare(comparison, a, b) => {
            compare(*comparison, scalar(a, values), scalar(b, values), values)
        }
        Condition::Like(..) | Condition::Among(..) => Left::Condition(condition.clone()),
        Condition::Not(inner) => match left(inner, values) {
            Left::Known(holds) => Left::Known(!holds),
            Left::Condition(inner) => Left::Condition(Condition::Not(Box::new(inner))),
        },
        Condition::And(parts) => joined(parts, values, false),
        Condition::Or(parts) => joined(parts, values, true),
    }
}

/// All parts, or one of them: one that is known to be so decides.
fn joined(parts: &[Condition], values: &dyn Fn(ColumnOf) -> Values, decides: bool) -> Left {
    let mut rest = Vec::new();
    for part in parts {
        match (left(part, values), decides) {
            (Left::Known(holds), _) if holds == decides => return Left::Known(decides),
            (Left::Known(_), _) => {}
            (Left::Condition(Condition::Or(parts)), true)
            | (Left::Condition(Condition::And(parts)), false) => {
                rest.extend(parts);
            }
            (Left::Condition(part), _) => rest.push(part),
        }
    }
    match rest.len() {
        0 => Left::Known(!decides),
        1 => rest.pop().map_or(Left::Known(!decides), Left::Condition),
        _ if decides => common(rest),
        _ => Left::Condition(Condition::And(rest)),
    }
}

/// Alternatives, with what all of them say before them.
fn common(alternatives: Vec<Condition>) -> Left {
    let parts = |condition: &Condition| match condition {
        Condition::And(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let mut all: Vec<Vec<Condition>> = alternatives.iter().map(parts).collect();
    let first = all.first().cloned().unwrap_or_default();
    let mut shared: Vec<Condition> = Vec::new();
    for part in first {
        if !shared.contains(&part) && all.iter().all(|parts| parts.contains(&part)) {
            shared.push(part);
        }
    }
    if shared.is_empty() {
        return Left::Condition(Condition::Or(alternatives));
    }
    all.iter_mut().for_each(|parts| parts.retain(|part| !shared.contains(part)));
    // An alternative that says nothing more holds wherever these do.
    if all.iter().all(|parts| !parts.is_empty()) {
        let one = |mut parts: Vec<Condition>| match parts.len() {
            1 => parts.pop().unwrap_or(Condition::And(Vec::new())),
            _ => Condition::And(parts),
        };
        shared.push(Condition::Or(all.into_iter().map(one).collect()));
    }
    Left::Condition(match shared.len() {
        1 => shared.pop().unwrap_or(Condition::And(Vec::new())),
        _ => Condition::And(shared),
    })
}

fn compare(comparison: Comparison, a: Scalar, b: Scalar, values: &dyn Fn(ColumnOf) -> Values) -> Left {
    let holds = |of: &dyn Fn(Comparison) -> bool| Left::Known(of(comparison));
    match (&a, &b) {
        (Scalar::Constant(a, _), Scalar::Constant(b, _)) => {
            holds(&|comparison| comparison.holds(a.compare(b)))
        }
        // Whatever it is, it is equal to itself.
        _ if a == b => holds(&|comparison| comparison.holds(std::cmp::Ordering::Equal)),
        (Scalar::Column(of, Type::Text), Scalar::Constant(Value::Text(text), _))
        | (Scalar::Constant(Value::Text(text), _), Scalar::Column(of, Type::Text))
            if matches!(comparison, Comparison::Eq | Comparison::Ne) && !has(&values(*of), text) =>
        {
            Left::Known(comparison == Comparison::Ne)
        }
        // Both ways it says the same.
        (Scalar::Column(x, _), Scalar::Column(y, _))
            if matches!(comparison, Comparison::Eq | Comparison::Ne) && y < x =>
        {
            Left::Condition(Condition::Compare(comparison, b, a))
        }
        _ => Left::Condition(Condition::Compare(comparison, a, b)),
    }
}

/// Is the text one of the column's?
fn has(values: &Values, text: &str) -> bool {
    match values {
        Values::Text(texts, _) => texts.binary_search_by(|known| known.as_str().cmp(text)).is_ok(),
        _ => true,
    }
}

/// A value without choices that are settled.
fn scalar(value: &Scalar, values: &dyn Fn(ColumnOf) -> Values) -> Scalar {
    match value {
        Scalar::Column(..) | Scalar::Constant(..) | Scalar::Part(..) => value.clone(),
        Scalar::Convert(inner, ty) => Scalar::Convert(Box::new(scalar(inner, values)), *ty),
        Scalar::Binary(operation, a, b, ty) => {
            Scalar::Binary(*operation, Box::new(scalar(a, values)), Box::new(scalar(b, values)), *ty)
        }
        Scalar::Case(condition, a, b, ty) => match left(condition, values) {
            Left::Known(true) => scalar(a, values),
            Left::Known(false) => scalar(b, values),
            Left::Condition(condition) => {
                let (a, b) = (scalar(a, values), scalar(b, values));
                Scalar::Case(Box::new(condition), Box::new(a), Box::new(b), *ty)
            }
        },
    }
}
