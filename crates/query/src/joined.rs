//! Rows of several tables that stand together, as one table.
//!
//! Where keys of several tables make more combinations than there are rows that meet, the rows that meet are
//! put together first, as the plan says, with the columns that are read; then everything is of one table.
//! Conditions are looked at as soon as they can be.

use crate::groups::codes;
use crate::key_domains::{KeyDomain, equation};
use crate::plan::{Access, Reached};
use crate::program::{beginnings, by_codes};
use crate::query::{Aggregate, ColumnOf, Condition, Query, Scalar, Source};
use crate::rows::Rows;
use crate::table::{Column, Table};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most numbers that rows may have that are put together.
const MOST_NUMBERS: usize = 1 << 28;

/// The query over the rows that stand together; none where more than this number would.
pub(crate) fn joined(
    query: &Query,
    tables: &[Table],
    domains: &[KeyDomain],
    plan: &[Reached],
    most: u128,
) -> Option<(Query, Table)> {
    let columns = columns(query);
    let each = columns.len() + query.sources.len();
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(MOST_NUMBERS / each.max(1));
    let mut rows = Rows { query, tables, len: 1, of: vec![None; query.sources.len()] };
    for reached in plan {
        extend(&mut rows, domains, reached, most)?;
        retain(&mut rows, domains, reached.source);
    }
    let column = |of: &ColumnOf| {
        let known = &tables[query.sources[of.source].table].columns[of.column];
        let values = match &rows.of[of.source] {
            Some(rows) => known.values.take(rows),
            None => known.values.clone(),
        };
        Column { name: known.name.clone(), values, text_by: None }
    };
    let columns: Vec<ColumnOf> = columns.into_iter().collect();
    let table = Table {
        name: "together".to_owned(),
        header: Vec::new(),
        columns: columns.iter().map(column).collect(),
        rows: rows.len,
        remarks: Vec::new(),
    };
    let places = columns.iter().enumerate().map(|(column, of)| (*of, ColumnOf { source: 0, column }));
    Some((renamed(query, &places.collect()), table))
}

/// The columns that are read when equations are settled.
fn columns(query: &Query) -> std::collections::BTreeSet<ColumnOf> {
    let mut found = std::collections::BTreeSet::new();
    let mut add = |of| {
        found.insert(of);
    };
    query.keys.iter().for_each(|(key, _)| key.columns(&mut add));
    let conditions = query.conditions.iter().filter(|(condition, _)| equation(condition).is_none());
    conditions.for_each(|(condition, _)| condition.columns(&mut add));
    for (aggregate, _) in &query.aggregates {
        if let Aggregate::Sum(scalar) | Aggregate::Min(scalar) | Aggregate::Max(scalar) = aggregate {
            scalar.columns(&mut add);
        }
    }
    found
}

/// One more source.
fn extend(rows: &mut Rows<'_>, domains: &[KeyDomain], reached: &Reached, most: usize) -> Option<()> {
    let source = reached.source;
    let count = rows.tables[rows.query.sources[source].table].rows;
    // The rows of each key stand together, or all of them do.
    let (order, begins, wanted) = match reached.access {
        Access::Loop => {
            let count = u32::try_from(count).ok()?;
            ((0..count).collect(), vec![0, i32::try_from(count).ok()?], vec![0; rows.len])
        }
        Access::Lookup { domain, key, from } | Access::Index { domain, key, from, .. } => {
            let (own, size) = (codes(domains, domain, key), domains[domain].size);
            let wanted = codes(domains, domain, from);
            let places = rows.of[from.source].as_deref()?;
            let wanted = places.iter().map(|row| wanted[*row as usize]).collect();
            (by_codes(&own, size), beginnings(&own, size), wanted)
        }
    };
    let part = |code: &i32| {
        let code = usize::try_from(*code).unwrap_or(0);
        let place = |at: usize| usize::try_from(begins[at]).unwrap_or(0);
        place(code)..place(code + 1)
    };
    let total = wanted.iter().try_fold(0usize, |total, code| total.checked_add(part(code).len()))?;
    if total > most {
        return None;
    }
    let of = rows.of.iter().map(|known| {
        let known = known.as_ref()?;
        let again =
            known.iter().zip(&wanted).flat_map(|(row, code)| std::iter::repeat_n(*row, part(code).len()));
        Some(Arc::new(again.collect::<Vec<u32>>()))
    });
    rows.of = of.collect();
    let own = wanted.iter().flat_map(|code| order[part(code)].iter().copied());
    rows.of[source] = Some(Arc::new(own.collect()));
    rows.len = total;
    Some(())
}

