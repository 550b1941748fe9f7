//! Derived theorems: conversions that chain the kernel's primitive rules.
#![forbid(unsafe_code)]

pub mod cx;
pub mod gather;

pub use cx::{Cx, Step, join};
