//! `equal(A, B)`: the same function of an index.
//!
//! **Definition.** Have two layouts one size and the same values? A remark names the first index at which they
//! differ.
//! **Laws.** It is decided by `coalesce`, without a table; where swizzles differ, by all values.
//! **Fails when.** Swizzles differ, and there are more than 2^20 values.
//! **Example.** `equal((2,3):(1,2), 6:1)` is `true`; `equal((4,1):(1,9), 4:1)` is `true`; `equal(Sw<1,0,1> o 2:1, 2:1)` is `true`
//! **See also.** `coalesce`, `compatible`

use super::coalesce::coalesce;
use super::{Function, MOST_VALUES, Parameters};
use crate::swizzle::Swizzle;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "equal",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "the same function of an index",
    apply: |args, notes| {
        let (a, b) = (args.composed(0)?, args.composed(1)?);
        let (size, other) = (a.layout.size(), b.layout.size());
        if size != other {
            notes.push(format!("their sizes are {size} and {other}"));
            return Ok(Value::Bool(false));
        }
        let coalesced = coalesce(&a.layout)? == coalesce(&b.layout)?;
        let after = a.swizzle == b.swizzle && a.offset == b.offset;
        let plain = a.swizzle == Swizzle::IDENTITY && b.swizzle == Swizzle::IDENTITY;
        // Two swizzles may do the same to the values that there are.
        let equal = match (coalesced && after, plain) {
            (true, _) => true,
            (_, true) => false,
            _ => a.table(MOST_VALUES)? == b.table(MOST_VALUES)?,
        };
        if !equal && let Some(i) = (0..size.min(MOST_VALUES as i64)).find(|i| a.at(*i).ok() != b.at(*i).ok())
        {
            notes.push(format!("at index {i} they are {} and {}", a.at(i)?, b.at(i)?));
        }
        Ok(Value::Bool(equal))
    },
};
