//! `vector_width(L[, bytes])`: how many values a thread may move at once.
//!
//! **Definition.** `L` maps (thread, value) to the place of an entry. The largest power of two by which each
//! thread may read: its first values are neighbours, and every other stride, the offset and a swizzle's run are
//! multiples. With `bytes` of an entry, at most 16 bytes.
//! **Laws.** Every vector is aligned if the base is.
//! **Fails when.** Never.
//! **Example.** `vector_width((32,4):(4,1), 4)` is `4`; `vector_width((32,6):(6,1), 4)` is `2`;
//! `vector_width((32,4):(1,32))` is `1`
//! **See also.** `max_common_vector`, `transactions`

use super::coalesce::{Tail, merge};
use super::{Function, Parameters};
use crate::refusal::Result;
use crate::swizzle::{Composed, Swizzle};
use crate::tree::LIMIT;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "vector_width",
    aliases: &[],
    parameters: Parameters { names: "L, bytes", optional: 1 },
    summary: "how many values a thread may move at once",
    apply: |args, _| {
        let composed = args.composed(0)?;
        let most = match args.value(1) {
            Some(_) => (16 / args.positive_or(1, 1)?).max(1),
            None => LIMIT,
        };
        Ok(Value::int(vector_width(&composed)?.min(1 << most.ilog2())))
    },
};

/// The widest aligned vector of a thread, a power of two.
///
/// # Errors
/// None that a layout causes.
pub fn vector_width(composed: &Composed) -> Result<i64> {
    let layout = &composed.layout;
    // A layout of one mode has values only.
    let split = usize::from(layout.rank() > 1);
    let threads = layout.modes().take(split).flat_map(|mode| mode.live());
    let values = merge(layout.modes().skip(split).flat_map(|mode| mode.flatten()).collect(), Tail::Drop);
    let (run, others) = match values.split_first() {
        Some(((n, 1), others)) => (*n, others),
        _ => return Ok(1),
    };
    let swizzled = if composed.swizzle == Swizzle::IDENTITY { 0 } else { composed.swizzle.run() };
    let strides = threads.chain(others.iter().copied()).map(|(_, d)| d);
    let bits = strides.chain([run, composed.offset, swizzled]).fold(0, |bits, n| bits | n);
    Ok(1 << bits.trailing_zeros())
}
