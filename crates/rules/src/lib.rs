//! Derived theorems: conversions that chain the kernel's primitive rules.
#![forbid(unsafe_code)]

mod beta;
pub mod cases;
pub mod catalogue;
pub mod conjuncts;
mod converse;
pub mod cx;
mod derived;
pub mod gather;
mod matching;
pub mod normal;
mod order;
pub mod lets;
pub mod occurrences;
pub mod rules;
pub mod schema;
pub mod shorten;
mod solve;

pub use cx::{Cx, Step, join};
pub use derived::{Derived, Example, Inverse, Named, Rewrite, by_name, names};

#[cfg(test)]
mod tests;
