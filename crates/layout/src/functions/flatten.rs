//! `flatten(L)`: every leaf a mode.
//!
//! **Definition.** The layout whose modes are the leaves; a layout of one leaf is a leaf.
//! **Laws.** The same function of an index.
//! **Fails when.** Never.
//! **Example.** `flatten((4,(2,3)):(1,(4,8)))` is `(4,2,3):(1,4,8)`
//! **See also.** `group`, `coalesce`

use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::shifted::within;
use crate::stride::Stride;

pub(super) const FUNCTION: Function = Function {
    name: "flatten",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "every leaf a mode",
    apply: |args, _| Ok(within!(args.domain(0)?, a => flatten(&a)?)),
};

/// The layout with a mode for each leaf.
///
/// # Errors
/// None that a layout causes.
pub fn flatten<D: Stride>(layout: &Layout<D>) -> Result<Layout<D>> {
    if layout.shape().leaves().is_empty() { Ok(layout.clone()) } else { Layout::flat(layout.flatten()) }
}
