//! Polynomials back as index terms.
//!
//! For certificates only the meaning matters: `Poly::of` of the result is the polynomial again.

use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Ix, IxOp};

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
