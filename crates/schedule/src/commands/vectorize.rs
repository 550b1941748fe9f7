//! `vectorize L`, `vectorize L by k`: run the iterations of a loop in vector lanes.
//!
//! **Statement.** The same term; the loop is marked.
//! **Requires.** To be lowered: that iterations write disjoint cells, which `gen` gives.
//! **Fails when.** There is no loop `L`, or `k` is not a power of two up to 64. The race check refuses a `sum`.
//! **Example.** `vectorize x.i by 16`.
//! **See also.** `parallel`, `unroll`.

use crate::annotate::run_as;
use crate::args::Args;
use crate::command::Command;
use atl_diag::err;
use atl_kernel::LoopKind;

/// See the module.
pub static COMMAND: Command = Command {
    name: "vectorize",
    usage: "vectorize L by k",
    equation: "the same term: a loop's annotation means nothing to it",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by"])?;
        let mut places = Vec::new();
        for l in &args.loops()? {
            places.extend(session.loops(l)?);
        }
        let width = match step.clause("by") {
            None => None,
            Some(_) => {
                let arg = args.clause_arg("by")?;
                let lanes = arg.as_int().and_then(|k| u32::try_from(k).ok());
                match lanes.filter(|k| k.is_power_of_two() && *k <= 64) {
                    Some(k) => Some(k),
                    None => {
                        return Err(Box::new(
                            err!(E0319, arg.span, "a vector has 1, 2, 4, 8, 16, 32 or 64 lanes")
                                .label("not a number of lanes")
                                .help("`vectorize L` alone leaves the choice to the compiler"),
                        ));
                    }
                }
            }
        };
        run_as(session, step.span, places, LoopKind::Vector(width))
    },
};
