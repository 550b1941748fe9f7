//! Kernel terms as programs.
//!
//! The one idea: printing builds the *syntax* of a term, and the syntax's own printer writes it. Elaborating
//! what is printed gives the term back, up to labels; `expr` says what it takes.

mod index;
mod names;

pub use names::Names;

pub(crate) use index::{index, predicate};
