//! Beta reduction: accesses to the loops that a proof put in place of a variable are carried out.
//!
//! The one idea: only accesses to given terms are, so that what the program itself accesses stays as it was
//! written.

use crate::cx::{Cx, Step};
use atl_kernel::{Child, Expr, Node, Rule};

/// Carry out every access to one of these tensors that is a `gen` and provably in range.
pub(crate) fn reduce(cx: &mut Cx<'_>, e: &Expr, tensors: &[Expr]) -> Step {
    if tensors.contains(e) {
        return Ok(None);
    }
    if !accesses(e, tensors) {
        return cx.children(e, &mut |cx, e| reduce(cx, e, tensors));
    }
    let carried_out = |cx: &mut Cx<'_>, e: &Expr| match &**e {
        Node::Get(array, _) if matches!(**array, Node::Gen(..)) => Ok(cx.try_rule(Rule::AccessGen, e)),
        _ => Ok(None),
    };
    cx.sequence(e, |cx, e| cx.child(e, Child::Body, |cx, e| reduce(cx, e, tensors)), carried_out)
}

/// Is it a chain of accesses to one of these tensors?
fn accesses(e: &Expr, tensors: &[Expr]) -> bool {
    match &**e {
        Node::Get(array, _) => tensors.contains(array) || accesses(array, tensors),
        _ => false,
    }
}
