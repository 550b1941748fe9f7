//! `stop L, ..`: a sum ends as soon as no further term can change it.
//!
//! **Statement.** The same term; the loop is annotated. The omitted terms do not change the sum.
//! **Requires.** To be lowered: the addition has a value that absorbs every other (true for `or`, the least
//! number for `min`, the greatest for `max`), and the sum is a scalar, accumulated in its own register.
//! Nested sums that share the register are annotated one by one. The annotation follows renamed loops, and
//! both parts of split ones.
//! **Fails when.** There is no loop `L`, or it is a `gen`.
//! **Example.** `sparsify; stop pA2` of `gen v < V { x[v] + sum u < V { x[u] * A[u, v] } }` over `or_and`:
//! where `x[v]` is true the loop reads no edge, and elsewhere none behind the first edge from a reached
//! vertex.
//! **See also.** `sparsify`, whose searches end at the only term.

use crate::args::Args;
use crate::command::Command;
use crate::commands::prefetch::meant;
use crate::followed::{Loops, nest};
use crate::nest::{Place, subterm};
use crate::script::Applied;
use crate::session::refused;
use atl_diag::err;
use atl_kernel::Node;

/// See the module.
pub static COMMAND: Command = Command {
    name: "stop",
    usage: "stop L, ..",
    equation: "annotation only: the omitted terms do not change the sum",
    run: |session, step| {
        for l in Args::new(step, COMMAND.usage, &[])?.loops()? {
            let adds = |place: &Place| {
                subterm(&session.body, &place.path).is_some_and(|e| matches!(**e, Node::Sum(..)))
            };
            if !session.loops(&l)?.iter().all(adds) {
                return Err(Box::new(
                    err!(E0420, l.name.span, "the loop `{}` is no sum, and all of it is needed", l.name.text)
                        .label("a `gen`")
                        .help("name a `sum`: it may end where nothing can change it"),
                ));
            }
        }
        let body = session.body.clone();
        session.cx.refl(&body).map_err(|e| refused(step.span, &e))
    },
};

/// The loops that a step marks, by all names that each may have after later ones; of a sum that was split, both parts.
pub(crate) fn asked(applied: &Applied, later: &[Applied]) -> Vec<Loops> {
    let Applied { step, thm, command, .. } = applied;
    if *command != COMMAND.name {
        return Vec::new();
    }
    let marked = step.args.iter().filter_map(|arg| meant(thm.lhs(), arg));
    marked.flat_map(|names| some(nest(names, later))).collect()
}

/// A loop in its parts; one that is gone by no name, which nothing has.
fn some(nest: Vec<Loops>) -> Vec<Loops> {
    if nest.is_empty() { vec![Loops::new()] } else { nest }
}
