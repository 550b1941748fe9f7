//! Induction over a sum: what begins and goes on as it does is the sum.
//!
//! The one idea: the terms of a round are states of their own, so that each stands in a sum once, however
//! many formulas read it. Nothing reads these states in the end.

use super::Fold;
use super::laws::{lets, nothing, one_more, together};
use crate::cx::{Chain, Cx};
use crate::rounds::{self, as_written, heads, induct_each, iterated, last_round, state_after};
use atl_kernel::{Child, Expr, Ix, Result, Rule, Thm, subst};
use std::sync::Arc;

/// A proof of an equation, for the field of this number.
pub(super) type Premise<'p> = &'p mut dyn FnMut(&mut Cx<'_>, usize, &Expr, &Expr) -> Result<Thm>;

/// `let x = G(n); b  =  sum`, of each of these sums, which differ in their values `b`. The family `G` of
/// elements begins as the sum does; and `G(t + 1) = G(t) + e(t)`, where the next variable of the context is
/// `t`.
pub(super) fn summed(
    cx: &mut Cx<'_>,
    fold: &Fold,
    sums: &[Expr],
    family: &[Expr],
    begins: Premise<'_>,
    goes_on: Premise<'_>,
) -> Result<Vec<Thm>> {
    summed_with(cx, fold, sums, family, begins, goes_on, &mut |cx, e| cx.refl(e))
}

/// The same of sums whose terms are spelt otherwise: each, converted, is that of the fold.
fn summed_with(
    cx: &mut Cx<'_>,
    fold: &Fold,
    sums: &[Expr],
    family: &[Expr],
    begins: Premise<'_>,
    goes_on: Premise<'_>,
    term: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Result<Thm>,
) -> Result<Vec<Thm>> {
    let (count, level) = (fold.names.len(), cx.ctx.level());
    let t = Ix::free(level);
    let all: Vec<Expr> = fold.last_terms(&t).into_iter().chain(family.iter().cloned()).collect();
    let mut first = |cx: &mut Cx<'_>, state: usize, lhs: &Expr, rhs: &Expr| match state.checked_sub(count) {
        Some(field) => begins(cx, field, lhs, rhs),
        None => {
            let thm = cx.rule(Rule::IterateZero, lhs)?;
            let thm = cx.then(thm, |cx, e| heads(cx, e, 1))?;
            as_written(cx, thm, rhs)
        }
    };
    let mut next = |cx: &mut Cx<'_>, state: usize, lhs: &Expr, rhs: &Expr| {
        let Some(field) = state.checked_sub(count) else {
            let left = last_term(cx, lhs)?;
            let right = cx.converted(rhs, |cx, e| heads(cx, e, 2 * count + state))?;
            let right = cx.then(right, |cx, e| term(cx, e))?;
            return as_written(cx, left, right.rhs())?.trans(right.sym());
        };
        let right = round(cx, rhs, count, field)?;
        let right = as_written(cx, right, &together(&fold.monoid, field, family, &fold.at(&t)))?;
        goes_on(cx, field, lhs, right.rhs())?.trans(right.sym())
    };
    let found = induct_each(cx, sums, &all, &mut first, &mut next)?;
    // Nothing reads the terms after the rounds.
    found.into_iter().map(|thm| read_last(cx, thm, count)).collect()
}

/// The equation, whose left side first binds terms that nothing reads, without these.
fn read_last(cx: &mut Cx<'_>, thm: Thm, terms: usize) -> Result<Thm> {
    let left = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, terms))?;
    left.sym().trans(thm)
}

/// The last term of one round more.
fn last_term(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let last = cx.rule(Rule::IterateLast, e)?;
    let thm = cx.then(last, |cx, e| cx.rule(Rule::IterateBody, e))?;
    cx.then(thm, |cx, e| heads(cx, e, 2))
}

/// What a field is after one round more, in the words of an induction, is what the family and the round's
/// term are together.
fn round(cx: &mut Cx<'_>, e: &Expr, count: usize, field: usize) -> Result<Thm> {
    let thm = cx.converted(e, |cx, e| heads(cx, e, count))?;
    let path = vec![Child::Body; count];
    cx.then(thm, |cx, e| {
        cx.at(e, &path, &mut |cx, e| {
            lets(cx, e, count, &mut |cx, _, e| last_term(cx, e), &mut |cx, e| heads(cx, e, field))
        })
    })
}

/// `e`, which is this sum, has states for the terms and then for the fields, and begins with zeros.
pub(super) fn sum_in(cx: &mut Cx<'_>, e: &Expr, fold: &Fold) -> Result<Thm> {
    let it = iterated(e)?.clone();
    let target = fold.sum(&it.extent, it.body.clone());
    if *e == target {
        return cx.relabel(e, &target);
    }
    let others = it.states.len() - fold.names.len();
    let after =
        |n: &Ix| -> Vec<Expr> { (others..it.states.len()).map(|k| state_after(&it, n.clone(), k)).collect() };
    let family = after(&Ix::free(cx.ctx.level()));
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let thm = cx.rule(Rule::IterateZero, lhs)?;
        let thm = cx.then(thm, |cx, e| heads(cx, e, it.states.len()))?;
        as_written(cx, thm, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let left = last_round(cx, lhs)?;
        let same = rounds::same(cx, &left.rhs().clone(), rhs)?;
        left.trans(same)
    };
    let thm = summed(cx, fold, std::slice::from_ref(&target), &family, &mut begins, &mut goes_on)?;
    let states = ended(cx, e, others, &it.extent)?;
    as_written(cx, states, thm[0].lhs())?.trans(thm[0].clone())
}

