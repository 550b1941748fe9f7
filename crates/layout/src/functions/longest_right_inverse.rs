//! `longest_right_inverse(L)`: where the values 0, 1, 2, … stand, as far as whole modes go.
//!
//! **Definition.** As `right_inverse`, of the coalesced layout, and passing over modes that do not continue: broadcast modes, and
//! modes that begin before or after the end. Where several continue, those that lead furthest.
//! **Laws.** `L(longest_right_inverse(L)(i)) = i`, and it is at least as long as `right_inverse(L)`. No selection of whole modes of
//! the coalesced `L` is longer.
//! **Fails when.** Never.
//! **Example.** `longest_right_inverse((4,3,4):(4,0,1))` is `(4,4):(12,1)`
//! **See also.** `right_inverse`

use super::coalesce::coalesce;
use super::right_inverse::by_stride;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;

pub(super) const FUNCTION: Function = Function {
    name: "longest_right_inverse",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "where the values 0, 1, 2, … stand, past broadcast modes",
    apply: |args, _| Ok(longest_right_inverse(&args.layout(0)?)?.into()),
};

/// The longest right inverse of whole modes.
///
/// # Errors
/// None that a layout causes.
pub fn longest_right_inverse(layout: &Layout) -> Result<Layout> {
    let layout = coalesce(layout)?;
    let modes: Vec<_> = by_stride(&layout).into_iter().filter(|(d, ..)| *d > 0).collect();
    // From the largest stride down: the end that is reached from each mode, and the mode that follows.
    let mut best: Vec<(i64, Option<usize>)> = vec![(0, None); modes.len()];
    let furthest = |best: &[(i64, Option<usize>)], from: i64| {
        let first = modes.partition_point(|(d, ..)| *d < from);
        let here = modes[first..].iter().take_while(|(d, ..)| *d == from).count();
        (first..first + here).max_by_key(|k| best[*k].0)
    };
    for k in (0..modes.len()).rev() {
        let end = modes[k].0 * modes[k].1;
        let next = furthest(&best, end);
        best[k] = (next.map_or(end, |next| best[next].0), next);
    }
    let mut taken = Vec::new();
    let mut next = furthest(&best, 1);
    while let Some(k) = next {
        taken.push((modes[k].1, modes[k].2));
        next = best[k].1;
    }
    coalesce(&Layout::flat(taken)?)
}
