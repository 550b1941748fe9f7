//! `auto`: leave the rest of the schedule to the compiler.
//!
//! The last step of a script. A few scripts are written by rule from the program as the steps before it
//! leave it, each is derived and lowered, and a cost model chooses one; nothing is measured. `atl
//! explain` shows the steps that were chosen, and `atl run --print schedule` prints them as a schedule
//! that can be copied.
//! **Statement.** That of the steps which are chosen; of none, `e = e`.
//! **Requires.** It is the last step. What is chosen is `bitwise`, or `real` if the steps before it are,
//! or if the function has operands in formats.
//! **Fails when.** It is not the last step, or stands in a tactic or block, or at a prompt.
//! **Example.** `inline b; auto`.
//! **See also.** `rounding`, which allows more.

use crate::command::Command;
use atl_diag::err;

/// See the module.
pub static COMMAND: Command = Command {
    name: "auto",
    usage: "auto",
    equation: "e  =  e after the steps that are chosen",
    run: |_, step| {
        Err(Box::new(
            err!(E0306, step.span, "`auto` is not the last step of a schedule")
                .label("steps cannot be chosen here")
                .help("write `auto;` at the end of a schedule in a file, and no step after it"),
        ))
    },
};
