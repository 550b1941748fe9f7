//! Semirings whose elements are more than a machine scalar, and the machine scalars in the same dress; one file each.

mod counts;
mod machine;
mod matrices;
mod pairs;
mod paths;
mod polynomials;
mod smallest;
mod why;

pub use counts::Counts;
pub use machine::{Machine, Number};
pub use matrices::Matrices;
pub use pairs::Pairs;
pub use paths::{Path, Paths};
pub use polynomials::{Monomial, Polynomial, Polynomials};
pub use smallest::Smallest;
pub use why::Why;

use crate::{Arithmetic, SEMIRING};
use atl_kernel::Laws;

/// The laws of something made of a semiring's elements: of these, those that it has; none if it is no semiring.
fn over(semiring: &impl Arithmetic, laws: Laws) -> Laws {
    let has = semiring.laws();
    if has.has(SEMIRING) { laws.minus(laws.minus(has)) } else { Laws::NONE }
}
