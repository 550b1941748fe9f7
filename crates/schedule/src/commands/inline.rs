//! `inline X`: put a `let`'s term where its name stands.
//!
//! **Statement.** `let X = e; f(X) = f(e)`.
//! **Requires.** Nothing. Reads of `X` become reads of its term; `rw access_gen everywhere` or `simplify` carries them out.
//! **Fails when.** There is no `let X`.
//! **Example.** `let t = gen i < n { a[i] + 1 }; gen i < n { t[i] }` becomes `gen i < n { (gen i < n { a[i] + 1 })[i] }`.
//! **See also.** `compute`, which keeps a window of the producer.

use crate::args::Args;
use crate::command::Command;
use atl_kernel::Rule;

/// See the module.
pub static COMMAND: Command = Command {
    name: "inline",
    usage: "inline X",
    equation: "let X = e; f(X)  =  f(e)",
    run: |session, step| {
        let (name, span) = Args::new(step, COMMAND.usage, &[])?.one_name()?;
        // From the innermost outward, so that the places stay valid.
        let mut places = session.lets(&name, span)?;
        places.reverse();
        session.convert(step.span, &places, &mut |cx, e| cx.rule(Rule::LetInline, e))
    },
};
