//! A dictionary simplex over exact rationals that says why a system has no solution.
//!
//! The system is a set of rows `0 <= c + sum a*x` over free unknowns, the monomials. Every row is a slack
//! variable bounded below by zero; a dictionary writes the basic variables in terms of the others, which
//! are all zero, so that the constants are the current point. A violated row that cannot be raised *is* a
//! Farkas combination: it, plus the slacks it names, is a negative constant. Bland's choice of the smallest
//! index makes every run end. Rows are only ever added.

use crate::intern::{Mono, Row};
use crate::rational::{Rational, common_denominator};
use crate::work::{GiveUp, Work};
use std::cmp::Ordering;
use std::sync::Arc;

/// The number of a row, given by the caller.
pub(crate) type RowId = usize;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Variable {
    Free(Mono),
    Slack(RowId),
}

#[derive(Clone, Copy)]
enum Place {
    Line(usize),
    Column(usize),
}

/// A basic variable in terms of the columns; those beyond the end have the coefficient zero.
#[derive(Clone)]
struct Line {
    basic: Variable,
    constant: Rational,
    coefs: Vec<Rational>,
}

/// A combination of rows with positive integer multipliers.
pub(crate) type Combination = Vec<(i128, RowId)>;

/// The dictionary. A copy of it shares its lines until they change.
#[derive(Clone, Default)]
pub(crate) struct Simplex {
    columns: Vec<Variable>,
    lines: Vec<Arc<Line>>,
    places: Vec<Option<Place>>,
}

impl Line {
    fn coef(&self, column: usize) -> Rational {
        self.coefs.get(column).copied().unwrap_or(Rational::ZERO)
    }

    /// `self += factor * other`.
    fn add(&mut self, factor: Rational, other: &Line) -> Option<()> {
        self.constant = self.constant.plus(factor.times(other.constant)?)?;
        if self.coefs.len() < other.coefs.len() {
            self.coefs.resize(other.coefs.len(), Rational::ZERO);
        }
        for (a, b) in self.coefs.iter_mut().zip(&other.coefs) {
            if !b.is_zero() {
                *a = a.plus(factor.times(*b)?)?;
            }
        }
        Some(())
    }
}

impl Simplex {
    fn place(&mut self, m: Mono) -> Place {
        let m = m as usize;
        if self.places.len() <= m {
            self.places.resize(m + 1, None);
        }
        if let Some(p) = self.places[m] {
            return p;
        }
        let p = Place::Column(self.columns.len());
        self.places[m] = Some(p);
        self.columns.push(Variable::Free(m as Mono));
        p
    }

    /// Demand `0 <= row`.
    pub(crate) fn add(&mut self, id: RowId, row: &Row, work: &mut Work) -> Result<(), GiveUp> {
        for (m, _) in &row.terms {
            self.place(*m);
        }
        let mut line = Line {
            basic: Variable::Slack(id),
            constant: Rational::from(row.constant),
            coefs: vec![Rational::ZERO; self.columns.len()],
        };
        for (m, c) in &row.terms {
            work.spend(1)?;
            let c = Rational::from(*c);
            match self.places[*m as usize] {
                Some(Place::Column(j)) => line.coefs[j] = line.coefs[j].plus(c).ok_or(GiveUp)?,
                Some(Place::Line(i)) => {
                    work.spend(self.columns.len())?;
                    line.add(c, &self.lines[i]).ok_or(GiveUp)?;
                }
                None => return Err(GiveUp),
            }
        }
        self.lines.push(Arc::new(line));
        Ok(())
    }

    /// The value of a monomial at the current point; zero where it is unconstrained.
    pub(crate) fn value(&self, m: Mono) -> Rational {
        match self.places.get(m as usize) {
            Some(Some(Place::Line(i))) => self.lines[*i].constant,
            _ => Rational::ZERO,
        }
    }

    /// The value of a row at the current point.
    pub(crate) fn row_value(&self, row: &Row) -> Option<Rational> {
        row.terms.iter().try_fold(Rational::from(row.constant), |sum, (m, c)| {
            let v = self.value(*m);
            if v.is_zero() { Some(sum) } else { sum.plus(v.times(Rational::from(*c))?) }
        })
    }

