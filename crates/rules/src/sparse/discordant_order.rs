//! Loops over coordinates in another order than the levels of a sparse operand (a discordant order).
//!
//! In `gen j { gen i { sum p < len(i) { [j == crd[i, p]] * e } } }` the equation eliminates the loop over
//! `j`, which is outside the loop on which the positions depend. So the loop over `i` becomes a scatter, a
//! sum of its elements at their places, and the sum over positions moves out of the scatter:
//! `gen j { sum i { sum p { [j == crd[i, p]] * one_hot(N, i, e) } } }`. The loops are then interchanged as
//! usual. Several loops between the equation and its own loop are scattered from the inside out.

use super::coordinates::{determines, is_coordinate};
use super::scatter::scattered;
use crate::conjuncts::conjuncts;
use crate::cx::{Cx, Step};
use crate::derived::by_name;
use crate::rules::gen_as_scatter::gen_as_scatter;
use atl_kernel::{Child, Expr, Node, Pred, subst};

/// Is it a `gen` of sums whose index says where their terms stand, or how many there are, with an equation
/// inside for the index at `level`, which no extent depends on? Or a `gen` of such ones?
pub(crate) fn has_discordant_order(e: &Expr, level: u32, fresh: u32) -> bool {
    match &**e {
        Node::Gen(_, n, body) if !n.mentions(level) => {
            let inside = subst::open(body, fresh);
            has_discordant_order(&inside, level, fresh + 1)
                || reaches(&inside, Inner { level: fresh, is_asked: false }, level, fresh + 1)
        }
        _ => false,
    }
}

/// The loop inside.
#[derive(Clone, Copy)]
struct Inner {
    level: u32,
    /// Has a sum's extent, or the equation, depended on it?
    is_asked: bool,
}

/// Is there, below sums one of which depends on the inner loop, an equation for the index at `level`?
fn reaches(e: &Expr, inner: Inner, level: u32, fresh: u32) -> bool {
    match &**e {
        Node::Guard(p, body) => {
            let depends = |part: &Pred| inner.is_asked || part.mentions(inner.level);
            let ends = |part: &Pred| is_coordinate(part) && determines(part, level) && depends(part);
            conjuncts(p).iter().any(ends) || reaches(body, inner, level, fresh)
        }
        Node::Sum(_, n, body) if !n.mentions(level) => {
            let inner = Inner { is_asked: inner.is_asked || n.mentions(inner.level), ..inner };
            reaches(&subst::open(body, fresh), inner, level, fresh + 1)
        }
        _ => false,
    }
}

/// The `gen` as a sum of what stands at each of its places, below the sums and the equations that stood in
/// it.
pub(crate) fn scatter_discordant(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let inner = |cx: &mut Cx<'_>, inner: &Expr| match &**inner {
        Node::Gen(..) => scatter_discordant(cx, inner),
        _ => Ok(None),
    };
    cx.sequence(
        e,
        |cx, e| cx.child(e, Child::Body, inner),
        |cx, e| {
            let scattered = gen_as_scatter(cx, e)?;
            cx.then(scattered, |cx, e| cx.child(e, Child::Body, outside))
        },
    )
}

/// `one_hot(n, i, sum p. [q] * e) = sum p. [q] * one_hot(n, i, e)`.
fn outside(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Op(_, ixs, args) = &**e else { return Ok(None) };
    match (&*args[0], by_name("reshape_of_sum")) {
        (Node::Sum(..), Some(rule)) => {
            let moved = rule.rewrite(cx, e, &[])?;
            cx.then(moved, |cx, e| cx.child(e, Child::Body, outside)).map(Some)
        }
        _ => scattered(cx, e, ixs, &args[0]),
    }
}
