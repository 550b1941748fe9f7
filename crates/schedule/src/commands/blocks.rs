//! `blocks L`, `blocks L as y`: the iterations of a loop are the blocks of a device's grid.
//!
//! **Statement.** The same term; the loop is annotated, along the axis `x`, `y` or `z` (`x` by default).
//! **Requires.** For `atl build --backend cuda`: loops over blocks are outermost and directly nested, with
//! extents over the function's sizes. A loop that is renamed later keeps the annotation; the step comes after
//! steps that split. Every other back end runs the outermost of these loops on threads, as `parallel` does,
//! and those inside in order.
//! **Fails when.** There is no loop `L`, or it is a `sum`.
//! **Example.** `tile y, x by 32, 32; blocks x.o as x; blocks y.o as y`.
//! **See also.** `threads`, `store`.

use crate::command::Command;
use crate::device::map;
use atl_annotations::Level;

/// See the module.
pub static COMMAND: Command = Command {
    name: "blocks",
    usage: "blocks L [as x|y|z]",
    equation: "annotation only: the value is unchanged",
    run: |session, step| map(session, step, COMMAND.usage, Level::Blocks),
};
