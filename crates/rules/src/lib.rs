//! Derived theorems: conversions that chain the kernel's primitive rules.
#![forbid(unsafe_code)]

pub mod cx;
mod derived;
pub mod gather;
pub mod rules;

pub use cx::{Cx, Step, join};
pub use derived::{Derived, Example, Inverse, Named, Rewrite, by_name, names};

#[cfg(test)]
mod tests;
