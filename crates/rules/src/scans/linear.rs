//! Rounds that make sums of multiples of the states, and of terms: filters and affine recurrences.

use super::form::{NEW, OLD, Scan};
use super::summary::{Summary, reads_states};
use crate::cx::{Chain, Cx};
use crate::lets::meet;
use crate::monoids::instances;
use crate::normal::by_normal_within;
use crate::rounds::{as_written, heads, induct, last_round};
use crate::rules::guard_false::{cancelled, zeros};
use atl_kernel::{Child, Expr, Ix, Node, Number, Pred, Prim, Result, Rule, Thm, Type, Var};
use std::sync::Arc;

/// The most steps to the normal form of a block's states: sums of each multiple of each response, of which
/// there are as many as multiples in all steps, times states.
const STEPS: usize = 50_000;

fn prim(f: Prim, a: &Expr, b: &Expr) -> Expr {
    Arc::new(Node::Prim(f, vec![a.clone(), b.clone()]))
}

/// Is a step, of this many states, a sum of multiples of the old ones, and of terms without them, or a
/// difference of such?
pub(super) fn is_linear(step: &Expr, count: usize) -> bool {
    let is_free = |e: &Expr| !reads_states(e, count);
    match &**step {
        Node::Var(Var::Free(level)) if (OLD..NEW).contains(level) => true,
        Node::Prim(Prim::Add | Prim::Sub, ab) => ab.iter().all(|e| is_linear(e, count)),
        Node::Prim(Prim::Mul, ab) => {
            (is_free(&ab[0]) && is_linear(&ab[1], count)) || (is_free(&ab[1]) && is_linear(&ab[0], count))
        }
        _ => is_free(step),
    }
}

/// A step without its terms; nothing where it has no states.
fn multiples(step: &Expr, count: usize) -> Option<Expr> {
    if !reads_states(step, count) {
        return None;
    }
    let of = |e: &Expr| multiples(e, count);
    match &**step {
        Node::Prim(Prim::Add, ab) => match (of(&ab[0]), of(&ab[1])) {
            (Some(a), Some(b)) => Some(prim(Prim::Add, &a, &b)),
            (a, b) => a.or(b),
        },
        Node::Prim(Prim::Mul, ab) => match (of(&ab[0]), of(&ab[1])) {
            (Some(a), _) => Some(prim(Prim::Mul, &a, &ab[1])),
            (None, b) => Some(prim(Prim::Mul, &ab[0], &b?)),
        },
        _ => Some(step.clone()),
    }
}

/// The rounds without their terms, which begin with one in this state, and zero in the others.
pub(super) fn from_unit(block: &Scan, types: &[Type], from: usize) -> Scan {
    let number = |k| if k == from { Number::One } else { Number::Zero };
    let unit = |k: usize| Arc::new(Node::Lit(types[k].elem, number(k))) as Expr;
    let mut other = block.from(&(0..block.states.len()).map(unit).collect::<Vec<_>>());
    let count = types.len();
    for (state, ty) in other.states.iter_mut().zip(types) {
        state.step = multiples(&state.step, count).unwrap_or_else(|| zeros(ty));
    }
    other
}

/// What rounds from zero make, and the multiples of the states.
pub(super) fn together(states: &[Expr], responses: &[Expr]) -> Expr {
    let multiples =
        states.iter().zip(&responses[1..]).map(|(state, response)| prim(Prim::Mul, response, state));
    multiples.fold(responses[0].clone(), |sum, e| prim(Prim::Add, &sum, &e))
}

