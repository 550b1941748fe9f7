//! `guard_inward`: a guard moves under what it guards.
//!
//! **Statement.** `[p] * gen i < n { e } = gen i < n { [p] * e }`, likewise for `sum`, and
//! `[p] * op(e) = op([p] * e)` for a reshape operator of one operand.
//! **Requires.** For `sum`, that zero is neutral.
//! **Fails when.** The guard stands directly on something else.
//! **Example.** `[p] * gen i < n { a[i] }` becomes `gen i < n { [p] * a[i] }`.
//! **See also.** `guard_gen`, `guard_sum`, `interchange`.

use crate::cx::{Cx, Step};
use crate::derived::{Derived, Example, no_match};
use crate::gather::by_gather;
use atl_kernel::{Child, Expr, Node, Pred, Result, Rule, Thm};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "guard_inward",
    statement: "[p] * op(e)  =  op([p] * e),  op a loop or a reshape operator",
    requires: "for `sum`, 0 + a = a",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N, M], k: size) -> f32[M, N] { [k < 3] * transpose(a) }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_inward(cx, e),
    inverse: None,
};

/// The theorem for the guard at hand.
pub fn guard_inward(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, body) = &**e else { return no_match(RULE.name, "a guard", e) };
    let guard = |p: &Pred, e: &Expr| Arc::new(Node::Guard(p.clone(), e.clone()));
    match &**body {
        Node::Gen(..) => cx.rule(Rule::GuardGen, e),
        Node::Sum(..) => cx.rule(Rule::GuardSum, e),
        Node::Op(def, ixs, args) if args.len() == 1 => {
            let op = |e: Expr| Arc::new(Node::Op(def.clone(), ixs.clone(), vec![e]));
            cx.instance(&args[0], |t| (guard(p, &op(t.clone())), op(guard(p, t))), by_gather)
        }
        _ => no_match(RULE.name, "a guard of a loop or a reshape operator", e),
    }
}

/// Move the guards above the next loop below it.
pub fn guards_inward(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Op(_, _, args) if args.len() == 1 => cx.child(e, Child::Arg(0), guards_inward),
        Node::Guard(..) => {
            // What is below may itself begin with guards: those first.
            cx.sequence(
                e,
                |cx, e| cx.child(e, Child::Body, guards_inward),
                |cx, e| {
                    let thm = guard_inward(cx, e)?;
                    cx.then(thm, |cx, e| match &**e {
                        Node::Op(..) => cx.child(e, Child::Arg(0), guards_inward),
                        _ => Ok(None),
                    })
                    .map(Some)
                },
            )
        }
        _ => Ok(None),
    }
}
