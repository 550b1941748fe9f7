//! `size(S)`: how many indices there are.
//!
//! **Definition.** The product of the extents of a shape or of a layout; of `()`, 1.
//! **Laws.** The indices of a layout `L` are `0 .. size(L)`.
//! **Fails when.** The product is 2^62 or more.
//! **Example.** `size((4,(2,3)):(1,(4,8)))` is `24`
//! **See also.** `cosize`, `rank`

use super::{Function, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "size",
    aliases: &[],
    parameters: Parameters { names: "S", optional: 0 },
    summary: "how many indices there are",
    apply: |args, _| Ok(Value::int(args.shape(0)?.size()?)),
};
