//! Triangle joins: three tables of which each two share a key, as the edges of a triangle.
//!
//! To join two of them first may meet many more rows than there are answers: of a star's edges, one for each
//! pair of rays. So where such a query only counts, its tables are sparse matrices over the keys, with how
//! often a row is there as the element, and the count is `sum a, b, c { r[a, b] * s[b, c] * t[a, c] }`.
//! `sparsify` iterates over the rows that are there, and where two of them meet, `drive_shorter` iterates
//! over the shorter one and searches the longer one: no more steps, but for those of the searches, than so
//! many rows can have triangles.

use crate::key_domains::{KeyDomain, equation};
use crate::program::{Adds, Array, Function, Program};
use crate::query::{Aggregate, ColumnOf, Query};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A table as a matrix: its rows and columns are the keys of two classes.
struct Matrix {
    name: &'static str,
    row: ColumnOf,
    column: ColumnOf,
}

/// The matrices of a triangle join that is only counted, and the number of keys of its three domains.
struct Triangle {
    matrices: [Matrix; 3],
    sizes: [usize; 3],
}

fn triangle(query: &Query, domains: &[KeyDomain]) -> Option<Triangle> {
    if query.sources.len() != 3 || domains.len() != 3 || !only_counts(query) {
        return None;
    }
    // The class that two sources share, with the column of the first.
    let shared = |x: usize, y: usize| {
        domains.iter().position(|domain| {
            let sources: Vec<usize> = domain.codes.keys().map(|column| column.source).collect();
            sources.len() == 2 && sources.contains(&x) && sources.contains(&y)
        })
    };
    let (a, b, c) = (shared(0, 2)?, shared(0, 1)?, shared(1, 2)?);
    let column =
        |domain: usize, source: usize| domains[domain].codes.keys().copied().find(|of| of.source == source);
    let matrix =
        |name, source, row, of| Some(Matrix { name, row: column(row, source)?, column: column(of, source)? });
    let matrices = [matrix("r", 0, a, b)?, matrix("s", 1, b, c)?, matrix("t", 2, a, c)?];
    Some(Triangle { matrices, sizes: [a, b, c].map(|domain| domains[domain].size) })
}

/// Rows of two keys as the arrays of a sparse matrix whose elements are how often a row is there; the largest
/// of these.
pub(crate) fn stored(
    name: &str,
    (rows, columns): (&[i32], &[i32]),
    keys: usize,
    arrays: &mut BTreeMap<String, Array>,
) -> Option<i64> {
    let mut pairs: Vec<(i32, i32)> = rows.iter().copied().zip(columns.iter().copied()).collect();
    pairs.sort_unstable();
    let (mut pos, mut crd, mut vals) = (vec![0i64; keys + 1], Vec::new(), Vec::new());
    for chunk in pairs.chunk_by(|x, y| x == y) {
        pos[usize::try_from(chunk[0].0).ok()? + 1] += 1;
        crd.push(chunk[0].1);
        vals.push(i64::try_from(chunk.len()).ok()?);
    }
    let mut end = 0;
    for begin in &mut pos {
        end += *begin;
        *begin = end;
    }
    let largest = vals.iter().copied().max().unwrap_or(0);
    arrays.insert(format!("{name}2_pos"), Array::I64(Arc::new(pos)));
    arrays.insert(format!("{name}2_crd"), Array::I32(Arc::new(crd)));
    arrays.insert(format!("{name}_vals"), Array::I64(Arc::new(vals)));
    Some(largest)
}

/// Does a query only count rows whose tables are equal in keys?
pub(crate) fn only_counts(query: &Query) -> bool {
    query.is_total
        && query.aggregates.iter().all(|(aggregate, _)| *aggregate == Aggregate::Count)
        && query.conditions.iter().all(|(condition, _)| equation(condition).is_some())
}

/// The program of a query that is one; none if it is not, or if its count might leave 64 bits.
pub(crate) fn program(query: &Query, domains: &[KeyDomain]) -> Option<Program> {
    let Triangle { matrices, sizes } = triangle(query, domains)?;
    let codes = |of: &ColumnOf| domains.iter().find_map(|domain| domain.codes.get(of));
    let mut arrays = BTreeMap::new();
    let mut most: u128 = 1;
    for (matrix, keys) in matrices.iter().zip([sizes[0], sizes[1], sizes[0]]) {
        let (rows, columns) = (codes(&matrix.row)?, codes(&matrix.column)?);
        let largest = stored(matrix.name, (rows, columns), keys, &mut arrays)?;
        // Two rows leave one pair of keys for the third.
        let times = if matrix.name == "t" { largest } else { i64::try_from(rows.len()).ok()? };
        most = most.checked_mul(u128::try_from(times).ok()?)?;
    }
    i64::try_from(most).ok()?;
    Some(counting(TEXT, "meeting", &sizes, arrays))
}

/// The program that counts: its function `sums` takes these matrices and the numbers `keys_1`, `keys_2`, ..
/// of their keys.
pub(crate) fn counting(
    text: &str,
    schedule: &str,
    keys: &[usize],
    arrays: BTreeMap<String, Array>,
) -> Program {
    let sized = keys
        .iter()
        .zip(1..)
        .map(|(size, k): (_, usize)| (format!("keys_{k}"), i64::try_from(*size).unwrap_or(i64::MAX)));
    let sizes: BTreeMap<String, i64> = sized.collect();
    Program {
        text: text.to_owned(),
        functions: vec![Function {
            name: "sums".to_owned(),
            schedule: Some(schedule.to_owned()),
            arrays: arrays.keys().cloned().collect(),
            sizes: sizes.keys().cloned().collect(),
            adds: Adds::Exact(Vec::new()),
        }],
        arrays,
        sizes,
        domains: Vec::new(),
        places: BTreeMap::new(),
        patterns: Vec::new(),
    }
}

/// How the tables are nested, in words.
pub(crate) const ORDER: &str = "Each is a matrix of how often a row is there, by its keys; where two rows share an index, the loop iterates over the shorter one \
    and searches the longer one.\n";

const TEXT: &str = "\
fn sums(
    keys_1: size,
    keys_2: size,
    keys_3: size,
    r: i64[keys_1, keys_2] as csr,
    s: i64[keys_2, keys_3] as csr,
    t: i64[keys_1, keys_3] as csr
) -> i64
{
    sum a < keys_1, b < keys_2, c < keys_3 { r[a, b] * s[b, c] * t[a, c] }
}

schedule meeting of sums {
    rounding real;
    sparsify;
    drive_shorter ps2, pt2;
}
";
