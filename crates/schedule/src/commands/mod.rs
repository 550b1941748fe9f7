//! The commands, one file each. To add one: its file, and its line here.

use crate::command::Command;

pub mod compute;
pub mod inline;
pub mod parallel;
pub mod peel;
pub mod rename;
pub mod reorder;
pub mod rw;
pub mod simplify;
pub mod split;
pub mod store;
pub mod tile;
pub mod unfold;
pub mod unroll;
pub mod vectorize;

/// Every command, sorted by file name.
pub static TABLE: &[&Command] = &[
    &compute::COMMAND,
    &inline::COMMAND,
    &parallel::COMMAND,
    &peel::COMMAND,
    &rename::COMMAND,
    &reorder::COMMAND,
    &rw::COMMAND,
    &simplify::COMMAND,
    &split::COMMAND,
    &store::COMMAND,
    &tile::COMMAND,
    &unfold::COMMAND,
    &unroll::COMMAND,
    &vectorize::COMMAND,
];

/// The command with this name.
pub fn by_name(name: &str) -> Option<&'static Command> {
    TABLE.iter().copied().find(|c| c.name == name)
}
