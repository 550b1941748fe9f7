//! Loops cut where vectors of the result begin.
//!
//! The result lies in memory in row-major order, from an address at which a vector may begin. Constructs that
//! keep this order say where a loop's first result lies: in a `gen`, as many cells from its start as the
//! iterations before store; in the second part of a `++`, as many as the first part has; under `flatten`,
//! `split` and `trunc_r`, where it is without them. What puts results elsewhere, such as `transpose`, is
//! passed over here: nothing is known then.

use crate::commands::peel::lengths;
use crate::nest::Place;
use crate::refusal::{Refusal, RefusedAt};
use crate::session::Session;
use atl_arith::simplify;
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr, Ix, Label, Node, Pred, Result as Kernel, Thm};
use atl_rules::rules::gen_split_at::gen_split_at;
use atl_rules::{Chain, Cx};
use std::sync::Arc;

/// The loops in two: up to the first result at which a vector begins, and from there on; both in vectors.
pub(crate) fn aligned(
    session: &mut Session<'_>,
    span: Span,
    places: &[Place],
    lanes: u32,
    mark: &mut dyn FnMut(&mut Label),
) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let mut chain = Chain::of(&body);
    for place in places.iter().rev() {
        let now = chain.now().clone();
        let step = cut(&mut session.cx, &now, &place.path, &Ix::ZERO, (lanes, mark)).refused_at(span)?;
        let Some(step) = step else { return Err(elsewhere(&place.label.name, span)) };
        chain.push(step).refused_at(span)?;
    }
    chain.total(&mut session.cx).refused_at(span)
}

fn elsewhere(name: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0375, span, "the results of the loop `{name}` are not known to be contiguous in memory")
            .label("alignment is requested here")
            .help("use `with aligned` on a loop along the last dimension of the result that computes one element per iteration"),
    )
}

/// The number of lanes, and what marks a loop over them.
type Vectors<'a> = (u32, &'a mut dyn FnMut(&mut Label));

/// The loop at the end of the path cut, where the first result of `e` is the cell `first`; nothing if that is
/// not known of the loop.
fn cut(cx: &mut Cx<'_>, e: &Expr, path: &[Child], first: &Ix, vectors: Vectors<'_>) -> Kernel<Option<Thm>> {
    let Some((at, rest)) = path.split_first() else { return at_vector(cx, e, first, vectors) };
    let level = cx.ctx.level();
    let first = match (&**e, at) {
        (Node::Gen(..), Child::Body) => {
            return cx.child(e, *at, |cx, inside| {
                let first = first.clone() + Ix::free(level) * cells(cx, inside)?;
                cut(cx, inside, rest, &first, vectors)
            });
        }
        (Node::Let(..) | Node::Guard(..), Child::Body) | (Node::Select(..), Child::Then | Child::Else) => {
            first.clone()
        }
        (Node::Op(definition, _, operands), Child::Arg(k)) => {
            match (atl_ops::of(definition).map_or("", |op| op.name), k) {
                ("concat", 1) => first.clone() + cells(cx, &operands[0])?,
                ("concat" | "flatten" | "split" | "trunc_r", 0) => first.clone(),
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    cx.child(e, *at, |cx, inside| cut(cx, inside, rest, &first, vectors))
}

/// How many cells the tensor has.
fn cells(cx: &mut Cx<'_>, e: &Expr) -> Kernel<Ix> {
    Ok(cx.type_of(e)?.shape.into_iter().reduce(|a, b| a * b).unwrap_or(Ix::ONE))
}

/// The loop at hand, whose first result is the cell `first`.
fn at_vector(cx: &mut Cx<'_>, e: &Expr, first: &Ix, (lanes, mark): Vectors<'_>) -> Kernel<Option<Thm>> {
    let (Node::Gen(_, n, _), 1) = (&**e, cx.type_of(e)?.shape.len()) else { return Ok(None) };
    if cx.proves(&Pred::le(n.clone(), Ix::ONE)) {
        return marked(cx, e, mark).map(Some);
    }
    let before = (Ix::ZERO - first.clone()) % Ix::Lit(i64::from(lanes));
    let before = simplify(&cx.ctx, &Ix::min(n.clone(), simplify(&cx.ctx, &before)));
    if cx.proves(&Pred::eq(before.clone(), Ix::ZERO)) {
        return marked(cx, e, mark).map(Some);
    }
    let mut thm = gen_split_at(cx, e, &before)?;
    thm = cx.then(thm, lengths)?;
    for part in [Child::Arg(0), Child::Arg(1)] {
        thm = cx.then(thm, |cx, e| cx.child(e, part, |cx, e| marked(cx, e, mark)))?;
    }
    Ok(Some(thm))
}

/// The loop at hand, marked.
pub(crate) fn marked(cx: &mut Cx<'_>, e: &Expr, mark: &mut dyn FnMut(&mut Label)) -> Kernel<Thm> {
    let mut node = (**e).clone();
    if let Node::Gen(label, ..) | Node::Sum(label, ..) = &mut node {
        mark(label);
    }
    cx.relabel(e, &Arc::new(node))
}
