//! The commands, one file each. To add one: its file, and its line here.

use crate::command::Command;
use crate::old_names::renamed;

pub mod assume;
pub mod auto;
pub mod batch;
pub mod blocks;
pub mod carry;
pub mod compress;
pub mod compute;
pub mod contract;
pub mod drive_shorter;
pub mod early_exit;
pub mod factor;
pub mod first_of;
pub mod fission;
pub mod fuse;
pub mod gather;
pub mod hoist;
pub mod inline;
pub mod pack;
pub mod pad;
pub mod parallel;
pub mod pattern_of;
pub mod peel;
pub mod permute;
pub mod prefetch;
pub mod prefetch_result;
pub mod relayout;
pub mod rename;
pub mod reorder;
pub mod repack;
pub mod repeat;
pub mod reuse;
pub mod rfactor;
pub mod ring;
pub mod rounding;
pub mod rw;
pub mod scan;
pub mod simplify;
pub mod slide;
pub mod sparsify;
pub mod split;
pub mod stage;
pub mod store;
pub mod stream;
pub mod threads;
pub mod threshold;
pub mod tile;
pub mod try_steps;
pub mod unfold;
pub mod unroll;
pub mod vectorize;
pub mod wavefront;

/// Every command, sorted by file name.
pub static TABLE: &[&Command] = &[
    &assume::COMMAND,
    &auto::COMMAND,
    &batch::COMMAND,
    &blocks::COMMAND,
    &carry::COMMAND,
    &compress::COMMAND,
    &compute::COMMAND,
    &contract::COMMAND,
    &drive_shorter::COMMAND,
    &early_exit::COMMAND,
    &factor::COMMAND,
    &first_of::COMMAND,
    &fission::COMMAND,
    &fuse::COMMAND,
    &gather::COMMAND,
    &hoist::COMMAND,
    &inline::COMMAND,
    &pack::COMMAND,
    &pad::COMMAND,
    &parallel::COMMAND,
    &pattern_of::COMMAND,
    &peel::COMMAND,
    &permute::COMMAND,
    &prefetch::COMMAND,
    &prefetch_result::COMMAND,
    &relayout::COMMAND,
    &rename::COMMAND,
    &reorder::COMMAND,
    &repack::COMMAND,
    &repeat::COMMAND,
    &reuse::COMMAND,
    &rfactor::COMMAND,
    &ring::COMMAND,
    &rounding::COMMAND,
    &rw::COMMAND,
    &scan::COMMAND,
    &simplify::COMMAND,
    &slide::COMMAND,
    &sparsify::COMMAND,
    &split::COMMAND,
    &stage::COMMAND,
    &store::COMMAND,
    &stream::COMMAND,
    &threads::COMMAND,
    &threshold::COMMAND,
    &tile::COMMAND,
    &try_steps::COMMAND,
    &unfold::COMMAND,
    &unroll::COMMAND,
    &vectorize::COMMAND,
    &wavefront::COMMAND,
];

/// The command with this name, which may be its old one.
pub fn by_name(name: &str) -> Option<&'static Command> {
    let name = renamed(name).unwrap_or(name);
    TABLE.iter().copied().find(|c| c.name == name)
}
