//! `surjective(L[, n])`: every value of a range is reached.
//!
//! **Definition.** Are the values exactly `0 .. n`? Without `n`, up to the largest. A remark names the first
//! that is missing.
//! **Laws.** Sorted by stride, each mode begins no later than one past what those below it reach; that is also
//! necessary.
//! **Fails when.** Never.
//! **Example.** `surjective((2,3):(3,1))` is `true`; `surjective((2,2):(1,3))` is `false`;
//! `surjective((2,3):(1,1), 4)` is `true`
//! **See also.** `injective`, `contiguous`

use super::right_inverse::by_stride;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "surjective",
    aliases: &[],
    parameters: Parameters { names: "L, n", optional: 1 },
    summary: "every value of a range is reached",
    apply: |args, notes| {
        let layout = args.layout(0)?;
        let n = args.int_or(1, layout.range().1 + 1)?;
        let missing = missing(&layout, n);
        notes.extend(missing.clone());
        Ok(Value::Bool(missing.is_none()))
    },
};

/// Why the values are not exactly `0 .. n`.
pub fn missing(layout: &Layout, n: i64) -> Option<String> {
    let (least, most) = layout.range();
    if least < 0 {
        return Some(format!("the least value is {least}"));
    }
    let mut end = 1;
    for (d, extent, _) in by_stride(layout) {
        if d > end {
            return Some(format!("{end} is no value"));
        }
        end += (extent - 1) * d;
    }
    if n <= most {
        Some(format!("{most} is a value"))
    } else {
        (n > end).then(|| format!("{end} is no value"))
    }
}
