//! `guard_quotient`: a bound on a quotient is a bound on what is divided.
//!
//! **Statement.** `[a + i / c < b] * e = [c * a + i < c * b] * e`, for a literal `0 < c`; `a` may be missing, and other conjuncts may
//! stand beside it.
//! **Requires.** That both predicates are equivalent, given what holds around the guard; they are.
//! **Fails when.** The guard is no comparison of a sum with a quotient in it.
//! **Example.** Fused loops ask `[o * 8 + p / 27 < E]` of each of their steps; `[o * 216 + p < 27 * E]` holds up to some step, so
//! vectors can be cut there.
//! **See also.** `guard_congr_lt`, which takes any predicate and brings this one back; the directive `fuse`.

use crate::conjuncts::{conjunction, conjuncts, with_guard};
use crate::cx::Cx;
use crate::derived::{Derived, Example, no_match};
use atl_kernel::{Cmp, Expr, Ix, IxOp, Node, Pred, Result, Thm};

/// See the module.
pub static RULE: Derived = Derived {
    name: "guard_quotient",
    statement: "[a + i/c < b] * e  =  [c*a + i < c*b] * e  if 0 < c",
    requires: "c is a literal, 0 < c",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] { gen i < N { [2 + i / 4 < 7] * a[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_quotient(cx, e),
    inverse: None,
};

fn guard_quotient(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, _) = &**e else { return no_match(RULE.name, "a guard", e) };
    let mut parts = conjuncts(p);
    let Some((part, multiplied)) = parts.iter_mut().find_map(|part| multiplied(part).map(|m| (part, m)))
    else {
        return no_match(RULE.name, "a bound on a quotient by a positive literal", e);
    };
    *part = multiplied;
    with_guard(cx, e, conjunction(parts))
}

/// `c*a + i < c*b` of `a + i/c < b`.
fn multiplied(part: &Pred) -> Option<Pred> {
    let Pred::Cmp(Cmp::Lt, sum, bound) = part else { return None };
    let (divided, by, rest) = quotient(sum)?;
    let times = |ix: Ix| ix * Ix::Lit(by);
    let less = match rest {
        Some(rest) => times(rest) + divided,
        None => divided,
    };
    Some(Pred::Cmp(Cmp::Lt, less, times(bound.clone())))
}

/// `(i, c, a)` of `a + i/c`, the last quotient of a sum.
fn quotient(sum: &Ix) -> Option<(Ix, i64, Option<Ix>)> {
    let Ix::Bin(op, ab) = sum else { return None };
    let (a, b) = &**ab;
    let beside = |rest: Option<Ix>, other: &Ix| match rest {
        Some(rest) => rest + other.clone(),
        None => other.clone(),
    };
    match (op, b) {
        (IxOp::Div, Ix::Lit(c)) if *c > 0 => Some((a.clone(), *c, None)),
        (IxOp::Add, _) => match quotient(b) {
            Some((i, c, rest)) => Some((i, c, Some(beside(rest, a)))),
            None => quotient(a).map(|(i, c, rest)| (i, c, Some(beside(rest, b)))),
        },
        _ => None,
    }
}
