//! `quasi_inverse(L)`: an index with the value.
//!
//! **Definition.** The left inverse of the modes that contribute; broadcast modes stay at 0.
//! **Laws.** `L(quasi_inverse(L)(L(i))) = L(i)`. Without broadcast modes it is a left inverse.
//! **Fails when.** The strides of the modes that contribute are no chain, as for `left_inverse`.
//! **Example.** `quasi_inverse((4,3,4):(4,0,1))` is `(4,4):(12,1)`
//! **See also.** `left_inverse`

use super::left_inverse::inverse_of_live;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;

pub(super) const FUNCTION: Function = Function {
    name: "quasi_inverse",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "an index with the value",
    apply: |args, _| Ok(quasi_inverse(&args.layout(0)?)?.into()),
};

/// A layout `R` with `L(R(L(i))) = L(i)`.
///
/// # Errors
/// The strides are no chain.
pub fn quasi_inverse(layout: &Layout) -> Result<Layout> {
    inverse_of_live(layout)
}
