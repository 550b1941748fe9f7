//! Index terms and predicates in shorter form, throughout a term.

use crate::cx::{Cx, Step};
use crate::inside_reads;
use atl_kernel::{Expr, Node, Pred, Rule};
use std::sync::Arc;

/// The term with its index arithmetic brought to few operations.
pub fn shorten(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.bottom_up(e, &mut node)
}

/// The index terms of one node in shorter form; its children are left alone.
pub fn node(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.sequence(e, inside_reads::shorter, own)
}

/// The same, as far as it is arithmetic.
fn own(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let mut node = (**e).clone();
    match &mut node {
        Node::Index(_, i) | Node::Get(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) => {
            *i = atl_arith::simplify(&cx.ctx, i);
        }
        Node::Guard(p, _) | Node::Select(p, ..) => *p = atl_arith::simplify_pred(&cx.ctx, p),
        Node::Op(_, ixs, _) => ixs.iter_mut().for_each(|i| *i = atl_arith::simplify(&cx.ctx, i)),
        _ => {}
    }
    let decided = matches!(&node, Node::Guard(Pred::True, _) | Node::Select(Pred::True | Pred::False, ..));
    if decided || node == **e {
        return Ok(None);
    }
    cx.rule(Rule::ArithEq(Arc::new(node)), e).map(Some)
}
