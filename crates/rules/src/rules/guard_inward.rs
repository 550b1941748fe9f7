//! `guard_inward`: a guard moves under what it guards; backwards, out of it.
//!
//! **Statement.** `[p] * gen i < n { e } = gen i < n { [p] * e }`, likewise for `sum`, and
//! `[p] * op(e, ..) = op([p] * e, ..)` for every reshape operator, with the guard on each operand. `guard_outward` is the
//! same from right to left. `guard_transpose`, `guard_flatten`, `guard_concat` are it for these operators only.
//! **Requires.** For `sum`, that zero is neutral.
//! **Fails when.** The guard stands directly on something else; outward, the guard depends on the loop's index, or an
//! operand has another guard or none.
//! **Example.** `[p] * gen i < n { a[i] }` becomes `gen i < n { [p] * a[i] }`.
//! **See also.** `guard_gen`, `guard_sum`, `guard_add`, `get_guard`, `interchange`.

use crate::conjuncts::guard;
use crate::cx::{Cx, Step};
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::gather::gather;
use crate::lets::{from_left, meet};
use crate::rules::guard_false::cancelled;
use atl_kernel::{Child, Definition, Expr, Ix, Node, Pred, Result, Rule, Thm, subst};
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
    inverse: Some(Inverse::plain(|cx, e, _| guard_outward(cx, e))),
};

/// From right to left; see the module.
pub static OUTWARD: Derived = Derived {
    name: "guard_outward",
    statement: "op([p] * e)  =  [p] * op(e),  op a loop or a reshape operator",
    requires: "p does not depend on the loop's index; for `sum`, 0 + a = a",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N], k: size) -> f32[N] { gen i < N { [k < 3] * a[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_outward(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| guard_inward(cx, e))),
};

/// The rule of one operator.
macro_rules! operators {
    ($($rule:ident $name:literal $operator:ident; $statement:literal, $program:literal;)*) => {
        $(
            /// The rule of this operator; see the module.
            pub static $rule: Derived = {
                fn fits(e: &Expr) -> Result<()> {
                    let operator = &atl_ops::ops::$operator::OPERATOR;
                    match &**e {
                        Node::Op(def, ..) if atl_ops::of(def).is_some_and(|op| std::ptr::eq(op, operator)) => Ok(()),
                        _ => no_match($name, "a guard and this operator", e),
                    }
                }
                Derived {
                    name: $name,
                    statement: $statement,
                    requires: "nothing",
                    args: &[],
                    example: Example { program: $program, args: &[] },
                    rewrite: |cx, e, _| match &**e {
                        Node::Guard(_, body) => fits(body).and_then(|()| guard_inward(cx, e)),
                        _ => no_match($name, "a guard", e),
                    },
                    inverse: Some(Inverse::plain(|cx, e, _| fits(e).and_then(|()| guard_outward(cx, e)))),
                }
            };
        )*
    };
}

operators! {
    TRANSPOSE "guard_transpose" transpose;
        "[p] * transpose(e)  =  transpose([p] * e)",
        "fn f(a: f32[N, M], k: size) -> f32[M, N] { [k < 3] * transpose(a) }";
    FLATTEN "guard_flatten" flatten;
        "[p] * flatten(e)  =  flatten([p] * e)",
        "fn f(a: f32[N, M], k: size) -> f32[N * M] { [k < 3] * flatten(a) }";
    CONCAT "guard_concat" concat;
        "[p] * (a ++ b)  =  ([p] * a) ++ ([p] * b)",
        "fn f(a: f32[N], b: f32[M], k: size) -> f32[N + M] { [k < 3] * (a ++ b) }";
}

/// The theorem for the guard at hand.
pub fn guard_inward(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, body) = &**e else { return no_match(RULE.name, "a guard", e) };
    match &**body {
        Node::Gen(..) => cx.rule(Rule::GuardGen, e),
        Node::Sum(..) => cx.rule(Rule::GuardSum, e),
        Node::Op(def, ixs, args) => through(cx, p, def, ixs, args),
        _ => no_match(RULE.name, "a guard of a loop or a reshape operator", e),
    }
}

/// `[p] * op(e, ..) = op([p] * e, ..)`: where `p` holds by dropping the guards, elsewhere since both are zeros.
fn through(cx: &mut Cx<'_>, p: &Pred, def: &Arc<Definition>, ixs: &[Ix], args: &[Expr]) -> Result<Thm> {
    let op = |args: Vec<Expr>| -> Expr { Arc::new(Node::Op(def.clone(), ixs.to_vec(), args)) };
    let outside = guard(p.clone(), &op(args.to_vec()));
    let inside = op(args.iter().map(|arg| guard(p.clone(), arg)).collect());
    cx.distinguish(p, |cx, holds| {
        let on_guard = |cx: &mut Cx<'_>, e: &Expr| match holds {
            true => cx.rule(Rule::GuardTrue, e),
            false => cancelled(cx, e),
        };
        let left = on_guard(cx, &outside)?;
        let right = cx.children(&inside, &mut |cx, arg| on_guard(cx, arg).map(Some))?;
        let right = cx.total(&inside, right)?;
        let right = if holds { right } else { cx.then(right, zero_entries)? };
        meet(cx, left, right)
    })
}

/// A tensor made of zeros by reshape operators, entry by entry.
fn zero_entries(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.sequence(e, gather, |cx, e| cx.bottom_up(e, &mut |cx, e| Ok(cx.try_rule(Rule::GuardZero, e))))
}

/// `op([p] * e, ..) = [p] * op(e, ..)`.
pub fn guard_outward(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let mut inside = (**e).clone();
    let mut condition: Option<Pred> = None;
    for at in e.children() {
        let Some(Node::Guard(p, body)) = e.child(at).map(|child| &**child) else {
            return no_match(OUTWARD.name, "a guard on every operand", e);
        };
        if condition.as_ref().is_some_and(|other| other != p) || e.binds(at) > 0 && depends(p) {
            return no_match(OUTWARD.name, "one guard, which does not depend on the loop's index", e);
        }
        inside = inside.with_child(at, body.clone());
        condition = Some(p.clone());
    }
    match (condition, &**e) {
        (Some(p), Node::Gen(..) | Node::Sum(..) | Node::Op(..)) => {
            from_left(cx, e, &guard(p, &Arc::new(inside)), guard_inward)
        }
        _ => no_match(OUTWARD.name, "a loop or a reshape operator over a guard", e),
    }
}

/// Does the predicate below a binder depend on the binder's own index?
fn depends(p: &Pred) -> bool {
    subst::instantiate_pred(p, &Ix::ZERO) != *p
}

/// Move the guards above the next loop below it.
pub fn guards_inward(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Op(_, _, args) if args.len() == 1 => cx.child(e, Child::Arg(0), guards_inward),
        Node::Guard(_, body) if matches!(&**body, Node::Op(_, _, args) if args.len() != 1) => {
            no_match(RULE.name, "a guard of a loop or of an operator of one operand", e)
        }
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
