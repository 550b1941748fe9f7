//! Blocks of rounds written out, of any number of states.
//!
//! The one idea: a block of `k` rounds is one round of an iteration with `k` times as many states, those
//! after its first round, after its second, and so on. Each is made of the new ones before it, so no round
//! is run twice. Nothing reads the old ones but the last.
//!
//! ```text
//! iterate t < q*k from x = e { s(t, x) } in b(x)
//!   =  iterate u < q from x1 = e, x2 = e { s(u*2, x2), s(u*2 + 1, x1 new) } in b(x2)          `k` is 2
//! ```

use crate::cx::{Chain, Cx, Step};
use crate::lets::is_read_by_name;
use crate::occurrences::mentions;
use crate::rounds::{as_states, as_written, heads, induct, iterated, last_round, same, state_after};
use atl_kernel::subst::Subst;
use atl_kernel::{Child, Expr, Iterate, Ix, Label, Node, Pred, Result, Rule, State, Thm, Var, subst};
use std::sync::Arc;

/// `q` blocks of `k` rounds, those of a block written out: the equation of the module, if `0 <= q` and `0 <
/// k`.
pub fn written_blocks(cx: &mut Cx<'_>, e: &Expr, q: &Ix, k: u32) -> Result<Thm> {
    let (it, level) = (iterated(e)?, cx.ctx.level());
    let block = Block { it, rounds: k };
    cx.demand(Pred::and(Pred::le(Ix::ZERO, q.clone()), Pred::lt(Ix::ZERO, Ix::Lit(k.into()))))?;
    let states = (0..block.states()).map(|s| State {
        label: it.states[block.of(s)].label.clone(),
        init: it.states[block.of(s)].init.clone(),
        step: block.step(s, level),
    });
    let label = Label { name: format!("{}.o", it.label.name).into(), ..it.label.clone() };
    let body = block.body(level);
    let target: Expr = Arc::new(Node::Iterate(Arc::new(Iterate {
        label,
        extent: q.clone(),
        states: states.collect(),
        body,
    })));
    let after = |s: usize| {
        let rounds = Ix::free(level) * block.length() + Ix::Lit(block.round(s) as i64 + 1) - block.length();
        state_after(it, rounds, block.of(s))
    };
    let family: Vec<Expr> = (0..block.states()).map(after).collect();
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let thm = cx.rule(Rule::IterateZero, lhs)?;
        let thm = cx.then(thm, |cx, e| heads(cx, e, it.states.len()))?;
        as_written(cx, thm, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, s: usize, lhs: &Expr, rhs: &Expr| {
        let left = last_round(cx, lhs)?;
        let olds = vec![Child::Body; block.states()];
        let mut right = Chain::of(rhs);
        let before = block.round(s) * it.states.len();
        right.apply(cx, |cx, e| cx.at(e, &olds, &mut |cx, e| news(cx, e, before, s)))?;
        let right = right.total(cx)?;
        let meets = same(cx, &left.rhs().clone(), right.rhs())?;
        left.trans(meets)?.trans(right.sym())
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut goes_on)?;
    // The states of the last round are the value's; nothing reads the others.
    let unread = block.states() - it.states.len();
    let lhs = thm.lhs().clone();
    let last = cx.converted(&lhs, |cx, e| heads(cx, e, unread))?;
    let states = as_states(cx, e, &(q.clone() * block.length()))?;
    as_written(cx, states, last.rhs())?.trans(last.sym())?.trans(thm)
}

/// The new states around a step, this many: those of the block's rounds `before` as they are, and those of
/// the same round a round later; then carried out.
fn news(cx: &mut Cx<'_>, e: &Expr, before: usize, left: usize) -> Step {
    let mut chain = Chain::of(e);
    for new in 0..left {
        let Node::Let(_, _, body) = &**chain.now() else { break };
        let level = cx.ctx.level();
        let (is_used, by_name) = (mentions(&subst::open(body, level), level), is_read_by_name(body));
        if is_used && new >= before {
            chain.apply(cx, |cx, e| cx.child(e, Child::Bound, last_round))?;
        }
        if by_name {
            let (before, left) = (before.saturating_sub(new + 1), left - new - 1);
            chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| news(cx, e, before, left)))?;
            break;
        }
        chain.apply(cx, |cx, e| heads(cx, e, 1))?;
    }
    Ok(chain.done())
}

/// An iteration of which this number of rounds is one.
struct Block<'a> {
    it: &'a Iterate,
    rounds: u32,
}

impl Block<'_> {
    fn length(&self) -> Ix {
        Ix::Lit(self.rounds.into())
    }

    /// How many states a block has.
    fn states(&self) -> usize {
        self.it.states.len() * self.rounds as usize
    }

    /// Which state of the iteration a state of the block is.
    fn of(&self, state: usize) -> usize {
        state % self.it.states.len()
    }

    /// After which round of the block.
    fn round(&self, state: usize) -> usize {
        state / self.it.states.len()
    }

    /// The step of a state of the block. No variable has the level `first`, or one above.
    fn step(&self, state: usize, first: u32) -> Expr {
        let (count, all) = (self.it.states.len() as u32, self.states() as u32);
        let (round, own) = (self.round(state) as u32, self.of(state) as u32);
        // Below: the block's states, the new ones before this, its index; then what the iteration's step
        // stands below.
        let new = first + all;
        let index = new + state as u32;
        let inside = index + 1;
        let step = subst::open_all(&self.it.states[own as usize].step, inside, count + own + 1);
        let before = |k: u32| if round == 0 { new - count + k } else { new + (round - 1) * count + k };
        let olds = (0..count).map(|k| (inside + k, variable(before(k))));
        let news = (0..own).map(|k| (inside + count + k, variable(new + round * count + k)));
        let at = Ix::free(index) * self.length() + Ix::Lit(round.into());
        let there = Subst { index: vec![(inside + count + own, at)], tensor: olds.chain(news).collect() };
        subst::close_all(&there.expr(&step), first, all + state as u32 + 1)
    }

    /// The value, of the states after the last round of the last block.
    fn body(&self, first: u32) -> Expr {
        let (count, all) = (self.it.states.len() as u32, self.states() as u32);
        let body = subst::open_all(&self.it.body, first + all, count);
        let last = (0..count).map(|k| (first + all + k, variable(first + all - count + k)));
        let there = Subst { tensor: last.collect(), ..Subst::default() };
        subst::close_all(&there.expr(&body), first, all)
    }
}

fn variable(level: u32) -> Expr {
    Arc::new(Node::Var(Var::Free(level)))
}
