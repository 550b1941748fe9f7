//! `let_flip_apply`: a `let` within what is bound takes the binding's place.
//!
//! **Statement.** `let y = (let x = e; f(x)); g(y) = let x = e; g(f(x))`.
//! **Requires.** Nothing.
//! **Fails when.** What is bound is no `let`. What the right side does not say is which of its terms had a name: backwards,
//! name it by `let_bind` and use `let_assoc` backwards.
//! **Example.** `let y = (let x = s + s; x * x); y + 1` becomes `let x = s + s; x * x + 1`.
//! **See also.** `let_assoc`, which keeps both names; `let_move_fn`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, no_match};
use crate::lets::{Lifted, inline, let_out};
use atl_kernel::{Child, Expr, Node, Result, Thm};

/// See the module.
pub static RULE: Derived = Derived {
    name: "let_flip_apply",
    statement: "let y = (let x = e; f(x)); g(y)  =  let x = e; g(f(x))",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(s: f32) -> f32 { let y = (let x = s + s; x * x); y + 1.0 }",
        args: &[],
    },
    rewrite: |cx, e, _| let_flip_apply(cx, e),
    inverse: None,
};

/// The theorem for the `let` at hand.
pub fn let_flip_apply(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    if !matches!(&**e, Node::Let(_, bound, _) if matches!(**bound, Node::Let(..))) {
        return no_match(RULE.name, "a `let` that binds a `let`", e);
    }
    let thm = let_out(cx, e, Child::Bound, Lifted::Constant)?;
    cx.then(thm, |cx, e| cx.child(e, Child::Body, inline))
}
