//! Schedules: commands that propose, and prove, the program they leave.
//!
//! **The one idea.** A command may build its result in any way. What it returns is a theorem `before = after`
//! about the whole body, made of kernel rules through `atl-rules`; so a schedule is a chain of theorems, and
//! a wrong command can only fail. Sites are found by the names of loops and `let`s ([`nest`]), which are
//! labels and survive rewriting.
//!
//! To add a command: a file in `commands/` and a line in its table. Start reading at `script.rs`.
#![forbid(unsafe_code)]

mod accesses;
mod accumulate;
mod aligned;
mod annotate;
mod applied;
pub mod args;
mod collapse;
mod command;
pub mod commands;
pub mod contraction;
mod cuts;
mod detached;
mod device;
mod dimensions;
mod duplicate_let;
mod each_once;
mod equation;
mod focus;
pub mod forward;
mod in_turn;
mod into_loops;
mod library;
mod lift;
mod linear;
mod names;
pub mod nest;
mod old_names;
mod operand_order;
mod pattern;
mod read_bounds;
mod read_tensor;
mod read_window;
mod reads;
mod refusal;
mod repackable;
mod rounds;
mod scans;
mod script;
mod session;
mod sites;
pub mod size;
mod substitute;
mod sums_in_monoids;
mod sums_together;
mod table;
mod theorem;
mod theorem_proofs;
mod together;

pub use applied::Applied;
pub use atl_rules::sparse::trip_counts::{elements, trip_count};
pub use command::Command;
pub use commands::assume::assumptions;
pub use commands::repack::copies;
pub use library::Library;
pub use old_names::old_spellings;
pub use refusal::Refusal;
pub use repackable::repackable;
pub use script::{Derivation, Failed, MAX_STEPS, derive, run, run_all};
pub use session::Session;
pub use theorem::Theorem;
