//! Sizes from extents: `2 * N`, `N + 1` and `N + M` are linear equations, whose right sides the arguments' shapes give.
//!
//! **The one idea.** The equations are solved once, symbolically: each size that they determine is a combination of extents, other sizes and
//! a number, divided by a whole number. So everybody who has the extents, numbers at a call or index terms in a program, has the
//! sizes by putting them in. Extents that are not linear, as `N * M`, determine nothing here, and are compared afterwards like the others.

use atl_kernel::Ix;
use atl_kernel::poly::{Atom, Poly};
use std::collections::BTreeMap;

/// What a size is: `divisor * size == sum of factor * extent + sum of factor * size + constant`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Combination<T> {
    /// Extents, each with its factor.
    pub extents: Vec<(i64, T)>,
    /// Sizes that are known otherwise, by level, each with its factor.
    pub sizes: Vec<(i64, u32)>,
    /// The number.
    pub constant: i64,
    /// More than 0.
    pub divisor: i64,
}

impl<T> Combination<T> {
    /// The size, where these are the extents and sizes; none where one is not known or the numbers leave 64 bits, and the remainder
    /// where the division leaves one.
    pub fn value(
        &self,
        extent: &dyn Fn(&T) -> Option<i64>,
        size: &dyn Fn(u32) -> Option<i64>,
    ) -> Option<Result<i64, i64>> {
        let mut sum = i128::from(self.constant);
        for (factor, part) in &self.extents {
            sum = sum.checked_add(i128::from(*factor) * i128::from(extent(part)?))?;
        }
        for (factor, level) in &self.sizes {
            sum = sum.checked_add(i128::from(*factor) * i128::from(size(*level)?))?;
        }
        let divisor = i128::from(self.divisor);
        let (quotient, rest) = (sum.div_euclid(divisor), sum.rem_euclid(divisor));
        let quotient = i64::try_from(quotient).ok()?;
        Some(if rest == 0 { Ok(quotient) } else { Err(i64::try_from(rest).ok()?) })
    }

    /// The size as an index term over the extents and sizes.
    pub fn term(&self, extent: &dyn Fn(&T) -> Option<Ix>, size: &dyn Fn(u32) -> Option<Ix>) -> Option<Ix> {
        let mut terms = Vec::new();
        for (factor, part) in &self.extents {
            terms.push((*factor, extent(part)?));
        }
        for (factor, level) in &self.sizes {
            terms.push((*factor, size(*level)?));
        }
        let mut sum: Option<Ix> = None;
        for (factor, ix) in terms {
            let product = |n: i64| if n == 1 { ix.clone() } else { Ix::Lit(n) * ix.clone() };
            sum = Some(match sum {
                Some(sum) if factor < 0 => sum - product(factor.checked_neg()?),
                Some(sum) => sum + product(factor),
                None if factor < 0 => Ix::ZERO - product(factor.checked_neg()?),
                None => product(factor),
            });
        }
        let sum = match (sum, self.constant) {
            (None, n) => Ix::Lit(n),
            (Some(sum), 0) => sum,
            (Some(sum), n) if n < 0 => sum - Ix::Lit(n.checked_neg()?),
            (Some(sum), n) => sum + Ix::Lit(n),
        };
        Some(if self.divisor == 1 { sum } else { sum / Ix::Lit(self.divisor) })
    }
}

/// `sum of factor * size + constant == extent number k`, as it is added up from equations.
#[derive(Clone)]
struct Row {
    unknown: Vec<i128>,
    extents: Vec<i128>,
    sizes: BTreeMap<u32, i128>,
    constant: i128,
}

impl Row {
    /// The row times `own`, minus the other times `factor`.
    fn less(&self, own: i128, other: &Row, factor: i128) -> Option<Row> {
        let both = |a: i128, b: i128| a.checked_mul(own)?.checked_sub(b.checked_mul(factor)?);
        let all =
            |a: &[i128], b: &[i128]| a.iter().zip(b).map(|(a, b)| both(*a, *b)).collect::<Option<Vec<_>>>();
        let mut sizes = BTreeMap::new();
        for level in self.sizes.keys().chain(other.sizes.keys()) {
            let of = |row: &Row| row.sizes.get(level).copied().unwrap_or(0);
            sizes.insert(*level, both(of(self), of(other))?);
        }
        Some(Row {
            unknown: all(&self.unknown, &other.unknown)?,
            extents: all(&self.extents, &other.extents)?,
            sizes,
            constant: both(self.constant, other.constant)?,
        })
    }
}

