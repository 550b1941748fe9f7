//! Terms that have rounds in common, and differ in what these end in.
//!
//! ```text
//! gen i<n. iterate R in a,  gen i<n. iterate R in b
//! ```
//!
//! Labels are equal to the kernel; whether those of two terms ask for the same is for the caller to say.

use atl_kernel::{Expr, Iterate, Label, Node};
use std::sync::Arc;

/// Have two terms rounds in common, around their ends? `alike` says it of two labels.
pub fn share_rounds(alike: &dyn Fn(&Label, &Label) -> bool, a: &Expr, b: &Expr) -> bool {
    let further = |a: &Expr, b: &Expr| share_rounds(alike, a, b);
    match (&**a, &**b) {
        (Node::Gen(l, n, a), Node::Gen(k, m, b)) => n == m && alike(l, k) && further(a, b),
        (Node::Let(l, x, a), Node::Let(k, y, b)) => {
            alike(l, k) && are_copies(alike, x, y) && (has_rounds(x) || further(a, b))
        }
        (Node::Select(p, a, b), Node::Select(q, c, d)) => p == q && further(a, c) && further(b, d),
        (Node::Guard(p, a), Node::Guard(q, b)) => p == q && further(a, b),
        // A loop that a step has split is `trunc_r(N, flatten(gen io, ii { .. }))`.
        (Node::Op(op, i, xs), Node::Op(other, j, ys)) => {
            let same = op == other && i == j && !xs.is_empty() && xs.len() == ys.len();
            same && xs.iter().zip(ys).all(|(x, y)| further(x, y))
        }
        (Node::Iterate(s), Node::Iterate(t)) => are_copies(alike, &endless(s), &endless(t)),
        _ => false,
    }
}

/// The rounds, without what they end in.
fn endless(it: &Iterate) -> Expr {
    let body = Arc::new(Node::Bundle(Arc::new([]), Vec::new()));
    Arc::new(Node::Iterate(Arc::new(Iterate { body, ..it.clone() })))
}

/// Are two terms equal, with labels that are alike?
fn are_copies(alike: &dyn Fn(&Label, &Label) -> bool, a: &Expr, b: &Expr) -> bool {
    let (mut labels, mut others) = (Vec::new(), Vec::new());
    labels_of(a, &mut labels);
    labels_of(b, &mut others);
    a == b && labels.into_iter().zip(others).all(|(l, k)| alike(l, k))
}

fn labels_of<'e>(e: &'e Expr, found: &mut Vec<&'e Label>) {
    match &**e {
        Node::Gen(label, ..) | Node::Sum(label, ..) | Node::Let(label, ..) => found.push(label),
        Node::Iterate(it) => {
            found.push(&it.label);
            found.extend(it.states.iter().map(|state| &state.label));
        }
        _ => {}
    }
    e.children().filter_map(|at| e.child(at)).for_each(|child| labels_of(child, found));
}

fn has_rounds(e: &Expr) -> bool {
    matches!(**e, Node::Iterate(_)) || e.children().filter_map(|at| e.child(at)).any(has_rounds)
}
