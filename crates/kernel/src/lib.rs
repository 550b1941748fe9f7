//! The trusted base of `atl`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod laws;
mod ty;

pub use laws::{Laws, Rounding};
pub use ty::{Algebra, Elem, Scalar};
