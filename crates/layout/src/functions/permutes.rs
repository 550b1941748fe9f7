//! `permutes(P, lo, hi, from, to, p)`: does a loop over `from .. to` at `P(i)` do the iterations of the loop over `lo .. hi`?
//!
//! **Definition.** Each `j` of `lo .. hi` at which `p` holds is `P(i)` for exactly one `i` of `from .. to`, and `p` holds at no other `P(i)`. Without
//! `from` and `to`, they are `0` and the size. `p` is a list of truth values, such as `predicate` gives, the first one that of iteration
//! 0; past its end nothing holds. Without it, everything does.
//! **Laws.** True exactly if three conditions hold of the `i` with `p(P(i))`: range (every `P(i)` lies in `lo .. hi`), surjectivity (every `j` with
//! `p(j)` is some `P(i)`), and injectivity (no two `P(i)` are equal). A remark names the one that fails, with the iteration.
//! **Fails when.** One of the loops has more than 2^20 iterations.
//! **Example.** `permutes((2,2):(2,1), 0, 4)` is `true`; `permutes(2:1, 0, 4)` is `false`; `permutes((2,2):(1,1), 0, 3)` is `false`;
//! `permutes((2,2):(2,1), 0, 3, 0, 4, [true,true,true])` is `true`
//! **See also.** `contiguous`, `injective`, `predicate`, `surjective`

use super::{Function, MOST_VALUES, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::value::Value;
use std::ops::Range;

pub(super) const FUNCTION: Function = Function {
    name: "permutes",
    aliases: &[],
    parameters: Parameters { names: "P, lo, hi, from, to, p", optional: 3 },
    summary: "a loop at P(i) does the iterations of a loop",
    apply: |args, notes| {
        let layout = args.layout(0)?;
        let inner = args.int_or(3, 0)?..args.int_or(4, layout.size())?;
        let outer = args.int(1)?..args.int(2)?;
        let p = args.value(5).map(truths).transpose()?;
        let holds = |j| p.as_ref().is_none_or(|p| usize::try_from(j).is_ok_and(|j| p.get(j) == Some(&true)));
        let fails = failed_condition(&layout, &Loops { outer, inner, holds: &holds })?;
        notes.extend(fails.clone());
        Ok(Value::Bool(fails.is_none()))
    },
};

/// A loop, and one that may be another order of it.
pub struct Loops<'p> {
    /// The iterations that are to be done.
    pub outer: Range<i64>,
    /// The iterations that do them.
    pub inner: Range<i64>,
    /// Is anything done at this one of the outer loop's?
    pub holds: &'p dyn Fn(i64) -> bool,
}

fn truths(value: &Value) -> Result<Vec<bool>> {
    let refusal = || {
        Refusal::new(Kind::Arguments, format!("{} is no list of truth values", value.kind()))
            .note("`[true,false]`, or what `predicate` gives")
    };
    let Value::List(values) = value else { return Err(refusal()) };
    let truth = |value: &Value| match value {
        Value::Bool(truth) => Ok(*truth),
        _ => Err(refusal()),
    };
    values.iter().map(truth).collect()
}

/// The first condition that fails, in words.
///
/// # Errors
/// There are too many iterations, or one at a negative index.
pub fn failed_condition(layout: &Layout, loops: &Loops<'_>) -> Result<Option<String>> {
    let (outer, inner) = (&loops.outer, &loops.inner);
    let most = MOST_VALUES as i64;
    if outer.end - outer.start > most || inner.end - inner.start > most {
        return Err(Refusal::new(Kind::TooLarge, format!("loops over {outer:?} and {inner:?}"))
            .note(format!("at most {most} iterations are looked at")));
    }
    let mut at: Vec<Option<i64>> = vec![None; usize::try_from(outer.end - outer.start).unwrap_or(0)];
    for i in inner.clone() {
        let j = layout.at(i)?;
        if !(loops.holds)(j) {
            continue;
        }
        if !outer.contains(&j) {
            return Ok(Some(format!("range: iteration {i} is at {j}, outside {outer:?}")));
        }
        // It lies in the range, whose length is that of the table.
        if let Some(other) = at[(j - outer.start) as usize].replace(i) {
            return Ok(Some(format!("injectivity: the iterations {other} and {i} are both at {j}")));
        }
    }
    let mut lost = outer.clone().zip(&at).filter(|(j, i)| i.is_none() && (loops.holds)(*j));
    Ok(lost.next().map(|(j, _)| format!("surjectivity: no iteration is at {j}")))
}
