//! Groups: as many as there may be rows of, not as many as there are combinations of keys.
//!
//! A few combinations of the keys' values are a cell each. Where there would be many, the one idea: rows of
//! one table, and of those that are looked up from it, have their keys together, and such a tuple is one key,
//! its place among the tuples that are there. What keys of several tables need that meet several rows each,
//! `joined` settles. The least or greatest of values that are computed has their places, too.

use crate::bounds::{ends, interval};
use crate::key_domains::{KeyDomain, encode_numbers, ranked};
use crate::plan::{Access, Reached};
use crate::query::{Aggregate, ColumnOf, Part, Query, Scalar};
use crate::rows::{NONE, Rows};
use crate::table::{Table, Type, Values};
use crate::text::Refusal;
use atl_diag::{Span, err};
use std::collections::BTreeMap;
use std::sync::Arc;

/// At most this number of cells are few.
const FEW: usize = 1 << 12;

/// Values that rows of a source have together, by their places among all of these.
#[derive(Clone, Debug)]
pub(crate) struct Tuple {
    /// The source whose row says which.
    pub(crate) source: usize,
    /// The place of each row's tuple.
    pub(crate) codes: Arc<Vec<i32>>,
    /// Which keys of the query.
    pub(crate) keys: Vec<usize>,
    /// For each of these the values, by the places of tuples.
    pub(crate) values: Vec<Values>,
}

impl Tuple {
    /// How many tuples there are.
    pub(crate) fn len(&self) -> usize {
        self.values.first().map_or(0, Values::len)
    }
}

/// Values of which the least or greatest is wanted, by their places.
#[derive(Clone, Debug)]
pub(crate) struct Extreme {
    pub(crate) source: usize,
    pub(crate) codes: Arc<Vec<i32>>,
    pub(crate) values: Values,
}

/// How rows are put into groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// None where each combination of the keys' values is a group.
    pub(crate) tuples: Option<Vec<Tuple>>,
    /// Aggregates of values that no column has as integers.
    pub(crate) extremes: BTreeMap<usize, Extreme>,
}

/// What rows are put into groups by.
pub(crate) enum Grouping {
    /// What each table's rows say.
    By(Groups),
    /// The same, of which there would be so many; or rows that are put together first.
    Either(Groups, u128),
    /// Rows of several tables that are put together first.
    Joined,
}

/// Which row of each source goes with the rows of the one that it is looked up from.
struct Anchors {
    /// The source whose rows are read in order.
    of: Vec<usize>,
    rows: Vec<Arc<Vec<u32>>>,
}

/// The codes of a column in a class.
pub(crate) fn codes(domains: &[KeyDomain], domain: usize, of: ColumnOf) -> Arc<Vec<i32>> {
    domains.get(domain).and_then(|domain| domain.codes.get(&of)).cloned().unwrap_or_default()
}

/// Which row has each key of a class: that which was found last, of several.
fn by_key(codes: &[i32], size: usize) -> Vec<u32> {
    let mut at = vec![NONE; size];
    for (row, code) in (0u32..).zip(codes) {
        at[usize::try_from(*code).unwrap_or(0)] = row;
    }
    at
}

impl Anchors {
    fn of(query: &Query, tables: &[Table], domains: &[KeyDomain], plan: &[Reached]) -> Anchors {
        let count = query.sources.len();
        let mut anchors = Anchors { of: vec![0; count], rows: vec![Arc::default(); count] };
        for reached in plan {
            let source = reached.source;
            let Access::Lookup { domain, key, from } = reached.access else {
                let rows = tables[query.sources[source].table].rows;
                anchors.of[source] = source;
                anchors.rows[source] = Arc::new((0..u32::try_from(rows).unwrap_or(NONE)).collect());
                continue;
            };
            let at = by_key(&codes(domains, domain, key), domains[domain].size);
            let wanted = codes(domains, domain, from);
            let found = anchors.rows[from.source].iter().map(|row| {
                let code = wanted.get(*row as usize).and_then(|code| usize::try_from(*code).ok());
                code.and_then(|code| at.get(code)).copied().unwrap_or(NONE)
            });
            anchors.rows[source] = Arc::new(found.collect());
            anchors.of[source] = anchors.of[from.source];
        }
        anchors
    }

    /// The rows that stand together where those of one source are read in order.
    fn rows<'a>(&self, query: &'a Query, tables: &'a [Table], anchor: usize) -> Rows<'a> {
        let sources = 0..query.sources.len();
        let of = sources.map(|source| (self.of[source] == anchor).then(|| self.rows[source].clone()));
        Rows { query, tables, len: self.rows[anchor].len(), of: of.collect() }
    }

    /// The one source whose rows say what a value is; none where it takes several.
    fn one(&self, scalar: &Scalar) -> Option<usize> {
        let mut found = Vec::new();
        scalar.columns(&mut |of| found.push(self.of[of.source]));
        found.dedup();
        match found.as_slice() {
            [] => self.of.first().copied(),
            [one] => Some(*one),
            _ => None,
        }
    }
}

/// How many values a key may have, where each has a code of its own.
fn size(query: &Query, tables: &[Table], key: &Scalar) -> Option<u128> {
    let values = |of: &ColumnOf| &tables[query.sources[of.source].table].columns[of.column].values;
    let size = match key {
        Scalar::Column(of, _) => match values(of) {
            Values::Float(_) => return None,
            Values::Text(texts, _) => texts.len(),
            values => ranked(values).0,
        },
        Scalar::Part(Part::Year, of) => {
            let (first, last) = ends(values(of)).unwrap_or_default();
            usize::try_from((last - first) / 365 + 2).unwrap_or(usize::MAX)
        }
        Scalar::Part(..) => 31,
        _ => return None,
    };
    Some(size as u128)
}

