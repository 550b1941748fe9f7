//! `congruent(A, B)`: the same tree.
//!
//! **Definition.** Are two shapes the same tree, whatever the extents?
//! **Laws.** An equivalence.
//! **Fails when.** Never.
//! **Example.** `congruent((4,(2,2)), (1,(1,1)))` is `true`; `congruent((4), 4)` is `false`
//! **See also.** `weakly_congruent`, `compatible`

use super::{Function, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "congruent",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "the same tree",
    apply: |args, _| Ok(Value::Bool(args.shape(0)?.is_congruent(&args.shape(1)?))),
};
