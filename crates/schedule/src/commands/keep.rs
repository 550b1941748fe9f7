//! `keep A`: the result has an entry wherever the operand `A` has one, explicit zeros included.
//!
//! Without it, a result in a format has no explicit zeros. With it, the result has the pattern of `A`,
//! whatever the values are, so that two results can be compared or added entry by entry.
//! **Statement.** The same term: annotation only, the value is unchanged.
//! **Requires.** `A` is a parameter in the result's format and of its shape. To be lowered: the loops that
//! store the result iterate over the entries of `A`, visit each once, and store at its coordinates.
//! **Fails when.** The pattern of the result differs from that of `A`, as in a sum with another matrix, or
//! its terms come in another order.
//! **Example.** `sparsify; keep A` for `gen i < N, j < M { A[i, j] * x[j] }`, both as `csr`.
//! **See also.** `sparsify`, which makes the loops.

use crate::args::Args;
use crate::command::Command;
use crate::script::Applied;
use crate::session::refused;

/// See the module.
pub static COMMAND: Command = Command {
    name: "keep",
    usage: "keep A",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        Args::new(step, COMMAND.usage, &[])?.one_name()?;
        let body = session.body.clone();
        session.cx.refl(&body).map_err(|e| refused(step.span, &e))
    },
};

/// The operand that this step names, if it is such a step.
pub(crate) fn asked(Applied { step, command, .. }: &Applied) -> Option<String> {
    let name = step.args.first().filter(|_| *command == COMMAND.name)?.as_name()?;
    Some(name.text)
}
