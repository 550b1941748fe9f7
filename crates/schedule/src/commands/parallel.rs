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
use crate::nest::binders;
use crate::script::Applied;
use crate::session::wrong_arguments;
use atl_kernel::{Expr, LoopKind};
use std::collections::{BTreeMap, BTreeSet};

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

/// The names of the loops whose iterations go to whoever is free, after these steps. A step that leaves a parallel loop another
/// name leaves it what it is.
pub(crate) fn dynamic(steps: &[Applied]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for Applied { step, thm, .. } in steps {
        if step.name.text == COMMAND.name {
            let loops = step.args.iter().filter_map(|arg| Some(arg.as_loop()?.name.text));
            match step.clause("with") {
                Some(_) => names.extend(loops),
                None => {
                    let loops: BTreeSet<String> = loops.collect();
                    names.retain(|name| !loops.contains(name));
                }
            }
        } else if !names.is_empty() {
            let (before, after) = (parallel(thm.lhs()), parallel(thm.rhs()));
            let gone: Vec<_> = before.keys().filter(|name| fewer(&after, &before, name)).collect();
            if !gone.is_empty() && gone.into_iter().all(|name| names.contains(name)) {
                names.extend(after.keys().filter(|name| fewer(&before, &after, name)).cloned());
            }
            names.retain(|name| after.contains_key(name) || !before.contains_key(name));
        }
    }
    names
}

/// How many parallel loops have each name.
fn parallel(e: &Expr) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for place in binders(e).into_iter().filter(|place| place.label.kind == LoopKind::Parallel) {
        *counts.entry(place.label.name.to_string()).or_default() += 1;
    }
    counts
}

/// Are there fewer loops of this name here than there?
fn fewer(here: &BTreeMap<String, usize>, there: &BTreeMap<String, usize>, name: &str) -> bool {
    here.get(name) < there.get(name)
}
