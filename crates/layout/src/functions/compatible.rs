//! `compatible(A, B)`: every coordinate of A is one of B.
//!
//! **Definition.** Is `A` the shape `B` after some subtrees are replaced by their sizes?
//! **Laws.** A partial order; then every coordinate of `A` is one of `B`, and the sizes are equal.
//! **Fails when.** Never.
//! **Example.** `compatible((4,4), (4,(2,2)))` is `true`; `compatible((4,4), (4,(2,3)))` is `false`
//! **See also.** `congruent`, `composition`

use super::{Function, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "compatible",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "every coordinate of A is one of B",
    apply: |args, _| Ok(Value::Bool(args.shape(0)?.is_compatible(&args.shape(1)?)?)),
};
