//! `let_add_merge`: the operands of an operation share a `let`.
//!
//! **Statement.** `(let x = e; f(x)) + (let y = e; g(y)) = let x = e; f(x) + g(x)`, and so for every operation on elements and
//! every operator of two operands.
//! **Requires.** Both bind the same term.
//! **Fails when.** An operand is no `let`, or the terms are spelt differently; backwards, an operand does not use the name.
//! **Example.** `(let x = s * s; x + 1) + (let y = s * s; y + 2)` becomes `let x = s * s; (x + 1) + (x + 2)`.
//! **See also.** `let_out_of_add`, `let_dup`: the two halves.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::{Lifted, from_left, let_of, let_out};
use crate::occurrences::mentions;
use crate::rules::let_dup::let_dup;
use atl_kernel::{Child, Expr, Node, Result, Thm, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "let_add_merge",
    statement: "(let x = e; f(x)) + (let y = e; g(y))  =  let x = e; f(x) + g(x),  and other operations of two operands",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(s: f32) -> f32 { (let x = s * s; x + 1.0) + (let y = s * s; y + 2.0) }",
        args: &[],
    },
    rewrite: |cx, e, _| let_add_merge(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| let_add_part(cx, e))),
};

/// The theorem for the operation at hand.
pub fn let_add_merge(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let is_let = |at| e.child(at).is_some_and(|child| matches!(**child, Node::Let(..)));
    if !(is_operation(e) && is_let(Child::Arg(0)) && is_let(Child::Arg(1))) {
        return no_match(RULE.name, "an operation on two `let`s", e);
    }
    let first = let_out(cx, e, Child::Arg(0), Lifted::Constant)?;
    let both = cx.then(first, |cx, e| {
        cx.child(e, Child::Body, |cx, e| let_out(cx, e, Child::Arg(1), Lifted::Constant))
    })?;
    cx.then(both, let_dup)
}

/// An operation on elements or an operator, of two operands.
fn is_operation(e: &Expr) -> bool {
    matches!(&**e, Node::Prim(_, args) | Node::Op(_, _, args) if args.len() == 2)
}

/// `let x = e; f(x) + g(x)  =  (let x = e; f(x)) + (let x = e; g(x))`.
fn let_add_part(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Let(label, bound, body) = &**e else { return no_match(RULE.name, "a `let`", e) };
    let name = cx.ctx.level();
    let operation = subst::open(body, name);
    if !is_operation(&operation) {
        return no_match(RULE.name, "a `let` around an operation of two operands", e);
    }
    let mut left = (*operation).clone();
    for at in [Child::Arg(0), Child::Arg(1)] {
        match operation.child(at) {
            Some(operand) if mentions(operand, name) => {
                left = left.with_child(at, let_of(label, bound.clone(), operand, name));
            }
            _ => return no_match(RULE.name, "a `let` whose name both operands use", e),
        }
    }
    from_left(cx, e, &Arc::new(left), let_add_merge)
}
