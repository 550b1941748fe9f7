//! Whether a program's own semirings have the laws that they claim.
//!
//! The one idea: a theorem may rest on any law that an algebra claims, so a claim is shown before there is a
//! theorem, and what is not shown is refused. Laws are about exact numbers; where floats round, a theorem's
//! rounding class says so. First the claims are tried on numbers ([`trial`]), since numbers at which one
//! fails explain best. A carrier of few elements is gone through whole, which proves them; for any other the
//! claims are proved ([`proof`]), by certificates that the kernel checks. A claim of which neither is known
//! is refused too. For operations on tuples, [`tuples`] does the same in ways of its own.

#![deny(missing_docs)]

#[cfg(test)]
mod declared;
mod proof;
mod statement;
mod symbolic;
#[cfg(test)]
mod tests;
mod trial;
mod tuples;

pub use tuples::{TupleClaims, refused_declared, refused_monoid, refused_tuples};

use atl_diag::{Diagnostic, err};
use atl_kernel::{Laws, Scalar};
use atl_lang::Declared;
use atl_semirings::{Carrier, Ops};
use proof::Unproved;
use trial::Trial;

/// What a declaration says.
#[derive(Clone, Copy)]
struct Claims {
    scalar: Scalar,
    carrier: Carrier,
    ops: Ops,
    laws: Laws,
}

/// Why a declaration is refused; none if all that it claims holds.
pub fn refused(declared: &Declared) -> Option<Diagnostic> {
    let semiring = declared.semiring;
    let scalar = *semiring.algebra.scalars.first()?;
    let claims =
        Claims { scalar, carrier: semiring.carrier, ops: semiring.on(scalar)?, laws: semiring.algebra.laws };
    let fails = |(message, notes): trial::Fault| {
        let refusal = err!(E0416, declared.claims, "`{}` {message}", semiring.algebra.name);
        notes
            .into_iter()
            .fold(refusal.label("claimed here"), Diagnostic::note)
            .help("claim fewer laws, or narrow the carrier; a schedule that needs a missing law names it")
    };
    match claims.tried() {
        Trial::Fails(fault) => return Some(fails(fault)),
        Trial::Exhaustive => return None,
        Trial::Passed => {}
    }
    let Unproved { what, at } = claims.prove().err()?;
    if let Some(fault) = at.and_then(|at| claims.at(*at)) {
        return Some(fails(fault));
    }
    Some(
        err!(E0417, declared.claims, "it is not known whether `{}` {what}", semiring.algebra.name)
            .label("claimed here")
            .note("no counterexample was found, but that is not a proof")
            .help(format!(
                "let the carrier have at most {} numbers, so that all can be tried, or write the multiplication with fewer \
                 cases and products",
                trial::FEW
            )),
    )
}
