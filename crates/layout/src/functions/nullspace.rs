//! `nullspace(L)`: the indices at which only modes of stride 0 move.
//!
//! **Definition.** The modes of stride 0, with the strides that they have in the compact layout of the shape.
//! **Laws.** `L(nullspace(L)(i)) = 0`; `size(nullspace(L)) * size(filter(L)) = size(L)`.
//! **Fails when.** Never. What cancels otherwise, as with negative strides, is not found.
//! **Example.** `nullspace((4,3,4):(4,0,1))` is `3:4`
//! **See also.** `filter`

use super::coalesce::coalesce;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::stride::Stride;
use crate::value::either;

pub(super) const FUNCTION: Function = Function {
    name: "nullspace",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "the indices that broadcast modes map to 0",
    apply: |args, _| Ok(either!(args.either(0)?, a => nullspace(&a)?)),
};

/// The layout of the indices that modes of stride 0 reach.
///
/// # Errors
/// None that a layout causes.
pub fn nullspace<D: Stride>(layout: &Layout<D>) -> Result<Layout> {
    let mut index = 1;
    let mut modes = Vec::new();
    for (n, d) in layout.flatten() {
        if d.is_zero() && n > 1 {
            modes.push((n, index));
        }
        index *= n;
    }
    coalesce(&Layout::flat(modes)?)
}
