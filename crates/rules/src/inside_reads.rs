//! Equal indices inside reads of integer arrays.
//!
//! **The one idea.** `at[i] = at[j]` where `i = j` is no arithmetic: to a certificate, reads at different terms are different
//! unknowns. But an access may change its index by arithmetic, so a term becomes an access to a loop over what stands in the
//! read: `e(at[i]) = (gen r < j + 1 { e(at[r]) })[i] = (gen r < j + 1 { e(at[r]) })[j] = e(at[j])`. It needs no law.
//!
//! What it does not do: change what a shape depends on, for the loop's body has one shape.

use crate::cx::{Chain, Cx, Step};
use crate::occurrences::{index_with, pred_with};
use atl_kernel::{Expr, Ix, Label, Node, Pred, Result, Rule, Thm, subst};
use std::sync::Arc;

/// Simplifies the indices inside the node's own reads.
pub(crate) fn simplify_read_indices(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let mut chain = Chain::of(e);
    loop {
        let now = chain.now().clone();
        let found = places(&now).into_iter().find_map(|from| {
            let to = atl_arith::simplify(&cx.ctx, &from);
            if to == from { None } else { exchanged(cx, &now, &from, &to).ok() }
        });
        match found {
            Some(thm) => chain.push(thm)?,
            None => return Ok(chain.done()),
        }
    }
}

/// `e(from) = e(to)` for equal terms, wherever the node has the first inside its own indices.
fn exchanged(cx: &mut Cx<'_>, e: &Expr, from: &Ix, to: &Ix) -> Result<Thm> {
    let level = cx.ctx.level();
    let body = subst::close(&with_index(e, from, &Ix::free(level)), level);
    as_access(cx, body, from, to)
}

/// `e(i) = e(to)` for the index `i` at this level, which is known to be `to`.
pub(crate) fn substitute_known_index(cx: &mut Cx<'_>, e: &Expr, level: u32, to: &Ix) -> Result<Thm> {
    as_access(cx, subst::close(e, level), &Ix::free(level), to)
}

/// Does the index at this level stand inside a read?
pub(crate) fn is_inside(e: &Expr, level: u32) -> bool {
    places(e).iter().any(|ix| ix.mentions(level))
        || e.children().filter_map(|at| e.child(at)).any(|child| is_inside(child, level))
}

/// The same for the body of a loop, at both terms.
fn as_access(cx: &mut Cx<'_>, body: Expr, from: &Ix, to: &Ix) -> Result<Thm> {
    let all: Expr = Arc::new(Node::Gen(Label::new("r"), to.clone() + Ix::ONE, body));
    let at = |ix: &Ix| -> Expr { Arc::new(Node::Get(all.clone(), ix.clone())) };
    let before = cx.rule(Rule::AccessGen, &at(from))?;
    let same = cx.rule(Rule::ArithEq(at(to)), &at(from))?;
    let after = cx.rule(Rule::AccessGen, &at(to))?;
    before.sym().trans(same)?.trans(after)
}

/// What stands inside reads in the node's own indices, inner reads first.
fn places(e: &Expr) -> Vec<Ix> {
    let mut found = Vec::new();
    match &**e {
        Node::Index(_, i) | Node::Get(_, i) | Node::Sum(_, i, _) => of_index(i, &mut found),
        Node::Guard(p, _) | Node::Select(p, ..) => of_pred(p, &mut found),
        Node::Op(_, ixs, _) => ixs.iter().for_each(|i| of_index(i, &mut found)),
        _ => {}
    }
    found
}

fn of_index(i: &Ix, found: &mut Vec<Ix>) {
    match i {
        Ix::Lit(_) | Ix::Var(_) => {}
        Ix::Bin(_, ab) => {
            of_index(&ab.0, found);
            of_index(&ab.1, found);
        }
        Ix::Read(_, at) => at.iter().for_each(|i| {
            of_index(i, found);
            found.push(i.clone());
        }),
    }
}

fn of_pred(p: &Pred, found: &mut Vec<Ix>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => {
            of_index(a, found);
            of_index(b, found);
        }
        Pred::Not(q) => of_pred(q, found),
        Pred::And(ab) | Pred::Or(ab) => {
            of_pred(&ab.0, found);
            of_pred(&ab.1, found);
        }
    }
}

/// The node with another index term for every occurrence of one in its own indices.
fn with_index(e: &Expr, from: &Ix, to: &Ix) -> Expr {
    let mut node = (**e).clone();
    match &mut node {
        Node::Index(_, i) | Node::Get(_, i) | Node::Sum(_, i, _) => *i = index_with(i, from, to),
        Node::Guard(p, _) | Node::Select(p, ..) => *p = pred_with(p, from, to),
        Node::Op(_, ixs, _) => ixs.iter_mut().for_each(|i| *i = index_with(i, from, to)),
        _ => {}
    }
    Arc::new(node)
}
