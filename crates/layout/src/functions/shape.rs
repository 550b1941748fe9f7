//! `shape(L)`: the extents of a layout.
//!
//! **Definition.** The extents of a layout.
//! **Laws.** `shape(A o B)` refines `shape(B)`.
//! **Fails when.** Never.
//! **Example.** `shape((4,(2,3)):(1,(4,8)))` is `(4,(2,3))`
//! **See also.** `stride`, `size`

use super::{Function, Parameters};

pub(super) const FUNCTION: Function = Function {
    name: "shape",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "the extents of a layout",
    apply: |args, _| Ok(args.shape(0)?.into()),
};
