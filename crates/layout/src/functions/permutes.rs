//! `permutes(P, lo, hi, from, to)`: does a loop over `from .. to` at `P(i)` do the iterations of the loop over `lo .. hi`?
//!
//! **Definition.** Each `j` of `lo .. hi` is `P(i)` for exactly one `i` of `from .. to`, and no other number is. Without `from` and `to`,
//! they are `0` and the size.
//! **Laws.** True exactly if three conditions hold: range (every `P(i)` lies in `lo .. hi`), surjectivity (every `j` is some `P(i)`),
//! and injectivity (no two `P(i)` are equal). A remark names the one that fails, with the iteration.
//! **Fails when.** One of the loops has more than 2^20 iterations.
//! **Example.** `permutes((2,2):(2,1), 0, 4)` is `true`; `permutes(2:1, 0, 4)` is `false`; `permutes((2,2):(1,1), 0, 3)` is `false`
//! **See also.** `contiguous`, `injective`, `surjective`

use super::{Function, MOST_VALUES, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::value::Value;
use std::ops::Range;

pub(super) const FUNCTION: Function = Function {
    name: "permutes",
    aliases: &[],
    parameters: Parameters { names: "P, lo, hi, from, to", optional: 2 },
    summary: "a loop at P(i) does the iterations of a loop",
    apply: |args, notes| {
        let layout = args.layout(0)?;
        let inner = args.int_or(3, 0)?..args.int_or(4, layout.size())?;
        let fails = failed_condition(&layout, args.int(1)?..args.int(2)?, inner)?;
        notes.extend(fails.clone());
        Ok(Value::Bool(fails.is_none()))
    },
};

/// The first condition that fails, in words.
///
/// # Errors
/// There are too many iterations, or one at a negative index.
pub fn failed_condition(layout: &Layout, outer: Range<i64>, inner: Range<i64>) -> Result<Option<String>> {
    let most = MOST_VALUES as i64;
    if outer.end - outer.start > most || inner.end - inner.start > most {
        return Err(Refusal::new(Kind::TooLarge, format!("loops over {outer:?} and {inner:?}"))
            .note(format!("at most {most} iterations are looked at")));
    }
    let mut at: Vec<Option<i64>> = vec![None; usize::try_from(outer.end - outer.start).unwrap_or(0)];
    for i in inner {
        let j = layout.at(i)?;
        if !outer.contains(&j) {
            return Ok(Some(format!("range: iteration {i} is at {j}, outside {outer:?}")));
        }
        // It lies in the range, whose length is that of the table.
        if let Some(other) = at[(j - outer.start) as usize].replace(i) {
            return Ok(Some(format!("injectivity: the iterations {other} and {i} are both at {j}")));
        }
    }
    let lost = at.iter().position(Option::is_none);
    Ok(lost.map(|j| format!("surjectivity: no iteration is at {}", outer.start + j as i64)))
}
