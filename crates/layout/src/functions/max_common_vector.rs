//! `max_common_vector(A, B)`: how many entries are neighbours in both.
//!
//! **Definition.** How many values `0, 1, …, n-1` both layouts have at the same logical indices, below the size of both; behind a
//! swizzle, at most its run `2^M`, or what divides the offset too. It is found mode by mode, so it may be less where strides overlap or
//! are negative.
//! **Laws.** A copy from `A` to `B` may move that many entries at once, if both begin aligned and the other
//! strides allow it.
//! **Fails when.** As `max_common_layout`.
//! **Example.** `max_common_vector((4,8):(1,4), (4,8):(1,8))` is `4`;
//! `max_common_vector(Sw<2,1,3> o 0 o (4,8):(1,4), (4,8):(1,4))` is `2`; `max_common_vector(2:1, 8:1)` is `2`
//! **See also.** `max_common_layout`, `vector_width`

use super::max_common_layout::max_common_layout;
use super::{Function, Parameters};
use crate::swizzle::{Composed, Swizzle};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "max_common_vector",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "how many entries are neighbours in both",
    apply: |args, _| {
        let (a, b) = (args.composed(0)?, args.composed(1)?);
        let common = max_common_layout(&a.layout, &b.layout)?.size();
        // Behind a swizzle, entries stay neighbours as far as the offset keeps runs aligned; so do vectors behind an offset.
        let run = |c: &Composed| match (c.swizzle, c.offset) {
            (Swizzle::IDENTITY, 0) => i64::MAX,
            (Swizzle::IDENTITY, offset) => 1 << offset.trailing_zeros(),
            (swizzle, offset) => 1 << (swizzle.run() | offset).trailing_zeros(),
        };
        Ok(Value::int(common.min(run(&a)).min(run(&b))))
    },
};
