//! `guard_complement` and its kin: a case distinction as a sum of two guarded parts, or as a select.
//!
//! **Statement.** `guard_complement`: `[p] * e + [q] * e = e` where exactly one of `p` and `q` holds; backwards, with `a` and
//! `b`, `e = [a < b] * e + [b <= a] * e`. `guard_select`: `select(p, a, b) = [p] * a + [not p] * b`. `guard_as_select`:
//! `[p] * e = select(p, e, 0)`.
//! **Requires.** That zero is neutral, for the two with a sum.
//! **Fails when.** The predicates do not exclude each other, or both may fail; the parts are spelt differently.
//! **Example.** `[i < 3] * a[i] + [3 <= i] * a[i]` becomes `a[i]`.
//! **See also.** `select_same`, `guard_add`, `gen_split_at`.

use crate::conjuncts::{guard, negation};
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::{from_left, meet};
use crate::rules::guard_false::{cancelled, zeros};
use atl_kernel::{Expr, Node, Pred, Prim, Result, Rule, Thm};
use std::sync::Arc;

/// Two parts are the whole; see the module.
pub static RULE: Derived = Derived {
    name: "guard_complement",
    statement: "[p] * e + [q] * e  =  e  if exactly one of p, q holds",
    requires: "exactly one of p and q holds",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] { gen i < N { [3 < 5] * a[i] + [5 <= 3] * a[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_complement(cx, e),
    inverse: Some(Inverse {
        args: &["a", "b"],
        example: &[3, 5],
        rewrite: |cx, e, args| {
            let (a, b) = (&args[0], &args[1]);
            let (below, above) = (Pred::lt(a.clone(), b.clone()), Pred::le(b.clone(), a.clone()));
            from_left(cx, e, &sum(guard(below, e), guard(above, e)), guard_complement)
        },
    }),
};

/// A select is a sum of guarded sides; see the module.
pub static SELECT: Derived = Derived {
    name: "guard_select",
    statement: "select(p, a, b)  =  [p] * a + [not p] * b",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N], s: f32) -> f32[N] { gen i < N { select(i < 3, a[i], s) } }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_select(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| match parts(e) {
        Some([(p, a), (_, b)]) => {
            from_left(cx, e, &Arc::new(Node::Select(p.clone(), a.clone(), b.clone())), guard_select)
        }
        None => no_match(SELECT.name, "a sum of two guarded parts", e),
    })),
};

/// A guard is a select; see the module.
pub static AS_SELECT: Derived = Derived {
    name: "guard_as_select",
    statement: "[p] * e  =  select(p, e, 0)",
    requires: "nothing",
    args: &[],
    example: Example { program: "fn f(a: f32[N]) -> f32[N] { gen i < N { [i < 3] * a[i] } }", args: &[] },
    rewrite: |cx, e, _| guard_as_select(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| match &**e {
        Node::Select(p, a, _) => from_left(cx, e, &guard(p.clone(), a), guard_as_select),
        _ => no_match(AS_SELECT.name, "a select", e),
    })),
};

fn sum(a: Expr, b: Expr) -> Expr {
    Arc::new(Node::Prim(Prim::Add, vec![a, b]))
}

/// The guards and what they guard, of a sum of two guarded parts.
fn parts(e: &Expr) -> Option<[(&Pred, &Expr); 2]> {
    let Node::Prim(Prim::Add, args) = &**e else { return None };
    match (&**args.first()?, &**args.get(1)?) {
        (Node::Guard(p, a), Node::Guard(q, b)) => Some([(p, a), (q, b)]),
        _ => None,
    }
}

/// A sum of two guarded parts, one of which holds: that part.
fn chosen(cx: &mut Cx<'_>, e: &Expr, first: bool) -> Result<Thm> {
    let thm = cx.rule(if first { Rule::AddZeroR } else { Rule::AddZeroL }, e)?;
    cx.then(thm, |cx, e| cx.rule(Rule::GuardTrue, e))
}

fn guard_complement(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    match parts(e) {
        Some([(p, a), (_, b)]) if a == b => cx.distinguish(p, |cx, first| chosen(cx, e, first)),
        _ => no_match(RULE.name, "a sum of one term under two guards", e),
    }
}

fn guard_select(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Select(p, a, b) = &**e else { return no_match(SELECT.name, "a select", e) };
    let rhs = sum(guard(p.clone(), a), guard(negation(p), b));
    cx.distinguish(p, |cx, first| {
        let side = cx.rule(if first { Rule::SelectTrue } else { Rule::SelectFalse }, e)?;
        let part = chosen(cx, &rhs, first)?;
        meet(cx, side, part)
    })
}

fn guard_as_select(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, body) = &**e else { return no_match(AS_SELECT.name, "a guard", e) };
    let zero = zeros(&cx.type_of(e)?);
    let rhs: Expr = Arc::new(Node::Select(p.clone(), body.clone(), zero));
    cx.distinguish(p, |cx, holds| match holds {
        true => {
            let (here, there) = (cx.rule(Rule::GuardTrue, e)?, cx.rule(Rule::SelectTrue, &rhs)?);
            meet(cx, here, there)
        }
        false => {
            let (here, there) = (cancelled(cx, e)?, cx.rule(Rule::SelectFalse, &rhs)?);
            meet(cx, here, there)
        }
    })
}
