//! `swizzle(Sw, start, count)`: numbers, swizzled.
//!
//! **Definition.** The numbers from `start` on, swizzled.
//! **Laws.** An involution; runs of `2^M` stay together; linear over xor.
//! **Fails when.** A number is negative or too large, or they are more than 2^20; without `count` they are 32.
//! **Example.** `swizzle(Sw<2,0,2>, 4, 4)` is `[5,4,7,6]`
//! **See also.** `table`, `bank_conflicts`

use super::{Function, MOST_VALUES, Parameters};
use crate::refusal::{Kind, Refusal, Result};
use crate::swizzle::apply;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "swizzle",
    aliases: &[],
    parameters: Parameters { names: "Sw, start, count", optional: 1 },
    summary: "numbers, swizzled",
    apply: |args, _| {
        let (swizzle, start) = (args.swizzle(0)?, args.int(1)?);
        let count = args.positive_or(2, 32)?;
        if count > MOST_VALUES as i64 {
            return Err(Refusal::new(Kind::TooLarge, format!("{count} numbers are swizzled"))
                .note(format!("at most {MOST_VALUES} are")));
        }
        let values = (start..start.saturating_add(count)).map(|x| apply(swizzle, x));
        Ok(Value::ints(values.collect::<Result<Vec<i64>>>()?))
    },
};
