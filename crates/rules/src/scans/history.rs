//! A scan as a loop over its rounds.

use super::form::Scan;
use crate::cx::{Chain, Cx};
use crate::lets::meet;
use crate::rounds::{as_written, heads, induct, iterated, last_round, next_state, state_after};
use atl_kernel::{Child, Error, Expr, Ix, Node, Result, Rule, Thm, subst};

/// `iterate t < n from x = e, h = h0 { s(t), h with g at t } in h  =  gen t < n { let x = x_t; let y = x_t+1;
/// g(t) }`, where `x_t` is `iterate u < t from x = e { s(u) }`.
pub fn scan_as_loop(cx: &mut Cx<'_>, scan: &Scan) -> Result<Thm> {
    scan_without_as_loop(cx, scan, &[])
}

/// The scan without states that are not read is that loop of the scan with them.
pub(super) fn scan_without_as_loop(cx: &mut Cx<'_>, scan: &Scan, gone: &[usize]) -> Result<Thm> {
    let e = scan.without(gone).term();
    let (level, all) = (cx.ctx.level(), scan.states.len());
    let kept: Vec<usize> = (0..all).filter(|k| !gone.contains(k)).collect();
    let count = kept.len();
    let mut family: Vec<Expr> = kept.iter().map(|k| scan.state(&Ix::free(level), *k)).collect();
    family.push(scan.cells(&Ix::free(level), level + 1));
    let mut begins = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        if k < count {
            let thm = cx.rule(Rule::IterateZero, lhs)?;
            let thm = cx.then(thm, |cx, e| heads(cx, e, all))?;
            return as_written(cx, thm, rhs);
        }
        let Node::Gen(cell, ..) = &**lhs else { return Err(Error::Mismatch("cells that are no loop")) };
        let left = cx.inside(lhs, Child::Body, |cx, e| cx.rule(Rule::SelectFalse, e))?;
        let right = cx.rule(Rule::GenEta(cell.clone()), rhs)?;
        meet(cx, left, right)
    };
    let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let right = cx.converted(rhs, |cx, e| heads(cx, e, count + 1 + k))?;
        let left = match k == count {
            true => one_more(cx, lhs, right.rhs(), &mut |cx, e| bound_states(cx, e, all, gone))?,
            false => {
                let last = last_round(cx, lhs)?;
                cx.then(last, |cx, e| heads(cx, e, all))?
            }
        };
        meet(cx, left, right)
    };
    let thm = induct(cx, &e, &family, &mut begins, &mut goes_on)?;
    let cells = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count + 1))?;
    let cells = cx.then(cells, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::SelectTrue, e)))?;
    thm.sym().trans(cells)
}

/// Carry out the `let`s of the states before a round and after it; those that are gone are what the round
/// makes of the ones before it.
fn bound_states(cx: &mut Cx<'_>, e: &Expr, all: usize, gone: &[usize]) -> Result<Thm> {
    let mut chain = Chain::of(e);
    for k in gone {
        let path = [vec![Child::Body; all + k], vec![Child::Bound]].concat();
        chain.apply(cx, |cx, e| {
            cx.at(e, &path, &mut |cx, e| {
                let last = last_round(cx, e)?;
                cx.then(last, |cx, e| heads(cx, e, all)).map(Some)
            })
        })?;
    }
    chain.apply(cx, |cx, e| heads(cx, e, 2 * all))?;
    chain.total(cx)
}

/// `gen k { select(k < t + 1, e(k), z) }  =  gen k { select(k == t, e(t), (gen k { select(k < t, e(k), z)
/// })[k]) }`, where the states are bound on the left alone.
fn one_more(
    cx: &mut Cx<'_>,
    lhs: &Expr,
    rhs: &Expr,
    carried_out: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Result<Thm>,
) -> Result<Thm> {
    let right =
        cx.inside(rhs, Child::Body, |cx, e| cx.inside(e, Child::Else, |cx, e| cx.rule(Rule::AccessGen, e)))?;
    let Node::Gen(_, _, wanted) = &**right.rhs() else { return Err(Error::Mismatch("no loop over cells")) };
    let wanted = subst::open(wanted, cx.ctx.level());
    let Node::Select(at, ..) = &*wanted else { return Err(Error::Mismatch("no cell that is stored")) };
    let left = cx.inside(lhs, Child::Body, |cx, e| {
        cx.distinguish(at, |cx, holds| {
            let (left, right) = match holds {
                true => {
                    let stored = cx.rule(Rule::SelectTrue, e)?;
                    let stored = cx.then(stored, |cx, e| carried_out(cx, e))?;
                    (stored, cx.rule(Rule::SelectTrue, &wanted)?)
                }
                false => (cx.refl(e)?, cx.rule(Rule::SelectFalse, &wanted)?),
            };
            meet(cx, left, right)
        })
    })?;
    meet(cx, left, right)
}

/// The scan with new states in the steps of others is that with their steps instead.
pub(super) fn without_new(cx: &mut Cx<'_>, scan: &Scan, other: &Scan) -> Result<Thm> {
    let [e, target] = [scan.term(), other.term()];
    let (level, it) = (cx.ctx.level(), iterated(&target)?.clone());
    let count = it.states.len();
    let family: Vec<Expr> = (0..count).map(|k| state_after(&it, Ix::free(level), k)).collect();
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let zero = cx.rule(Rule::IterateZero, lhs)?;
        let zero = cx.then(zero, |cx, e| heads(cx, e, count))?;
        as_written(cx, zero, rhs)
    };
    let thm = induct(cx, &e, &family, &mut begins, &mut next_state)?;
    let last = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
    thm.sym().trans(as_written(cx, last, &target)?)
}
