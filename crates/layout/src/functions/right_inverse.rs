//! `right_inverse(L)`: where the values 0, 1, 2, … stand.
//!
//! **Definition.** Sort the modes by stride and take them while each begins where the last one ended, from 1 on; each of them has for
//! stride the index distance that it spans in `L`.
//! **Laws.** `L(right_inverse(L)(i)) = i`. If `L` is a bijection onto a range from 0, this is its inverse on both sides.
//! **Fails when.** Never; if nothing has stride 1, or a broadcast mode stands before it, the result is `1:0`.
//! **Example.** `right_inverse((4,8):(8,1))` is `(8,4):(4,1)`; `right_inverse((4,3,4):(4,0,1))` is `1:0`
//! **See also.** `longest_right_inverse`, `left_inverse`

use super::coalesce::coalesce;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;

pub(super) const FUNCTION: Function = Function {
    name: "right_inverse",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "where the values 0, 1, 2, … stand",
    apply: |args, _| Ok(right_inverse(&args.layout(0)?)?.into()),
};

/// A layout `R` with `L(R(i)) = i`.
///
/// # Errors
/// None that a layout causes.
pub fn right_inverse(layout: &Layout) -> Result<Layout> {
    let (mut next, mut modes) = (1, Vec::new());
    for (d, n, index) in by_stride(layout) {
        if d != next {
            break;
        }
        modes.push((n, index));
        next = n * d;
    }
    coalesce(&Layout::flat(modes)?)
}

/// The modes of extent above 1, sorted by stride: stride, extent, and the distance of neighbours as indices.
pub(super) fn by_stride(layout: &Layout) -> Vec<(i64, i64, i64)> {
    let mut index = 1;
    let mut modes = Vec::new();
    for (n, d) in layout.flatten() {
        if n > 1 {
            modes.push((d, n, index));
        }
        index *= n;
    }
    modes.sort_unstable();
    modes
}
