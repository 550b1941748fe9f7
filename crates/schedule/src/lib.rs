//! Schedules: commands that propose, and prove, the program they leave.
//!
//! **The one idea.** A command may build its result in any way. What it returns is a theorem `before = after` about
//! the whole body, made of kernel rules through `atl-rules`; so a schedule is a chain of theorems, and a wrong command
//! can only fail. Sites are found by the names of loops and `let`s ([`nest`]), which are labels and survive rewriting.
//!
//! To add a command: a file in `commands/` and a line in its table. Start reading at `script.rs`.
#![forbid(unsafe_code)]

mod annotate;
pub mod args;
mod command;
pub mod commands;
mod linear;
pub mod nest;
mod pattern;
mod script;
mod session;

pub use command::Command;
pub use script::{Applied, Derivation, derive, run};
pub use session::{Refusal, Session};
