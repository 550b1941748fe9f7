//! Conjunctions as sets, and where a term can differ from zero.
//!
//! A guard's predicate is a conjunction that rules take apart: which conjuncts there are matters, not how
//! they are nested. The *support* of a term is a predicate outside which the term is zero by its form: the
//! box of an access, the condition of a guard, either for a factor of a product.

use crate::cx::Cx;
use crate::derived::no_match;
use atl_kernel::{Child, Cmp, Expr, Ix, Node, Pred, Prim, Result, Rule, Thm};
use std::sync::Arc;

/// The conjuncts, left to right.
pub fn conjuncts(p: &Pred) -> Vec<Pred> {
    match p {
        Pred::And(ab) => [conjuncts(&ab.0), conjuncts(&ab.1)].concat(),
        Pred::True => vec![],
        p => vec![p.clone()],
    }
}

/// Their conjunction.
pub fn conjunction(parts: impl IntoIterator<Item = Pred>) -> Pred {
    parts.into_iter().reduce(Pred::and).unwrap_or(Pred::True)
}

/// `[p] * e`.
pub fn guard(p: Pred, e: &Expr) -> Expr {
    Arc::new(Node::Guard(p, e.clone()))
}

/// The negation, a comparison where it is one.
pub fn negation(p: &Pred) -> Pred {
    match p {
        Pred::Cmp(Cmp::Lt, a, b) => Pred::le(b.clone(), a.clone()),
        Pred::Cmp(Cmp::Le, a, b) => Pred::lt(b.clone(), a.clone()),
        p => Pred::not(p.clone()),
    }
}

/// The first `0 <= k` with its `k < n`, and the other conjuncts: `(k, n, rest)`.
pub fn in_range(p: &Pred) -> Option<(Ix, Ix, Vec<Pred>)> {
    let parts = conjuncts(p);
    for (at, part) in parts.iter().enumerate() {
        let Pred::Cmp(Cmp::Le, Ix::Lit(0), k) = part else { continue };
        let above = |part: &Pred| match part {
            Pred::Cmp(Cmp::Lt, i, n) if i == k => Some(n.clone()),
            _ => None,
        };
        let Some((end, n)) = parts.iter().enumerate().find_map(|(end, part)| above(part).map(|n| (end, n)))
        else {
            continue;
        };
        let rest = parts.iter().enumerate().filter(|(other, _)| *other != at && *other != end);
        return Some((k.clone(), n, rest.map(|(_, part)| part.clone()).collect()));
    }
    None
}

/// `[p] * e = [q] * e` where `p` and `q` are equivalent.
pub fn with_guard(cx: &mut Cx<'_>, e: &Expr, q: Pred) -> Result<Thm> {
    match &**e {
        Node::Guard(p, _) if *p == q => cx.refl(e),
        Node::Guard(_, body) => cx.rule(Rule::ArithEq(guard(q, body)), e),
        _ => no_match("guard_congr", "a guard", e),
    }
}

/// `e = [p] * e`, `p` the support of `e`.
pub fn support(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    match &**e {
        Node::Get(array, _) if matches!(**array, Node::Get(..)) => {
            let outer = cx.inside(e, Child::Body, support)?;
            let outer = cx.then(outer, |cx, e| cx.rule(Rule::GetGuard, e))?;
            let here = |cx: &mut Cx<'_>, e: &Expr| cx.rule(Rule::AccessGuard, e).map(Some);
            let nested = cx.then(outer, |cx, e| cx.child(e, Child::Body, here))?;
            cx.then(nested, |cx, e| cx.rule(Rule::GuardAnd, e))
        }
        Node::Get(..) => cx.rule(Rule::AccessGuard, e),
        Node::Guard(p, _) => {
            let twice = cx.rule(Rule::GuardAnd, &guard(p.clone(), e))?;
            cx.then(twice, |cx, twice| with_guard(cx, twice, p.clone())).map(Thm::sym)
        }
        Node::Prim(Prim::Mul, _) => {
            factor_support(cx, e, Child::Arg(0)).or_else(|_| factor_support(cx, e, Child::Arg(1)))
        }
        _ => no_match("access_guard_intro", "an access, a guard, or a product of one", e),
    }
}

/// `a * b = [p] * (a * b)`, `p` the support of the factor at this place.
pub fn factor_support(cx: &mut Cx<'_>, e: &Expr, at: Child) -> Result<Thm> {
    let rule = if at == Child::Arg(0) { Rule::GuardMulL } else { Rule::GuardMulR };
    if !matches!(&**e, Node::Prim(Prim::Mul, _)) {
        return no_match(rule.name(), "a product", e);
    }
    let guarded = cx.inside(e, at, support)?;
    cx.then(guarded, |cx, e| cx.rule(rule, e))
}

/// `e = [p] * e` from `e = [q] * e`, which `own` proves, where `q` implies `p`.
pub fn widened(
    cx: &mut Cx<'_>,
    e: &Expr,
    own: &dyn Fn(&mut Cx<'_>, &Expr) -> Result<Thm>,
    p: &Pred,
) -> Result<Thm> {
    let thm = own(cx, e)?;
    let Node::Guard(q, _) = &**thm.rhs() else { return no_match("guard_congr", "a guard", thm.rhs()) };
    let nested = guard(p.clone(), thm.rhs());
    let together = Pred::and(p.clone(), q.clone());
    let apart = cx.rule(Rule::GuardAnd, &nested)?.sym();
    let thm = cx.then(thm, |cx, e| with_guard(cx, e, together))?.trans(apart)?;
    cx.then(thm, |cx, nested| cx.child(nested, Child::Body, |cx, _| Ok(Some(own(cx, e)?.sym()))))
}
