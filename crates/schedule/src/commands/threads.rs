//! `threads L`, `threads L as y`: the iterations of a loop are the threads of a block.
//!
//! **Statement.** The same term; the loop is annotated, along the axis `x`, `y` or `z` (`x` by default).
//! Neighbouring threads differ in `x`.
//! **Requires.** For `atl build --backend cuda`: loops over threads are inside loops over blocks, or form one
//! block; they are nested directly but for conditions, and have constant extents, whose product is at most
//! 1024. A barrier separates two such nests if one touches what the other stores. A loop that is renamed
//! later keeps the annotation; the step comes after steps that split. Every other back end runs these loops
//! in order.
//! **Fails when.** There is no loop `L`, or it is a `sum`.
//! **Example.** `split x.i by 32; threads x.i.i as x`.
//! **See also.** `blocks`, `store`.

use crate::command::Command;
use crate::device::map;
use atl_annotations::Level;

/// See the module.
pub static COMMAND: Command = Command {
    name: "threads",
    usage: "threads L [as x|y|z]",
    equation: "annotation only: the value is unchanged",
    run: |session, step| map(session, step, COMMAND.usage, Level::Threads),
};
