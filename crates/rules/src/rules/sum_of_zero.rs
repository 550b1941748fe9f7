//! `sum_of_zero`: zeros add up to zero.
//!
//! **Statement.** `sum i < n { 0 } = 0`.
//! **Requires.** Zero is neutral: `0 + a = a`.
//! **Fails when.** The body is not the literal zero; `simplify guards` may make it so.
//! **Example.** `sum i < N { 0 }` becomes `0`.
//! **See also.** `guard_zero`, `sum_empty`.

use crate::cx::{Cx, join};
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::rules::guard_false::guard_false;
use atl_kernel::{Child, Error, Expr, Ix, Label, Node, Number, Pred, Result, Rule, Thm};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "sum_of_zero",
    statement: "sum i<n. 0  =  0",
    requires: "0 + a = a",
    args: &[],
    example: Example { program: "fn f(a: f32[N]) -> f32 { a?[0] + sum i < N { f32(0) } }", args: &[] },
    rewrite: |cx, e, _| sum_of_zero(cx, e),
    inverse: Some(Inverse {
        args: &["n"],
        example: &[3],
        rewrite: |cx, e, args| {
            let sum = |n: &Ix| Arc::new(Node::Sum(Label::new("i"), n.clone(), e.clone()));
            Ok(sum_of_zero(cx, &(sum(&args[0]) as Expr))?.sym())
        },
    }),
};

/// The theorem for the sum at hand.
pub fn sum_of_zero(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let body = match &**e {
        Node::Sum(_, _, body) if matches!(**body, Node::Lit(_, Number::Zero)) => body,
        _ => return no_match(RULE.name, "a sum of zeros", e),
    };
    // `sum 0 = sum [false]*0 = [false]*sum 0 = [false]*0 = 0`.
    let never: Expr = Arc::new(Node::Guard(Pred::False, e.clone()));
    let inward = cx.rule(Rule::GuardSum, &never)?;
    let inward = cx.then(inward, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::GuardZero, e)))?;
    let nothing = guard_false(cx, &never, body)?;
    let nothing = cx.then(nothing, |cx, e| cx.rule(Rule::GuardZero, e))?;
    join(Some(inward.sym()), Some(nothing))?.ok_or(Error::Mismatch("two theorems make one"))
}
