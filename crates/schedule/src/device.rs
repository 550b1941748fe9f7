//! Loops of a device with blocks of threads: which their iterations are. Lowering refuses a loop that was
//! split since, for it has no axis.

use crate::annotate::{relabel, request};
use crate::args::Args;
use crate::nest::{Place, subterm};
use crate::refusal::{Refusal, wrong_arguments};
use crate::session::Session;
use atl_annotations::{Annotation, Axis, Level, Mark, Role};
use atl_diag::err;
use atl_kernel::{Node, Thm};
use atl_syntax::ast::Step;

/// Mark loops: the term stays as it is. A later mark takes an earlier one back.
pub(crate) fn map(
    session: &mut Session<'_>,
    step: &Step,
    usage: &'static str,
    level: Level,
) -> Result<Thm, Refusal> {
    let args = Args::new(step, usage, &["as"])?;
    let axis = match step.clause("as") {
        None => Axis::X,
        Some(clause) => axis(step).ok_or_else(|| wrong_arguments(clause.span, usage))?,
    };
    let mut places = Vec::new();
    for l in args.loops()? {
        let adds =
            |place: &Place| subterm(&session.body, &place.path).is_some_and(|e| matches!(**e, Node::Sum(..)));
        let found = session.loops(&l)?;
        if found.iter().any(adds) {
            return Err(Box::new(
                err!(E0380, l.name.span, "the iterations of a `sum` cannot be {}", level.name())
                    .label("a sum")
                    .note("they add into the same cells")
                    .help("mark a `gen` instead; `reorder` can bring one outside"),
            ));
        }
        places.extend(found);
    }
    let mark = Mark { request: request(session, step, Annotation::Device(level, axis)), role: Role::Itself };
    relabel(session, step.span, &places, &mut |l, table| {
        l.tag = table.without(l.tag, |one| matches!(one, Annotation::Device(..)));
        l.tag = table.with(l.tag, mark);
    })
}

/// The axis that a step names.
fn axis(step: &Step) -> Option<Axis> {
    let [arg] = step.clause("as")?.args.as_slice() else { return None };
    Axis::by_name(&arg.as_name()?.text)
}
