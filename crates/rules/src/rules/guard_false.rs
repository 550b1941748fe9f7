//! `guard_false`: below a guard that never holds, anything may stand.
//!
//! **Statement.** `[p] * e = [false] * 0` if not `p`; a scalar's is `0`.
//! **Requires.** `p` is refuted by what holds around it.
//! **Fails when.** `p` may hold.
//! **Example.** Below `i < N`, `[N <= i] * a[i]` is `0`.
//! **See also.** `guard_true`, `simplify guards`.

use crate::cx::{Chain, Cx, Step};
use crate::derived::{Derived, Example, no_match};
use atl_kernel::{Child, Expr, Label, Node, Number, Pred, Result, Rule, Thm, Type};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "guard_false",
    statement: "[p] * e  =  [false] * 0  if not p",
    requires: "not p",
    args: &[],
    example: Example { program: "fn f(a: f32[N]) -> f32[N] { gen i < N { [N <= i] * a[i] } }", args: &[] },
    rewrite: |cx, e, _| {
        let nothing = zeros(&cx.type_of(e)?);
        let thm = guard_false(cx, e, &nothing)?;
        cx.then(thm, |cx, e| Ok(cx.try_rule(Rule::GuardZero, e)))
    },
    inverse: None,
};

/// `[p] * e = [false] * other`: where `p` holds, everything of one type is equal.
pub(crate) fn guard_false(cx: &mut Cx<'_>, e: &Expr, other: &Expr) -> Result<Thm> {
    let Node::Guard(p, body) = &**e else { return no_match(RULE.name, "a guard", e) };
    let mut chain = Chain::of(e);
    if *p != Pred::False {
        chain.push(cx.rule(Rule::ArithEq(Arc::new(Node::Guard(Pred::False, body.clone()))), e)?)?;
    }
    if body != other {
        chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::Absurd(other.clone()), e)))?;
    }
    chain.total(cx)
}

/// `[p] * e = 0`, a tensor of zeros, where `p` is refuted.
pub(crate) fn cancelled(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let nothing = zeros(&cx.type_of(e)?);
    let thm = guard_false(cx, e, &nothing)?;
    cx.then(thm, without_guard)
}

/// `[p] * 0 = 0` for a tensor of zeros.
fn without_guard(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Guard(_, body) if matches!(**body, Node::Gen(..)) => {
            let inward = cx.rule(Rule::GuardGen, e)?;
            cx.then(inward, |cx, e| cx.child(e, Child::Body, without_guard)).map(Some)
        }
        _ => cx.rule(Rule::GuardZero, e).map(Some),
    }
}

/// A tensor of the algebra's zero.
pub(crate) fn zeros(ty: &Type) -> Expr {
    let zero: Expr = Arc::new(Node::Lit(ty.elem, Number::Zero));
    ty.shape.iter().rev().fold(zero, |e, n| Arc::new(Node::Gen(Label::new("i"), n.clone(), e)))
}
