//! `cosize(L)`: one more than the value at the last index.
//!
//! **Definition.** `L(size(L) - 1) + 1`.
//! **Laws.** With strides from 0 up it is one more than the largest value.
//! **Fails when.** Never.
//! **Example.** `cosize((4,2):(1,9))` is `13`
//! **See also.** `size`, `surjective`

use super::{Function, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "cosize",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "one more than the value at the last index",
    apply: |args, _| Ok(Value::int(args.layout(0)?.cosize())),
};
