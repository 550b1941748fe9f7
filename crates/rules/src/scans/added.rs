//! Rounds that add a term to each state: what they add is the sum of the terms.

use super::form::{OLD, ROUND, Scan};
use super::summary::{Summary, reads_states};
use crate::cx::Cx;
use crate::lets::meet;
use crate::occurrences::variable;
use crate::rounds::{as_written, heads, induct, last_round};
use crate::rules::sum_as_iterate::no_terms;
use atl_kernel::{Child, Error, Expr, Ix, Label, Node, Prim, Result, Rule, Thm, Type, subst};
use std::sync::Arc;

/// On which side of a state its term stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Left,
    Right,
}

/// The term that a round adds to a state, of the number of the round.
pub(super) fn term(scan: &Scan, k: usize) -> Option<(Expr, Side)> {
    let Node::Prim(Prim::Add, ab) = &*scan.states[k].step else { return None };
    let own = variable(OLD + k as u32);
    let (term, side) = match (ab[0] == own, ab[1] == own) {
        (true, _) => (&ab[1], Side::Right),
        (_, true) => (&ab[0], Side::Left),
        _ => return None,
    };
    (!reads_states(term, scan.states.len())).then(|| (term.clone(), side))
}

/// A state, and what is added to it.
pub(super) fn together(state: &Expr, sum: &Expr) -> Expr {
    Arc::new(Node::Prim(Prim::Add, vec![state.clone(), sum.clone()]))
}

/// The new state, with its term on the right of it.
fn with_term_last(cx: &mut Cx<'_>, thm: Thm, block: &Scan, k: usize) -> Result<Thm> {
    match term(block, k) {
        Some((_, Side::Left)) => cx.then(thm, |cx, e| cx.rule(Rule::AddComm, e)),
        _ => Ok(thm),
    }
}

/// A state after rounds is what it was, and what rounds from zero make.
pub(super) fn prove(cx: &mut Cx<'_>, block: &Scan, types: &[Type], rounds: &Ix, k: usize) -> Result<Thm> {
    let (level, count, starts) = (cx.ctx.level(), block.states.len(), block.starts());
    let responses = |k| Summary::Added.responses(block, types, k).swap_remove(0).0;
    let family: Vec<Expr> =
        (0..count).map(|k| together(&starts[k], &responses(k).state(&Ix::free(level), k))).collect();
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let none = cx.inside(lhs, Child::Arg(1), |cx, e| {
            let zero = cx.rule(Rule::IterateZero, e)?;
            cx.then(zero, |cx, e| heads(cx, e, count))
        })?;
        let none = cx.then(none, |cx, e| cx.rule(Rule::AddZeroR, e))?;
        as_written(cx, none, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let left = cx.inside(lhs, Child::Arg(1), |cx, e| {
            let last = last_round(cx, e)?;
            let last = cx.then(last, |cx, e| heads(cx, e, count))?;
            with_term_last(cx, last, block, k)
        })?;
        let right = cx.converted(rhs, |cx, e| heads(cx, e, count + k))?;
        let right = with_term_last(cx, right, block, k)?;
        let right = cx.then(right, |cx, e| cx.rule(Rule::AddAssoc, e))?;
        meet(cx, left, right)
    };
    let thm = induct(cx, &block.state(rounds, k), &family, &mut begins, &mut goes_on)?;
    let states = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
    thm.sym().trans(states)
}

/// What rounds from zero make of a state is the sum of their terms, over an index of this name.
pub(super) fn as_sum(cx: &mut Cx<'_>, from_zero: &Scan, rounds: &Ix, k: usize, name: &str) -> Result<Thm> {
    let (level, count) = (cx.ctx.level(), from_zero.states.len());
    let mut family = Vec::new();
    for k in 0..count {
        family.push(sum(from_zero, &Ix::free(level), k, name)?);
    }
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let none = no_terms(cx, lhs)?;
        as_written(cx, none, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let left = cx.rule(Rule::SumLast, lhs)?;
        let right = cx.converted(rhs, |cx, e| heads(cx, e, count + k))?;
        let right = with_term_last(cx, right, from_zero, k)?;
        meet(cx, left, right)
    };
    let thm = induct(cx, &from_zero.state(rounds, k), &family, &mut begins, &mut goes_on)?;
    let states = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
    thm.sym().trans(states)
}

/// The sum of this many terms.
pub(super) fn sum(block: &Scan, rounds: &Ix, k: usize, name: &str) -> Result<Expr> {
    let (term, _) = term(block, k).ok_or(Error::Mismatch("a round that adds no term"))?;
    Ok(Arc::new(Node::Sum(Label::new(name), rounds.clone(), subst::close(&term, ROUND))))
}
