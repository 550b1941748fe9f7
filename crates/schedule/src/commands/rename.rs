//! `rename L to M`: another name for a loop or a `let`.
//!
//! **Statement.** The same term: names do not affect it.
//! **Requires.** Nothing.
//! **Fails when.** Nothing is called `L`, or `M` is taken.
//! **Example.** `rename y.o to tile_row`.
//! **See also.** `split`, whose loops are called `L.o` and `L.i`.

use crate::annotate::relabel;
use crate::args::Args;
use crate::command::Command;
use crate::nest::binders;
use crate::refusal::wrong_arguments;
use atl_diag::err;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "rename",
    usage: "rename L to M",
    equation: "the same term: names do not affect it",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["to"])?;
        let from = args.one_loop()?;
        let to = args.clause_arg("to")?;
        let Some(name) = to.as_name() else { return Err(wrong_arguments(to.span, COMMAND.usage)) };
        if binders(&session.body).iter().any(|p| *p.label.name == *name.text) {
            return Err(Box::new(
                err!(E0322, to.span, "the name `{}` is taken", name.text)
                    .label("a loop or a `let` is called so already")
                    .help("choose another name"),
            ));
        }
        let places = match session.loops(&from) {
            Ok(places) => places,
            Err(unknown) if from.within.is_some() => return Err(unknown),
            Err(unknown) => session.lets(&from.name.text, from.name.span).map_err(|_| unknown)?,
        };
        let name: Arc<str> = Arc::from(name.text.as_str());
        relabel(session, step.span, &places, &mut |l, _| l.name = name.clone())
    },
};
