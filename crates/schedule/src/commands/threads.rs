//! `threads L`, `threads L as y`: the iterations of a loop are the threads of a block.
//!
//! **Statement.** The same term; the loop is marked, along the axis `x`, `y` or `z` (`x` if none is named). Threads next to each other
//! differ in `x`.
//! **Requires.** For `atl build --backend cuda`: loops over threads stand in loops over blocks, or are one block; they stand directly in each other but for
//! conditions, and have constant extents, whose product is at most 1024. Threads wait for each other between two such nests where one
//! touches what the other stores. A loop that is renamed later stays marked; the step stands after those that split. Every other
//! back end runs these loops in order.
//! **Fails when.** There is no loop `L`, or it is a `sum`.
//! **Example.** `split x.i by 32; threads x.i.i as x`.
//! **See also.** `blocks`, `store`.

use crate::command::Command;
use crate::device::{Level, map};

/// See the module.
pub static COMMAND: Command = Command {
    name: "threads",
    usage: "threads L [as x|y|z]",
    equation: "the same term: a loop's annotation means nothing to it",
    run: |session, step| map(session, step, COMMAND.usage, Level::Threads),
};
