//! Annotations: labels of binders, which mean nothing to the kernel.

use crate::nest::Place;
use crate::session::{Refusal, Session, refused};
use atl_diag::Span;
use atl_kernel::{Child, Expr, Label, Node, Thm};
use std::sync::Arc;

/// Change the labels at these places; the theorem is reflexivity.
pub(crate) fn relabel(
    session: &mut Session<'_>,
    span: Span,
    places: &[Place],
    change: &dyn Fn(&mut Label),
) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let new = places.iter().fold(body.clone(), |e, place| at(&e, &place.path, change));
    Thm::relabel(&session.cx.ctx, &body, &new, session.cx.prover).map_err(|e| refused(span, &e))
}

fn at(e: &Expr, path: &[Child], change: &dyn Fn(&mut Label)) -> Expr {
    match path.split_first() {
        Some((first, rest)) => match e.child(*first) {
            Some(child) => Arc::new(e.with_child(*first, at(child, rest, change))),
            None => e.clone(),
        },
        None => {
            let mut node = (**e).clone();
            if let Node::Gen(l, ..) | Node::Sum(l, ..) | Node::Let(l, ..) = &mut node {
                change(l);
            }
            Arc::new(node)
        }
    }
}