/// Are so few combinations of the keys' values possible, that each may have a cell?
fn are_few(query: &Query, tables: &[Table], few: u128) -> bool {
    match query.keys.as_slice() {
        [] => true,
        // No more than the rows of its table.
        [(Scalar::Column(_, ty), _)] => *ty != Type::Float,
        [(Scalar::Part(..), _)] => true,
        keys => {
            let mut sizes = keys.iter().map(|(key, _)| size(query, tables, key));
            let cells = sizes.try_fold(1, |cells: u128, size| Some(cells.saturating_mul(size?)));
            cells.is_some_and(|cells| cells <= few)
        }
    }
}

/// Is it the least or greatest of what no column has as integers?
fn is_ranked(aggregate: &Aggregate) -> Option<&Scalar> {
    match aggregate {
        Aggregate::Min(Scalar::Column(_, ty)) | Aggregate::Max(Scalar::Column(_, ty))
            if !matches!(ty, Type::Float | Type::Text) =>
        {
            None
        }
        Aggregate::Min(scalar) | Aggregate::Max(scalar) => Some(scalar),
        Aggregate::Count | Aggregate::Sum(_) => None,
    }
}

/// How rows are put into groups.
///
/// # Errors
/// A value that is no column may leave 64 bits.
pub(crate) fn grouping(
    query: &Query,
    tables: &[Table],
    domains: &[KeyDomain],
    plan: &[Reached],
) -> Result<Grouping, Refusal> {
    let gone_over = plan.iter().filter(|reached| !matches!(reached.access, Access::Lookup { .. }));
    let longest =
        gone_over.map(|reached| tables[query.sources[reached.source].table].rows).max().unwrap_or(0);
    let few = longest.max(FEW) as u128;
    let are_few = are_few(query, tables, few);
    if are_few && query.aggregates.iter().all(|(aggregate, _)| is_ranked(aggregate).is_none()) {
        return Ok(Grouping::By(Groups::default()));
    }
    let anchors = Anchors::of(query, tables, domains, plan);
    let bound = |of: ColumnOf| ends(&tables[query.sources[of.source].table].columns[of.column].values);
    let mut extremes = BTreeMap::new();
    for (at, (aggregate, span)) in query.aggregates.iter().enumerate() {
        let Some(scalar) = is_ranked(aggregate) else { continue };
        interval(scalar, &bound, *span)?;
        let Some(source) = anchors.one(scalar) else { return Ok(Grouping::Joined) };
        let values = anchors.rows(query, tables, source).values(scalar);
        let (size, codes) = ranked(&values);
        let values = values.take_or(&by_key(&codes, size));
        extremes.insert(at, Extreme { source, codes: Arc::new(codes), values });
    }
    if are_few {
        return Ok(Grouping::By(Groups { tuples: None, extremes }));
    }
    let mut by_anchor: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, (key, span)) in query.keys.iter().enumerate() {
        interval(key, &bound, *span)?;
        let Some(anchor) = anchors.one(key) else { return Ok(Grouping::Joined) };
        by_anchor.entry(anchor).or_default().push(at);
    }
    let tuples = by_anchor.into_iter().map(|(source, keys)| {
        let rows = anchors.rows(query, tables, source);
        let values: Vec<Values> = keys.iter().map(|at| rows.values(&query.keys[*at].0)).collect();
        let (codes, first) = together(&values, rows.len);
        let values = values.iter().map(|values| values.take_or(&first)).collect();
        Tuple { source, codes: Arc::new(codes), keys, values }
    });
    let tuples: Vec<Tuple> = tuples.collect();
    let cells = tuples.iter().map(|tuple| tuple.len() as u128).fold(1, u128::saturating_mul);
    let is_one = tuples.len() == 1;
    let groups = Groups { tuples: Some(tuples), extremes };
    Ok(if is_one || cells <= few { Grouping::By(groups) } else { Grouping::Either(groups, cells) })
}

/// A refusal of a result with more cells than this.
pub(crate) fn too_many(most: usize, span: Span) -> Refusal {
    Box::new(
        err!(E0548, span, "there may be more than {most} groups")
            .label("with the values of this")
            .note("its tables meet in too many rows to be put together, so that each combination of the keys' values would be a group; of a list of rows each column is a key")
            .help("group by keys of one table, or by such with fewer values, or say in `where` which rows are wanted"),
    )
}

/// The place of each row's values among all that there are, and a row that has those of each place.
fn together(columns: &[Values], len: usize) -> (Vec<i32>, Vec<u32>) {
    let (mut size, mut codes) = (usize::from(len > 0), vec![0; len]);
    for values in columns {
        let (own, more) = ranked(values);
        (size, codes) = paired(&codes, &more, own);
    }
    let first = by_key(&codes, size);
    (codes, first)
}

/// Pairs of codes, the second of which are below a size, as codes.
fn paired(first: &[i32], second: &[i32], size: usize) -> (usize, Vec<i32>) {
    let pairs = pair_numbers(first, second, size);
    let (size, mut codes) = encode_numbers(&[pairs]);
    (size, codes.pop().unwrap_or_default())
}

/// Pairs of codes, the second of which are below a size, as numbers in the order of pairs.
pub(crate) fn pair_numbers(first: &[i32], second: &[i32], size: usize) -> Vec<i64> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    first.iter().zip(second).map(|(a, b)| i64::from(*a) * size + i64::from(*b)).collect()
}
