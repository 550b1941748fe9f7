//! Sums in a monoid: iterations whose step adds a term, taken apart and put together by the monoid's laws.
//!
//! The one idea: a sum of elements with several fields has a state for each, so no law of an algebra is about
//! it; but each round makes the states `x` into the monoid's formula of `x` and a term. From the laws that
//! are claimed of the formula ([`Rule::Law`](atl_kernel::Rule::Law)) everything follows by induction.

mod blocks;
mod fold;
mod joined;
mod lanes;
mod laws;
mod summed;
#[cfg(test)]
mod tests;

pub use blocks::blocks;
pub use fold::{Fold, carried_out_in};
pub use lanes::{Nested, Parts, partial};
pub(crate) use laws::{instances, law, sum_of_equal};
pub use summed::in_terms;
