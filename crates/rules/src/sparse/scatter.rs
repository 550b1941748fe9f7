//! Equations of coordinates move out of what is scattered.

use super::coordinates::is_coordinate;
use crate::conjuncts::{conjuncts, guard};
use crate::cx::{Cx, Step};
use crate::lets::from_left;
use atl_kernel::{Child, Expr, Ix, Node, Rule};

/// An equation of coordinates stands around what is scattered:
/// `one_hot(n, c, [p] * e) = [p] * one_hot(n, c, e)`.
pub(crate) fn scattered(cx: &mut Cx<'_>, e: &Expr, ixs: &[Ix], slice: &Expr) -> Step {
    let (Node::Guard(p, inner), [n, c]) = (&**slice, ixs) else { return Ok(None) };
    if !conjuncts(p).iter().any(is_coordinate) {
        return Ok(None);
    }
    let around = guard(p.clone(), &atl_ops::one_hot(n.clone(), c.clone(), inner.clone()));
    let unfolded = cx.rule(Rule::Unfold, e)?;
    let unfolded = cx.then(unfolded, |cx, e| cx.child(e, Child::Body, merged))?;
    from_left(cx, unfolded.rhs(), &around, |cx, around| {
        let inside = cx.inside(around, Child::Body, |cx, e| cx.rule(Rule::Unfold, e))?;
        let inside = cx.then(inside, |cx, e| cx.rule(Rule::GuardGen, e))?;
        cx.then(inside, |cx, e| cx.child(e, Child::Body, merged))
    })
    .and_then(|thm| unfolded.trans(thm))
    .map(Some)
}

/// `[p] * [q] * e = [p && q] * e`.
pub(crate) fn merged(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Guard(_, inner) if matches!(**inner, Node::Guard(..)) => cx.rule(Rule::GuardAnd, e).map(Some),
        _ => Ok(None),
    }
}
