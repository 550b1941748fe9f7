//! A sum of sums of blocks, where addition is associative and zero is neutral.

use super::Fold;
use super::laws::{all_together, associative, neutral, nothing, one_more, operands, round, together};
use crate::cx::{Chain, Cx};
use crate::lets::meet;
use crate::rounds::{
    self, as_states, as_written, heads, induct, induct_each, iterated, last_round, split, split_before_rest,
    state_after,
};
use atl_kernel::{Child, Error, Expr, Ix, Label, Pred, Result, Rule, Thm, subst};

/// Levels that no variable has, of a block and of a term in it.
const FRESH_BLOCK: u32 = (1 << 30) - 1;
const FRESH: u32 = (1 << 30) - 2;

/// `e`, which is this sum, is the iteration with one state for each field.
pub fn sum_in(cx: &mut Cx<'_>, e: &Expr, fold: &Fold) -> Result<Thm> {
    let it = iterated(e)?.clone();
    let target = fold.plain(&it.extent, it.body.clone());
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
    let is_shared = *e == fold.shared(&it.extent, it.body.clone());
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let right = round(cx, rhs, fold, field)?;
        if is_shared {
            let left = shared_round(cx, lhs, others)?;
            return meet(cx, left, right);
        }
        let left = last_round(cx, lhs)?;
        let same = rounds::same(cx, &left.rhs().clone(), right.rhs())?;
        left.trans(same)?.trans(right.sym())
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut goes_on)?;
    // Nothing reads the others after the rounds.
    let states = cx.rule(Rule::IterateBody, e)?;
    let states = cx.then(states, |cx, e| heads(cx, e, others))?;
    as_written(cx, states, thm.lhs())?.trans(thm)
}

/// A field of one round more, of an iteration that has states for as many terms as fields: the terms stay
/// bound.
fn shared_round(cx: &mut Cx<'_>, e: &Expr, terms: usize) -> Result<Thm> {
    let last = cx.rule(Rule::IterateLast, e)?;
    let thm = cx.then(last, |cx, e| cx.rule(Rule::IterateBody, e))?;
    // Below the states, of which nothing reads the first, are those of the round.
    let thm =
        cx.then(thm, |cx, e| cx.at(e, &vec![Child::Body; 3 * terms], &mut |cx, e| heads(cx, e, terms)))?;
    cx.then(thm, |cx, e| heads(cx, e, terms))
}

/// The sum that `e` is, with one state for each field, is the iteration that computes the fields of a term
/// once.
pub(super) fn share(cx: &mut Cx<'_>, e: &Expr, fold: &Fold) -> Result<Thm> {
    let it = iterated(e)?;
    let shared = fold.shared(&it.extent, it.body.clone());
    let thm = sum_in(cx, &shared, fold)?.sym();
    let here = cx.refl(e)?;
    as_written(cx, here, thm.lhs())?.trans(thm)
}

/// The sum that `e` is, is a sum of the sums of blocks of `k` terms, and then of the terms that are left, if
/// there may be some. In the names of the indices, `.o` counts blocks and `.i` the terms of one.
///
/// # Errors
/// Addition is not claimed to be associative, with a neutral zero; or a side condition.
pub fn blocks(cx: &mut Cx<'_>, e: &Expr, fold: &Fold, k: &Ix) -> Result<Thm> {
    cx.demand(Pred::lt(Ix::ZERO, k.clone()))?;
    let q = atl_arith::simplify(&cx.ctx, &(fold.extent.clone() / k.clone()));
    let whole = q.clone() * k.clone();
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| sum_in(cx, e, fold))?;
    if !cx.equal(&fold.extent, &whole) {
        chain.apply(cx, |cx, e| split_before_rest(cx, e, &whole))?;
        chain.apply(cx, |cx, e| {
            cx.child(e, Child::Body, |cx, e| {
                let rest = Fold::of(&fold.monoid, e).ok_or(Error::Mismatch("the rest of a sum is none"))?;
                share(cx, e, &rest)
            })
        })?;
    }
    chain.apply(cx, |cx, e| in_blocks(cx, e, fold, [&q, k]))?;
    chain.total(cx)
}

