//! `parallel L`: run the iterations of a loop on several threads; `parallel L with dynamic`: each by whoever is free.
//!
//! **Statement.** The same term; the loop is marked.
//! **Requires.** To be lowered: that iterations write disjoint cells, which `gen` gives, and that no other parallel
//! loop is around it.
//! Each thread runs as many successive iterations, which is settled at the start. `with dynamic`, a thread that is free takes
//! the next one, for all loops of this name: for iterations that differ in length. For chunks of `k` iterations `split L by k`
//! first, and run `L.o` so.
//! **Fails when.** There is no loop `L`. The race check refuses a `sum`.
//! **Example.** `parallel y.o` after a tiling.
//! **See also.** `vectorize`.

use crate::annotate::run_as;
use crate::args::Args;
use crate::command::Command;
use crate::session::wrong_arguments;
use atl_kernel::LoopKind;
use atl_syntax::ast::Step;

/// See the module.
pub static COMMAND: Command = Command {
    name: "parallel",
    usage: "parallel L [with dynamic]",
    equation: "the same term: a loop's annotation means nothing to it",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["with"])?;
        let loops = args.loops()?;
        if let Some(with) = step.clause("with")
            && args.clause_arg("with")?.as_name().is_none_or(|how| how.text != "dynamic")
        {
            return Err(wrong_arguments(with.span, COMMAND.usage));
        }
        let mut places = Vec::new();
        for l in &loops {
            places.extend(session.loops(l)?);
        }
        run_as(session, step.span, places, LoopKind::Parallel)
    },
};

/// The names of the loops, if it is such a step, and says `with dynamic`.
pub(crate) fn dynamic(step: &Step) -> Vec<String> {
    if step.name.text != COMMAND.name || step.clause("with").is_none() {
        return Vec::new();
    }
    step.args.iter().filter_map(|arg| arg.as_loop()).map(|l| l.name.text).collect()
}
