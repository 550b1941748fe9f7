//! Cells that a round leaves as they are, in the parts of a step.
//!
//! ```text
//! .. ++ gen i < n - c. { select(p, v, x[e]) }  =  .. ++ gen i < n - c. { select(p, v, x[c + i]) }
//! ```
//!
//! where `e` is known to be `c + i`, the cell itself. So the form of a point update is read off, whatever a
//! step has made of the index below what it knows of `i`.

use crate::in_place::{Cells, parts};
use atl_kernel::{Child, Expr, Ix, Node, Pred, Prim, Rule, Var};
use atl_rules::{Chain, Cx, Step};
use std::sync::Arc;

/// The step of the state at a level, of which `e` is these cells.
pub(super) fn own_cells(cx: &mut Cx<'_>, e: &Expr, own: u32, cells: &Cells) -> Step {
    match &**e {
        Node::Gen(..) => {
            let inside = cells.below(Ix::free(cx.ctx.level()));
            cx.child(e, Child::Body, |cx, body| own_cells(cx, body, own, &inside))
        }
        Node::Let(..) => cx.child(e, Child::Body, |cx, body| own_cells(cx, body, own, cells)),
        Node::Select(..) => cx.children(e, &mut |cx, side| own_cells(cx, side, own, cells)),
        Node::Prim(Prim::Where, _) => cx.child(e, Child::Arg(2), |cx, side| own_cells(cx, side, own, cells)),
        Node::Op(..) => {
            let mut chain = Chain::of(e);
            for (k, (_, cells)) in parts(e, cells).into_iter().flatten().enumerate() {
                let at = Child::Arg(k as u32);
                chain.apply(cx, |cx, e| cx.child(e, at, |cx, part| own_cells(cx, part, own, &cells)))?;
            }
            Ok(chain.done())
        }
        Node::Get(..) => kept(cx, e, own, cells),
        _ => Ok(None),
    }
}

/// An access to the state, if it is to these cells.
fn kept(cx: &mut Cx<'_>, e: &Expr, own: u32, cells: &Cells) -> Step {
    let (mut head, mut index) = (e.clone(), Vec::new());
    while let Node::Get(array, at) = &*head.clone() {
        index.insert(0, at.clone());
        head = array.clone();
    }
    let is_own = *head == Node::Var(Var::Free(own));
    if !is_own || index.len() != cells.index.len() || index == cells.index {
        return Ok(None);
    }
    if !index.iter().zip(&cells.index).all(|(at, own)| cx.proves(&Pred::eq(at.clone(), own.clone()))) {
        return Ok(None);
    }
    let cell = cells.index.iter().fold(head, |e, at| Arc::new(Node::Get(e, at.clone())));
    cx.rule(Rule::ArithEq(cell), e).map(Some)
}