/// A name with a suffix.
fn named(label: &Label, part: &str) -> Label {
    Label { name: format!("{}{part}", label.name).into(), ..label.clone() }
}

/// The sum with one state for each field, of `q * k` terms, in blocks.
fn in_blocks(cx: &mut Cx<'_>, e: &Expr, fold: &Fold, [q, k]: [&Ix; 2]) -> Result<Thm> {
    let (level, body) = (cx.ctx.level(), iterated(e)?.body.clone());
    let block = |o: &Ix| Fold {
        label: named(&fold.label, ".i"),
        extent: k.clone(),
        ..fold.with_zero().shifted(FRESH, |i| o.clone() * k.clone() + i)
    };
    let sums = block(&Ix::free(FRESH_BLOCK)).fields(k);
    let terms = sums.iter().map(|e| subst::close(e, FRESH_BLOCK)).collect();
    let outer = Fold { label: named(&fold.label, ".o"), extent: q.clone(), terms, ..fold.clone() };
    let target = outer.plain(q, body);
    let o = Ix::free(level);
    let family = fold.fields(&(o.clone() * k.clone()));
    let mut begins = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let none = nothing(cx, fold, field, lhs)?;
        as_written(cx, none, rhs)
    };
    // What is proved of one field is proved of all.
    let mut sums: Vec<Thm> = Vec::new();
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let before = o.clone() * k.clone();
        let apart = split(cx, lhs, &before)?;
        if sums.is_empty() {
            sums = continued(cx, &fold.fields(&before), &block(&o), k)?;
        }
        let whole = sums[field].clone();
        let left = as_written(cx, apart, whole.lhs())?.trans(whole)?;
        let right = round(cx, rhs, fold, field)?;
        meet(cx, left, right)
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut goes_on)?;
    let states = as_states(cx, e, &(q.clone() * k.clone()))?;
    let mut chain = Chain::of(e);
    chain.push(as_written(cx, states, thm.lhs())?.trans(thm)?)?;
    chain.apply(cx, |cx, e| share(cx, e, &outer))?;
    for field in 0..fold.names.len() {
        chain.apply(cx, |cx, e| {
            cx.child(e, Child::Step(field as u32), |cx, e| {
                let block = Fold::of(&fold.monoid, e).ok_or(Error::Mismatch("a block's sum is none"))?;
                share(cx, e, &block)
            })
        })?;
    }
    chain.total(cx)
}

/// `iterate i < n from x = a { x + e(i) } in x  =  a + iterate i < n from x = 0 { x + e(i) } in x`, of each
/// field.
fn continued(cx: &mut Cx<'_>, first: &[Expr], fold: &Fold, n: &Ix) -> Result<Vec<Thm>> {
    let (level, monoid) = (cx.ctx.level(), fold.monoid.clone());
    let from = Fold { starts: first.to_vec(), ..fold.clone() };
    let count = fold.names.len();
    let family = all_together(&monoid, first, &fold.fields(&Ix::free(level)));
    let mut begins = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let zeros = operands(cx, lhs, count..2 * count, &mut |cx, k, e| nothing(cx, fold, k - count, e))?;
        let thm = cx.then(zeros, |cx, e| neutral(cx, &monoid, field, e))?;
        as_written(cx, thm, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let t = Ix::free(level);
        let left = operands(cx, lhs, count..2 * count, &mut |cx, k, e| one_more(cx, fold, &t, k - count, e))?;
        let apart = associative(cx, &monoid, field, [first, &fold.fields(&t), &fold.at(&t)])?.sym();
        let left = as_written(cx, left, apart.lhs())?.trans(apart)?;
        let right = round(cx, rhs, fold, field)?;
        meet(cx, left, right)
    };
    let all = induct_each(cx, &from.fields(n), &family, &mut begins, &mut goes_on)?;
    let summed = |(field, thm): (usize, Thm)| {
        let sum = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
        let sum = as_written(cx, sum, &together(&monoid, field, first, &fold.fields(n)))?;
        thm.sym().trans(sum)
    };
    all.into_iter().enumerate().map(summed).collect()
}
