//! The trapping interpreter: what a kernel means, slowly, and what it must not do.
//!
//! It runs a kernel exactly as the documentation of [`stmt`](crate::stmt), [`val`](crate::val) and
//! [`index`](crate::index) says, and stops with a [`Trap`] where a back end would be free to do anything. It
//! knows nothing of the interpreter of kernel terms, so that each can be the other's witness.
//!
//! Concurrent loops run in order; [`memory`] remembers which iteration touched which cell.

mod event;
mod intersection;
mod memory;
mod merge;
mod run;
mod search;
mod trap;

pub use event::Event;
pub use memory::Cells;
pub use run::{Options, Searches, interpret, observe};
pub use trap::{RunError, Trap, TrapKind};

#[cfg(test)]
mod tests;
