//! `injective(L)`: no two indices have one value.
//!
//! **Definition.** Has every index below the size a value of its own? A remark names two that have one.
//! **Laws.** If every mode begins at or after the end of those below it, yes; otherwise the values are looked
//! at. A swizzle and an offset change nothing.
//! **Fails when.** There are more than 2^20 values to look at.
//! **Example.** `injective((2,3):(1,2))` is `true`; `injective((2,2):(1,1))` is `false`;
//! `injective((12,3):(6,4))` is `true`; `injective(Sw<2,0,3> o (8,4):(4,1))` is `true`
//! **See also.** `surjective`, `left_inverse`

use super::right_inverse::by_stride;
use super::{Function, MOST_VALUES, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "injective",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "no two indices have one value",
    apply: |args, notes| {
        let composed = args.composed(0)?;
        // Neither an offset nor a swizzle makes two values one; the ends tell whether the swizzle takes them all.
        let (least, most) = composed.layout.range();
        composed.swizzled(least)?;
        composed.swizzled(most)?;
        let collision = collision(&composed.layout)?;
        if let Some((i, k)) = collision {
            notes.push(format!("the indices {i} and {k} both have the value {}", composed.at(i)?));
        }
        Ok(Value::Bool(collision.is_none()))
    },
};

/// Two indices with one value.
///
/// # Errors
/// There are too many values to look at.
pub fn collision(layout: &Layout) -> Result<Option<(i64, i64)>> {
    let modes = by_stride(layout);
    if let Some((_, _, index)) = modes.iter().find(|(d, ..)| *d == 0) {
        return Ok(Some((0, *index)));
    }
    let mut end = 1;
    let apart = modes.iter().all(|(d, n, _)| {
        let apart = *d >= end;
        end = if apart { n * d } else { end };
        apart
    });
    if apart {
        return Ok(None);
    }
    let values = layout.table(MOST_VALUES)?;
    let mut places: Vec<(i64, i64)> = values.into_iter().zip(0..).collect();
    places.sort_unstable();
    let collides = |pair: &[(i64, i64)]| (pair[0].0 == pair[1].0).then_some((pair[0].1, pair[1].1));
    Ok(places.windows(2).filter_map(collides).min())
}
