//! `access_gen_guarded` and its kin: accesses that may lie outside.
//!
//! **Statement.** `access_gen_guarded`: `(gen i < n { e(i) })[k] = [0 <= k && k < n] * e(k)`. `access_gen_oob`: `v[k] = 0`
//! where `k` is out of range. `access_add`: `(a + b)[k] = a[k] + b[k]` wherever `k` is. A `gen` of a range,
//! `gen i in lo..hi`, is one from 0 with `i + lo` for `i`, so these and `access_gen` are its rules, too.
//! **Requires.** For `access_gen_oob`, that `k` lies outside; for `access_add`, that zero is neutral.
//! **Fails when.** `e(k)` makes no sense outside the range; backwards, the guard names no range. What was accessed is not
//! in the right side of `access_gen_oob`.
//! **Example.** `(gen i < n { a[i] + 1 })[j - 1]` becomes `[0 <= j - 1 && j - 1 < n] * (a[j - 1] + 1)`.
//! **See also.** `access_gen`, `access_guard`, `get_sum`, `get_prim`.

use crate::conjuncts::in_range;
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::from_left;
use crate::occurrences::replace_index;
use crate::rules::guard_false::cancelled;
use atl_kernel::{Child, Expr, Ix, Label, Node, Prim, Result, Rule, Thm, subst};
use std::sync::Arc;

/// With the range as a guard; see the module.
pub static RULE: Derived = Derived {
    name: "access_gen_guarded",
    statement: "(gen i<n. e(i))[k]  =  [0 <= k < n] * e(k)",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] { gen j < N { (gen i < N { a[i] + 1.0 })?[j - 1] } }",
        args: &[],
    },
    rewrite: |cx, e, _| access_gen_guarded(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| tabulate(cx, e))),
};

/// Out of range; see the module.
pub static OUT: Derived = Derived {
    name: "access_gen_oob",
    statement: "v[k]  =  0  if k < 0 or n <= k,  n the extent of v",
    requires: "k is out of range",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] { gen j < N { (gen i < N { a[i] + 1.0 })[j + N] } }",
        args: &[],
    },
    rewrite: |cx, e, _| {
        let guarded = cx.rule(Rule::AccessGuard, e)?;
        cx.then(guarded, cancelled)
    },
    inverse: None,
};

/// Of a sum of two tensors; see the module.
pub static ADD: Derived = Derived {
    name: "access_add",
    statement: "(a + b)[k]  =  a[k] + b[k]",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N], b: f32[N]) -> f32[N] { gen j < N { (a + b)?[j + 1] } }",
        args: &[],
    },
    rewrite: |cx, e, _| access_add(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| match &**e {
        Node::Prim(Prim::Add, args) => match (&*args[0], &*args[1]) {
            (Node::Get(a, k), Node::Get(b, _)) => {
                let sum = Arc::new(Node::Prim(Prim::Add, vec![a.clone(), b.clone()]));
                from_left(cx, e, &Arc::new(Node::Get(sum, k.clone())), access_add)
            }
            _ => no_match(ADD.name, "a sum of two accesses", e),
        },
        _ => no_match(ADD.name, "a sum", e),
    })),
};

/// The theorem for the access at hand.
pub fn access_gen_guarded(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    if !matches!(&**e, Node::Get(array, _) if matches!(**array, Node::Gen(..))) {
        return no_match(RULE.name, "an access to a `gen`", e);
    }
    let guarded = cx.rule(Rule::AccessGuard, e)?;
    cx.then(guarded, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::AccessGen, e)))
}

/// `[0 <= k && k < n] * e(k) = (gen i < n { e(i) })[k]`, for every occurrence of `k` in `e`.
fn tabulate(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, body) = &**e else { return no_match(RULE.name, "a guard", e) };
    match in_range(p) {
        Some((k, n, rest)) if rest.is_empty() => {
            let index = cx.ctx.level();
            let entry = subst::close(&replace_index(body, &k, &Ix::free(index)), index);
            let table = Arc::new(Node::Gen(Label::new("i"), n, entry));
            from_left(cx, e, &Arc::new(Node::Get(table, k)), access_gen_guarded)
        }
        _ => no_match(RULE.name, "a guard `0 <= k && k < n`", e),
    }
}

/// `(a + b)[k] = a[k] + b[k]`: in range by the elements, out of it `0 = 0 + 0`.
fn access_add(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    if !matches!(&**e, Node::Get(array, _) if matches!(**array, Node::Prim(Prim::Add, _))) {
        return no_match(ADD.name, "an access to a sum of two tensors", e);
    }
    if let Ok(inside) = cx.rule(Rule::GetPrim, e) {
        return Ok(inside);
    }
    let guarded = cx.rule(Rule::AccessGuard, e)?;
    let elements = cx.then(guarded, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::GetPrim, e)))?;
    let apart = cx.then(elements, |cx, e| cx.rule(Rule::GuardAdd, e))?;
    cx.then(apart, |cx, e| {
        cx.children(e, &mut |cx, part| match &**part {
            Node::Guard(_, access) => {
                from_left(cx, part, access, |cx, access| cx.rule(Rule::AccessGuard, access)).map(Some)
            }
            _ => Ok(None),
        })
    })
}
