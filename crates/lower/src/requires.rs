//! What every proof may have used, as requirements that a call checks: the hypotheses of the context.
//!
//! Those on sizes are predicates; those that read arrays hold for all values of variables within ranges, which stand in the
//! hypothesis as the premise of an implication. That sizes are at least 0 goes without saying.

use crate::cx::LowerCx;
use crate::error::LowerError;
use atl_check::reads;
use atl_kernel::subst::instantiate_all;
use atl_kernel::{Cmp, Entry, Ix, Label, Pred, Var};
use atl_loops::{Bool, ForAll, Name};
use atl_rules::conjuncts::conjuncts;

/// The hypotheses that speak of sizes alone.
pub(crate) fn on_sizes(cx: &LowerCx<'_>) -> Result<Vec<Bool>, LowerError> {
    let hypotheses = cx.ctx.hypotheses().map(|(_, p)| p);
    let stated = hypotheses.filter(|p| !goes_without_saying(p) && !reads(p));
    stated.map(|p| cx.translate_pred_raw(p)).collect()
}

/// The hypotheses that read arrays, in order: each reads what those before it say is there.
pub(crate) fn on_elements(cx: &mut LowerCx<'_>) -> Result<Vec<ForAll>, LowerError> {
    let ctx = cx.ctx.clone();
    let mut stated = Vec::new();
    for entry in ctx.entries() {
        match entry {
            Entry::Hyp(p, _) if reads(p) => {
                stated.push(ForAll { binders: Vec::new(), cond: cx.translate_pred_raw(p)? });
            }
            Entry::All(variables, p) => stated.push(for_all(cx, variables, p)?),
            _ => {}
        }
    }
    Ok(stated)
}

/// A hypothesis for all integers: its premise has the ranges.
fn for_all(cx: &mut LowerCx<'_>, variables: &[Label], p: &Pred) -> Result<ForAll, LowerError> {
    let outside = cx.ctx.level();
    let mut values = Vec::new();
    let mut names = Vec::new();
    for label in variables {
        let level = cx.ctx.push_index(label.clone());
        let name = cx.names.enter(&label.name);
        cx.indices.insert(level, name.clone());
        values.push(Ix::free(level));
        names.push(name);
    }
    let stated = for_all_of(cx, &instantiate_all(p, &values), &values, names);
    for level in outside..cx.ctx.level() {
        cx.indices.remove(&level);
        cx.names.leave();
    }
    cx.ctx.truncate(outside);
    stated
}

/// `!(lo <= v && v < hi && ..) || holds`, with a range for each variable in order.
fn for_all_of(cx: &LowerCx<'_>, p: &Pred, variables: &[Ix], names: Vec<Name>) -> Result<ForAll, LowerError> {
    let other_form = || LowerError::Requirement(p.clone());
    let Pred::Or(sides) = p else { return Err(other_form()) };
    let Pred::Not(premise) = &sides.0 else { return Err(other_form()) };
    let bounds = conjuncts(premise);
    if bounds.len() != 2 * variables.len() {
        return Err(other_form());
    }
    let mut binders = Vec::new();
    for ((variable, name), range) in variables.iter().zip(names).zip(bounds.chunks(2)) {
        match range {
            [Pred::Cmp(Cmp::Le, lo, low), Pred::Cmp(Cmp::Lt, high, hi)]
                if low == variable && high == variable =>
            {
                binders.push((name, cx.translate_ix_raw(lo)?, cx.translate_ix_raw(hi)?));
            }
            _ => return Err(other_form()),
        }
    }
    Ok(ForAll { binders, cond: cx.translate_pred_raw(&sides.1)? })
}

fn goes_without_saying(p: &Pred) -> bool {
    matches!(p, Pred::True | Pred::Cmp(Cmp::Le, Ix::Lit(0), Ix::Var(Var::Free(_))))
}
