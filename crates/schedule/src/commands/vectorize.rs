//! `vectorize L`, `vectorize L by k`: run the iterations of a loop in vector lanes;
//! `vectorize L by k with tail`: only those of whole vectors; `vectorize L by k with aligned`: with vectors
//! of the result that begin at multiples of `k` cells.
//!
//! **Statement.** The same term; the loop is annotated. `with tail` first splits it, by `gen_split_at`, at
//! the last multiple of `k`, and annotates the first part. `with aligned` splits it where a vector of the
//! result begins, and annotates both parts.
//! **Requires.** To be lowered: iterations write disjoint cells, which `gen` ensures. With `by k`, the loop
//! may have any extent: lanes of the last vector beyond the end are idle, and so are lanes whose guard is
//! false. Loops whose lanes read cells that are not consecutive, or use an operation without a vector form,
//! are left to the C compiler; a warning says so, and why (E0410). A separate tail runs one iteration after
//! the other. An array of the library begins at a multiple of every vector's size. If the caller's array does
//! not, `with aligned` is correct but useless.
//! **Fails when.** There is no loop `L`, an earlier step runs it on threads (E0385), or `k` is
//! not a power of two up to 64. The race check refuses a
//! `sum`. `with aligned`, if the results of a loop are not contiguous in memory, or their first cell is not
//! known (E0375).
//! **Example.** `vectorize x.i by 16`.
//! **See also.** `parallel`, `unroll`.

use crate::aligned::{aligned, marked};
use crate::annotate::{request, run_as, run_no_other_way};
use crate::args::Args;
use crate::command::Command;
use crate::commands::peel::lengths;
use crate::nest::Place;
use crate::refusal::{Refusal, wrong_arguments};
use crate::session::Session;
use atl_annotations::{Annotation, Mark, Role};
use atl_diag::{Span, err};
use atl_kernel::{Child, Ix, Label, LoopKind, Node, Pred, Thm};
use atl_rules::rules::gen_split_at::gen_split_at;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "vectorize",
    usage: "vectorize L by k [with tail|aligned]",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by", "with"])?;
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
        run_no_other_way(step.span, &places, LoopKind::Vector(width))?;
        let mark = Mark { request: request(session, step, Annotation::Vectorize), role: Role::Itself };
        let Some(with) = step.clause("with") else {
            return run_as(session, step.span, places, &mut |l, table| {
                l.kind = LoopKind::Vector(width);
                l.tag = table.with(l.tag, mark);
            });
        };
        let mut table = session.annotations.clone();
        let run_in_lanes = &mut |l: &mut Label| {
            l.kind = LoopKind::Vector(width);
            l.tag = Arc::make_mut(&mut table).with(l.tag, mark);
        };
        let done = match (args.clause_arg("with")?.as_name(), width) {
            (Some(name), Some(lanes)) if name.text == "tail" => {
                apart(session, step.span, places, lanes, run_in_lanes)
            }
            (Some(name), Some(lanes)) if name.text == "aligned" => {
                aligned(session, step.span, &places, lanes, run_in_lanes)
            }
            _ => return Err(wrong_arguments(with.span, COMMAND.usage)),
        };
        session.annotations = table;
        done
    },
};

/// Mark the iterations of whole vectors, in a loop of their own.
fn apart(
    session: &mut Session<'_>,
    span: Span,
    mut places: Vec<Place>,
    lanes: u32,
    mark: &mut dyn FnMut(&mut Label),
) -> Result<Thm, Refusal> {
    places.reverse();
    session.convert(span, &places, &mut |cx, e| {
        let Node::Gen(_, n, _) = &**e else { return marked(cx, e, mark) };
        let step = Ix::Lit(i64::from(lanes));
        let whole = n.clone() / step.clone() * step;
        if cx.proves(&Pred::eq(whole.clone(), n.clone())) {
            return marked(cx, e, mark);
        }
        let thm = gen_split_at(cx, e, &whole)?;
        let thm = cx.then(thm, lengths)?;
        cx.then(thm, |cx, e| cx.child(e, Child::Arg(0), |cx, e| marked(cx, e, mark)))
    })
}