/// For each of the sizes at these levels, what it is in terms of the extents, where that follows from them. Extents are
/// index terms over sizes, each with what it is the extent of.
pub fn solved<T: Clone>(unknown: &[u32], extents: &[(Ix, T)]) -> Vec<Option<Combination<T>>> {
    let mut rows: Vec<Row> =
        extents.iter().enumerate().filter_map(|(k, (ix, _))| row(ix, (k, extents.len()), unknown)).collect();
    let mut pivots: Vec<Option<usize>> = vec![None; unknown.len()];
    let mut done = 0;
    for (column, pivot) in pivots.iter_mut().enumerate() {
        let Some(found) = (done..rows.len()).find(|k| rows[*k].unknown[column] != 0) else { continue };
        rows.swap(done, found);
        let own = rows[done].clone();
        for (k, row) in rows.iter_mut().enumerate() {
            let factor = row.unknown[column];
            if k != done && factor != 0 {
                // What leaves 128 bits determines nothing.
                match row.less(own.unknown[column], &own, factor) {
                    Some(less) => *row = less,
                    None => return vec![None; unknown.len()],
                }
            }
        }
        *pivot = Some(done);
        done += 1;
    }
    let solution = |(column, pivot): (usize, &Option<usize>)| {
        let row = &rows[(*pivot)?];
        let alone = row.unknown.iter().enumerate().all(|(k, factor)| k == column || *factor == 0);
        if alone { combination(row, row.unknown[column], extents) } else { None }
    };
    pivots.iter().enumerate().map(solution).collect()
}

/// Is the extent a number plus multiples of sizes? Such extents are what sizes are found from.
fn row(ix: &Ix, (number, count): (usize, usize), unknown: &[u32]) -> Option<Row> {
    let mut row =
        Row { unknown: vec![0; unknown.len()], extents: vec![0; count], sizes: BTreeMap::new(), constant: 0 };
    row.extents[number] = 1;
    for (factors, c) in Poly::of(ix).ok()?.terms() {
        match factors {
            [] => row.constant = row.constant.checked_sub(c)?,
            [factor] => match **factor {
                Atom::Var(level) => match unknown.iter().position(|l| *l == level) {
                    Some(k) => row.unknown[k] = c,
                    None => drop(row.sizes.insert(level, c.checked_neg()?)),
                },
                _ => return None,
            },
            _ => return None,
        }
    }
    row.unknown.iter().any(|c| *c != 0).then_some(row)
}

/// `factor * size == the rest of the row`.
fn combination<T: Clone>(row: &Row, factor: i128, extents: &[(Ix, T)]) -> Option<Combination<T>> {
    let all = row.extents.iter().chain(row.sizes.values()).chain([&row.constant, &factor]);
    let divisor = all.fold(0i128, |d, n| gcd(d, *n)).max(1) * factor.signum();
    let small = |n: i128| i64::try_from(n / divisor).ok();
    let mut parts = Vec::new();
    for (n, (_, part)) in row.extents.iter().zip(extents).filter(|(n, _)| **n != 0) {
        parts.push((small(*n)?, part.clone()));
    }
    let mut sizes = Vec::new();
    for (level, n) in row.sizes.iter().filter(|(_, n)| **n != 0) {
        sizes.push((small(*n)?, *level));
    }
    Some(Combination { extents: parts, sizes, constant: small(row.constant)?, divisor: small(factor)? })
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes at levels 0 and 1, where these extents are so large.
    fn check(extents: &[(Ix, i64)], expected: [Option<Result<i64, i64>>; 2]) {
        let found = solved(&[0, 1], extents);
        // The size at level 2 is 10.
        let value = |c: &Option<Combination<i64>>| {
            c.as_ref().and_then(|c| c.value(&|n| Some(*n), &|level| (level == 2).then_some(10)))
        };
        assert_eq!([value(&found[0]), value(&found[1])], expected, "{extents:?}");
        let term = |c: &Option<Combination<i64>>| {
            c.as_ref().and_then(|c| c.term(&|n| Some(Ix::Lit(*n)), &|level| Some(Ix::free(level))))
        };
        for (c, value) in found.iter().zip(expected) {
            if let (Some(term), Some(Ok(value))) = (term(c), value) {
                let of = Poly::of(&term).ok().and_then(|p| p.as_constant());
                assert!(term.mentions(2) || of == Some(i128::from(value)), "{term:?} is not {value}");
            }
        }
    }

    #[test]
    fn sizes_are_found_where_the_equations_have_one_solution() {
        let (n, m, known) = (|| Ix::free(0), || Ix::free(1), || Ix::free(2));
        check(&[(n(), 5)], [Some(Ok(5)), None]);
        check(&[(Ix::Lit(2) * n(), 6), (m() + Ix::ONE, 4)], [Some(Ok(3)), Some(Ok(3))]);
        check(&[(Ix::Lit(2) * n(), 7)], [Some(Err(1)), None]);
        check(&[(n() + m(), 9), (n() - m(), 3)], [Some(Ok(6)), Some(Ok(3))]);
        check(&[(n() + m(), 9), (m() * Ix::Lit(3), 12)], [Some(Ok(5)), Some(Ok(4))]);
        check(&[(n() + known(), 13)], [Some(Ok(3)), None]);
        check(&[(Ix::Lit(5) - n(), 2)], [Some(Ok(3)), None]);
        check(&[(n() - Ix::Lit(5), 0)], [Some(Ok(5)), None]);
        // Neither is determined: one equation for two, twice the same one, and no linear one.
        check(&[(n() + m(), 9)], [None, None]);
        check(&[(n() + m(), 9), (Ix::Lit(2) * n() + Ix::Lit(2) * m(), 18)], [None, None]);
        check(&[(n() * m(), 12), (n() / Ix::Lit(2), 3)], [None, None]);
        check(&[(n() * Ix::Lit(i64::MAX) + m(), 1), (n() + m() * Ix::Lit(i64::MAX), 1)], [None, None]);
    }
}
