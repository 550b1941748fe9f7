//! `stop L, ..`: a sum ends as soon as no further term can change it.
//!
//! **Statement.** The same term; the loop is marked. The terms that are left out would have changed nothing.
//! **Requires.** To be lowered: an addition with a value that it leaves as it is, whatever comes: true for `or`, the least number for
//! `min`, the greatest for `max`; and that the sum of scalars adds up in a register of its own. Of sums in each other that share it,
//! each is marked. What later steps rename stays marked, and both parts of what they split.
//! **Fails when.** There is no loop `L`, or it is a `gen`.
//! **Example.** `sparsify; stop pA2` of `gen v < V { x[v] + sum u < V { x[u] * A[u, v] } }` over `or_and`: where `x[v]` is true no edge is
//! looked at, and elsewhere none behind the first that leads there from a vertex that was reached.
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
    equation: "the same term: what is left out of a sum would not change it",
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
