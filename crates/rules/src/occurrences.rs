//! Where a term occurs in another.
//!
//! Terms are locally closed, so a term that stands below binders means there what it means outside, and can be
//! found and replaced without opening the binders. What mentions a binder's own variable is never found: it is
//! another term.

use atl_kernel::{Child, Expr, Ix, Node, Pred, Var};
use std::sync::Arc;

/// The context's tensor variable at this level.
pub fn variable(level: u32) -> Expr {
    Arc::new(Node::Var(Var::Free(level)))
}

/// Does the context variable at `level` occur, as an index or as a tensor?
pub fn mentions(e: &Expr, level: u32) -> bool {
    let own = match &**e {
        Node::Var(v) => *v == Var::Free(level),
        Node::Index(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) => i.mentions(level),
        Node::Guard(p, _) | Node::Select(p, ..) => p.mentions(level),
        Node::Iterate(it) => it.extent.mentions(level),
        Node::Op(_, ixs, _) => ixs.iter().any(|i| i.mentions(level)),
        Node::Lit(..) | Node::Let(..) | Node::Prim(..) | Node::View(..) | Node::Bundle(..) => false,
    };
    own || e.children().filter_map(|at| e.child(at)).any(|child| mentions(child, level))
}

/// The term with other ones in the places for which there are some, outermost places first.
pub fn replace(e: &Expr, with: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
    if let Some(other) = with(e) {
        return other;
    }
    let mut node: Option<Node> = None;
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        let new = replace(child, with);
        if !Arc::ptr_eq(&new, child) {
            node = Some(node.as_ref().unwrap_or(e).with_child(at, new));
        }
    }
    node.map_or_else(|| e.clone(), Arc::new)
}

/// How often `part` occurs in `e`.
pub fn count(e: &Expr, part: &Expr) -> usize {
    if e == part {
        return 1;
    }
    e.children().filter_map(|at| e.child(at)).map(|child| count(child, part)).sum()
}

/// The part at the end of a path that enters no binder.
pub fn part<'e>(e: &'e Expr, path: &[Child]) -> Option<&'e Expr> {
    match path.split_first() {
        None => Some(e),
        Some((at, _)) if e.binds(*at) > 0 => None,
        Some((at, rest)) => part(e.child(*at)?, rest),
    }
}

/// The term with another part at the end of a path.
pub fn with_part(e: &Expr, path: &[Child], new: &Expr) -> Expr {
    match path.split_first() {
        None => new.clone(),
        Some((at, rest)) => match e.child(*at) {
            Some(child) => Arc::new(e.with_child(*at, with_part(child, rest, new))),
            None => e.clone(),
        },
    }
}

/// The term with another index term for every occurrence of one, in what it computes: in accesses, conditions and
/// values, not in extents and in the arguments of operators, on which shapes depend.
pub fn replace_index(e: &Expr, from: &Ix, to: &Ix) -> Expr {
    let mut node = (**e).clone();
    match &mut node {
        Node::Index(_, i) | Node::Get(_, i) => *i = index_with(i, from, to),
        Node::Guard(p, _) | Node::Select(p, ..) => *p = pred_with(p, from, to),
        _ => {}
    }
    for at in e.children() {
        if let Some(child) = e.child(at) {
            node = node.with_child(at, replace_index(child, from, to));
        }
    }
    Arc::new(node)
}

/// The index term with another one for every occurrence of one.
pub fn index_with(i: &Ix, from: &Ix, to: &Ix) -> Ix {
    match i {
        i if i == from => to.clone(),
        Ix::Bin(op, ab) => Ix::bin(*op, index_with(&ab.0, from, to), index_with(&ab.1, from, to)),
        Ix::Read(array, at) => Ix::Read(*array, at.iter().map(|i| index_with(i, from, to)).collect()),
        Ix::Lit(_) | Ix::Var(_) => i.clone(),
    }
}

/// The predicate with another index term for every occurrence of one.
pub fn pred_with(p: &Pred, from: &Ix, to: &Ix) -> Pred {
    match p {
        Pred::True | Pred::False => p.clone(),
        Pred::Cmp(cmp, a, b) => Pred::Cmp(*cmp, index_with(a, from, to), index_with(b, from, to)),
        Pred::Not(q) => Pred::not(pred_with(q, from, to)),
        Pred::And(ab) => Pred::and(pred_with(&ab.0, from, to), pred_with(&ab.1, from, to)),
        Pred::Or(ab) => Pred::or(pred_with(&ab.0, from, to), pred_with(&ab.1, from, to)),
    }
}
