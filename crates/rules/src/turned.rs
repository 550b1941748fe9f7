//! Loops over coordinates that stand in another order than the levels of a sparse operand.
//!
//! In `gen j { gen i { sum p < len(i) { [j == crd[i, p]] * e } } }` the equation ends the loop over `j`, which is outside of what the
//! positions depend on. So the loop over `i` becomes a sum of its elements, each at its own place, and the sum of positions and
//! the equation come out of the place: `gen j { sum i { sum p { [j == crd[i, p]] * one_hot(N, i, e) } } }`. Then loops change places
//! as they do elsewhere.

use crate::conjuncts::conjuncts;
use crate::cx::{Cx, Step};
use crate::derived::by_name;
use crate::rules::gen_as_scatter::gen_as_scatter;
use crate::sparse::{determines, is_coordinate, scattered};
use atl_kernel::{Child, Expr, Node, subst};

/// Is it a `gen` of sums, of which one goes as far as its index says, with an equation inside for the index at `level`, which no
/// extent depends on?
pub(crate) fn is_turned(e: &Expr, level: u32, fresh: u32) -> bool {
    match &**e {
        Node::Gen(_, n, body) if !n.mentions(level) => {
            reaches(&subst::open(body, fresh), Inner { level: fresh, is_asked: false }, level, fresh + 1)
        }
        _ => false,
    }
}

/// The loop inside.
#[derive(Clone, Copy)]
struct Inner {
    level: u32,
    /// Has a sum's extent depended on it?
    is_asked: bool,
}

/// Is there, below sums one of which depends on the inner loop, an equation for the index at `level`?
fn reaches(e: &Expr, inner: Inner, level: u32, fresh: u32) -> bool {
    match &**e {
        Node::Guard(p, body) => {
            inner.is_asked && conjuncts(p).iter().any(|part| is_coordinate(part) && determines(part, level))
                || reaches(body, inner, level, fresh)
        }
        Node::Sum(_, n, body) if !n.mentions(level) => {
            let inner = Inner { is_asked: inner.is_asked || n.mentions(inner.level), ..inner };
            reaches(&subst::open(body, fresh), inner, level, fresh + 1)
        }
        _ => false,
    }
}

/// The `gen` as a sum of what stands at each of its places, below the sums and the equations that stood in it.
pub(crate) fn turned(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let scattered = gen_as_scatter(cx, e)?;
    cx.then(scattered, |cx, e| cx.child(e, Child::Body, outside)).map(Some)
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
