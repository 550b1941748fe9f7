//! Beta reduction: accesses to the loops that a proof put in place of a variable are carried out.
//!
//! The one idea: only accesses to given terms are, so that what the program itself accesses stays as it was written.

use crate::cx::{Cx, Step, join};
use atl_kernel::{Child, Expr, Node, Rule, Thm};

/// Carry out every access to one of these tensors that is a `gen` and provably in range.
pub(crate) fn reduce(cx: &mut Cx<'_>, e: &Expr, tensors: &[Expr]) -> Step {
    if tensors.contains(e) {
        return Ok(None);
    }
    if !accesses(e, tensors) {
        return cx.children(e, &mut |cx, e| reduce(cx, e, tensors));
    }
    let below = cx.child(e, Child::Body, |cx, e| reduce(cx, e, tensors))?;
    let now = below.as_ref().map_or(e, Thm::rhs).clone();
    let carried_out = match &*now {
        Node::Get(array, _) if matches!(**array, Node::Gen(..)) => cx.try_rule(Rule::AccessGen, &now),
        _ => None,
    };
    join(below, carried_out)
}

/// Is it a chain of accesses to one of these tensors?
fn accesses(e: &Expr, tensors: &[Expr]) -> bool {
    match &**e {
        Node::Get(array, _) => tensors.contains(array) || accesses(array, tensors),
        _ => false,
    }
}
