//! Quotients of polynomials by products of polynomials that are positive wherever they are looked at.
//!
//! The one idea: a denominator is a list of factors, so that sums keep the least common one. That each
//! factor is positive is the caller's promise; so a quotient has the sign of its numerator, and two are
//! equal if their difference has a numerator that is zero. Polynomials are the kernel's, in normal form
//! and of bounded size.

use atl_kernel::poly::{Atom, Overflow, Poly};
use std::sync::Arc;

/// The polynomial over the product.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fraction {
    pub(super) over: Poly,
    pub(super) under: Vec<Poly>,
}

type Result<T> = std::result::Result<T, Overflow>;

pub(super) fn product(factors: &[Poly]) -> Result<Poly> {
    factors.iter().try_fold(Poly::constant(1), |product, factor| product.times(factor))
}

/// The factors of the first list that are not in the second, each as often as it is there more often.
fn beyond(factors: &[Poly], others: &[Poly]) -> Vec<Poly> {
    let mut others = others.to_vec();
    let mut beyond = factors.to_vec();
    beyond.retain(|factor| match others.iter().position(|other| other == factor) {
        Some(k) => {
            others.swap_remove(k);
            false
        }
        None => true,
    });
    beyond
}

impl Fraction {
    pub(super) fn of(over: Poly) -> Fraction {
        Fraction { over, under: Vec::new() }
    }

    pub(super) fn constant(n: i128) -> Fraction {
        Fraction::of(Poly::constant(n))
    }

    /// `self + factor * other`.
    pub(super) fn add_scaled(&self, factor: i128, other: &Fraction) -> Result<Fraction> {
        let (own, others) = (beyond(&self.under, &other.under), beyond(&other.under, &self.under));
        let left = self.over.times(&product(&others)?)?;
        let right = other.over.times(&product(&own)?)?;
        let under = self.under.iter().cloned().chain(others).collect();
        Fraction { over: left.add_scaled(factor, &right)?, under }.reduced()
    }

    pub(super) fn times(&self, other: &Fraction) -> Result<Fraction> {
        let x = Fraction { over: self.over.clone(), under: other.under.clone() }.reduced()?;
        let y = Fraction { over: other.over.clone(), under: self.under.clone() }.reduced()?;
        let under = x.under.into_iter().chain(y.under).collect();
        Ok(Fraction { over: x.over.times(&y.over)?, under })
    }

    /// One over a quotient whose numerator is positive.
    pub(super) fn reciprocal(&self) -> Result<Fraction> {
        Fraction { over: product(&self.under)?, under: vec![self.over.clone()] }.reduced()
    }

    pub(super) fn negated(&self) -> Result<Fraction> {
        Ok(Fraction { over: Poly::default().minus(&self.over)?, under: self.under.clone() })
    }

    /// Without the factors that are the numerator, or divide each of its terms.
    fn reduced(mut self) -> Result<Fraction> {
        if self.over.as_constant() == Some(0) {
            return Ok(Fraction::of(self.over));
        }
        for factor in std::mem::take(&mut self.under) {
            if self.over == factor {
                self.over = Poly::constant(1);
            } else if let Some(over) = divided(&self.over, &factor)? {
                self.over = over;
            } else {
                self.under.push(factor);
            }
        }
        Ok(self)
    }
}

/// The polynomial divided by a constant or a single number, if each of its terms is a multiple.
fn divided(over: &Poly, by: &Poly) -> Result<Option<Poly>> {
    let mut divisor = by.terms();
    let (Some((atoms, factor)), None) = (divisor.next(), divisor.next()) else { return Ok(None) };
    if atoms.len() > 1 {
        return Ok(None);
    }
    let mut quotient = Poly::default();
    for (own, n) in over.terms() {
        let mut left = own.to_vec();
        if let [atom] = atoms {
            let Some(at) = left.iter().position(|own| own == atom) else { return Ok(None) };
            left.remove(at);
        }
        let (Some(part), Some(0)) = (n.checked_div(factor), n.checked_rem(factor)) else { return Ok(None) };
        quotient = quotient.plus(&term(&left, part)?)?;
    }
    Ok(Some(quotient))
}

/// A multiple of a product of numbers.
pub(super) fn term(atoms: &[Arc<Atom>], factor: i128) -> Result<Poly> {
    let single = |atom: &Arc<Atom>| Poly::atom((**atom).clone());
    atoms.iter().try_fold(Poly::constant(factor), |product, atom| product.times(&single(atom)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(level: u32) -> Fraction {
        Fraction::of(Poly::atom(Atom::Var(level)))
    }

    #[test]
    fn sums_have_the_least_common_denominator() -> Result<()> {
        let n = var(0).add_scaled(1, &var(1))?;
        let half = |x: &Fraction| x.times(&Fraction::constant(2).reciprocal()?);
        let over_n = |x: &Fraction| x.times(&n.reciprocal()?);
        let sum = over_n(&var(0))?.add_scaled(1, &over_n(&var(1))?)?;
        assert_eq!(sum, Fraction::constant(1));
        assert_eq!(over_n(&n.times(&var(2))?.add_scaled(0, &n)?)?.under.len(), 1);
        assert_eq!(over_n(&n)?.times(&var(2))?, var(2));
        assert_eq!(half(&var(0))?.add_scaled(1, &half(&var(0))?)?, var(0));
        let square = over_n(&over_n(&var(2))?)?;
        assert_eq!(square.times(&n)?.under.len(), 1);
        assert_eq!(var(0).times(&var(1).reciprocal()?)?.times(&var(1))?, var(0));
        Ok(())
    }
}
