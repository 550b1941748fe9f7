//! `recognise([f(0), f(1), …])`: the layout that has these values.
//!
//! **Definition.** The coalesced layout `L` of as many indices with `L(i) = f(i)`.
//! **Laws.** `recognise(table(L)) = coalesce(L)`. Every layout's table is recognised, and nothing else is.
//! **Fails when.** `f(0)` is not 0, or no layout has the values; the refusal names an index that does not continue the pattern.
//! **Example.** `recognise([0,2,1,3])` is `(2,2):(2,1)`
//! **See also.** `table`, `coalesce`, `exact_composition`

use super::{Function, Parameters};
use crate::functions::coalesce::{Tail, merge};
use crate::layout::{Layout, Mode};
use crate::refusal::{Kind, Refusal, Result};
use crate::stride::Stride;

pub(super) const FUNCTION: Function = Function {
    name: "recognise",
    aliases: &["recognize"],
    parameters: Parameters { names: "values", optional: 0 },
    summary: "the layout that has these values",
    apply: |args, _| Ok(recognise(&args.list(0)?)?.into()),
};

/// The coalesced layout with these values.
///
/// # Errors
/// There is none.
pub fn recognise<D: Stride>(values: &[D]) -> Result<Layout<D>> {
    let refuse = |note: String| {
        Err(Refusal::new(Kind::NoLayout, format!("no layout has these {} values", values.len())).note(note))
    };
    match values.first() {
        None => return refuse("a layout has at least one value".to_owned()),
        Some(first) if !first.is_zero() => {
            return refuse(format!("the first is {first}; a layout maps 0 to 0"));
        }
        Some(_) => {}
    }
    match modes(values) {
        Some(modes) => Layout::flat(merge(modes, Tail::Drop)),
        None => refuse(reason(values)),
    }
}

/// The modes of the values, if they have any: the longest even run of equal steps comes first that lets the rest follow.
fn modes<D: Stride>(values: &[D]) -> Option<Vec<Mode<D>>> {
    let Some(step) = values.get(1) else { return Some(Vec::new()) };
    candidates(values, step).into_iter().find_map(|t| {
        let starts: Vec<D> = values.iter().step_by(t).cloned().collect();
        if broken(values, &starts, t).is_some() {
            return None;
        }
        let rest = modes(&starts)?;
        Some([(t as i64, step.clone())].into_iter().chain(rest).collect())
    })
}

/// The extents that a first mode may have, the largest first.
fn candidates<D: Stride>(values: &[D], step: &D) -> Vec<usize> {
    let mut sum = D::zero();
    let steps = |value: &&D| {
        let fits = sum == **value;
        // A sum that is too large is none of the values.
        sum = sum.plus(step).unwrap_or_else(|_| step.clone());
        fits
    };
    let run = values.iter().take_while(steps).count();
    (2..=run).rev().filter(|t| values.len().is_multiple_of(*t)).collect()
}

/// The first index that is not the sum of its digit and its start.
fn broken<D: Stride>(values: &[D], starts: &[D], t: usize) -> Option<usize> {
    let differs = |i: &usize| values[i % t].plus(&starts[i / t]).ok().as_ref() != Some(&values[*i]);
    (0..values.len()).find(differs)
}

/// Why there is no layout, by the longest run of equal steps.
fn reason<D: Stride>(values: &[D]) -> String {
    let step = &values[1.min(values.len() - 1)];
    let Some(t) = candidates(values, step).first().copied() else {
        return format!("the first steps are equal up to no divisor of {}", values.len());
    };
    let starts: Vec<D> = values.iter().step_by(t).cloned().collect();
    match broken(values, &starts, t) {
        Some(i) => {
            let (digit, start) = (i % t, i - i % t);
            format!(
                "with a first mode {t}:{step}, the value at {i} would be f({digit}) + f({start}) = {} + {}, and it is {}",
                values[digit], values[start], values[i]
            )
        }
        None => format!("after a first mode {t}:{step}, the values at its multiples are no layout's"),
    }
}
