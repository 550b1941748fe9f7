//! Naming: subterms that need a place of their own get a `let`, which is its inlining read backwards.

use atl_kernel::{Child, Expr, Label, Node, Result, Rule, Thm, Var, subst};
use atl_rules::lets::{Lifted, let_out};
use atl_rules::{Cx, Step};
use std::sync::Arc;

/// `e = (let x = e; x)`.
pub(crate) fn name_whole(cx: &mut Cx<'_>, e: &Expr, name: &str) -> Result<Thm> {
    let body = Arc::new(Node::Var(Var::Bound(0)));
    introduce(cx, e, body, name)
}

/// Names the first part of a scalar that no scalar contains: `f(sum ..) = (let x = sum ..; f(x))`.
pub(crate) fn name_operand(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Some(part) = foreign(e) else { return Ok(None) };
    let level = cx.ctx.level();
    let variable = Arc::new(Node::Var(Var::Free(level)));
    let body = subst::close(&replace(e, &part, &variable), level);
    let name = if matches!(*part, Node::Sum(..)) { "acc" } else { "tmp" };
    introduce(cx, &part, body, name).map(Some)
}

/// Names the first iteration among the operands of pointwise operations: its rounds are run once, and not for
/// each element.
pub(crate) fn name_iteration(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Some(part) = iteration(e) else { return Ok(None) };
    let level = cx.ctx.level();
    let variable = Arc::new(Node::Var(Var::Free(level)));
    let body = subst::close(&replace(e, &part, &variable), level);
    introduce(cx, &part, body, "last").map(Some)
}

fn iteration(e: &Expr) -> Option<Expr> {
    match &**e {
        Node::Iterate(_) => Some(e.clone()),
        Node::Prim(..) | Node::View(..) | Node::Get(..) => {
            e.children().find_map(|at| iteration(e.child(at)?))
        }
        _ => None,
    }
}

/// `body[bound] = (let x = bound; body)`.
fn introduce(cx: &mut Cx<'_>, bound: &Expr, body: Expr, name: &str) -> Result<Thm> {
    let named = Arc::new(Node::Let(Label::new(name), bound.clone(), body));
    Ok(cx.rule(Rule::LetInline, &named)?.sym())
}

/// Moves a `let` out of the place `at`: `f(let x = a; b) = (let x = a; f(b))`.
pub(crate) fn lift(cx: &mut Cx<'_>, e: &Expr, at: Child) -> Result<Thm> {
    let_out(cx, e, at, Lifted::Constant)
}

/// Is it a variable, or an access to one?
pub(crate) fn is_access(e: &Expr) -> bool {
    match &**e {
        Node::Var(_) => true,
        Node::Get(array, _) => is_access(array),
        _ => false,
    }
}

/// Is it one expression over literals, indices and variables?
pub fn is_scalar(e: &Expr) -> bool {
    match &**e {
        Node::Var(_) | Node::Lit(..) | Node::Index(..) => true,
        Node::Get(..) => is_access(e),
        Node::Prim(..) | Node::View(..) | Node::Guard(..) | Node::Select(..) => {
            e.children().all(|at| e.child(at).is_some_and(is_scalar))
        }
        Node::Gen(..)
        | Node::Sum(..)
        | Node::Let(..)
        | Node::Op(..)
        | Node::Bundle(..)
        | Node::Iterate(_) => false,
    }
}

/// The first part of a scalar that is none itself. A guard or select that contains such a part is named
/// whole, so that what it guards stays guarded.
fn foreign(e: &Expr) -> Option<Expr> {
    if is_scalar(e) {
        return None;
    }
    match &**e {
        Node::Prim(..) | Node::View(..) | Node::Get(..) => e.children().find_map(|at| foreign(e.child(at)?)),
        _ => Some(e.clone()),
    }
}

/// `e` with `with` for every occurrence of `part` that is not below a binder or a guard.
fn replace(e: &Expr, part: &Expr, with: &Expr) -> Expr {
    if e == part {
        return with.clone();
    }
    match &**e {
        Node::Prim(..) | Node::View(..) | Node::Get(..) => {
            let mut node = (**e).clone();
            for at in e.children() {
                if let Some(child) = e.child(at) {
                    node = node.with_child(at, replace(child, part, with));
                }
            }
            Arc::new(node)
        }
        _ => e.clone(),
    }
}
