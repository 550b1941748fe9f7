//! Polynomials back as index terms.
//!
//! For certificates only the meaning matters: `Poly::of` of the result is the polynomial again. Division
//! of one polynomial by another, with remainder, lives here too.

use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Ix, IxOp, Var};
use std::sync::Arc;

/// An index term whose normal form is `p`; `None` where a coefficient does not fit 64 bits.
pub(crate) fn ix_of(p: &Poly) -> Option<Ix> {
    let mut sum = Ix::ZERO;
    for (m, c) in p.terms() {
        let mut product = Ix::ONE;
        for a in m {
            product = product * ix_of_atom(a)?;
        }
        sum = match i64::try_from(c).ok()? {
            1 => sum + product,
            -1 => sum - product,
            c => sum + product * Ix::Lit(c),
        };
    }
    Some(sum)
}

/// An index term whose normal form is the atom.
pub(crate) fn ix_of_atom(a: &Atom) -> Option<Ix> {
    Some(match a {
        Atom::Var(l) => Ix::free(*l),
        Atom::Div(p, q) => ix_of(p)? / ix_of(q)?,
        Atom::Min(p, q) => Ix::bin(IxOp::Min, ix_of(p)?, ix_of(q)?),
        Atom::Max(p, q) => Ix::bin(IxOp::Max, ix_of(p)?, ix_of(q)?),
        Atom::Read(l, at) => Ix::Read(Var::Free(*l), at.iter().map(ix_of).collect::<Option<_>>()?),
    })
}

/// `t` and `r` with `p = d*t + r`: what is divisible by `d`'s leading monomial goes into `t`. `None` on
/// overflow.
pub(crate) fn divide(p: &Poly, d: &Poly) -> Option<(Poly, Poly)> {
    let (lead, by) = d.terms().max_by_key(|(m, _)| m.len())?;
    let mut quotient = Poly::default();
    for (m, c) in p.terms() {
        if let Some(rest) = without(m, lead) {
            let factor = Poly::constant(c.checked_div_euclid(by)?);
            let term = rest.into_iter().try_fold(factor, |q, a| q.times(&Poly::atom((*a).clone())));
            quotient = quotient.plus(&term.ok()?).ok()?;
        }
    }
    let rest = p.minus(&d.times(&quotient).ok()?).ok()?;
    Some((quotient, rest))
}

/// A monomial without the factors of another, if it has them all.
fn without(m: &[Arc<Atom>], part: &[Arc<Atom>]) -> Option<Vec<Arc<Atom>>> {
    let mut rest = m.to_vec();
    for a in part {
        rest.remove(rest.iter().position(|b| a == b)?);
    }
    Some(rest)
}

/// `p` with polynomials for atoms; `None` on overflow.
pub(crate) fn substitute(p: &Poly, values: &[(Arc<Atom>, Poly)]) -> Option<Poly> {
    let mut sum = Poly::default();
    for (m, c) in p.terms() {
        let mut product = Poly::constant(c);
        for a in m {
            let value = values.iter().find(|v| v.0 == *a).map(|v| v.1.clone());
            product = product.times(&value.unwrap_or_else(|| Poly::atom((**a).clone()))).ok()?;
        }
        sum = sum.plus(&product).ok()?;
    }
    Some(sum)
}

/// The constant term of a polynomial.
pub(crate) fn constant_term(p: &Poly) -> i128 {
    p.terms().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reading back keeps the normal form; division gives this quotient, and what is left over.
    fn check(p: Ix, d: Ix, quotient: Ix, rest: Ix) {
        let [p, d, quotient, rest] = [p, d, quotient, rest].map(|ix| Poly::of(&ix).unwrap());
        assert_eq!(Poly::of(&ix_of(&p).unwrap()), Ok(p.clone()));
        assert_eq!(divide(&p, &d), Some((quotient, rest)));
    }

    #[test]
    fn division() {
        let [x, y, k] = [0, 1, 2].map(Ix::free);
        check(x.clone() * Ix::Lit(64) + y.clone(), Ix::Lit(64), x.clone(), y.clone());
        check(x.clone() * k.clone() + y.clone(), k.clone(), x.clone(), y.clone());
        check(y.clone() - Ix::Lit(1), Ix::Lit(64), Ix::Lit(-1), y.clone() + Ix::Lit(63));
        let d = k.clone() * Ix::Lit(64);
        check(x.clone() * d.clone() + y.clone() * Ix::Lit(64), d, x, y.clone() * Ix::Lit(64));
        check(y.clone() % k.clone(), k.clone(), Ix::ZERO - y.clone() / k, y);
    }

    #[test]
    fn substitution() {
        let [x, y] = [0, 1].map(Ix::free);
        let quotient = Arc::new(Atom::Div(Poly::of(&x).unwrap(), Poly::constant(4)));
        let p = Poly::of(&((x.clone() / Ix::Lit(4)) * y.clone() + x.clone())).unwrap();
        let value = Poly::of(&(y.clone() + Ix::Lit(1))).unwrap();
        let expected = Poly::of(&((y.clone() + Ix::Lit(1)) * y + x)).unwrap();
        assert_eq!(substitute(&p, &[(quotient, value)]), Some(expected));
    }
}
