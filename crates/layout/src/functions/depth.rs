//! `depth(S)`: how deep tuples nest.
//!
//! **Definition.** Of a number 0; of a tuple, one more than the deepest of its parts.
//! **Laws.** `depth(coalesce(L))` is at most 1.
//! **Fails when.** Never.
//! **Example.** `depth((4,(2,3)))` is `2`
//! **See also.** `rank`, `coalesce`

use super::{Function, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "depth",
    aliases: &[],
    parameters: Parameters { names: "S", optional: 0 },
    summary: "how deep tuples nest",
    apply: |args, _| Ok(Value::int(args.shape(0)?.depth() as i64)),
};
