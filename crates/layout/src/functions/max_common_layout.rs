//! `max_common_layout(A, B)`: where both layouts count 0, 1, 2, ….
//!
//! **Definition.** The layout of the logical indices, below the size of both, at which `A` and `B` both have the values `0, 1, …, n-1`.
//! **Laws.** `A(R(i)) = B(R(i)) = i` and `R(i) < size(A), size(B)` below `n = max_common_vector(A, B)`.
//! **Fails when.** The composition of `A` with the right inverse of `B` is not admissible.
//! **Example.** `max_common_layout((4,8):(1,4), (4,8):(1,8))` is `4:1`;
//! `max_common_layout(3:1, 6:1)` is `3:1`
//! **See also.** `max_common_vector`, `max_common`, `right_inverse`

use super::coalesce::coalesce;
use super::max_common::max_common;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;

pub(super) const FUNCTION: Function = Function {
    name: "max_common_layout",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "where both layouts count 0, 1, 2, …",
    apply: |args, _| Ok(max_common_layout(&args.layout(0)?, &args.layout(1)?)?.into()),
};

/// The indices at which both count.
///
/// # Errors
/// The composition is not admissible.
pub fn max_common_layout(a: &Layout, b: &Layout) -> Result<Layout> {
    let common = max_common(a, b)?;
    coalesce(&below(&common, a.size())?)
}

/// A layout that increases along each mode, up to where a value would reach the end.
fn below(layout: &Layout, end: i64) -> Result<Layout> {
    let (mut reached, mut modes) = (0, Vec::new());
    for (n, d) in layout.flatten() {
        let fit = if d > 0 { (end - 1 - reached) / d + 1 } else { n };
        modes.push((n.min(fit), d));
        if fit < n {
            break;
        }
        // The layout's making bounded the sum.
        reached += (n - 1) * d;
    }
    Layout::flat(modes)
}
