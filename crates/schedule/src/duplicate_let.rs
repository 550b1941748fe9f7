//! Duplicates a `let` with several uses: each use gets a `let` of its own, so that later steps can rewrite
//! them separately.
//!
//! The bound term is copied under new names: of `let A = sum p { .. }` with two uses, the second use gets
//! `let A_2 = sum p_2 { .. }`. The copies are numbered in the order of the uses.

use crate::names::is_taken;
use crate::nest::{Place, binders, subterm};
use crate::refusal::{Refusal, RefusedAt};
use crate::session::Session;
use atl_diag::Span;
use atl_kernel::{Expr, Label, Node, Result as Kernel, Thm, subst};
use atl_rules::Cx;
use atl_rules::occurrences::{count, variable};
use atl_rules::rules::let_dup::let_apart;
use std::sync::Arc;

/// The theorem that duplicates the `let` at a place for each of its uses, and their number; none where there
/// is at most one use.
pub(crate) fn split_uses(
    session: &mut Session<'_>,
    span: Span,
    place: &Place,
) -> Result<Option<(usize, Thm)>, Refusal> {
    let mut uses = 0;
    let body = session.body.clone();
    let counted = session.cx.at(&body, &place.path, &mut |cx, e| {
        if let Node::Let(_, _, inner) = &**e {
            let level = cx.ctx.level();
            uses = count(&subst::open(inner, level), &variable(level));
        }
        Ok(None)
    });
    counted.refused_at(span)?;
    if uses < 2 {
        return Ok(None);
    }
    let named = |e: &Expr| binders(e).into_iter().map(|place| place.label.name).collect::<Vec<_>>();
    let bound = match subterm(&body, &place.path).map(|e| &**e) {
        Some(Node::Let(label, bound, _)) => [vec![label.name.clone()], named(bound)].concat(),
        _ => Vec::new(),
    };
    let free = |k: &usize| !bound.iter().any(|name| is_taken(session, &numbered(name, *k)));
    let numbers: Vec<usize> = (2..).filter(free).take(uses - 1).collect();
    let thm = session.convert(span, std::slice::from_ref(place), &mut |cx, e| {
        let mut done = cx.refl(e)?;
        for number in numbers.iter().rev() {
            done = cx.then(done, |cx, e| split_last_use(cx, e, *number))?;
        }
        Ok(done)
    })?;
    Ok(Some((uses, thm)))
}

/// The last use gets a `let` of its own, whose names have this number.
fn split_last_use(cx: &mut Cx<'_>, e: &Expr, number: usize) -> Kernel<Thm> {
    let apart = let_apart(cx, e)?;
    let Node::Let(label, bound, rest) = &**apart.rhs() else { return Ok(apart) };
    let Node::Let(own, copy, body) = &**rest else { return Ok(apart) };
    let own = Node::Let(renamed(own, number), relabelled(copy, number), body.clone());
    let numbered = Arc::new(Node::Let(label.clone(), bound.clone(), Arc::new(own)));
    cx.then(apart, |cx, e| cx.relabel(e, &numbered))
}

fn numbered(name: &str, number: usize) -> String {
    format!("{name}_{number}")
}

fn renamed(label: &Label, number: usize) -> Label {
    Label { name: Arc::from(numbered(&label.name, number)), ..label.clone() }
}

/// A term whose binders' names have this number.
fn relabelled(e: &Expr, number: usize) -> Expr {
    let mut node = (**e).clone();
    if let Node::Gen(label, ..) | Node::Sum(label, ..) | Node::Let(label, ..) = &mut node {
        *label = renamed(label, number);
    }
    for at in e.children() {
        if let Some(child) = e.child(at) {
            node = node.with_child(at, relabelled(child, number));
        }
    }
    Arc::new(node)
}
