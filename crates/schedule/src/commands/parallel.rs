//! `parallel L`: run the iterations of a loop on several threads; `parallel L with dynamic`: as threads
//! become free.
//!
//! **Statement.** The same term; the loop is annotated.
//! **Requires.** To be lowered: iterations write disjoint elements, which `gen` ensures, and no other
//! parallel loop is around it. By default each thread runs one range of successive iterations, fixed at the
//! start. With `with dynamic`, a free thread takes the next iteration, in all loops of this name, also after
//! they are renamed: use it for iterations of different cost. A later `parallel L` makes the ranges fixed
//! again. For chunks of `k` iterations, `split L by k` and annotate `L.o`.
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
    equation: "annotation only: the value is unchanged",
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
