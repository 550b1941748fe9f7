//! `let_bind`: give a term a name, so that it is computed once, into memory of its own.
//!
//! **Statement.** `e = let t = e; t`.
//! **Requires.** Nothing.
//! **Fails when.** Never; `rename t to NAME` gives it another name.
//! **Example.** At the sum of a tile of results, `rw let_bind at sum k < K { _ }` accumulates into a tile of its own, which
//! `store t in stack` keeps on the stack.
//! **See also.** `let_inline`, which undoes it; `store`, `rename`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::is_own_name;
use atl_kernel::{Expr, Label, Node, Result, Rule, Thm, Var};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "let_bind",
    statement: "e  =  let t = e; t",
    requires: "nothing",
    args: &[],
    example: Example { program: "fn f(a: f32[N]) -> f32 { sum i < N { a[i] } }", args: &[] },
    rewrite: |cx, e, _| let_bind(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| match &**e {
        Node::Let(_, _, body) if is_own_name(body) => cx.rule(Rule::LetInline, e),
        _ => no_match(RULE.name, "`let t = e; t`", e),
    })),
};

/// The theorem for `e`.
pub fn let_bind(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let name: Expr = Arc::new(Node::Var(Var::Bound(0)));
    let named: Expr = Arc::new(Node::Let(Label::new("t"), e.clone(), name));
    Ok(cx.rule(Rule::LetInline, &named)?.sym())
}
