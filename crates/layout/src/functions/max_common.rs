//! `max_common(A, B)`: CuTe's rule for common vectors, whatever the sizes.
//!
//! **Definition.** `coalesce(A o right_inverse(B))` and its first mode `n:1`: the layout of the logical indices at which `A` and `B` both
//! have the values `0, 1, …, n-1`, where a layout goes on past its size by its last mode. A remark says where it does.
//! **Laws.** `A(R(i)) = B(R(i)) = i`. Only `max_common_layout` stays below the size of both.
//! **Fails when.** The composition of `A` with the right inverse of `B` is not admissible.
//! **Example.** `max_common((4,8):(1,4), (4,8):(1,8))` is `4:1`; `max_common(2:1, 8:1)` is `8:1`
//! **See also.** `max_common_layout`, `max_common_vector`

use super::coalesce::coalesce;
use super::composition::compose;
use super::right_inverse::right_inverse;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;

pub(super) const FUNCTION: Function = Function {
    name: "max_common",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "CuTe's rule for common vectors, whatever the sizes",
    apply: |args, notes| {
        let (a, b) = (args.layout(0)?, args.layout(1)?);
        let common = max_common(&a, &b)?;
        let (size, last) = (a.size(), common.range().1);
        if last >= size {
            notes.push(format!("index {last} lies past the size {size} of {a}, where its last mode goes on"));
        }
        Ok(common.into())
    },
};

/// The indices at which both count, in `A` past its size too.
///
/// # Errors
/// The composition is not admissible.
pub fn max_common(a: &Layout, b: &Layout) -> Result<Layout> {
    let inverse = right_inverse(b)?;
    let n = match coalesce(&compose(a, &inverse)?)?.flatten().first() {
        Some((n, 1)) => *n,
        _ => 1,
    };
    coalesce(&compose(&inverse, &Layout::mode(n, 1)?)?)
}
