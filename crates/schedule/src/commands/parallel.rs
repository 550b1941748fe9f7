//! `parallel L`: run the iterations of a loop on several threads; `parallel L with dynamic`: as threads
//! become free.
//!
//! **Statement.** The same term; the loop is annotated.
//! **Requires.** To be lowered: iterations write disjoint elements, which `gen` ensures, and no other
//! parallel loop is around it. By default each thread runs one range of successive iterations, fixed at the
//! start. With `with dynamic`, a free thread takes the next iteration: use it for iterations of different
//! cost. A later `parallel L` makes the ranges fixed again. For chunks of `k` iterations, `split L by k` and annotate `L.o`.
//! **Fails when.** There is no loop `L`, or an earlier step runs it in lanes or writes it out (E0385). The race check refuses a `sum`.
//! **Example.** `parallel y.o` after a tiling.
//! **See also.** `vectorize`.

use crate::annotate::{request, run_as, run_no_other_way};
use crate::args::Args;
use crate::command::Command;
use crate::refusal::wrong_arguments;
use atl_annotations::{Annotation, Mark, Role};
use atl_kernel::LoopKind;

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
        run_no_other_way(step.span, &places, LoopKind::Parallel)?;
        let dynamic = step.clause("with").map(|_| request(session, step, Annotation::Dynamic));
        run_as(session, step.span, places, &mut |l, table| {
            l.kind = LoopKind::Parallel;
            l.tag = table.without(l.tag, |one| *one == Annotation::Dynamic);
            if let Some(request) = dynamic {
                l.tag = table.with(l.tag, Mark { request, role: Role::Itself });
            }
        })
    },
};
