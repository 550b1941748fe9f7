//! A program and its schedules: from text to theorems, loops, and what a call of these looks like.
//!
//! The one idea: everything here is decided before there is a back end. A [`Program`] is elaborated text;
//! [`Program::scheduled`] derives a schedule as a theorem; [`Scheduled::lower`] proves what lowering relies
//! on, makes loops, and describes their call ([`Signature`]). Unsafe accesses are worded here
//! (`safety_errors`). Nothing is compiled, run, measured or written: those crates stand above this one, and
//! it knows none of them.
//!
//! Programs in other languages become text of this one first; who starts a program says which there are
//! ([`Language`]).
#![deny(missing_docs)]

mod assembly;
pub mod auto;
#[cfg(test)]
mod claims_tests;
mod copies;
pub mod declared_semiring;
pub mod display;
pub mod elements;
mod failure;
mod numbers;
pub mod pads;
mod partial_derivation;
mod program;
mod ready;
mod safety_errors;
pub mod scheduled;
pub mod signature;
mod source_file;
mod stack;

pub use failure::Failure;
pub use partial_derivation::PartialDerivation;
pub use program::{Absent, Language, Program, Translated};
pub use ready::Ready;
pub use scheduled::{Lowered, Scheduled};
pub use signature::Signature;
pub use source_file::{read_program, read_text};
pub use stack::on_deep;
