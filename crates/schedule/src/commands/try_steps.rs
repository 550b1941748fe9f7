//! `try { steps }`: the steps, if they can be carried out; else nothing.
//!
//! **Statement.** The steps' equation, or `e = e`.
//! **Requires.** Nothing. Either all of the steps are carried out or none.
//! **Fails when.** A step is no step at all, such as an unknown rule.
//! **Example.** `try { peel; }` peels where there is something to peel.
//! **See also.** `first_of`, `repeat`.

use crate::command::Command;
use crate::commands::repeat::{attempt, blocks};
use crate::refusal::{RefusedAt, wrong_arguments};

/// See the module.
pub static COMMAND: Command = Command {
    name: "try",
    usage: "try { steps }",
    equation: "e  =  e after the steps, or e",
    run: |session, step| {
        let [block] = blocks(step, COMMAND.usage)? else {
            return Err(wrong_arguments(step.span, COMMAND.usage));
        };
        let start = session.body.clone();
        let done = attempt(session, block)?;
        session.cx.total(&start, done).refused_at(step.span)
    },
};
