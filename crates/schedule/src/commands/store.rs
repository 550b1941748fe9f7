//! `store X in heap`, `store X in stack`, `store X in register`: where a `let`'s tensor is kept.
//!
//! **Statement.** The same term; the `let` is marked.
//! **Requires.** To be lowered: for `stack` and `register`, constant extents.
//! **Fails when.** There is no `let X`, or the place is unknown.
//! **Example.** `store acc in register`.
//! **See also.** `compute`, which says where it is produced.

use crate::annotate::relabel;
use crate::args::Args;
use crate::command::Command;
use atl_diag::err;
use atl_kernel::Storage;

/// See the module.
pub static COMMAND: Command = Command {
    name: "store",
    usage: "store X in heap|stack|register",
    equation: "the same term: storage means nothing to it",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["in"])?;
        let (name, span) = args.one_name()?;
        let places = session.lets(&name, span)?;
        let arg = args.clause_arg("in")?;
        let storage = match arg.as_name().map(|n| n.text).as_deref() {
            Some("heap") => Storage::Heap,
            Some("stack") => Storage::Stack,
            Some("register") => Storage::Register,
            _ => {
                return Err(Box::new(
                    err!(E0320, arg.span, "unknown place to store `{name}`")
                        .label("not a place")
                        .help("write `heap`, `stack` or `register`"),
                ));
            }
        };
        relabel(session, step.span, &places, &|l| l.storage = storage)
    },
};
