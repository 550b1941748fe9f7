//! `max_common_layout(A, B)`: where both layouts count 0, 1, 2, ….
//!
//! **Definition.** The layout of the logical indices at which `A` and `B` both have the values `0, 1, …, n-1`.
//! **Laws.** `A(R(i)) = B(R(i)) = i` below `n = max_common_vector(A, B)`.
//! **Fails when.** The composition of `A` with the right inverse of `B` is not admissible.
//! **Example.** `max_common_layout((4,8):(1,4), (4,8):(1,8))` is `4:1`
//! **See also.** `max_common_vector`, `right_inverse`

use super::coalesce::coalesce;
use super::composition::compose;
use super::right_inverse::right_inverse;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;

pub(super) const FUNCTION: Function = Function {
    name: "max_common_layout",
    aliases: &["max_common"],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "where both layouts count 0, 1, 2, …",
    apply: |args, _| Ok(max_common_layout(&args.layout(0)?, &args.layout(1)?)?.into()),
};

/// The indices at which both count.
///
/// # Errors
/// The composition is not admissible.
pub fn max_common_layout(a: &Layout, b: &Layout) -> Result<Layout> {
    let inverse = right_inverse(b)?;
    let n = match coalesce(&compose(a, &inverse)?)?.flatten().first() {
        Some((n, 1)) => *n,
        _ => 1,
    };
    coalesce(&compose(&inverse, &Layout::mode(n, 1)?)?)
}
