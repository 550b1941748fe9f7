//! `pattern_of A`: the result has an entry wherever the operand `A` has one, explicit zeros included.
//!
//! Without it, a result in a format has no explicit zeros. With it, the result has the pattern of `A`,
//! whatever the values are, so that two results can be compared or added entry by entry.
//! **Statement.** The same term: annotation only, the value is unchanged.
//! **Requires.** `A` is a parameter in the result's format and of its shape. To be lowered: the loops that
//! store the result iterate over the entries of `A`, visit each once, and store at its coordinates.
//! **Fails when.** The pattern of the result differs from that of `A`, as in a sum with another matrix, or
//! its terms come in another order.
//! **Example.** `sparsify; pattern_of A` for `gen i < N, j < M { A[i, j] * x[j] }`, both as `csr`.
//! **See also.** `sparsify`, which makes the loops.

use crate::annotate::ask;
use crate::args::Args;
use crate::command::Command;
use atl_annotations::Annotation;

/// See the module.
pub static COMMAND: Command = Command {
    name: "pattern_of",
    usage: "pattern_of A",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let (operand, _) = Args::new(step, COMMAND.usage, &[])?.one_name()?;
        ask(session, step, Annotation::Keep { operand })
    },
};
