//! Starts that nothing looks at: cells that a round stores before they are read, and that are all stored
//! in the end.
//!
//! ```text
//! iterate t < N from x = zeros { gen k { select(k == t, .. x[t - 1] .., x[k]) } }
//! ```
//!
//! never reads a zero. The equations of the point update say in which round a cell is stored: `t(k) = k`.
//! `arith` proves that this is a round, and that each read is of a cell whose round is over: `t -
//! 1 < t`. Of iterations inside each other the rounds are pairs, in order.
//!
//! Only cells whose start is a literal are left out: others may be what the program is about.

use super::effects::{Effects, Inner, Read, Write};
use super::shape::{conjuncts, levels, solved};
use crate::cx::LowerCx;
use atl_kernel::subst::Subst;
use atl_kernel::{Expr, Ix, Label, Node, Pred, Type, Var, subst};
use std::sync::Arc;

/// The rounds of a state whose each round stores the cells for which the conditions hold.
struct Stored<'e> {
    /// The numbers of rounds, outermost first, and how many there are.
    rounds: Vec<(u32, Ix)>,
    /// The cells that they store.
    write: &'e Write,
    /// In which round a cell is stored.
    when: Vec<(u32, Ix)>,
    /// What else must hold.
    conds: Vec<Pred>,
    /// What is read of the state, with how many of the rounds are around the read.
    reads: Vec<(&'e Read, usize)>,
}

/// The start without the cells that nothing looks at, which are those of the tensor at `own` as they are.
/// None where all are looked at.
pub(crate) fn needed(
    cx: &mut LowerCx<'_>,
    steps: &[Effects],
    (k, extent): (usize, &Ix),
    (init, ty): (&Expr, &Type),
    own: u32,
) -> Option<Expr> {
    let mut index = Vec::new();
    let (some, left) = literals(init, ty, own, &mut index)?;
    let stored = stored(&steps[k], extent)?;
    let others = steps.iter().enumerate().filter(|(other, _)| *other != k);
    if others.into_iter().any(|(_, step)| step.reads.iter().any(|read| read.is_old(k) || read.new == Some(k)))
    {
        return None;
    }
    let all_stored = is_stored(cx, &stored, ty, &left);
    let reads = all_stored
        && stored.reads.iter().all(|(read, within)| is_over(cx, read, *within, &stored, ty, &left));
    reads.then_some(some)
}

/// The start with the cells as they are that are literals, and the condition for a cell to be one, in
/// these indices.
fn literals(e: &Expr, ty: &Type, own: u32, index: &mut Vec<Ix>) -> Option<(Expr, Vec<Pred>)> {
    let same = |index: &[Ix]| {
        let own: Expr = Arc::new(Node::Var(Var::Free(own)));
        index.iter().fold(own, |e, at| Arc::new(Node::Get(e, at.clone())))
    };
    match &**e {
        Node::Gen(label, n, body) if index.len() < ty.shape.len() => {
            let level = own + 1 + index.len() as u32;
            index.push(Ix::free(level));
            let (body, left) = literals(&subst::open(body, level), ty, own, index)?;
            Some((Arc::new(Node::Gen(label.clone(), n.clone(), subst::close(&body, level))), left))
        }
        Node::Lit(..) if index.len() == ty.shape.len() => Some((same(index), Vec::new())),
        Node::Select(p, a, b) if index.len() == ty.shape.len() && matches!(**b, Node::Lit(..)) => {
            let mut left = Vec::new();
            conjuncts(&Pred::not(p.clone()), &mut left);
            Some((Arc::new(Node::Select(p.clone(), a.clone(), same(index))), left))
        }
        _ => None,
    }
}

