//! `rounding real`: what the schedule's code may do in floating point.
//!
//! **Statement.** The same term. The kernel may compute what the named class allows, though no step needs it: with `real`, the
//! compiler contracts products and sums into fused operations, which round once, and a sum within a sum adds straight into the
//! outer one's accumulator.
//! **Requires.** `bitwise`, `finite` or `real`. The class of a schedule is the larger of this one and its theorem's.
//! **Fails when.** The step stands inside another. `--rounding bitwise` refuses the schedule, as it does steps of that class.
//! **Example.** `rounding real;` in a product of matrices: a multiplication and an addition become one instruction.
//! **See also.** The section on rounding in the chapter on schedules.

use crate::annotate::ask;
use crate::args::Args;
use crate::command::Command;
use crate::refusal::{Refusal, wrong_arguments};
use atl_annotations::Annotation;
use atl_diag::err;
use atl_kernel::Rounding;
use atl_syntax::ast::Step;

/// See the module.
pub static COMMAND: Command = Command {
    name: "rounding",
    usage: "rounding bitwise|finite|real",
    equation: "the same term, which the kernel may compute with the rounding of that class",
    run: |session, step| {
        let class = class(step)?;
        if session.depth > 1 {
            return Err(Box::new(
                err!(E0361, step.span, "`rounding` stands among a schedule's own steps")
                    .label("inside another step it declares nothing")
                    .help("move it to the beginning of the schedule"),
            ));
        }
        ask(session, step, Annotation::Rounding(class))
    },
};

/// The class that a step names.
fn class(step: &Step) -> Result<Rounding, Refusal> {
    let (name, span) = Args::new(step, COMMAND.usage, &[])?.one_name()?;
    let classes = [Rounding::Bitwise, Rounding::Finite, Rounding::Real];
    classes
        .into_iter()
        .find(|class| class.to_string() == name)
        .ok_or_else(|| wrong_arguments(span, COMMAND.usage))
}
