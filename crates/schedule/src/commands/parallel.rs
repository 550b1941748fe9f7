//! `parallel L`: run the iterations of a loop on several threads.
//!
//! **Statement.** The same term; the loop is marked.
//! **Requires.** To be lowered: that iterations write disjoint cells, which `gen` gives, and that no other parallel
//! loop is around it.
//! **Fails when.** There is no loop `L`. The race check refuses a `sum`.
//! **Example.** `parallel y.o` after a tiling.
//! **See also.** `vectorize`.

use crate::annotate::run_as;
use crate::args::Args;
use crate::command::Command;
use atl_kernel::LoopKind;

/// See the module.
pub static COMMAND: Command = Command {
    name: "parallel",
    usage: "parallel L",
    equation: "the same term: a loop's annotation means nothing to it",
    run: |session, step| {
        let loops = Args::new(step, COMMAND.usage, &[])?.loops()?;
        let mut places = Vec::new();
        for l in &loops {
            places.extend(session.loops(l)?);
        }
        run_as(session, step.span, places, LoopKind::Parallel)
    },
};
