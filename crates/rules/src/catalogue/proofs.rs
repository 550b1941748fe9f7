//! Proofs of theorems that the automatic provers do not find: those that divide, tile and permute sums.
//!
//! The one idea: the primitive rules about sums bring the left side near the right one; what remains differs in
//! arrangement only, and [`by_gather`] closes it.

use crate::cx::{Cx, Step};
use crate::gather::by_gather;
use crate::rules::split_sum::split_sum;
use crate::schema::Instance;
use atl_kernel::{Child, Error, Expr, Ix, Label, Node, Pred, Result, Rule, Thm, Var};
use std::sync::Arc;

/// What a size of the statement stands for.
fn size<'i>(instance: &'i Instance, name: &str) -> Result<&'i Ix> {
    instance.size(name).ok_or(Error::Mismatch("the statement has no such size"))
}

/// A theorem about `e`, continued to `to` by rearrangement.
fn arranged(cx: &mut Cx<'_>, thm: Thm, to: &Expr) -> Result<Thm> {
    cx.then(thm, |cx, e| if e == to { Ok(None) } else { by_gather(cx, e, to).map(Some) })
}

/// A rule at a place below.
fn at(rule: Rule, path: &'static [Child]) -> impl Fn(&mut Cx<'_>, &Expr) -> Step {
    move |cx, e| cx.at(e, path, &mut |cx, e| cx.rule(rule.clone(), e).map(Some))
}

fn split_at(cx: &mut Cx<'_>, k: Ix, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let thm = cx.rule(Rule::SumSplit(k), lhs)?;
    arranged(cx, thm, rhs)
}

/// `sum_split_at`.
pub(super) fn sum_split_at(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    split_at(cx, size(of, "k")?.clone(), lhs, rhs)
}

/// `sum_split_plus`, `sum_of_concat`.
pub(super) fn sum_split_plus(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    split_at(cx, size(of, "n")?.clone(), lhs, rhs)
}

/// `sum_peel_first`.
pub(super) fn sum_peel_first(cx: &mut Cx<'_>, _: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let thm = cx.rule(Rule::SumSplit(Ix::ONE), lhs)?;
    let thm = cx.then(thm, at(Rule::SumOne, &[Child::Arg(0)]))?;
    arranged(cx, thm, rhs)
}

/// `sum_peel_last`.
pub(super) fn sum_peel_last(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let thm = cx.rule(Rule::SumSplit(size(of, "n")?.clone() - Ix::ONE), lhs)?;
    let thm = cx.then(thm, at(Rule::SumOne, &[Child::Arg(1)]))?;
    arranged(cx, thm, rhs)
}

/// A sum in `q` tiles of `k`.
fn tile(q: &Ix, k: &Ix) -> Rule {
    Rule::SumTile(Label::new("i.o"), q.clone(), Label::new("i.i"), k.clone())
}

/// `sum_tile_exact`, `rfactor_outer`.
pub(super) fn sum_tile_exact(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let thm = cx.rule(tile(size(of, "n")?, size(of, "k")?), lhs)?;
    arranged(cx, thm, rhs)
}

/// `sum_of_flatten`.
pub(super) fn sum_of_flatten(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let thm = cx.rule(tile(size(of, "n")?, size(of, "m")?), lhs)?;
    arranged(cx, thm, rhs)
}

/// `sum_tile_tail`.
pub(super) fn sum_tile_tail(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let (n, k) = (size(of, "n")?, size(of, "k")?);
    let tiles = n.clone() / k.clone();
    let thm = cx.rule(Rule::SumSplit(tiles.clone() * k.clone()), lhs)?;
    let thm = cx.then(thm, |cx, e| cx.child(e, Child::Arg(0), |cx, e| cx.rule(tile(&tiles, k), e)))?;
    arranged(cx, thm, rhs)
}

/// `sum_tile_guarded`.
pub(super) fn sum_tile_guarded(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let thm = split_sum(cx, lhs, size(of, "k")?)?;
    arranged(cx, thm, rhs)
}

/// `sum_stride`, `rfactor_inner`.
pub(super) fn sum_stride(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let thm = cx.rule(tile(size(of, "n")?, size(of, "k")?), lhs)?;
    let thm = cx.then(thm, |cx, e| cx.rule(Rule::SumSwap, e))?;
    arranged(cx, thm, rhs)
}

/// `sum_rotate`: both sides in two parts, which change places.
pub(super) fn sum_rotate(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let (n, k) = (size(of, "n")?, size(of, "k")?);
    let from = cx.rule(Rule::SumSplit(k.clone()), lhs)?;
    let from = cx.then(from, |cx, e| cx.rule(Rule::AddComm, e))?;
    let to = cx.rule(Rule::SumSplit(n.clone() - k.clone()), rhs)?;
    let thm = arranged(cx, from, &to.rhs().clone())?;
    thm.trans(to.sym())
}

/// `sum_reverse`.
pub(super) fn sum_reverse(cx: &mut Cx<'_>, of: &Instance, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let n = size(of, "n")?;
    let mirror = |i: &Ix| n.clone() - Ix::ONE - i.clone();
    Ok(permuted(cx, rhs, lhs, &mirror, &mirror)?.sym())
}

/// The index of the loop whose body is at hand: entering one adds its index and two bounds to the context.
fn index(cx: &Cx<'_>) -> Ix {
    Ix::free(cx.ctx.level() - 3)
}

/// `sum i<n. e(there(i)) = sum j<n. e(j)`, for a permutation of the indices and its inverse: each term is a sum with one
/// index that counts, and the two sums change places.
fn permuted(
    cx: &mut Cx<'_>,
    lhs: &Expr,
    rhs: &Expr,
    there: &dyn Fn(&Ix) -> Ix,
    back: &dyn Fn(&Ix) -> Ix,
) -> Result<Thm> {
    let Node::Sum(label, n, term) = &**rhs else { return Err(Error::Mismatch("no sum")) };
    // Each term of the left side, as the sum over all `j` of `[j == there(i)] * e(j)`.
    let spread = cx.inside(lhs, Child::Body, |cx, e| {
        let i = index(cx);
        let only = Pred::eq(Ix::Var(Var::Bound(0)), there(&i));
        let all = Node::Sum(label.clone(), n.clone(), Arc::new(Node::Guard(only, term.clone())));
        let one = cx.rule(Rule::OneHot, &Arc::new(all))?;
        let one = cx.then(one, |cx, e| cx.rule(Rule::GuardTrue, e))?;
        Ok(Some(arranged(cx, one, e)?.sym()))
    })?;
    let swapped = cx.then(spread, |cx, e| cx.rule(Rule::SumSwap, e))?;
    // In each term of the outer sum over `j`, one `i` counts.
    let collapsed = cx.then(swapped, |cx, e| {
        cx.child(e, Child::Body, |cx, e| {
            let j = index(cx);
            let Node::Sum(l, m, body) = &**e else { return Ok(None) };
            let Node::Guard(_, body) = &**body else { return Ok(None) };
            let only = Pred::eq(Ix::Var(Var::Bound(0)), back(&j));
            let told = Node::Sum(l.clone(), m.clone(), Arc::new(Node::Guard(only, body.clone())));
            let thm = cx.rule(Rule::ArithEq(Arc::new(told)), e)?;
            let thm = cx.then(thm, |cx, e| cx.rule(Rule::OneHot, e))?;
            cx.then(thm, |cx, e| cx.rule(Rule::GuardTrue, e)).map(Some)
        })
    })?;
    arranged(cx, collapsed, rhs)
}
