//! `split_sum`: one `sum` into two, over tiles and within a tile.
//!
//! **Statement.** `sum i < n { e(i) } = sum o < ceil_div(n, k), j < k { [o*k + j < n] * e(o*k + j) }`; without the
//! guard where `k` provably divides `n`.
//! **Requires.** `0 < k`, `0 <= n`; addition is a monoid. The order of terms is kept, so it need not commute, but
//! the tiles' partial sums reassociate: `rounding real`.
//! **Fails when.** `k` is not provably positive.
//! **Example.** `sum i < 12 { a[i] }` with `k = 4` is `sum o < 3, j < 4 { a[o*4 + j] }`.
//! **See also.** `split_gen`, `sum_tile`.

use crate::catalogue;
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match, positive};
use crate::rules::flatten_split::divides;
use crate::rules::guard_false::guard_false;
use crate::rules::split_gen::halves;
use atl_kernel::{Child, Expr, Ix, Node, Pred, Prim, Result, Rule, Thm, Var, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "split_sum",
    statement: "sum i<n. e(i)  =  sum o<ceil_div(n, k). sum j<k. [o*k+j < n] * e(o*k+j)",
    requires: "0 < k",
    args: &["k"],
    example: Example { program: "fn f(a: f32[N]) -> f32 { sum i < N { a[i] } }", args: &[4] },
    rewrite: |cx, e, args| split_sum(cx, e, &args[0]),
    inverse: Some(Inverse::plain(|cx, e, _| {
        catalogue::backwards(cx, "sum_tile_guarded", e)
            .or_else(|_| catalogue::backwards(cx, "sum_tile_exact", e))
    })),
};

/// The theorem for the `sum` at hand. The loops are called `i.o` and `i.i`.
pub fn split_sum(cx: &mut Cx<'_>, e: &Expr, k: &Ix) -> Result<Thm> {
    let Node::Sum(label, n, _) = &**e else { return no_match(RULE.name, "a `sum`", e) };
    positive(cx, k)?;
    let tiles = Ix::ceil_div(n.clone(), k.clone());
    let (outer, inner) = halves(label);
    let tile = Rule::SumTile(outer, tiles.clone(), inner, k.clone());
    if divides(cx, k, n) {
        return cx.rule(tile, e);
    }
    let longer = lengthen(cx, e, &(tiles * k.clone()))?.sym();
    cx.then(longer, |cx, e| cx.rule(tile, e))
}

/// `sum i < m { [i < n] * e(i) } = sum i < n { e(i) }`, for a `sum` of extent `n` and `n <= m`.
fn lengthen(cx: &mut Cx<'_>, e: &Expr, m: &Ix) -> Result<Thm> {
    let Node::Sum(label, n, body) = &**e else { return no_match(RULE.name, "a `sum`", e) };
    let below = Pred::lt(Ix::Var(Var::Bound(0)), n.clone());
    let guarded: Expr =
        Arc::new(Node::Sum(label.clone(), m.clone(), Arc::new(Node::Guard(below, body.clone()))));
    let thm = cx.rule(Rule::SumSplit(n.clone()), &guarded)?;
    // The first part: its guard is true.
    let first = [Child::Arg(0), Child::Body];
    let thm = cx.then(thm, |cx, e| cx.at(e, &first, &mut |cx, e| cx.rule(Rule::GuardTrue, e).map(Some)))?;
    cx.then(thm, second_adds_nothing)
}

/// `sum i < n { [p(i)] * e(i) } = sum i < m { [p(i)] * e(i) }`, where `m <= n` and `p` is false from `m` on.
pub fn shorten_sum(cx: &mut Cx<'_>, e: &Expr, m: &Ix) -> Result<Thm> {
    let thm = cx.rule(Rule::SumSplit(m.clone()), e)?;
    cx.then(thm, second_adds_nothing)
}

/// `a + sum i < n { [p(i)] * e(i) } = a`, where `p` is false throughout.
fn second_adds_nothing(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    // The second part: its guard is false, so it is [false] * a sum, which adds nothing.
    let second = [Child::Arg(1), Child::Body];
    let zero = cx.at(e, &second, &mut |cx, e| match &**e {
        Node::Guard(_, body) => guard_false(cx, e, body).map(Some),
        _ => no_match(RULE.name, "a guard in the second sum", e),
    })?;
    let thm = cx.total(e, zero)?;
    let thm = cx.then(thm, |cx, e| {
        cx.at(e, &[Child::Arg(1)], &mut |cx, e| {
            let Node::Sum(label, rest, body) = &**e else { return Ok(None) };
            let level = cx.ctx.level();
            let Node::Guard(p, inner) = &*subst::open(body, level) else { return Ok(None) };
            let sum = Arc::new(Node::Sum(label.clone(), rest.clone(), subst::close(inner, level)));
            let outside = Arc::new(Node::Guard(p.clone(), sum));
            Ok(Some(cx.rule(Rule::GuardSum, &outside)?.sym()))
        })
    })?;
    debug_assert!(matches!(**thm.rhs(), Node::Prim(Prim::Add, _)));
    cx.then(thm, |cx, e| cx.rule(Rule::AddZeroR, e))
}
