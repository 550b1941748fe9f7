//! `row_major(S)`: the compact layout, the right mode fastest.
//!
//! **Definition.** The compact strides of a shape, flattened: CuTe's `LayoutRight`.
//! **Laws.** A bijection onto `0 .. size(S)`.
//! **Fails when.** Never.
//! **Example.** `row_major((4,(2,3)))` is `(4,(2,3)):(6,(3,1))`
//! **See also.** `column_major`

use super::{Function, Parameters};
use crate::layout::Layout;

pub(super) const FUNCTION: Function = Function {
    name: "row_major",
    aliases: &["right"],
    parameters: Parameters { names: "S", optional: 0 },
    summary: "the compact layout, the right mode fastest",
    apply: |args, _| Ok(Layout::row_major(args.shape(0)?)?.into()),
};
