//! Annotations: labels of binders, which mean nothing to the kernel.
//!
//! A loop of at most one iteration is not worth an annotation: of several copies of a loop, those are passed over, and
//! `peel` takes the mark off what it leaves alone.

use crate::nest::Place;
use crate::session::{Refusal, Session, refused};
use atl_diag::Span;
use atl_kernel::{Child, Expr, Ix, Label, LoopKind, Node, Pred, Thm};
use atl_rules::{Cx, Step as Conversion};
use std::sync::Arc;

/// Say how the loops at these places are to be run; of several, not those of at most one iteration.
pub(crate) fn run_as(
    session: &mut Session<'_>,
    span: Span,
    mut places: Vec<Place>,
    kind: LoopKind,
) -> Result<Thm, Refusal> {
    if places.len() > 1 {
        let body = session.body.clone();
        let mut many = Vec::new();
        for place in &places {
            let mut single = false;
            let look = &mut |cx: &mut Cx<'_>, e: &Expr| {
                single = is_single(cx, e);
                Ok(None)
            };
            session.cx.at(&body, &place.path, look).map_err(|e| refused(span, &e))?;
            if !single {
                many.push(place.clone());
            }
        }
        if !many.is_empty() {
            places = many;
        }
    }
    relabel(session, span, &places, &|l| l.kind = kind)
}

/// A marked loop of at most one iteration is not marked any more.
pub(crate) fn unmark_single(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let Node::Gen(label, n, body) = &**e else { return Ok(None) };
    if label.kind == LoopKind::Serial || !is_single(cx, e) {
        return Ok(None);
    }
    let plain = Label { kind: LoopKind::Serial, ..label.clone() };
    let plain: Expr = Arc::new(Node::Gen(plain, n.clone(), body.clone()));
    cx.relabel(e, &plain).map(Some)
}

/// Is it a loop of at most one iteration?
fn is_single(cx: &mut Cx<'_>, e: &Expr) -> bool {
    match &**e {
        Node::Gen(_, n, _) | Node::Sum(_, n, _) => cx.proves(&Pred::le(n.clone(), Ix::ONE)),
        _ => false,
    }
}

/// Change the labels at these places; the theorem is reflexivity.
pub(crate) fn relabel(
    session: &mut Session<'_>,
    span: Span,
    places: &[Place],
    change: &dyn Fn(&mut Label),
) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let new = places.iter().fold(body.clone(), |e, place| at(&e, &place.path, change));
    session.cx.relabel(&body, &new).map_err(|e| refused(span, &e))
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
