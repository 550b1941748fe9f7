//! `gen_one_hot` and its kin: a loop of which one iteration counts is a one-hot tensor.
//!
//! **Statement.** `gen i < n { [a == b && q(i)] * e(i) } = one_hot(n, c, [q(c)] * e(c))`, `c` the solution of `a = b` for `i`;
//! conjuncts may stand in any order. `gen_one_hot_guarded`: the right side under the guard `[0 <= c < n]`.
//! **Requires.** Nothing: where `c` is out of range both sides are zeros. Lowering `one_hot` needs it in
//! range, which the guard says.
//! **Fails when.** The equation cannot be solved for the loop's index.
//! **Example.** `gen i < N { [i == at[p]] * x[p] }` becomes `one_hot(N, at[p], x[p])`; below a sum over `p` this is a scatter.
//! **See also.** `onehot_sum_and`, the same of a sum; `gen_sum_swap`; `access_one_hot`.

use crate::conjuncts::{conjunction, conjuncts, guard};
use crate::cx::{Cx, Step};
use crate::derived::{Derived, Example, Inverse, no_match, operand};
use crate::inside_reads::{is_inside, substitute_known_index};
use crate::occurrences::{mentions, pred_with, replace_index};
use crate::rules::isolate_index::isolated_loop;
use atl_kernel::subst::Subst;
use atl_kernel::{Child, Cmp, Expr, Node, Pred, Result, Rule, Thm, subst};

/// See the module.
pub static RULE: Derived = Derived {
    name: "gen_one_hot",
    statement: "gen i<n. [a == b && q(i)] * e(i)  =  one_hot(n, c, [q(c)] * e(c)),  c the solution of a = b for i",
    requires: "a - b has i once, with coefficient 1 or -1",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], p: size) -> f32[N] { gen i < N { [i == p && i < 5] * x[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| gen_one_hot(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| match operand(e, "one_hot") {
        Some(_) => cx.rule(Rule::Unfold, e),
        None => no_match(RULE.name, "a one-hot tensor", e),
    })),
};

/// With the range as a guard; see the module.
pub static GUARDED: Derived = Derived {
    name: "gen_one_hot_guarded",
    statement: "gen i<n. [a == b && q(i)] * e(i)  =  [0 <= c < n] * one_hot(n, c, [q(c)] * e(c)),  c the solution of a = b for i",
    requires: "a - b has i once, with coefficient 1 or -1",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], p: size) -> f32[N] { gen i < N { [i == p && i < 5] * x[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| guarded(cx, e),
    inverse: None,
};

/// The theorem for the `gen` at hand, with the range as a guard.
fn guarded(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let hot = gen_one_hot(cx, e)?;
    let Node::Op(_, ixs, _) = &**hot.rhs() else { return no_match(RULE.name, "a one-hot tensor", e) };
    let [n, c] = &ixs[..] else { return no_match(RULE.name, "a one-hot tensor", e) };
    let around = guard(Pred::in_range(c, n), hot.rhs());
    let plain = cx.rule(Rule::Unfold, hot.rhs())?;
    let inside = cx.inside(&around, Child::Body, |cx, e| cx.rule(Rule::Unfold, e).map(Some))?;
    let inside = cx.then(inside, |cx, e| cx.rule(Rule::GuardGen, e).map(Some))?;
    let inside =
        cx.then(inside, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::GuardAnd, e).map(Some)))?;
    // Where the loop's index is `c`, the guard holds.
    let inside = cx.then(inside, |cx, e| cx.rule(Rule::ArithEq(plain.rhs().clone()), e).map(Some))?;
    hot.trans(plain)?.trans(inside.sym())
}

/// The theorem for the `gen` at hand.
pub fn gen_one_hot(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Gen(_, n, _) = &**e else { return no_match(RULE.name, "a `gen`", e) };
    let solved = isolated_loop(cx, e)?;
    let index = cx.ctx.level();
    let solved = cx.then(solved, |cx, e| cx.child(e, Child::Body, |cx, e| read_there(cx, e, index)))?;
    let Node::Gen(_, _, body) = &**solved.rhs() else { return no_match(RULE.name, "a `gen`", e) };
    let body = subst::open(body, index);
    let Node::Guard(p, inside) = &*body else { return no_match(RULE.name, "a guard in the `gen`", &body) };
    let Some((Pred::Cmp(Cmp::Eq, i, c), rest)) =
        conjuncts(p).split_first().map(|(f, r)| (f.clone(), r.to_vec()))
    else {
        return no_match(RULE.name, "an equation for the index", &body);
    };
    // Where how far an inner sum goes depends on the index, it is replaced there too.
    let slice = match replace_index(inside, &i, &c) {
        slice if mentions(&slice, index) => {
            Subst { index: vec![(index, c.clone())], ..Subst::default() }.expr(inside)
        }
        slice => slice,
    };
    let slice = match pred_with(&conjunction(rest), &i, &c) {
        Pred::True => slice,
        q => guard(q, &slice),
    };
    let one_hot = atl_ops::one_hot(n.clone(), c, slice);
    let unfolded = cx.rule(Rule::Unfold, &one_hot)?;
    let joined = cx.then(unfolded, |cx, e| {
        cx.child(e, Child::Body, |cx, e| match &**e {
            Node::Guard(_, inner) if matches!(**inner, Node::Guard(..)) => {
                cx.rule(Rule::GuardAnd, e).map(Some)
            }
            _ => Ok(None),
        })
    })?;
    let goal = solved.rhs().clone();
    let met = cx.then(joined, |cx, e| match *e == goal {
        true => Ok(None),
        false => cx.rule(Rule::ArithEq(goal.clone()), e).map(Some),
    })?;
    solved.trans(met.sym())
}

/// `[i == c && q(i)] * e(i) = [i == c && q(c)] * e(c)`, where arrays are read at `i`: to arithmetic, reads at different terms are different.
fn read_there(cx: &mut Cx<'_>, e: &Expr, index: u32) -> Step {
    let Node::Guard(p, inside) = &**e else { return Ok(None) };
    let (equation, rest) = match p {
        Pred::And(parts) => (&parts.0, Some(&parts.1)),
        equation => (equation, None),
    };
    let Pred::Cmp(Cmp::Eq, _, c) = equation else { return Ok(None) };
    let inner = rest.map_or_else(|| inside.clone(), |rest| guard(rest.clone(), inside));
    if !is_inside(&inner, index) {
        return Ok(None);
    }
    let there = |cx: &mut Cx<'_>, e: &Expr| {
        cx.child(e, Child::Body, |cx, inner| substitute_known_index(cx, inner, index, c))
    };
    if rest.is_none() {
        return there(cx, e);
    }
    let apart = cx.rule(Rule::GuardAnd, &guard(equation.clone(), &inner))?.sym();
    let moved = cx.then(apart, there)?;
    cx.then(moved, |cx, e| cx.rule(Rule::GuardAnd, e)).map(Some)
}