/// Those of which the conditions hold that can be looked at since this source is there.
fn retain(rows: &mut Rows<'_>, domains: &[KeyDomain], source: usize) {
    let query = rows.query;
    for (condition, _) in &query.conditions {
        let (mut is_known, mut names_it) = (true, false);
        condition.columns(&mut |of| {
            is_known &= rows.of[of.source].is_some();
            names_it |= of.source == source;
        });
        if !is_known || !names_it {
            continue;
        }
        let hold = match equation(condition) {
            Some((a, b)) => equal(rows, domains, a, b),
            None => rows.hold(condition),
        };
        if hold.iter().all(|holds| *holds) {
            continue;
        }
        for known in rows.of.iter_mut().flatten() {
            let left = known.iter().zip(&hold).filter_map(|(row, holds)| holds.then_some(*row));
            *known = Arc::new(left.collect());
        }
        rows.len = hold.iter().filter(|holds| **holds).count();
    }
}

/// Whether two columns have the same key.
fn equal(rows: &Rows<'_>, domains: &[KeyDomain], a: ColumnOf, b: ColumnOf) -> Vec<bool> {
    let domain = domains.iter().position(|domain| domain.codes.contains_key(&a)).unwrap_or(0);
    let (first, second) = (codes(domains, domain, a), codes(domains, domain, b));
    match (&rows.of[a.source], &rows.of[b.source]) {
        (Some(x), Some(y)) => {
            let same = |(x, y): (&u32, &u32)| first[*x as usize] == second[*y as usize];
            x.iter().zip(y.iter()).map(same).collect()
        }
        _ => vec![true; rows.len],
    }
}

/// The query over one table, whose columns are these.
fn renamed(query: &Query, places: &BTreeMap<ColumnOf, ColumnOf>) -> Query {
    let mut query = query.clone();
    let mut rename = |of: &mut ColumnOf| *of = places.get(of).copied().unwrap_or(*of);
    query.conditions.retain(|(condition, _)| equation(condition).is_none());
    query.conditions.iter_mut().for_each(|(condition, _)| of_condition(condition, &mut rename));
    query.keys.iter_mut().for_each(|(key, _)| of_scalar(key, &mut rename));
    for (aggregate, _) in &mut query.aggregates {
        if let Aggregate::Sum(scalar) | Aggregate::Min(scalar) | Aggregate::Max(scalar) = aggregate {
            of_scalar(scalar, &mut rename);
        }
    }
    let span = query.sources.first().map(|source| source.span).unwrap_or_default();
    query.sources = vec![Source { alias: "together".to_owned(), table: 0, span }];
    query
}

fn of_scalar(scalar: &mut Scalar, each: &mut dyn FnMut(&mut ColumnOf)) {
    match scalar {
        Scalar::Column(of, _) | Scalar::Part(_, of) => each(of),
        Scalar::Constant(..) => {}
        Scalar::Convert(inner, _) => of_scalar(inner, each),
        Scalar::Binary(_, a, b, _) => {
            of_scalar(a, each);
            of_scalar(b, each);
        }
        Scalar::Case(condition, a, b, _) => {
            of_condition(condition, each);
            of_scalar(a, each);
            of_scalar(b, each);
        }
    }
}

fn of_condition(condition: &mut Condition, each: &mut dyn FnMut(&mut ColumnOf)) {
    match condition {
        Condition::Compare(_, a, b) => {
            of_scalar(a, each);
            of_scalar(b, each);
        }
        Condition::Like(of, _) | Condition::Among(of, _) => each(of),
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter_mut().for_each(|part| of_condition(part, each))
        }
        Condition::Not(inner) => of_condition(inner, each),
    }
}
