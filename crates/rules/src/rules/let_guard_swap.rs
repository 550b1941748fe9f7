//! `let_guard_swap`: a guard around a `let`'s body is put around what it binds, too.
//!
//! **Statement.** `let x = e; [p] * f(x) = let x = [p] * e; [p] * f(x)`.
//! **Requires.** Nothing.
//! **Fails when.** The body is no guard; backwards, what is bound has another guard than the body.
//! **Example.** `let x = e; [i < n] * f(x)` becomes `let x = [i < n] * e; [i < n] * f(x)`: what is not needed is not
//! computed.
//! **See also.** `let_out_of_guard_both`, of which this is one half.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::{Lifted, from_left, let_into, let_out};
use atl_kernel::{Child, Expr, Node, Result, Thm};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "let_guard_swap",
    statement: "let x = e; [p] * f(x)  =  let x = [p] * e; [p] * f(x)",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(s: f32) -> f32[5] { gen i < 5 { let x = s * s; [i < 3] * (x + x) } }",
        args: &[],
    },
    rewrite: |cx, e, _| let_guard_swap(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| let_guard_drop(cx, e))),
};

/// The theorem for the `let` at hand.
pub fn let_guard_swap(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let inside = let_into(cx, e, |node, _| matches!(node, Node::Guard(..)), Lifted::Constant)?;
    cx.then(inside, |cx, e| let_out(cx, e, Child::Body, Lifted::Guarded))
}

/// `let x = [p] * e; [p] * f(x)  =  let x = e; [p] * f(x)`.
fn let_guard_drop(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    match &**e {
        Node::Let(label, bound, body) => match (&**bound, &**body) {
            (Node::Guard(p, inner), Node::Guard(q, _)) if p == q => {
                let left = Arc::new(Node::Let(label.clone(), inner.clone(), body.clone()));
                from_left(cx, e, &left, let_guard_swap)
            }
            _ => no_match(RULE.name, "one guard around what is bound and around the body", e),
        },
        _ => no_match(RULE.name, "a `let`", e),
    }
}
