//! A total order on terms, for normal forms: of two equal arrangements, the smaller one is kept.
//!
//! It looks at structure alone, never at labels, so that it says the same of terms that are equal.

use atl_kernel::{Child, Expr, Node, Prim};
use std::cmp::Ordering;

/// Compare two terms; equal exactly where the terms are.
pub(crate) fn compare(a: &Expr, b: &Expr) -> Ordering {
    rank(a).cmp(&rank(b)).then_with(|| heads(a, b)).then_with(|| {
        let (mut left, mut right) = (a.children(), b.children());
        loop {
            match (left.next(), right.next()) {
                (Some(x), Some(y)) => match x.cmp(&y).then_with(|| children(a, b, x, y)) {
                    Ordering::Equal => {}
                    decided => return decided,
                },
                (x, y) => return x.is_some().cmp(&y.is_some()),
            }
        }
    })
}

fn children(a: &Expr, b: &Expr, x: Child, y: Child) -> Ordering {
    match (a.child(x), b.child(y)) {
        (Some(a), Some(b)) => compare(a, b),
        (x, y) => x.is_some().cmp(&y.is_some()),
    }
}

/// The constructors in order, the ones that normal forms have outside last.
fn rank(e: &Expr) -> u8 {
    match &**e {
        Node::Lit(..) => 0,
        Node::Index(..) => 1,
        Node::Var(_) => 2,
        Node::Get(..) => 3,
        Node::View(..) => 4,
        Node::Op(..) => 5,
        Node::Let(..) => 6,
        Node::Gen(..) => 7,
        Node::Select(..) => 8,
        Node::Prim(..) => 9,
        Node::Guard(..) => 10,
        Node::Sum(..) => 11,
        Node::Bundle(..) => 12,
        Node::Iterate(_) => 13,
    }
}

/// What nodes of one constructor hold besides their children.
fn heads(a: &Expr, b: &Expr) -> Ordering {
    match (&**a, &**b) {
        (Node::Lit(s, x), Node::Lit(t, y)) => spelt(&(s, x), &(t, y)),
        (Node::Index(s, i), Node::Index(t, j)) => i.cmp(j).then_with(|| spelt(s, t)),
        (Node::Var(x), Node::Var(y)) => x.cmp(y),
        (Node::Get(_, i), Node::Get(_, j)) => i.cmp(j),
        (Node::View(s, _), Node::View(t, _)) => spelt(s, t),
        (Node::Op(d, is, _), Node::Op(c, js, _)) => d.name.cmp(c.name).then_with(|| is.cmp(js)),
        (Node::Gen(_, n, _), Node::Gen(_, m, _)) | (Node::Sum(_, n, _), Node::Sum(_, m, _)) => n.cmp(m),
        (Node::Iterate(a), Node::Iterate(b)) => {
            a.states.len().cmp(&b.states.len()).then_with(|| a.extent.cmp(&b.extent))
        }
        (Node::Select(p, ..), Node::Select(q, ..)) | (Node::Guard(p, _), Node::Guard(q, _)) => p.cmp(q),
        (Node::Prim(f, _), Node::Prim(g, _)) => operation(*f).cmp(&operation(*g)),
        _ => Ordering::Equal,
    }
}

fn operation(f: Prim) -> String {
    format!("{f:?}")
}

/// Things that have no order of their own, by how they are spelt.
fn spelt(a: &impl std::fmt::Debug, b: &impl std::fmt::Debug) -> Ordering {
    format!("{a:?}").cmp(&format!("{b:?}"))
}
