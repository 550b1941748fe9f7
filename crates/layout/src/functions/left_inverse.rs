//! `left_inverse(L)`: the index from the value.
//!
//! **Definition.** Where `L` and its complement leave no gap, the inverse of `(L, complement(L))`, which is a bijection. Otherwise sort the
//! modes `s:d` by stride: each stride divides the next, and begins at the end of the mode below or after it; then the
//! quotients of neighbouring strides are the extents of the result, and what lies between two values is the index of the lower.
//! **Laws.** `left_inverse(L)(L(i)) = i` for every index.
//! **Fails when.** Two indices have one value, or the strides are not such a chain: the refusal names the two modes.
//! **Example.** `left_inverse((4,8):(1,5))` is `(5,8):(1,4)`; `left_inverse(8:3)` is `(3,8):(8,1)`
//! **See also.** `quasi_inverse`, `right_inverse`, `injective`

use super::coalesce::coalesce;
use super::complement::complement;
use super::right_inverse::{by_stride, right_inverse};
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};

pub(super) const FUNCTION: Function = Function {
    name: "left_inverse",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "the index from the value",
    apply: |args, _| Ok(left_inverse(&args.layout(0)?)?.into()),
};

/// A layout `R` with `R(L(i)) = i`.
///
/// # Errors
/// A mode broadcasts, or the strides are no chain.
pub fn left_inverse(layout: &Layout) -> Result<Layout> {
    match layout.flatten().into_iter().find(|(n, d)| *n > 1 && *d == 0) {
        Some((n, _)) => Err(Refusal::new(Kind::Inverse, format!("{layout} has no left inverse"))
            .note(format!("its mode {n}:0 gives {n} indices one value"))
            .help("`quasi_inverse` finds one of these indices")),
        None => match complement(layout, layout.cosize().max(1)) {
            Ok((rest, None)) => right_inverse(&Layout::concat([layout.clone(), rest])?),
            _ => inverse_of_live(layout),
        },
    }
}

/// The inverse of the modes that contribute.
pub(super) fn inverse_of_live(layout: &Layout) -> Result<Layout> {
    let refuse = |note: String| {
        Err(Refusal::new(Kind::Inverse, format!("no left inverse of {layout} is found")).note(note))
    };
    let mut modes = Vec::new();
    // The mode below, with the distance of its neighbours as indices.
    let (mut n_below, mut d_below, mut index_below) = (1, 1, 0);
    for (d, n, index) in by_stride(layout) {
        if d == 0 {
            continue;
        }
        if d < 0 {
            return refuse(format!("the stride of its mode {n}:{d} is negative"));
        }
        if d % d_below != 0 {
            return refuse(format!("stride divisibility: {d} is no multiple of the stride below, {d_below}"));
        }
        if d / d_below < n_below {
            return refuse(format!("its mode {n}:{d} begins before the end of its mode {n_below}:{d_below}"));
        }
        modes.push((d / d_below, index_below));
        (n_below, d_below, index_below) = (n, d, index);
    }
    modes.push((n_below, index_below));
    coalesce(&Layout::flat(modes)?)
}
