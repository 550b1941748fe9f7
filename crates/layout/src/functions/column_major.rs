//! `column_major(S)`: the compact layout, the left mode fastest.
//!
//! **Definition.** The compact strides of a shape, flattened: CuTe's `LayoutLeft`. A shape alone means this
//! layout.
//! **Laws.** A bijection onto `0 .. size(S)`, and the identity on indices.
//! **Fails when.** Never.
//! **Example.** `column_major((4,(2,3)))` is `(4,(2,3)):(1,(4,8))`
//! **See also.** `row_major`, `identity`

use super::{Function, Parameters};
use crate::layout::Layout;

pub(super) const FUNCTION: Function = Function {
    name: "column_major",
    aliases: &["left"],
    parameters: Parameters { names: "S", optional: 0 },
    summary: "the compact layout, the left mode fastest",
    apply: |args, _| Ok(Layout::column_major(args.shape(0)?)?.into()),
};