/// The sum that `e` is, with its terms converted where the next variable of the context is their index.
///
/// # Errors
/// The terms, converted, are not those of a sum: one depends on what else is known of the index.
pub fn in_terms(
    cx: &mut Cx<'_>,
    e: &Expr,
    fold: &Fold,
    convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Result<Thm>,
) -> Result<Thm> {
    let thm = sum_in(cx, e, fold)?;
    let (sum, level) = (thm.rhs().clone(), cx.ctx.level());
    let (it, index) = (iterated(&sum)?.clone(), Ix::free(level));
    let inner = Arc::new(atl_kernel::rounds(&cx.ctx, &sum)?);
    let mut terms = Vec::new();
    for e in fold.at(&index) {
        terms.push(convert(&mut cx.within(inner.clone()), &e)?);
    }
    let new =
        Fold { terms: terms.iter().map(|thm| subst::close(thm.rhs(), level)).collect(), ..fold.clone() };
    let mut begins = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let none = nothing(cx, &new, field, lhs)?;
        as_written(cx, none, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let more = one_more(cx, &new, &index, field, lhs)?;
        as_written(cx, more, rhs)
    };
    let mut each = |cx: &mut Cx<'_>, e: &Expr| match terms.iter().find(|thm| thm.lhs() == e) {
        Some(thm) => Ok(thm.clone()),
        None => cx.refl(e),
    };
    let family = new.fields(&index);
    let sums = std::slice::from_ref(&sum);
    let old = summed_with(cx, &new, sums, &family, &mut begins, &mut goes_on, &mut each)?.swap_remove(0);
    let states = ended(cx, &new.sum(&it.extent, it.body.clone()), fold.names.len(), &it.extent)?;
    thm.trans(as_written(cx, states, old.lhs())?.trans(old)?.sym())
}

/// `let x = F(n); b  =  iterate .. in b`, of the last states, which alone the value is about: the right side
/// is this iteration.
pub(super) fn ended(cx: &mut Cx<'_>, e: &Expr, others: usize, n: &Ix) -> Result<Thm> {
    let states = rounds::as_states(cx, e, n)?;
    cx.then(states, |cx, e| heads(cx, e, others))
}

/// Each field of the sum of a first number of terms, and of `n` terms more, is what the sum of the terms from
/// there on is, which begins with the first sum.
pub(super) fn from_there(
    cx: &mut Cx<'_>,
    fold: &Fold,
    rest: &Fold,
    before: &Ix,
    sums: &[Expr],
) -> Result<Vec<Thm>> {
    let t = Ix::free(cx.ctx.level());
    let family = fold.fields(&(before.clone() + t.clone()));
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let here = cx.refl(lhs)?;
        as_written(cx, here, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let left = one_more(cx, fold, &(before.clone() + t.clone()), field, lhs)?;
        as_written(cx, left, rhs)
    };
    summed(cx, rest, sums, &family, &mut begins, &mut goes_on)
}

/// `sum n e in b  =  iterate of a terms in (iterate of the others, from there, in b)`, if `0 <= a <= n`.
pub(super) fn before_rest(cx: &mut Cx<'_>, e: &Expr, fold: &Fold, a: &Ix, fresh: u32) -> Result<Thm> {
    let (it, count) = (iterated(e)?.clone(), fold.names.len());
    let left = it.extent.clone() - a.clone();
    let shifted = fold.shifted(fresh, |i| a.clone() + i);
    let bound = (0..count).map(|k| super::fold::body_of(k, count)).collect();
    let rest = Fold { starts: bound, ..shifted.clone() }.sum(&left, it.body.clone());
    let target = fold.sum(a, rest);
    // With what the first terms are in it, it is the sum from there on.
    let mut there = Chain::of(&target);
    there.apply(cx, |cx, e| cx.rule(Rule::IterateBody, e))?;
    there.apply(cx, |cx, e| heads(cx, e, 2 * count))?;
    let rest = Fold { starts: fold.fields(a), ..shifted };
    let sum = rest.sum(&left, it.body.clone());
    let thm = from_there(cx, fold, &rest, a, &[sum])?.swap_remove(0);
    let states = ended(cx, e, count, &(a.clone() + left))?;
    let apart = as_written(cx, states, thm.lhs())?.trans(thm)?;
    let there = there.total(cx)?;
    let there = as_written(cx, there, apart.rhs())?;
    apart.trans(there.sym())
}
