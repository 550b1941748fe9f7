//! Diamonds: four tables that go round in a circle, as two paths of two edges from one vertex to another.
//!
//! To join three of the tables first meets every path of three edges. But a diamond is two paths between
//! the same ends, so where such a query only counts, from each end `a` the paths over the first two tables
//! are counted by their other end, and each path over the others adds that count:
//! `p[d] = sum b { r[a, b] * s[b, d] }`, and `sum c, d { t[a, c] * v[c, d] * p[d] }`. Which two opposite keys
//! are the ends is chosen by how many paths there are.

use crate::key_domains::KeyDomain;
use crate::program::Program;
use crate::query::{ColumnOf, Query};
use crate::triangle_join::{counting, only_counts, stored};
use std::collections::BTreeMap;

/// A table on the way round: its keys before and after.
#[derive(Clone, Copy)]
struct Side {
    before: (usize, ColumnOf),
    after: (usize, ColumnOf),
}

/// The four tables of a query, in the order in which their keys lead from one to the next; none where they do
/// not.
fn sides(query: &Query, domains: &[KeyDomain]) -> Option<[Side; 4]> {
    if query.sources.len() != 4 || domains.len() != 4 || !only_counts(query) {
        return None;
    }
    // The key of a source that is not this one, and the source beyond it.
    let next = |source: usize, before: usize| {
        domains.iter().enumerate().filter(|(domain, _)| *domain != before).find_map(|(domain, of)| {
            let members: Vec<ColumnOf> = of.codes.keys().copied().collect();
            let own = members.iter().find(|of| of.source == source)?;
            match members.as_slice() {
                [a, b] if a.source != b.source => Some((domain, *own, if a == own { *b } else { *a })),
                _ => None,
            }
        })
    };
    let (first, own, _) = next(0, usize::MAX)?;
    let mut before = (first, own);
    let mut found = Vec::new();
    let mut seen = [false; 4];
    for _ in 0..4 {
        let source = before.1.source;
        if std::mem::replace(seen.get_mut(source)?, true) {
            return None;
        }
        let (domain, own, beyond) = next(source, before.0)?;
        found.push(Side { before, after: (domain, own) });
        before = (domain, beyond);
    }
    let is_closed = before == (first, found.first()?.before.1);
    found.try_into().ok().filter(|_| is_closed)
}

/// How many rows of each key a column has.
fn counts(domains: &[KeyDomain], (domain, of): (usize, ColumnOf)) -> Option<Vec<u64>> {
    let mut count = vec![0u64; domains[domain].size];
    for code in domains[domain].codes.get(&of)?.iter() {
        count[usize::try_from(*code).ok()?] += 1;
    }
    Some(count)
}

/// How many paths lead over the key between two tables.
fn paths(domains: &[KeyDomain], a: (usize, ColumnOf), b: (usize, ColumnOf)) -> Option<u128> {
    let pairs = counts(domains, a)?.into_iter().zip(counts(domains, b)?);
    Some(pairs.map(|(a, b)| u128::from(a) * u128::from(b)).sum())
}

/// The program of a query that is one; none if it is not, if its count might leave 64 bits, or if there are
/// few paths for this number of keys.
pub(crate) fn program(query: &Query, domains: &[KeyDomain]) -> Option<Program> {
    let sides = sides(query, domains)?;
    let rotated = |by: usize| -> [Side; 4] { std::array::from_fn(|at| sides[(at + by) % 4]) };
    // How many paths are met, and counts of them that are set to zero.
    let work = |[r, s, v, t]: [Side; 4]| {
        let met = paths(domains, r.after, s.before)? + paths(domains, v.after, t.before)?;
        Some((met, domains[r.before.0].size as u128 * domains[s.after.0].size as u128))
    };
    let ways = [rotated(0), rotated(1)].map(|way| Some((work(way)?, way)));
    let best = ways.into_iter().flatten().min_by_key(|((met, zeros), _)| met + zeros / ZEROS);
    let ((met, zeros), [r, s, v, t]) = best?;
    if zeros > (met * FEW).max(SMALL) {
        return None;
    }
    let mut arrays = BTreeMap::new();
    let mut largest = |name: &str, row: (usize, ColumnOf), column: (usize, ColumnOf)| {
        let codes = |(domain, of): (usize, ColumnOf)| domains[domain].codes.get(&of);
        let (rows, columns) = (codes(row)?, codes(column)?);
        let largest = stored(name, (rows, columns), domains[row.0].size, &mut arrays)?;
        Some((u128::try_from(largest).ok()?, rows.len() as u128))
    };
    let ((_, first), (twice, _)) = (largest("r", r.before, r.after)?, largest("s", s.before, s.after)?);
    let ((again, _), (_, second)) = (largest("t", t.after, t.before)?, largest("v", v.after, v.before)?);
    // A row of one table and one of that across leave one pair of keys for each of the others.
    let most = first.checked_mul(second)?.checked_mul(twice)?.checked_mul(again)?;
    i64::try_from(most).ok()?;
    let keys = [r.before.0, r.after.0, s.after.0, v.after.0].map(|domain| domains[domain].size);
    Some(counting(TEXT, "paths", &keys, arrays))
}

/// The number of counts that are set to zero in the time in which one path is met.
const ZEROS: u128 = 8;

/// More counts than this for each path are left to other plans.
const FEW: u128 = 64;

/// The number that is done at once in any case.
const SMALL: u128 = 1 << 28;

/// The order in which the tables are read, in words.
pub(crate) const ORDER: &str = "Each is a matrix of how often a row is there, by its keys; from each end the paths over two tables are counted \
    by their other end, and each path over the other two adds that count.\n";

const TEXT: &str = "\
fn sums(
    keys_1: size,
    keys_2: size,
    keys_3: size,
    keys_4: size,
    r: i64[keys_1, keys_2] as csr,
    s: i64[keys_2, keys_3] as csr,
    t: i64[keys_1, keys_4] as csr,
    v: i64[keys_4, keys_3] as csr
) -> i64
{
    sum a < keys_1 {
        let p = gen d < keys_3 { sum b < keys_2 { r[a, b] * s[b, d] } };
        sum c < keys_4, d < keys_3 { t[a, c] * v[c, d] * p[d] }
    }
}

schedule paths of sums {
    rounding real;
    sparsify;
}
";
