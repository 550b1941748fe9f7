//! Rounds that join a term to the states, in a monoid: what they join is the sum of the terms.

use super::form::{OLD, ROUND, Scan};
use crate::cx::Cx;
use crate::lets::meet;
use crate::monoids::{Fold, instances, law, sum_of_equal};
use crate::occurrences::variable;
use crate::rounds::{as_written, heads, induct, last_round};
use atl_kernel::{Error, Expr, Ix, Laws, Monoid, Node, Result, Rule, State, Thm, Var};
use std::sync::Arc;

/// The terms that the round of this number joins to the states.
pub(super) fn terms(monoid: &Arc<Monoid>, scan: &Scan, round: &Ix) -> Option<Vec<Expr>> {
    let is_all = monoid.fields().len() == scan.states.len();
    let fold = Fold::of(monoid, &scan.around(Arc::new(Node::Var(Var::Bound(0))))).filter(|_| is_all)?;
    Some(fold.at(round))
}

/// The scan whose steps are the monoid's formulas as they stand, if it has others.
pub(super) fn as_formulas(monoid: &Arc<Monoid>, scan: &Scan) -> Option<Scan> {
    let old: Vec<Expr> = (0..scan.states.len() as u32).map(|k| variable(OLD + k)).collect();
    let steps = monoid.sum(&old, &terms(monoid, scan, &Ix::free(ROUND))?);
    let states = scan.states.iter().zip(steps).map(|(state, step)| State { step, ..state.clone() });
    let states: Vec<State> = states.collect();
    (states != scan.states).then(|| scan.with(states, scan.given.clone()))
}

/// A state after rounds is what it was, joined to what rounds from nothing make.
pub(super) fn prove(
    cx: &mut Cx<'_>,
    monoid: &Arc<Monoid>,
    block: &Scan,
    rounds: &Ix,
    k: usize,
) -> Result<Thm> {
    let (level, count, starts) = (cx.ctx.level(), block.states.len(), block.starts());
    let t = Ix::free(level);
    let from_nothing = block.from(monoid.zero());
    let terms = terms(monoid, block, &t).ok_or(Error::Mismatch("rounds that are no sum in the monoid"))?;
    let family: Vec<Expr> = monoid.sum(&starts, &from_nothing.states_after(&t));
    let kept = |cx: &mut Cx<'_>| starts.iter().map(|e| cx.refl(e)).collect::<Result<Vec<_>>>();
    let mut begins = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let nothing = from_nothing.states_after(&Ix::ZERO).into_iter().zip(monoid.zero());
        let nothing = nothing.map(|(e, zero)| {
            let thm = cx.rule(Rule::IterateZero, &e)?;
            let thm = cx.then(thm, |cx, e| heads(cx, e, count))?;
            as_written(cx, thm, zero)
        });
        let nothing = nothing.collect::<Result<Vec<_>>>()?;
        let operands = [kept(cx)?, nothing];
        let joined = sum_of_equal(cx, monoid, k, operands)?;
        let rule = Rule::Law(monoid.clone(), Laws::ADD_0_R, k, vec![starts.clone()]);
        let joined = cx.then(joined, |cx, e| cx.rule(rule, e))?;
        let here = cx.refl(lhs)?;
        as_written(cx, here, joined.lhs())?.trans(as_written(cx, joined, rhs)?)
    };
    let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let now = from_nothing.states_after(&t);
        let next = from_nothing.states_after(&(t.clone() + Ix::ONE)).into_iter();
        let next = next.zip(monoid.sum(&now, &terms)).map(|(e, sum)| {
            let thm = last_round(cx, &e)?;
            let thm = cx.then(thm, |cx, e| heads(cx, e, count))?;
            as_written(cx, thm, &sum)
        });
        let next = next.collect::<Result<Vec<_>>>()?;
        let operands = [kept(cx)?, next];
        let left = sum_of_equal(cx, monoid, k, operands)?;
        let here = cx.refl(lhs)?;
        let left = as_written(cx, here, left.lhs())?.trans(left)?;
        // The law is of any elements.
        let all = [&starts[..], &now, &terms].concat();
        let sides = |of: &[Expr]| {
            let [a, b, c] = [0, 1, 2].map(|part| &of[part * count..(part + 1) * count]);
            let grouped = monoid.sum(&monoid.sum(a, b), c).swap_remove(k);
            (monoid.sum(a, &monoid.sum(b, c)).swap_remove(k), grouped)
        };
        let grouped = instances(cx, &all, &mut Vec::new(), &sides, &mut |cx, of| {
            let [a, b, c] = [0, 1, 2].map(|part| &of[part * count..(part + 1) * count]);
            Ok(law(cx, monoid, Laws::ADD_ASSOC, k, &[a, b, c])?.sym())
        })?;
        let left = as_written(cx, left, grouped.lhs())?.trans(grouped)?;
        let right = cx.converted(rhs, |cx, e| heads(cx, e, count + k))?;
        meet(cx, left, right)
    };
    let thm = induct(cx, &block.state(rounds, k), &family, &mut begins, &mut goes_on)?;
    let states = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
    thm.sym().trans(states)
}
