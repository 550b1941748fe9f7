//! Sums that search: of a sum over positions whose terms stand under an equation of coordinates, one term at most is not zero.
//!
//! Where two sparse operands meet, one of them is left as `sum q { [crd[q] == c] * .. }` with a `c` that the other operand
//! says. Its coordinates increase within each segment, as a format's facts say; so the sum is marked as a search, which is
//! no rewriting: the theorem is reflexivity, and the check shows the same once more. What else is asked and does not depend on
//! `q` moves out, so that a search around it finds its own equation.

use crate::conjuncts::conjuncts;
use crate::cx::{Cx, Step};
use crate::sparse::outward;
use atl_arith::keys::{Growth, equations, grows};
use atl_kernel::{Child, Expr, Label, LoopKind, Node, Pred, Result, Thm, subst};
use std::sync::Arc;

/// Mark every sum of a term that is one.
pub fn mark_searches(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.once(e, &mut mark)
}

fn mark(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Sum(label, n, body) = &**e else { return Ok(None) };
    let level = cx.ctx.level();
    let inside = subst::open(body, level);
    let Node::Guard(p, rest) = &*inside else { return Ok(None) };
    if label.kind != LoopKind::Serial {
        return Ok(None);
    }
    let searches = equations(p, level).into_iter().any(|equation| {
        let (there, goal) = grows(&cx.ctx, (level, &equation.key), n, Growth::Strict);
        cx.within(Arc::new(there)).proves(&goal)
    });
    if !searches {
        return Ok(None);
    }
    let (own, outer): (Vec<Pred>, Vec<Pred>) =
        conjuncts(p).into_iter().partition(|part| part.mentions(level));
    if outer.is_empty() {
        return marked(cx, e).map(Some);
    }
    let moved = outward(cx, e, own, outer, rest)?;
    cx.then(moved, |cx, e| cx.child(e, Child::Body, |cx, e| marked(cx, e).map(Some))).map(Some)
}

fn marked(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Sum(label, n, body) = &**e else { return cx.refl(e) };
    let label = Label { kind: LoopKind::Search, ..label.clone() };
    cx.relabel(e, &Arc::new(Node::Sum(label, n.clone(), body.clone())))
}
