//! `equal(A, B)`: the same function of an index.
//!
//! **Definition.** Have two layouts one size and the same values? A remark names the first index at which they
//! differ.
//! **Laws.** It is decided by `coalesce`, without a table.
//! **Fails when.** Never.
//! **Example.** `equal((2,3):(1,2), 6:1)` is `true`; `equal((4,1):(1,9), 4:1)` is `true`
//! **See also.** `coalesce`, `compatible`

use super::coalesce::coalesce;
use super::{Function, MOST_VALUES, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "equal",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "the same function of an index",
    apply: |args, notes| {
        let (a, b) = (args.layout(0)?, args.layout(1)?);
        if a.size() != b.size() {
            notes.push(format!("their sizes are {} and {}", a.size(), b.size()));
            return Ok(Value::Bool(false));
        }
        let equal = coalesce(&a)? == coalesce(&b)?;
        if !equal
            && let Some(i) = (0..a.size().min(MOST_VALUES as i64)).find(|i| a.at(*i).ok() != b.at(*i).ok())
        {
            notes.push(format!("at index {i} they are {} and {}", a.at(i)?, b.at(i)?));
        }
        Ok(Value::Bool(equal))
    },
};
