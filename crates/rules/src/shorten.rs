//! Index terms and predicates in shorter form, throughout a term.

use crate::cx::{Chain, Cx, Step};
use crate::inside_reads;
use atl_arith::size::nodes;
use atl_kernel::{Child, Error, Expr, Node, Pred, Rule};
use std::sync::Arc;

/// The term with its index arithmetic brought to few operations.
pub fn shorten(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.bottom_up(e, &mut node)
}

/// Index terms with this number of nodes are long.
const LONG: u64 = 64;

/// The accesses of a chain in shorter form whose indices have become long, as where operators that name an
/// index twice are unfolded one after the other; nothing where none is, or none gets shorter.
pub fn long_accesses(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Get(_, index) = &**e else { return Ok(None) };
    let mut chain = Chain::of(e);
    if nodes(index) > LONG {
        chain.push(own(cx, e).unwrap_or(None))?;
    }
    if chain.now().child(Child::Body).is_some_and(is_long) {
        chain.apply(cx, |cx, e| cx.child(e, Child::Body, long_accesses))?;
    }
    Ok(chain.done())
}

/// Is an index of this chain of accesses long?
fn is_long(e: &Expr) -> bool {
    matches!(&**e, Node::Get(array, index) if nodes(index) > LONG || is_long(array))
}

/// The index terms of one node in shorter form; its children are left alone.
pub fn node(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.sequence(e, inside_reads::simplify_read_indices, own)
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
    match cx.rule(Rule::ArithEq(Arc::new(node)), e) {
        // What a proposal says may be out of reach, as of a condition of many parts, each of several cases.
        Err(Error::Unproved(_)) => Ok(None),
        done => done.map(Some),
    }
}
