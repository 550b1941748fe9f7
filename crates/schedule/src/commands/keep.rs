//! `keep A`: let the result have an entry wherever the operand `A` has one, be it zero.
//!
//! Without it a result in a format has no entries that are zero. With it the result has the places of `A`: those of the same matrix
//! with other numbers, whatever they are, so that two results can be compared or added place by place.
//!
//! **Statement.** The same term; which zeros are stored means nothing to it.
//! **Requires.** `A` is a parameter in the result's format and of its shape. To be lowered: that the loops which store the result go
//! over the entries of `A`, each once, and store at its coordinates.
//! **Fails when.** The result has other places than `A`, as a sum with another matrix has; or its terms come in another order.
//! **Example.** `sparsify; keep A` for `gen i < N, j < M { A[i, j] * x[j] }`, both as `csr`.
//! **See also.** `sparsify`, which finds the loops.

use crate::args::Args;
use crate::command::Command;
use crate::script::Applied;
use crate::session::refused;

/// See the module.
pub static COMMAND: Command = Command {
    name: "keep",
    usage: "keep A",
    equation: "the same term: which zeros are stored means nothing to it",
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
