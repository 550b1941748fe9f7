//! `first_of { steps } or { steps }`: the first alternative that succeeds.
//!
//! **Statement.** The equation of the steps of that alternative.
//! **Requires.** What one of the alternatives requires.
//! **Fails when.** Every alternative is refused; the refusal of the last one is shown.
//! **Example.** `first_of { vectorize x.i by 16; } or { unroll x.i; }`.
//! **See also.** `try`, which is `first_of { steps } or {}`.

use crate::command::Command;
use crate::commands::repeat::{attempt, blocks};
use crate::refusal::wrong_arguments;
use crate::script::run_all;

/// See the module.
pub static COMMAND: Command = Command {
    name: "first_of",
    usage: "first_of { steps } or { steps }",
    equation: "e  =  e after the first steps that apply",
    run: |session, step| {
        let Some((last, others)) = blocks(step, COMMAND.usage)?.split_last().filter(|(_, o)| !o.is_empty())
        else {
            return Err(wrong_arguments(step.span, COMMAND.usage));
        };
        for block in others {
            if let Some(thm) = attempt(session, block)? {
                return Ok(thm);
            }
        }
        run_all(session, &last.steps, last.span)
            .map_err(|why| Box::new(why.also(step.span, "no way before this last one applies either")))
    },
};
