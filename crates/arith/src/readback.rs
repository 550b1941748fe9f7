//! Polynomials back as index terms.
//!
//! For certificates only the meaning matters: `Poly::of` of the result is the polynomial again. Division
//! of one polynomial by another, with remainder, lives here too.

use atl_kernel::poly::{Atom, Monomial, Poly};
use atl_kernel::{Ix, IxOp};
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
fn without(m: &Monomial, part: &Monomial) -> Option<Monomial> {
    let mut rest = m.clone();
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
