//! Operations on tuples that programs declare: whether they have the laws that are claimed.
//!
//! An element has a value for each field. Of floats, it is any real number, or one of the infinities that
//! zero or one has in that field; of other types, any value. Nothing else is known of elements, since any
//! terms may be summed.

use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Elem, Expr, Laws, Monoid};

/// What is claimed of operations on tuples.
#[derive(Clone, Debug)]
pub struct TupleClaims {
    /// What messages call it.
    pub name: String,
    /// The types of an element's fields.
    pub fields: Vec<Elem>,
    /// The fields of the zero: closed terms.
    pub zero: Vec<Expr>,
    /// The fields of the one, of a semiring.
    pub one: Option<Vec<Expr>>,
    /// The fields of a sum. The free tensor variables of the levels from 0 are the fields of its first
    /// element, and then of the second.
    pub add: Vec<Expr>,
    /// The fields of a product, in the same way; of a semiring.
    pub mul: Option<Vec<Expr>>,
    /// The laws.
    pub laws: Laws,
}

impl From<&Monoid> for TupleClaims {
    fn from(monoid: &Monoid) -> TupleClaims {
        TupleClaims {
            name: monoid.name().to_owned(),
            fields: monoid.fields().to_vec(),
            zero: monoid.zero().to_vec(),
            one: None,
            add: monoid.formulas().cloned().collect(),
            mul: None,
            laws: monoid.laws(),
        }
    }
}

/// Why a monoid of tuples is refused; none if it has every law that it claims.
pub fn refused_monoid(monoid: &Monoid, claims: Span) -> Option<Diagnostic> {
    refused_tuples(&TupleClaims::from(monoid), claims)
}

/// Why operations on tuples are refused; none if they have every law that is claimed of them.
pub fn refused_tuples(claimed: &TupleClaims, claims: Span) -> Option<Diagnostic> {
    if claimed.laws.is_empty() {
        return None;
    }
    Some(
        err!(E0417, claims, "it is not known whether `{}` has the laws `{}`", claimed.name, claimed.laws)
            .label("claimed here")
            .note("no counterexample was found, but that is not a proof"),
    )
}