    /// Look for a point that satisfies every row; otherwise a combination that is a negative constant.
    pub(crate) fn solve(&mut self, work: &mut Work) -> Result<Option<Combination>, GiveUp> {
        loop {
            let violated = self.lines.iter().enumerate().filter_map(|(i, l)| match l.basic {
                Variable::Slack(id) if l.constant.sign() == Ordering::Less => Some((id, i)),
                _ => None,
            });
            let Some((_, i)) = violated.min() else {
                return Ok(None);
            };
            let line = &self.lines[i];
            let raising = self.columns.iter().enumerate().filter(|(j, v)| match v {
                Variable::Free(_) => !line.coef(*j).is_zero(),
                Variable::Slack(_) => line.coef(*j).sign() == Ordering::Greater,
            });
            match raising.min_by_key(|(_, v)| **v) {
                Some((j, _)) => {
                    let touched = self.lines.iter().filter(|l| !l.coef(j).is_zero()).count();
                    work.spend(self.lines.len() + touched * self.columns.len())?;
                    self.pivot(i, j).ok_or(GiveUp)?;
                }
                None => return self.conflict(i).map(Some).ok_or(GiveUp),
            }
        }
    }

    fn conflict(&self, i: usize) -> Option<Combination> {
        let line = &self.lines[i];
        let mut parts = vec![(Rational::ONE, line.basic)];
        for (a, v) in line.coefs.iter().zip(&self.columns) {
            if !a.is_zero() {
                parts.push((a.negate()?, *v));
            }
        }
        scaled(&parts)
    }

    /// Exchange the basic variable of line `i` with that of column `j`.
    fn pivot(&mut self, i: usize, j: usize) -> Option<()> {
        let inverse = Rational::ONE.over(self.lines[i].coef(j))?;
        let factor = inverse.negate()?;
        let line = Arc::make_mut(&mut self.lines[i]);
        line.constant = line.constant.times(factor)?;
        for a in &mut line.coefs {
            if !a.is_zero() {
                *a = a.times(factor)?;
            }
        }
        line.coefs[j] = inverse;
        std::mem::swap(&mut line.basic, &mut self.columns[j]);
        let pivot = self.lines[i].clone();
        for (k, other) in self.lines.iter_mut().enumerate() {
            let a = other.coef(j);
            if k != i && !a.is_zero() {
                let other = Arc::make_mut(other);
                other.coefs[j] = Rational::ZERO;
                other.add(a, &pivot)?;
            }
        }
        if let Variable::Free(m) = pivot.basic {
            self.places[m as usize] = Some(Place::Line(i));
        }
        if let Variable::Free(m) = self.columns[j] {
            self.places[m as usize] = Some(Place::Column(j));
        }
        Some(())
    }

    /// Gomory's cuts at the current point: combinations whose polynomial has coefficients divisible by the
    /// divisor given with it, and whose constant is not; dividing and rounding cuts the point off.
    pub(crate) fn cuts(&self, limit: usize) -> Vec<(Combination, i128)> {
        let fractional = self.lines.iter().filter(|l| !l.constant.is_integer());
        fractional.filter_map(|l| self.cut(l)).take(limit).collect()
    }

    fn cut(&self, line: &Line) -> Option<(Combination, i128)> {
        let mut parts = Vec::new();
        for (a, v) in line.coefs.iter().zip(&self.columns) {
            let part = a.fraction();
            if !part.is_zero() {
                parts.push((part, *v));
            }
        }
        let divisor = common_denominator(parts.iter().map(|p| p.0))?;
        Some((scaled(&parts)?, divisor))
    }
}

/// The combination with its denominators cleared; `None` if it needs a free variable.
fn scaled(parts: &[(Rational, Variable)]) -> Option<Combination> {
    let lcm = common_denominator(parts.iter().map(|p| p.0))?;
    parts
        .iter()
        .map(|(a, v)| match v {
            Variable::Slack(id) => {
                let k = i128::from(a.numerator()).checked_mul(lcm / i128::from(a.denominator()))?;
                Some((k, *id))
            }
            Variable::Free(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[(i64, &[(Mono, i64)])], expected: Option<&[(i128, RowId)]>) {
        let (mut simplex, mut work) = (Simplex::default(), Work::new(10_000));
        let rows: Vec<Row> =
            rows.iter().map(|(constant, t)| Row { constant: *constant, terms: t.to_vec() }).collect();
        for (id, row) in rows.iter().enumerate() {
            simplex.add(id, row, &mut work).unwrap();
        }
        let mut found = simplex.solve(&mut work).unwrap();
        if let Some(parts) = &mut found {
            parts.sort_by_key(|p| p.1);
        } else {
            for row in &rows {
                assert_ne!(simplex.row_value(row).unwrap().sign(), Ordering::Less);
            }
        }
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn a_feasible_system_has_a_point() {
        check(&[(-3, &[(0, 1)]), (10, &[(0, -1), (1, -1)]), (0, &[(1, 2)])], None);
    }

    #[test]
    fn an_infeasible_system_has_farkas_multipliers() {
        // 2x >= 5, y >= x, y <= 2
        check(&[(-5, &[(0, 2)]), (0, &[(0, -1), (1, 1)]), (2, &[(1, -1)])], Some(&[(1, 0), (2, 1), (2, 2)]));
    }
}
