//! Differences in the steps of rounds, as sums.
//!
//! The one idea: `a - b` is `a + -1 * b` bit by bit, so a step with differences of states is a sum of
//! multiples of them.

use crate::cx::{Chain, Cx, Step};
use crate::occurrences::mentions;
use atl_kernel::{Child, Expr, Node, Prim, Rule};
use std::ops::Range;

/// The iteration, with sums for the differences that read states in its first steps, this many; nothing
/// where there are none.
pub(super) fn as_sums(cx: &mut Cx<'_>, e: &Expr, steps: usize) -> Step {
    let Node::Iterate(it) = &**e else { return Ok(None) };
    let first = cx.ctx.level();
    let mut chain = Chain::of(e);
    for k in 0..steps as u32 {
        let states = first..first + it.states.len() as u32 + k;
        chain.apply(cx, |cx, e| cx.child(e, Child::Step(k), |cx, e| sums(cx, e, &states)))?;
    }
    Ok(chain.done())
}

/// A sum of multiples, in which no difference reads these states.
fn sums(cx: &mut Cx<'_>, e: &Expr, states: &Range<u32>) -> Step {
    if !states.clone().any(|state| mentions(e, state)) {
        return Ok(None);
    }
    let mut chain = Chain::of(e);
    match &**e {
        Node::Prim(Prim::Sub, _) => chain.apply(cx, |cx, e| cx.rule(Rule::SubAsAdd, e))?,
        Node::Prim(Prim::Add | Prim::Mul, _) => {}
        _ => return Ok(None),
    }
    for at in [Child::Arg(0), Child::Arg(1)] {
        chain.apply(cx, |cx, e| cx.child(e, at, |cx, e| sums(cx, e, states)))?;
    }
    Ok(chain.done())
}
