//! Rounds that need not be run: `until p` is a state `stop`, and the others stay as they are once it is 1.
//!
//! Let `stop` be computed from old states alone, and be read by none but the steps of its own round. If all
//! old states that anything reads are kept where the new `stop` is 1, the next round begins with the same
//! ones. It computes the same `stop`, keeps them again, and so do all after it.

use atl_kernel::{Cmp, Expr, Ix, Node, Pred, Var, subst};
use std::sync::Arc;

/// The state that ends the rounds once it is 1. The steps and the body are opened: the old states have the
/// levels from `first` on, new ones those after them, and the round that of the new state it makes.
pub(crate) fn until(first: u32, steps: &[Expr], body: &Expr) -> Option<usize> {
    let count = u32::try_from(steps.len()).ok()?;
    let is_read = |old: u32| mentions(body, old) || steps.iter().any(|step| mentions(step, old));
    let olds: Vec<(u32, bool)> = (first..first + count).map(|old| (old, is_read(old))).collect();
    let ends = |stop: usize| {
        let new = olds[stop].0 + count;
        let of_old_states = !(first + count..=new).any(|level| mentions(&steps[stop], level));
        let kept = |((old, is_read), step): (&(u32, bool), &Expr)| !is_read || is_kept(step, *old, new);
        of_old_states && !olds[stop].1 && olds.iter().zip(steps).all(kept)
    };
    (0..steps.len()).find(|stop| ends(*stop))
}

/// Is the step its state where the new one at a level is 1?
fn is_kept(step: &Expr, old: u32, stop: u32) -> bool {
    let is_stop = |ix: &Ix| matches!(ix, Ix::Read(Var::Free(level), at) if *level == stop && at.is_empty());
    let says = |p: &Pred| matches!(p, Pred::Cmp(Cmp::Eq, a, b) if is_stop(a) && *b == Ix::ONE || is_stop(b) && *a == Ix::ONE);
    matches!(&**step, Node::Select(p, kept, _) if says(p) && matches!(**kept, Node::Var(Var::Free(of)) if of == old))
}

/// Does the term mention the variable at a level? If not, nothing of it is bound with that.
fn mentions(e: &Expr, level: u32) -> bool {
    !Arc::ptr_eq(&subst::close(e, level), e)
}
