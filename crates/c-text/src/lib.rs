//! The text of expressions in languages like C.
//!
//! A printer implements [`Dialect`]: how its language writes types, literals, cells and functions of floats. The rest, which is
//! the same in C and in CUDA, is here: operations on index terms, predicates and values, the parentheses between them,
//! [helper functions](helpers), and [reserved words](names). Statements are not: a device's differ from a processor's.

pub mod bits;
mod code;
mod dialect;
pub mod halves;
pub mod helpers;
pub mod names;
pub mod narrow;

pub use code::{Code, Precedence};
pub use dialect::{Context, Dialect, is_narrow};
