//! Arrays of one cell: what a `let` computes for one element only is a number.
//!
//! ```text
//! let x = gen i<1. e(i); b(x)  =  let x = e(0); b(gen i<1. x)
//! ```
//! A window that is computed where one element is read is such an array. As a number it has a register, and
//! a lane of its own in vectors.

use atl_kernel::{Expr, Ix, Label, LoopKind, Node, Rule, Storage, subst};
use atl_rules::lets::{is_read_by_name, let_of, meet};
use atl_rules::occurrences::variable;
use atl_rules::{Cx, Step};
use std::sync::Arc;

/// The `let` of the number, where it binds an array of one cell without a request.
pub(super) fn one_cell(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Let(label, bound, body) = &**e else { return Ok(None) };
    let (labels, element) = element(bound);
    let is_near = matches!(label.storage, Storage::Auto | Storage::Register);
    if labels.is_empty() || !is_near || label.tag != 0 || is_read_by_name(body) {
        return Ok(None);
    }
    if !cx.type_of(&element)?.shape.is_empty() {
        return Ok(None);
    }
    let level = cx.ctx.level();
    let array = |e, label| Arc::new(Node::Gen(label, Ix::ONE, e));
    let read = labels.into_iter().rev().fold(variable(level), array);
    let number = let_of(label, element, &subst::instantiate_tensor(body, &read), level);
    let (left, right) = (cx.rule(Rule::LetInline, e)?, cx.rule(Rule::LetInline, &number)?);
    // It stays an array where it is read at another term for its one index, and conditions hide that.
    Ok(meet(cx, left, right).ok())
}

/// The first element of an array, and the labels of its loops, each of which runs once and has no request.
fn element(array: &Expr) -> (Vec<Label>, Expr) {
    let (mut labels, mut e) = (Vec::new(), array.clone());
    while let Node::Gen(label, Ix::Lit(1), inner) = &*e.clone()
        && matches!(label.kind, LoopKind::Serial | LoopKind::Unroll)
        && label.tag == 0
    {
        labels.push(label.clone());
        e = subst::instantiate(inner, &Ix::Lit(0));
    }
    (labels, e)
}
