//! `filter(L)`: the modes that contribute.
//!
//! **Definition.** Leave out the modes of stride 0 and of extent 1, and coalesce.
//! **Laws.** It has the values of `L`, in another order of indices; `size(filter(L)) * size(nullspace(L)) = size(L)`.
//! **Fails when.** Never.
//! **Example.** `filter((4,3,4):(4,0,1))` is `(4,4):(4,1)`
//! **See also.** `nullspace`, `coalesce`

use super::coalesce::{Tail, merge};
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::shifted::within;
use crate::stride::Stride;

pub(super) const FUNCTION: Function = Function {
    name: "filter",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "the modes that contribute",
    apply: |args, _| Ok(within!(args.domain(0)?, a => filter(&a)?)),
};

/// The layout without its modes of stride 0.
///
/// # Errors
/// None that a layout causes.
pub fn filter<D: Stride>(layout: &Layout<D>) -> Result<Layout<D>> {
    Layout::flat(merge(layout.live(), Tail::Drop))
}
