//! `onehot_sum_and`, `onehot_sum_inb`, `onehot_intro`: a sum in which one term counts is that term.
//!
//! **Statement.** `onehot_sum_and`: `sum i < n { [a == b && q(i)] * e(i) } = [0 <= c && c < n && q(c)] * e(c)`, `c` the solution of
//! `a = b` for `i`; conjuncts may stand in any order. `onehot_sum_inb`: `sum i < n { [a == b] * e(i) } = e(c)` where `c` is in
//! range. `onehot_intro`: `[0 <= c && c < n && q] * e(c) = sum r < n { [r == c && q] * e(r) }`, for every place in `e` that
//! has the index `c`.
//! **Requires.** That zero is neutral. Adding zeros can change the sign of a zero: `rounding finite`.
//! **Fails when.** The equation cannot be solved, or `c` may lie outside and the rule is the second. Backwards, the second
//! applies to accesses: `v[c] = sum r < n { [r == c] * v[r] }`, `n` the extent of `v`.
//! **Example.** `sum r < n { [r == i - p] * x[r] }` becomes `[0 <= i - p && i - p < n] * x[i - p]`.
//! **See also.** `onehot_sum`, the primitive rule; `isolate_index`; `access_guard_intro`, which provides the guard for
//! `onehot_intro`.

use crate::conjuncts::{conjunction, in_range, support, with_guard};
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::gather::unimplied;
use crate::lets::from_left;
use crate::occurrences::replace_index;
use crate::rules::isolate_index::isolate_index;
use atl_kernel::{Error, Expr, Ix, Label, Node, Pred, Result, Rule, Thm, Unproved, subst};
use std::sync::Arc;

/// With the other conjuncts; see the module.
pub static AND: Derived = Derived {
    name: "onehot_sum_and",
    statement: "sum i<n. [a == b && q(i)] * e(i)  =  [0 <= c < n && q(c)] * e(c),  c the solution of a = b for i",
    requires: "0 + a = a = a + 0",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], p: size) -> f32 { sum r < N { [p < 5 && r == p] * x[r] } }",
        args: &[],
    },
    rewrite: |cx, e, _| onehot_sum_and(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| onehot_intro(cx, e))),
};

/// In range; see the module.
pub static IN_RANGE: Derived = Derived {
    name: "onehot_sum_inb",
    statement: "sum i<n. [a == b] * e(i)  =  e(c)  if 0 <= c < n,  c the solution of a = b for i",
    requires: "0 <= c < n; 0 + a = a = a + 0",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N]) -> f32[N] { gen j < N { sum r < N { [j == r] * x[r] } } }",
        args: &[],
    },
    rewrite: |cx, e, _| onehot_sum_inb(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| match &**e {
        Node::Get(array, c) => {
            let n = cx.type_of(array)?.shape.swap_remove(0);
            let left = one_hot(cx, e, c, &n, &Pred::True);
            from_left(cx, e, &left, onehot_sum_inb)
        }
        _ => no_match(IN_RANGE.name, "an access", e),
    })),
};

/// From right to left; see the module.
pub static INTRO: Derived = Derived {
    name: "onehot_intro",
    statement: "[0 <= c < n && q] * e(c)  =  sum r<n. [r == c && q] * e(r)",
    requires: "0 + a = a = a + 0",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], w: f32[M]) -> f32[N] { gen i < N { [0 <= i - 2 && i - 2 < M] * (x[i] * w[i - 2]) } }",
        args: &[],
    },
    rewrite: |cx, e, _| match &**e {
        Node::Get(..) => {
            let guarded = support(cx, e)?;
            cx.then(guarded, onehot_intro)
        }
        _ => onehot_intro(cx, e),
    },
    inverse: Some(Inverse::plain(|cx, e, _| onehot_sum_and(cx, e))),
};

/// The theorem for the `sum` at hand.
pub fn onehot_sum_and(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let solved = isolate_index(cx, e)?;
    cx.then(solved, |cx, e| cx.rule(Rule::OneHot, e))
}

fn onehot_sum_inb(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let collapsed = onehot_sum_and(cx, e)?;
    let Node::Guard(p, _) = &**collapsed.rhs() else { return Ok(collapsed) };
    let inside = in_range(p).map_or(Pred::False, |(c, n, _)| Pred::in_range(&c, &n));
    if !cx.proves(&inside) {
        let ctx = (*cx.ctx).clone();
        return Err(Error::Unproved(Box::new(Unproved { ctx, goal: inside, refused: None })));
    }
    match unimplied(cx, p) {
        Pred::True => cx.then(collapsed, |cx, e| cx.rule(Rule::GuardTrue, e)),
        rest => cx.then(collapsed, |cx, e| with_guard(cx, e, rest)),
    }
}

/// `sum r < n { [r == c && q] * e(r) }`.
fn one_hot(cx: &Cx<'_>, e: &Expr, c: &Ix, n: &Ix, q: &Pred) -> Expr {
    let index = cx.ctx.level();
    let holds = Pred::and(Pred::eq(Ix::free(index), c.clone()), q.clone());
    let term = Arc::new(Node::Guard(holds, replace_index(e, c, &Ix::free(index))));
    Arc::new(Node::Sum(Label::new("r"), n.clone(), subst::close(&term, index)))
}

/// The theorem for the guard at hand.
pub fn onehot_intro(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, body) = &**e else { return no_match(INTRO.name, "a guard", e) };
    let Some((c, n, rest)) = in_range(p) else {
        return no_match(INTRO.name, "a guard `0 <= c && c < n`", e);
    };
    let left = one_hot(cx, body, &c, &n, &conjunction(rest));
    from_left(cx, e, &left, onehot_sum_and)
}
