//! `early_exit L, ..`: a sum ends as soon as no further term can change it.
//!
//! **Statement.** The same term; the loop is annotated. The omitted terms do not change the sum.
//! **Requires.** To be lowered: the addition has a value that absorbs every other (true for `or`, the least
//! number for `min`, the greatest for `max`), and the sum is a scalar, accumulated in its own register.
//! Nested sums that share the register are annotated one by one. The annotation follows renamed loops, and
//! both parts of split ones.
//! **Fails when.** There is no loop `L`, or it is a `gen`.
//! **Example.** `sparsify; early_exit pA2` of `gen v < V { x[v] + sum u < V { x[u] * A[u, v] } }` over `or_and`:
//! where `x[v]` is true the loop reads no edge, and elsewhere none behind the first edge from a reached
//! vertex.
//! **See also.** `sparsify`, whose searches end at the only term.

use crate::annotate::annotate;
use crate::args::Args;
use crate::command::Command;
use crate::nest::{Place, subterm};
use atl_annotations::{Annotation, Role};
use atl_diag::err;
use atl_kernel::Node;

/// See the module.
pub static COMMAND: Command = Command {
    name: "early_exit",
    usage: "early_exit L, ..",
    equation: "annotation only: the omitted terms do not change the sum",
    run: |session, step| {
        let mut places = Vec::new();
        for l in Args::new(step, COMMAND.usage, &[])?.loops()? {
            let adds = |place: &Place| {
                subterm(&session.body, &place.path).is_some_and(|e| matches!(**e, Node::Sum(..)))
            };
            let found = session.loops(&l)?;
            if !found.iter().all(adds) {
                return Err(Box::new(
                    err!(
                        E0420,
                        l.name.span,
                        "the loop `{}` is not a sum, so it cannot end early",
                        l.name.text
                    )
                    .label("a `gen`")
                    .help("name a `sum` over an addition that absorbs, such as `or`"),
                ));
            }
            places.extend(found);
        }
        annotate(session, step, &[(Role::Itself, places)], Annotation::Stop)
    },
};
