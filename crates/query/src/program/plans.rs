//! From a query to its program: in which order its tables are read, what its rows are put into groups by, and
//! whether they are put together first.

use super::{MOST_CELLS, Program, program};
use crate::bounds::{condition_fits, ends};
use crate::groups::{Grouping, Groups, grouping, too_many};
use crate::joined::joined;
use crate::query::Query;
use crate::sql::unsupported;
use crate::table::Table;
use crate::text::Refusal;
use crate::{contraction, diamond, key_domains, plan, triangle_join};

/// A query, its program, and in words the order in which its tables are read. The query may have become one
/// over rows that are put together first.
///
/// # Errors
/// Sums may leave 64 bits, or there may be too many groups.
pub(crate) fn planned(query: Query, tables: Vec<Table>) -> Result<(Query, Program, String), Refusal> {
    let domains = key_domains::key_domains(&query, &tables)?;
    if let Some(program) = triangle_join::program(&query, &domains) {
        return Ok((query, program, triangle_join::ORDER.to_owned()));
    }
    if let Some(program) = diamond::program(&query, &domains) {
        return Ok((query, program, diamond::ORDER.to_owned()));
    }
    let plan = plan::plan(&query, &tables, &domains);
    let order = contraction::order(&query, &tables, &plan);
    let written = |groups: &Groups| program(&query, &tables, &domains, &plan, groups);
    let (most, groups) = match grouping(&query, &tables, &domains, &plan)? {
        Grouping::By(groups) => {
            let program = written(&groups)?;
            return Ok((query, program, order));
        }
        // A row that is put together takes as much as several cells.
        Grouping::Either(groups, cells) => (cells / 4, Some(groups)),
        Grouping::Joined => (u128::MAX, None),
    };
    // Conditions are looked at when rows are put together, so they fit before.
    for (condition, span) in &query.conditions {
        condition_fits(condition, &|of| ends(&tables[of.source].columns[of.column].values), *span)?;
    }
    match (joined(&query, &tables, &domains, &plan, most), groups) {
        (Some((query, table)), _) => {
            let order =
                format!("{order}The rows that meet are put together first: {} of them.\n", table.rows);
            let tables = [table];
            let domains = key_domains::key_domains(&query, &tables)?;
            let plan = plan::plan(&query, &tables, &domains);
            let Grouping::By(groups) = grouping(&query, &tables, &domains, &plan)? else {
                let span = query.sources.first().map(|source| source.span).unwrap_or_default();
                return Err(unsupported(span, "this"));
            };
            let program = program(&query, &tables, &domains, &plan, &groups)?;
            Ok((query, program, order))
        }
        (None, Some(groups)) => {
            let program = written(&groups)?;
            Ok((query, program, order))
        }
        (None, None) => {
            let spans = query.aggregates.iter().map(|(_, span)| *span);
            let span = spans.chain(query.keys.iter().map(|(_, span)| *span)).last();
            Err(too_many(MOST_CELLS, span.unwrap_or_default()))
        }
    }
}
