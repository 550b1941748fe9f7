//! What is known of a query's conditions before it runs.
//!
//! A comparison of constants holds or does not, and so does one with a text that a column has not, with a
//! number or a date beyond all that an expression can be, or with a fraction where it is whole. What is known
//! is left out, down to choices; where nothing can hold, no row is left. What all alternatives of an `or` say
//! stands once, so that an equation of keys among it can lead from one table to another.

use crate::bounds::{ends, interval};
use crate::query::{Aggregate, ColumnOf, Comparison, Condition, Operation, Query, Scalar};
use crate::table::{Column, Table, Type, Value, Values, power};
use atl_diag::{FileId, Span};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What is left of a condition.
enum Left {
    Known(bool),
    Condition(Condition),
}

/// What the columns of a query hold.
struct Columns<'c> {
    values: &'c dyn Fn(ColumnOf) -> Values,
    /// The least and the greatest of those that were looked at.
    ends: &'c RefCell<BTreeMap<ColumnOf, Option<(i64, i64)>>>,
}

impl Columns<'_> {
    fn ends(&self, of: ColumnOf) -> Option<(i64, i64)> {
        *self.ends.borrow_mut().entry(of).or_insert_with(|| ends(&(self.values)(of)))
    }
}

/// The query with what is known settled; and its tables, without rows where none can satisfy it.
pub(crate) fn folded(query: Query, tables: Vec<Table>) -> (Query, Vec<Table>) {
    let of_column = |of: ColumnOf| tables[query.sources[of.source].table].columns[of.column].values.clone();
    let seen = RefCell::default();
    let columns = Columns { values: &of_column, ends: &seen };
    let mut conditions = Vec::new();
    let mut never = false;
    for (condition, span) in &query.conditions {
        match left(condition, &columns) {
            Left::Known(holds) => never |= !holds,
            Left::Condition(Condition::And(parts)) => {
                conditions.extend(parts.into_iter().map(|part| (part, *span)))
            }
            Left::Condition(condition) => conditions.push((condition, *span)),
        }
    }
    let mut found = query.clone();
    found.keys.iter_mut().for_each(|(key, _)| *key = scalar(key, &columns));
    for (aggregate, _) in &mut found.aggregates {
        if let Aggregate::Sum(inner) | Aggregate::Min(inner) | Aggregate::Max(inner) = aggregate {
            *inner = scalar(inner, &columns);
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

fn left(condition: &Condition, columns: &Columns<'_>) -> Left {
    match condition {
        Condition::Compare(comparison, a, b) => {
            compare(*comparison, scalar(a, columns), scalar(b, columns), columns)
        }
        Condition::Like(..) | Condition::Among(..) => Left::Condition(condition.clone()),
        Condition::Not(inner) => match left(inner, columns) {
            Left::Known(holds) => Left::Known(!holds),
            Left::Condition(inner) => Left::Condition(Condition::Not(Box::new(inner))),
        },
        Condition::And(parts) => joined(parts, columns, false),
        Condition::Or(parts) => joined(parts, columns, true),
    }
}

/// All parts, or one of them: one that is known to be so decides.
fn joined(parts: &[Condition], columns: &Columns<'_>, decides: bool) -> Left {
    let mut rest = Vec::new();
    for part in parts {
        match (left(part, columns), decides) {
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

fn compare(comparison: Comparison, a: Scalar, b: Scalar, columns: &Columns<'_>) -> Left {
    let holds = |of: &dyn Fn(Comparison) -> bool| Left::Known(of(comparison));
    match (&a, &b) {
        (Scalar::Constant(a, _), Scalar::Constant(b, _)) => {
            holds(&|comparison| comparison.holds(a.compare(b)))
        }
        // Whatever it is, it is equal to itself.
        _ if a == b => holds(&|comparison| comparison.holds(Ordering::Equal)),
        (Scalar::Column(of, Type::Text), Scalar::Constant(Value::Text(text), _))
        | (Scalar::Constant(Value::Text(text), _), Scalar::Column(of, Type::Text))
            if matches!(comparison, Comparison::Eq | Comparison::Ne)
                && !has(&(columns.values)(*of), text) =>
        {
            Left::Known(comparison == Comparison::Ne)
        }
        // Both ways it says the same.
        (Scalar::Column(x, _), Scalar::Column(y, _))
            if matches!(comparison, Comparison::Eq | Comparison::Ne) && y < x =>
        {
            Left::Condition(Condition::Compare(comparison, b, a))
        }
        _ => match apart(&a, &b, columns) {
            Some(order) => Left::Known(comparison.holds(order)),
            _ if matches!(comparison, Comparison::Eq | Comparison::Ne) && never_meet(&a, &b) => {
                Left::Known(comparison == Comparison::Ne)
            }
            _ => Left::Condition(Condition::Compare(comparison, a, b)),
        },
    }
}

/// The order of two exact numbers or dates in every row, if it is always one.
fn apart(a: &Scalar, b: &Scalar, columns: &Columns<'_>) -> Option<Ordering> {
    let is_exact = |ty: Type| ty == Type::Date || ty.scale().is_some();
    if a.ty() != b.ty() || !is_exact(a.ty()) {
        return None;
    }
    let of = |scalar: &Scalar| interval(scalar, &|of| columns.ends(of), Span::new(FileId(0), 0, 0)).ok();
    let ((least, most), (low, high)) = (of(a)?, of(b)?);
    if most < low {
        return Some(Ordering::Less);
    }
    (high < least).then_some(Ordering::Greater)
}

/// Is one a constant with a fraction that the other has not, as 1.5 is of what whole numbers make?
fn never_meet(a: &Scalar, b: &Scalar) -> bool {
    let is = |of: &Scalar, constant: &Scalar| match constant {
        Scalar::Constant(Value::Decimal(value, _), _) if of.ty() == constant.ty() => {
            step(of).is_some_and(|step| step > 1 && value % step != 0)
        }
        _ => false,
    };
    is(a, b) || is(b, a)
}

/// A number of which every value of an exact expression, without its point, is a multiple.
fn step(of: &Scalar) -> Option<i128> {
    match of {
        Scalar::Convert(inner, ty) => {
            let digits = ty.scale()?.checked_sub(inner.ty().scale()?)?;
            power(digits)?.checked_mul(step(inner)?)
        }
        Scalar::Constant(Value::Decimal(value, _), _) => value.checked_abs(),
        Scalar::Binary(Operation::Add | Operation::Sub, a, b, _) | Scalar::Case(_, a, b, _) => {
            Some(divisor(step(a)?, step(b)?))
        }
        Scalar::Binary(Operation::Mul, a, b, _) => step(a)?.checked_mul(step(b)?),
        _ => Some(1),
    }
}

/// The greatest common divisor.
fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Is the text one of the column's?
fn has(values: &Values, text: &str) -> bool {
    match values {
        Values::Text(texts, _) => texts.binary_search_by(|known| known.as_str().cmp(text)).is_ok(),
        _ => true,
    }
}

/// A value without choices that are settled.
fn scalar(value: &Scalar, columns: &Columns<'_>) -> Scalar {
    match value {
        Scalar::Column(..) | Scalar::Constant(..) | Scalar::Part(..) => value.clone(),
        Scalar::Convert(inner, ty) => Scalar::Convert(Box::new(scalar(inner, columns)), *ty),
        Scalar::Binary(operation, a, b, ty) => {
            Scalar::Binary(*operation, Box::new(scalar(a, columns)), Box::new(scalar(b, columns)), *ty)
        }
        Scalar::Case(condition, a, b, ty) => match left(condition, columns) {
            Left::Known(true) => scalar(a, columns),
            Left::Known(false) => scalar(b, columns),
            Left::Condition(condition) => {
                let (a, b) = (scalar(a, columns), scalar(b, columns));
                Scalar::Case(Box::new(condition), Box::new(a), Box::new(b), *ty)
            }
        },
    }
}
