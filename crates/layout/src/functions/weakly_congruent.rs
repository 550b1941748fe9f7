//! `weakly_congruent(A, B)`: the same tree but for pruned parts.
//!
//! **Definition.** Is `A` the tree of `B` after some subtrees are pruned to leaves?
//! **Laws.** A preorder; both ways it is `congruent`.
//! **Fails when.** Never.
//! **Example.** `weakly_congruent((4,4), (4,(2,3)))` is `true`
//! **See also.** `congruent`, `compatible`

use super::{Function, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "weakly_congruent",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "the same tree but for pruned parts",
    apply: |args, _| Ok(Value::Bool(args.shape(0)?.is_weakly_congruent(&args.shape(1)?))),
};
