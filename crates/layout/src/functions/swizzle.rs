//! `swizzle(Sw, start, count)`: numbers, swizzled.
//!
//! **Definition.** The numbers from `start` on, swizzled.
//! **Laws.** An involution; runs of `2^M` stay together; linear over xor.
//! **Fails when.** A number is negative or too large.
//! **Example.** `swizzle(Sw<2,0,2>, 4, 4)` is `[5,4,7,6]`
//! **See also.** `table`, `bank_conflicts`

use super::{Function, MOST_VALUES, Parameters};
use crate::refusal::Result;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "swizzle",
    aliases: &[],
    parameters: Parameters { names: "Sw, start, count", optional: 1 },
    summary: "numbers, swizzled",
    apply: |args, _| {
        let (swizzle, start) = (args.swizzle(0)?, args.int(1)?);
        let count = args.positive_or(2, 32)?.min(MOST_VALUES as i64);
        let values = (start..start.saturating_add(count)).map(|x| swizzle.apply(x));
        Ok(Value::ints(values.collect::<Result<Vec<i64>>>()?))
    },
};
