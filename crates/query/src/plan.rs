//! Plans: in which order a query's tables are read, and how each row finds its partners.
//!
//! One table drives: all its rows are read in order. Each other one is reached by an equation from those
//! before it:
//!
//! * by **lookup**, where its column has each key once: the key's code says which row it is, and there is no loop;
//! * by **index**, where a key may have several rows: those stand together, and an array says where they begin; if another equation says
//!   more of them, they stand in the order of its column, and are searched;
//! * by **loop** over all its rows, where no equation reaches it.
//!
//! A plan is chosen by how many rows all this meets, as keys are spread on average, and as conditions are
//! guessed to hold: an equation for one row in ten, an order for three, and an equation that closes a circle
//! for one key of all. It decides nothing about the result. Tables that are reached are stored by their keys.

use crate::key_domains::{KeyDomain, equation};
use crate::query::{ColumnOf, Comparison, Condition, Query};
use crate::table::Table;

/// How the rows of a source are found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Access {
    /// All are read in order.
    Loop,
    /// At most one has the key that the class's other column has.
    Lookup { domain: usize, key: ColumnOf, from: ColumnOf },
    /// Those that have the key; where another equation closes a circle, those that have its key are searched
    /// among them.
    Index { domain: usize, key: ColumnOf, from: ColumnOf, closing: Option<Closing> },
}

/// An equation that closes a circle: a column of a source that is reached, and the one of its class that was
/// reached first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Closing {
    pub(crate) key: ColumnOf,
    pub(crate) from: ColumnOf,
}

/// A source and how its rows are found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Reached {
    pub(crate) source: usize,
    pub(crate) access: Access,
    /// How many rows are expected to be met, with those of the sources before.
    pub(crate) met: f64,
    /// How many of these are expected to satisfy the conditions that can be looked at by then.
    pub(crate) rows: f64,
}

/// How many places a search looks at.
const LOOKS: f64 = 4.0;

/// The part of rows for which a condition is guessed to hold.
fn likely(condition: &Condition) -> f64 {
    match condition {
        Condition::Compare(Comparison::Eq, ..) | Condition::Like(..) => 0.1,
        Condition::Compare(Comparison::Ne, ..) => 0.9,
        Condition::Compare(..) => 0.3,
        Condition::And(parts) => parts.iter().map(likely).product(),
        Condition::Or(parts) => parts.iter().map(likely).sum::<f64>().min(1.0),
        Condition::Among(..) => 0.5,
        Condition::Not(inner) => 1.0 - likely(inner),
    }
}

/// The sources, in order.
pub(crate) fn plan(query: &Query, tables: &[Table], domains: &[KeyDomain]) -> Vec<Reached> {
    let rows = |source: usize| tables[query.sources[source].table].rows;
    let keys: Vec<Key> = keys(query, domains, &rows);
    let plans = (0..query.sources.len()).map(|driver| from(driver, query, &rows, &keys));
    let cost = |plan: &Vec<Reached>| plan.iter().map(|reached| reached.met).sum::<f64>();
    // The first of the best.
    plans.reduce(|best, other| if cost(&other) < cost(&best) { other } else { best }).unwrap_or_default()
}

/// A column that a class has.
#[derive(Clone, Copy)]
struct Key {
    domain: usize,
    column: ColumnOf,
    /// Rows for each key that is there; one for each at most where they are distinct.
    each: f64,
    is_unique: bool,
}

/// The columns of classes that an equation of the query makes, texts that are only compared left out.
fn keys(query: &Query, domains: &[KeyDomain], rows: &dyn Fn(usize) -> usize) -> Vec<Key> {
    let equal = |column: ColumnOf| {
        let pairs = query.conditions.iter().filter_map(|(condition, _)| equation(condition));
        pairs.into_iter().any(|(a, b)| a == column || b == column)
    };
    let mut keys = Vec::new();
    for (domain, KeyDomain { size, codes }) in domains.iter().enumerate() {
        for (column, codes) in codes.iter().filter(|(column, _)| equal(**column)) {
            let mut seen = vec![false; *size];
            let mut distinct = 0usize;
            for code in codes.iter() {
                let there = &mut seen[usize::try_from(*code).unwrap_or(0)];
                distinct += usize::from(!std::mem::replace(there, true));
            }
            let rows = rows(column.source);
            let each = rows as f64 / distinct.max(1) as f64;
            keys.push(Key { domain, column: *column, each, is_unique: distinct == rows });
        }
    }
    keys
}

