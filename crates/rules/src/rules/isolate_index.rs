//! `isolate_index`: an equation in a guard is solved for the loop's index.
//!
//! **Statement.** `sum i < n { [a == b && q] * e } = sum i < n { [i == c && q] * e }`, where `i` occurs in `a - b` once, with
//! coefficient 1 or -1, and `c` is the solution.
//! **Requires.** Nothing beyond that form; conjuncts may stand in any order, guards may be nested.
//! **Fails when.** No conjunct is such an equation. Which one it was is not in the right side.
//! **Example.** `sum i < n { [r == i - p] * x[i] }` becomes `sum i < n { [i == r + p] * x[i] }`.
//! **See also.** `onehot_sum_and`, which then collapses the sum; `divmod_factor`, for equations with a product.

use crate::conjuncts::{conjunction, conjuncts, with_guard};
use crate::cx::{Cx, Step};
use crate::derived::{Derived, Example, no_match};
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Child, Cmp, Ctx, Expr, Ix, Node, Pred, Result, Rule, Thm};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "isolate_index",
    statement: "sum i<n. [a == b && q] * e  =  sum i<n. [i == c && q] * e,  c the solution of a = b for i",
    requires: "a - b has i once, with coefficient 1 or -1",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], p: size, r: size) -> f32 { sum i < N { [i < 5 && r == i - p] * x[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| isolate_index(cx, e),
    inverse: None,
};

/// The theorem for the `sum` at hand, over one guard whose first conjunct is the equation solved.
pub fn isolate_index(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    match **e {
        Node::Sum(..) => isolated_loop(cx, e),
        _ => no_match(RULE.name, "a `sum`", e),
    }
}

/// The same for any loop.
pub(crate) fn isolated_loop(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let index = cx.ctx.level();
    cx.inside(e, Child::Body, |cx, body| {
        cx.sequence(body, one_guard, |cx, body| {
            let Node::Guard(p, _) = &**body else { return no_match(RULE.name, "a guard in the loop", body) };
            match isolated(&cx.ctx, p, index) {
                Some(q) => with_guard(cx, body, q).map(Some),
                None => no_match(RULE.name, "an equation that can be solved for the index", body),
            }
        })
    })
}

/// Nested guards as one.
fn one_guard(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Guard(_, body) if matches!(**body, Node::Guard(..)) => {
            let joined = cx.rule(Rule::GuardAnd, e)?;
            cx.then(joined, one_guard).map(Some)
        }
        _ => Ok(None),
    }
}

/// The predicate with an equation `i == c` in front, `i` the index at this level.
fn isolated(ctx: &Ctx, p: &Pred, index: u32) -> Option<Pred> {
    let mut parts = conjuncts(p);
    let (at, solution) = parts.iter().enumerate().find_map(|(at, part)| match part {
        Pred::Cmp(Cmp::Eq, a, b) => solution(ctx, a, b, index).map(|c| (at, c)),
        _ => None,
    })?;
    parts.remove(at);
    let equation = Pred::eq(Ix::free(index), solution);
    // The equation stands apart from the rest, which is how a one-hot sum is written.
    Some(match conjunction(parts) {
        Pred::True => equation,
        rest => Pred::And(Arc::new((equation, rest))),
    })
}

/// The solution of `a = b` for the index at this level.
fn solution(ctx: &Ctx, a: &Ix, b: &Ix, index: u32) -> Option<Ix> {
    let difference = Poly::of(a).ok()?.minus(&Poly::of(b).ok()?).ok()?;
    let is_index = |m: &[Arc<Atom>]| matches!(m, [atom] if **atom == Atom::Var(index));
    let coefficient = difference.terms().find(|(m, _)| is_index(m)).map(|(_, c)| c)?;
    let rest = a.clone() - b.clone();
    let c = match coefficient {
        1 => Ix::free(index) - rest,
        -1 => Ix::free(index) + rest,
        _ => return None,
    };
    let c = atl_arith::simplify(ctx, &c);
    (!c.mentions(index)).then_some(c)
}
