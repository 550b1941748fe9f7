//! `compress A as F`: store a parameter in a format.
//!
//! **Statement.** The same function. Under this schedule it takes the arrays of format `F` instead of `A`,
//! and `A` is defined from them: `decompress (compress F A) = A`. The body begins with a `let` of that
//! tensor, which `sparsify` decomposes.
//! **Requires.** A parameter without a format in its type. It holds for the whole schedule, wherever the step
//! is written.
//! **Fails when.** There is no such parameter, the format has another rank, or the step is inside another.
//! **Example.** `compress A as csr; sparsify;` in a matrix-vector product gives loops over the stored
//! entries.
//! **See also.** `as` in the type of a parameter, which holds for every schedule; `sparsify`.

use crate::args::Args;
use crate::command::Command;
use crate::refusal::{RefusedAt, wrong_arguments};
use atl_diag::err;

/// See the module.
pub static COMMAND: Command = Command {
    name: "compress",
    usage: "compress A as F",
    equation: "A  =  decompress(F, compress(F, A))",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["as"])?;
        args.clause_arg("as")?;
        let name = step.args.first().and_then(|arg| arg.as_name());
        let Some(name) = name else { return Err(wrong_arguments(step.span, COMMAND.usage)) };
        if session.lets(&name.text, name.span).is_err() {
            return Err(Box::new(
                err!(E0372, step.span, "`compress` is inside another step")
                    .label("only a schedule's own steps can compress a parameter")
                    .help("move it to the beginning of the schedule"),
            ));
        }
        session.cx.refl(&session.body.clone()).refused_at(step.span)
    },
};
