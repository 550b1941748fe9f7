//! `rank(S)`: how many modes there are.
//!
//! **Definition.** The number of top-level modes; of a number, 1.
//! **Laws.** `rank(flatten(S))` is the number of leaves.
//! **Fails when.** Never.
//! **Example.** `rank((4,(2,3)))` is `2`
//! **See also.** `depth`, `flatten`

use super::{Function, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "rank",
    aliases: &[],
    parameters: Parameters { names: "S", optional: 0 },
    summary: "how many modes there are",
    apply: |args, _| Ok(Value::int(args.shape(0)?.rank() as i64)),
};
