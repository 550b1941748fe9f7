//! Tables that meet in several columns meet in one: the tuple of these.
//!
//! The one idea: where two tables are equal in several columns, each gets one more, the place of
//! its row's tuple among those of both, and one equation says what several did. So a row finds its partners
//! by all of the columns at once.

use crate::groups::pair_numbers;
use crate::key_domains::{encode, encode_numbers, equation};
use crate::query::{ColumnOf, Comparison, Condition, Query, Scalar};
use crate::table::{Column, Table, Type, Values};
use crate::text::Refusal;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The query with one equation for each two tables, and a table for each of its sources.
///
/// # Errors
/// Columns that are compared do not fit 64 bits with all their digits.
pub(crate) fn paired(query: Query, tables: &[Table]) -> Result<(Query, Vec<Table>), Refusal> {
    let mut tables: Vec<Table> = query.sources.iter().map(|of| tables[of.table].clone()).collect();
    let mut query = query;
    query.sources.iter_mut().enumerate().for_each(|(at, source)| source.table = at);
    let mut equations: BTreeMap<(usize, usize), Vec<(ColumnOf, ColumnOf)>> = BTreeMap::new();
    for (condition, _) in &query.conditions {
        let Some((a, b)) = equation(condition).filter(|(a, b)| a.source != b.source) else { continue };
        let (a, b) = if a.source < b.source { (a, b) } else { (b, a) };
        let known = equations.entry((a.source, b.source)).or_default();
        if !known.contains(&(a, b)) {
            known.push((a, b));
        }
    }
    for ((first, second), columns) in equations.into_iter().filter(|(_, columns)| columns.len() > 1) {
        let values = |of: ColumnOf| &tables[of.source].columns[of.column].values;
        let rows = [first, second].map(|source| tables[source].rows);
        let mut codes = rows.map(|rows| vec![0i32; rows]);
        let mut is_key = false;
        for (a, b) in &columns {
            let span = query.sources[first].span;
            let (size, own) = encode(&[values(*a), values(*b)], span)?;
            is_key |= own.iter().any(|codes| are_distinct(codes, size));
            let numbers: Vec<Vec<i64>> =
                codes.iter().zip(&own).map(|(codes, own)| pair_numbers(codes, own, size)).collect();
            let (_, both) = encode_numbers(&numbers);
            codes = both.try_into().unwrap_or_default();
        }
        // A key leads to one row by itself.
        if is_key {
            continue;
        }
        let own = [first, second].map(|source| ColumnOf { source, column: tables[source].columns.len() });
        let parts = [columns.iter().map(|(a, _)| *a).collect(), columns.iter().map(|(_, b)| *b).collect()];
        let names = parts.map(|parts: Vec<ColumnOf>| {
            let name = |of: &ColumnOf| tables[of.source].columns[of.column].name.clone();
            parts.iter().map(name).collect::<Vec<_>>().join(" and ")
        });
        for ((of, codes), name) in own.iter().zip(codes).zip(names) {
            let values = Values::Int(Arc::new(codes.into_iter().map(i64::from).collect()));
            tables[of.source].columns.push(Column { name, values, text_by: None });
        }
        let says = |condition: &Condition| {
            let found = equation(condition);
            found.is_some_and(|(a, b)| columns.contains(&(a, b)) || columns.contains(&(b, a)))
        };
        let span = query.conditions.iter().find(|(condition, _)| says(condition)).map(|(_, span)| *span);
        query.conditions.retain(|(condition, _)| !says(condition));
        let [a, b] = own.map(|of| Scalar::Column(of, Type::Int));
        query.conditions.push((Condition::Compare(Comparison::Eq, a, b), span.unwrap_or_default()));
    }
    Ok((query, tables))
}

fn are_distinct(codes: &[i32], size: usize) -> bool {
    let mut seen = vec![false; size];
    codes.iter().all(|code| !std::mem::replace(&mut seen[usize::try_from(*code).unwrap_or(0)], true))
}
