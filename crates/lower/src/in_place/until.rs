//! Rounds that end by themselves: a state `stop`, and others that stay as they are once it holds.
//!
//! ```text
//! iterate t < n from stop = false, x = e { p(x), select(stop' == 1, x, s(t, x)) }         `stop'` the new
//! one
//! ```
//!
//! Where `p` holds of the states, no round after it changes them, nor what `p` says of them; so the loop
//! may be left. This asks the form alone: `p` mentions old states only, not the round; nothing reads the
//! old `stop`, which begins as false, so that the loop is not left before the first round; and each state
//! that a step or the value reads is kept where the new one holds.

use super::below;
use super::shape::{Cells, is_same};
use crate::cx::LowerCx;
use crate::error::LowerError;
use atl_check::storage;
use atl_kernel::{Child, Cmp, Expr, Iterate, Ix, Node, Number, Pred, Scalar, Storage, Type, Var, subst};
use atl_rules::occurrences::mentions;

/// The state that says where the rounds end.
pub(super) fn until(cx: &mut LowerCx<'_>, it: &Iterate, types: &[Type]) -> Result<Option<usize>, LowerError> {
    for stop in 0..it.states.len() {
        let ty = &types[stop];
        let in_register = matches!(storage(&it.states[stop].label, ty), Ok(Storage::Register));
        let is_truth = ty.shape.is_empty() && ty.elem.scalar == Scalar::Bool && in_register;
        let begins_false = matches!(*it.states[stop].init, Node::Lit(_, Number::Zero));
        if is_truth && begins_false && ends(cx, it, types, stop)? {
            return Ok(Some(stop));
        }
    }
    Ok(None)
}

fn ends(cx: &mut LowerCx<'_>, it: &Iterate, types: &[Type], stop: usize) -> Result<bool, LowerError> {
    let count = it.states.len() as u32;
    let first = cx.ctx.level();
    let node = Node::Iterate(it.clone().into());
    let body = subst::open_all(&it.body, first, node.binds(Child::Body));
    let mut is_live: Vec<bool> = (first..first + count).map(|level| mentions(&body, level)).collect();
    let mut steps = Vec::new();
    for k in 0..it.states.len() {
        let step = below(cx, it, types, k, |_, below, step| Ok((below.round, step.clone())))?;
        is_live.iter_mut().zip(first..).for_each(|(live, level)| *live |= mentions(&step.1, level));
        steps.push(step);
    }
    let (round, condition) = &steps[stop];
    let news = first + count..first + count + stop as u32;
    if is_live[stop] || mentions(condition, *round) || news.into_iter().any(|new| mentions(condition, new)) {
        return Ok(false);
    }
    let stop = first + count + stop as u32;
    Ok(steps.iter().enumerate().all(|(k, (_, step))| !is_live[k] || is_kept(step, first + k as u32, stop)))
}

/// Is the step its state where the truth value at a level holds?
fn is_kept(step: &Expr, own: u32, stop: u32) -> bool {
    let is_stop = |ix: &Ix| matches!(ix, Ix::Read(Var::Free(level), at) if *level == stop && at.is_empty());
    let says = |p: &Pred| {
        matches!(p, Pred::Cmp(Cmp::Eq, a, b)
            if is_stop(a) && *b == Ix::ONE || is_stop(b) && *a == Ix::ONE)
    };
    matches!(&**step, Node::Select(p, kept, _) if says(p) && is_same(kept, own, &Cells::default()))
}