/// The part of rows that is left when a source is reached after others.
fn left(query: &Query, plan: &[Reached], source: usize) -> f64 {
    let is_ready = |condition: &Condition| {
        let (mut is_known, mut names_it) = (true, false);
        condition.columns(&mut |of| {
            is_known &= of.source == source || plan.iter().any(|reached| reached.source == of.source);
            names_it |= of.source == source;
        });
        is_known && names_it && equation(condition).is_none()
    };
    query.conditions.iter().filter(|(condition, _)| is_ready(condition)).map(|(c, _)| likely(c)).product()
}

/// The plan that this source drives.
fn from(driver: usize, query: &Query, rows: &dyn Fn(usize) -> usize, keys: &[Key]) -> Vec<Reached> {
    let met = rows(driver) as f64;
    let mut plan =
        vec![Reached { source: driver, access: Access::Loop, met, rows: met * left(query, &[], driver) }];
    while plan.len() < query.sources.len() {
        let expected = plan.last().map_or(0.0, |reached| reached.rows);
        let is_reached = |source: usize| plan.iter().any(|reached| reached.source == source);
        let from_of = |key: &Key| {
            // The first that was reached.
            let partners =
                keys.iter().filter(|other| other.domain == key.domain && is_reached(other.column.source));
            let place = |other: &&Key| plan.iter().position(|reached| reached.source == other.column.source);
            partners.min_by_key(place).map(|other| other.column)
        };
        let next = keys.iter().filter(|key| !is_reached(key.column.source));
        let next = next.filter_map(|key| from_of(key).map(|from| (key, from)));
        let each = |key: &Key| if key.is_unique { 1.0 } else { key.each };
        // What else is equal to a column that was reached closes a circle, and holds for one key of all.
        let is_other = |key: &Key, other: &Key| {
            other.column.source == key.column.source && other.domain != key.domain && from_of(other).is_some()
        };
        let closes = |key: &Key| {
            let others = keys.iter().filter(|other| is_other(key, other));
            others.map(|other| other.each / (rows(other.column.source) as f64).max(1.0)).product::<f64>()
        };
        let after = |key: &Key| each(key) * closes(key) * left(query, &plan, key.column.source);
        let next = next.min_by(|(a, _), (b, _)| {
            let by_rows = after(a).total_cmp(&after(b));
            by_rows.then((!a.is_unique).cmp(&!b.is_unique)).then(a.column.cmp(&b.column))
        });
        let reached = match next {
            Some((key, from)) => {
                let Key { domain, column, is_unique, .. } = *key;
                let access = if is_unique {
                    Access::Lookup { domain, key: column, from }
                } else {
                    let others = keys.iter().filter(|other| is_other(key, other));
                    let closing =
                        others.min_by(|a, b| a.each.total_cmp(&b.each).then(a.column.cmp(&b.column)));
                    let closing =
                        closing.and_then(|other| Some(Closing { key: other.column, from: from_of(other)? }));
                    Access::Index { domain, key: column, from, closing }
                };
                // A search looks at some places, too.
                let met = match access {
                    Access::Index { closing: Some(_), .. } => each(key).min(LOOKS + each(key) * closes(key)),
                    _ => each(key),
                };
                Reached { source: column.source, access, met: expected * met, rows: expected * after(key) }
            }
            None => {
                let rest = (0..query.sources.len()).filter(|source| !is_reached(*source));
                let source = rest.min_by_key(|source| rows(*source)).unwrap_or(driver);
                let met = expected * rows(source) as f64;
                Reached { source, access: Access::Loop, met, rows: met * left(query, &plan, source) }
            }
        };
        plan.push(reached);
    }
    plan
}
