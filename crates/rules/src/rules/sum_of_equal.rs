//! `sum_of_equal`: a sum of equal terms is one of them times their number.
//!
//! **Statement.** `sum i < n { e } = e * n`, and `sum i < n { 1 } = n`, where `e` does not depend on `i`; the number is
//! `max(n, 0)` where `n` may be negative.
//! **Requires.** An algebra in which indices count, as in the ordinary one, and left distributivity: `max` of equal terms is
//! not their number's multiple.
//! **Fails when.** The terms depend on the index, or are no scalars.
//! **Example.** `sum j < M { x[i] }` becomes `x[i] * f32(M)`.
//! **See also.** `sum_of_mul`, which leaves a sum of ones; `sum_ones`, the primitive.

use crate::cx::Cx;
use crate::derived::{Derived, Example, no_match};
use crate::occurrences::mentions;
use crate::rules::sum_of_mul::sum_of_mul;
use atl_kernel::{Expr, Ix, Node, Number, Pred, Result, Rule, Thm, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "sum_of_equal",
    statement: "sum i<n. e  =  e * n",
    requires: "e does not depend on i; indices count in the algebra",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], M: size) -> f32[N] { gen i < N { sum j < M { x[i] } } }",
        args: &[],
    },
    rewrite: |cx, e, _| sum_of_equal(cx, e),
    inverse: None,
};

/// The theorem for the sum at hand.
pub fn sum_of_equal(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let level = cx.ctx.level();
    let body = match &**e {
        Node::Sum(_, _, body) if !mentions(&subst::open(body, level), level) => body,
        _ => return no_match(RULE.name, "a sum of terms that do not depend on its index", e),
    };
    if matches!(**body, Node::Lit(_, Number::One)) {
        return counted(cx, e);
    }
    let taken = sum_of_mul(cx, e, 1)?;
    cx.then(taken.thm, |cx, e| cx.at(e, &taken.path, &mut |cx, e| counted(cx, e).map(Some)))
}

/// `sum i < n { 1 } = n`, or `max(n, 0)`.
fn counted(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let number = cx.rule(Rule::SumOnes, e)?;
    let (Node::Sum(_, n, _), Node::Index(elem, _)) = (&**e, &**number.rhs()) else { return Ok(number) };
    match cx.proves(&Pred::le(Ix::ZERO, n.clone())) {
        true => {
            let n: Expr = Arc::new(Node::Index(*elem, n.clone()));
            cx.then(
                number,
                |cx, e| if *e == n { Ok(None) } else { cx.rule(Rule::ArithEq(n.clone()), e).map(Some) },
            )
        }
        false => Ok(number),
    }
}