/// A state after rounds is what rounds from zero make of it, and the multiples of what there was.
pub(super) fn prove(cx: &mut Cx<'_>, block: &Scan, types: &[Type], rounds: &Ix, k: usize) -> Result<Thm> {
    let (level, count, starts) = (cx.ctx.level(), block.states.len(), block.starts());
    let scans: Vec<Scan> =
        Summary::Linear.responses(block, types, 0).into_iter().map(|(scan, _)| scan).collect();
    let after =
        |rounds: &Ix, k: usize| -> Vec<Expr> { scans.iter().map(|scan| scan.state(rounds, k)).collect() };
    let family: Vec<Expr> = (0..count).map(|k| together(&starts, &after(&Ix::free(level), k))).collect();
    let mut begins = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let units = responses(cx, lhs, count, &mut |cx, e| {
            let zero = cx.rule(Rule::IterateZero, e)?;
            cx.then(zero, |cx, e| heads(cx, e, count))
        })?;
        let mut chain = Chain::of(lhs);
        chain.push(units)?;
        for r in 0..count {
            let path = [vec![Child::Arg(0); count - 1 - r], vec![Child::Arg(1)]].concat();
            let unit =
                |cx: &mut Cx<'_>, e: &Expr| if r == k { cx.rule(Rule::MulOneL, e) } else { nothing(cx, e) };
            chain.apply(cx, |cx, e| cx.at(e, &path, &mut |cx, e| unit(cx, e).map(Some)))?;
        }
        let added = chain.total(cx)?;
        let sum = cx.then(added, |cx, e| {
            cx.bottom_up(e, &mut |cx, e| match &**e {
                Node::Prim(Prim::Add, _) => {
                    Ok([Rule::AddZeroL, Rule::AddZeroR].into_iter().find_map(|rule| cx.try_rule(rule, e)))
                }
                _ => Ok(None),
            })
        })?;
        as_written(cx, sum, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let t = Ix::free(level);
        let left = responses(cx, lhs, count, &mut |cx, e| {
            let last = last_round(cx, e)?;
            cx.then(last, |cx, e| heads(cx, e, count))
        })?;
        let right = cx.converted(rhs, |cx, e| heads(cx, e, count + k))?;
        // Both sides are of the states and the responses, whatever these are.
        let all: Vec<Expr> = (0..count).flat_map(|k| after(&t, k)).chain(starts.iter().cloned()).collect();
        let step = block.step_at(&t, k);
        let units: Vec<Expr> = scans.iter().map(|scan| scan.step_at(&t, k)).collect();
        let sides = |known: &[Expr]| {
            let (after, starts) = known.split_at(count * (count + 1));
            let of =
                |r: usize| -> Vec<Expr> { (0..count).map(|k| after[k * (count + 1) + r].clone()).collect() };
            let news: Vec<Expr> = (0..=count).map(|r| Scan::of_states(&units[r], &of(r))).collect();
            let old: Vec<Expr> = after.chunks(count + 1).map(|after| together(starts, after)).collect();
            (together(starts, &news), Scan::of_states(&step, &old))
        };
        let same = instances(cx, &all, &mut Vec::new(), &sides, &mut |cx, known| {
            let (lhs, rhs) = sides(known);
            by_normal_within(cx, &lhs, &rhs, STEPS)
        })?;
        let left = as_written(cx, left, same.lhs())?.trans(same)?;
        meet(cx, left, right)
    };
    let thm = induct(cx, &block.state(rounds, k), &family, &mut begins, &mut goes_on)?;
    let states = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
    thm.sym().trans(states)
}

/// Convert the responses in what [`together`] makes.
fn responses(
    cx: &mut Cx<'_>,
    e: &Expr,
    count: usize,
    convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Result<Thm>,
) -> Result<Thm> {
    let mut chain = Chain::of(e);
    let first = vec![Child::Arg(0); count];
    let multiples =
        (0..count).map(|r| [vec![Child::Arg(0); count - 1 - r], vec![Child::Arg(1), Child::Arg(0)]].concat());
    for path in std::iter::once(first).chain(multiples) {
        chain.apply(cx, |cx, e| cx.at(e, &path, convert))?;
    }
    chain.total(cx)
}

/// `0 * e  =  0`.
fn nothing(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Prim(_, ab) = &**e else { return cx.refl(e) };
    let guarded: Expr = Arc::new(Node::Guard(Pred::False, ab[0].clone()));
    let product = prim(Prim::Mul, &guarded, &ab[1]);
    let zero = cx.inside(&product, Child::Arg(0), |cx, e| cx.rule(Rule::GuardZero, e))?;
    let outward = cx.rule(Rule::GuardMulL, &product)?;
    let none = cx.then(outward, cancelled)?;
    zero.sym().trans(none)
}
