//! Derived theorems: conversions that chain the kernel's primitive rules.
#![forbid(unsafe_code)]

mod below_windows;
mod beta;
pub mod cases;
pub mod catalogue;
pub mod common_rounds;
pub mod conjuncts;
mod converse;
pub mod cx;
mod derived;
pub mod fronts;
pub mod gather;
mod inductions;
mod inside_reads;
pub mod lets;
mod matching;
pub mod monoids;
pub mod moving;
pub mod normal;
pub mod occurrences;
mod order;
mod ranks;
mod recursion;
pub mod rounds;
pub mod rules;
pub mod scans;
pub mod schema;
mod settle;
pub mod shorten;
mod solve;
pub mod sparse;
pub mod tiles;
mod work;
pub mod written_blocks;

pub use cx::{Chain, Convert, Cx, Step, Walk, join};
pub use derived::{Derived, Example, Inverse, Named, Rewrite, by_name, names};
pub use work::Work;

#[cfg(test)]
mod tests;
