//! `parallel L`: run the iterations of a loop on several threads; `parallel L with dynamic`: each by whoever is free.
//!
//! **Statement.** The same term; the loop is marked.
//! **Requires.** To be lowered: that iterations write disjoint cells, which `gen` gives, and that no other parallel
//! loop is around it.
//! Each thread runs as many successive iterations, which is settled at the start. `with dynamic`, a thread that is free takes
//! the next one, for all loops of this name, also once they are renamed: for iterations that differ in length. A later `parallel L`
//! takes that back. For chunks of `k` iterations `split L by k`: `L.o` is then run so.
//! **Fails when.** There is no loop `L`. The race check refuses a `sum`.
//! **Example.** `parallel y.o` after a tiling.
//! **See also.** `vectorize`.

use crate::annotate::run_as;
use crate::args::Args;
use crate::command::Command;
use crate::commands::prefetch::meant;
use crate::followed::{Loops, after};
use crate::script::Applied;
use crate::session::wrong_arguments;
use atl_kernel::LoopKind;
use std::collections::BTreeSet;

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

/// The names of the loops whose iterations go to whoever is free, after these steps; of what was split, the outer part.
pub(crate) fn dynamic(steps: &[Applied]) -> BTreeSet<String> {
    let mut marked = Loops::new();
    for Applied { step, thm, command, .. } in steps {
        if *command == COMMAND.name {
            let loops = step.args.iter().filter_map(|arg| meant(thm.lhs(), arg)).flatten();
            match step.clause("with") {
                Some(_) => marked.extend(loops),
                None => {
                    let loops: Loops = loops.collect();
                    marked.retain(|name| !loops.contains(name));
                }
            }
        }
        marked = after(vec![marked], thm).into_iter().next().unwrap_or_default();
    }
    marked.into_iter().map(|(_, name)| name).collect()
}