fn stored<'e>(step: &'e Effects, extent: &Ix) -> Option<Stored<'e>> {
    let mut rounds = vec![(step.round, extent.clone())];
    let mut reads = own_reads(step, rounds.len());
    let mut innermost = step;
    let write = loop {
        let [write] = &innermost.update.as_ref()?.writes[..] else { return None };
        match write.inner.as_deref() {
            Some(Inner { step, extent }) => {
                rounds.push((step.round, extent.clone()));
                reads.extend(own_reads(step, rounds.len()));
                innermost = step;
            }
            None => break write,
        }
    };
    let mut conds = Vec::new();
    write.conds.iter().for_each(|p| conjuncts(p, &mut conds));
    let mut when: Vec<(u32, Ix)> = Vec::new();
    for (level, _) in &rounds {
        let solution = conds.iter().find_map(|p| solved(p, *level))?;
        let known = |level: u32| level < step.first || write.has_loop(level);
        if !levels(&Pred::eq(solution.clone(), Ix::ZERO)).into_iter().all(known) {
            return None;
        }
        let put = Subst { index: vec![(*level, solution.clone())], ..Subst::default() };
        conds = conds.iter().map(|p| put.pred(p)).collect();
        when.push((*level, solution));
    }
    Some(Stored { rounds, write, when, conds, reads })
}

/// What a step reads of its own state within this many rounds.
fn own_reads(step: &Effects, within: usize) -> Vec<(&Read, usize)> {
    step.reads.iter().filter(|read| read.is_old(step.own)).map(|read| (read, within)).collect()
}

impl Stored<'_> {
    /// The rounds in which a cell is stored.
    fn when(&self, cell: &[Ix]) -> Vec<Ix> {
        let put = Subst { index: self.write.at(cell), ..Subst::default() };
        self.when.iter().map(|(_, when)| put.ix(when)).collect()
    }
}

/// The conditions on a start's cell, whose indices are from `level` on, at a cell.
fn at(conds: &[Pred], level: u32, cell: &[Ix]) -> Vec<Pred> {
    let put = Subst { index: (level..).zip(cell.iter().cloned()).collect(), ..Subst::default() };
    conds.iter().map(|p| put.pred(p)).collect()
}

/// Is each of these cells stored in some round?
fn is_stored(cx: &mut LowerCx<'_>, stored: &Stored<'_>, ty: &Type, left: &[Pred]) -> bool {
    let before = cx.ctx.level();
    let cell: Vec<Ix> = ty.shape.iter().map(|n| Ix::free(cx.ctx.push_loop(Label::new("i"), n))).collect();
    at(left, before + 1, &cell).into_iter().for_each(|p| cx.ctx.push_hyp(p));
    let when = stored.when(&cell);
    let rounds = stored.rounds.iter().map(|(level, _)| *level).zip(when.iter().cloned());
    let put = Subst { index: stored.write.at(&cell).into_iter().chain(rounds).collect(), ..Subst::default() };
    let own = |level: u32| level < before || stored.write.has_loop(level);
    let found = stored.conds.iter().all(|p| levels(p).into_iter().all(own) && cx.proves(&put.pred(p)))
        && stored.rounds.iter().zip(&when).all(|((_, n), when)| {
            let n = put.ix(n);
            cx.proves(&Pred::in_range(when, &n))
        });
    cx.ctx.truncate(before);
    found
}

/// Is the cell that is read, within the first rounds, this many, stored by then, if it is one of these?
fn is_over(
    cx: &mut LowerCx<'_>,
    read: &Read,
    within: usize,
    stored: &Stored<'_>,
    ty: &Type,
    left: &[Pred],
) -> bool {
    let Some(index) = &read.index else { return false };
    let here = std::mem::replace(&mut cx.ctx, read.ctx.clone());
    index.iter().zip(&ty.shape).for_each(|(i, n)| cx.ctx.push_hyp(Pred::in_range(i, n)));
    at(left, here.level() + 1, index).into_iter().for_each(|p| cx.ctx.push_hyp(p));
    let mut found = false;
    for ((level, _), when) in stored.rounds.iter().zip(stored.when(index)).take(within) {
        let now = Ix::free(*level);
        if !cx.proves(&Pred::le(when.clone(), now.clone())) {
            break;
        }
        if cx.proves(&Pred::lt(when.clone(), now.clone())) {
            found = true;
            break;
        }
        cx.ctx.push_hyp(Pred::eq(when, now));
    }
    cx.ctx = here;
    found
}
