//! Iterations by pairs of rounds: a round reads a state in one buffer, and makes the next one in another.
//!
//! The loops are `for p in 0..P { for t in a..b { .. } for t in b..c { .. } }`, where `a`, `b` and `c` depend
//! on `p`. The first round of a pair reads the first buffers and makes the states in the second ones; the
//! other one does the reverse. If the number of rounds `m` is odd, the states begin in the second buffers, and
//! the first pair has no first round. It is shown that
//!
//! * `a = 0` where `p = 0`, and `a` of the next pair is `c`: the rounds go on where they were;
//! * `c = b + 1`, and `b = a + 1`, but `b = a` where `p = 0` and `m` is odd: so each round finds the states
//!   in the buffers where the one before it, or the start, has left them, the first ones after each pair;
//! * `c = m` where `p + 1 = P`; and `m = 0`, which is not odd, where `P <= 0`: so all rounds have run then,
//!   and the states are in the first buffers.
//!
//! Rounds that have run are counted by `a`, `b` and `c`, which grow to `m`: so in a round `0 <= t < m`.

use super::fill::{Filling, Goal, part, wrong_form};
use super::rounds::{Begun, Home, Used, taken_from};
use super::{Fills, Head, Statement, Step};
use crate::prelude::*;

impl<'f> Filling<'f> {
    pub(super) fn paired(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, states, body): (Ix, Terms, Term),
        goal: Goal<'_>,
    ) -> Checked<()> {
        let [number] = step.counts[..] else { return wrong_form() };
        let rounds = &self.program.rounds[number];
        let states = self.judge.store.term_list(states);
        require(states.len() == 2 * rounds.states.len(), "a step has other states than the iteration")?;
        require(goal.to.update.is_none(), "pairs of rounds go on in a state around")?;
        let [away, back] = &rounds.loops[..] else { return wrong_form() };
        let [begin, pairs, left @ ..] = statements else { return wrong_form() };
        let Statement::If(condition, odd, Some(even)) = self.program.statements[*begin] else {
            return wrong_form();
        };
        let (mut used, filling) = (Used::default(), self.filling.len());
        let (mut first, mut second) = (Vec::<Home>::new(), Vec::new());
        for ((begun, other), start) in rounds.states.iter().zip(&rounds.second).zip(states.iter().step_by(2))
        {
            first.push(self.home(begun, *start, goal, &mut used)?);
            self.filling.push(begun.home);
            second.push(if other.home == begun.home {
                first[first.len() - 1].clone()
            } else {
                let home = self.home(other, *start, goal, &mut used)?;
                self.filling.push(other.home);
                home
            });
        }
        let store = &self.judge.store;
        let last = store.op(IxOp::Max, n, store.literal(0)?)?;
        let remainder = store.op(IxOp::Mod, last, store.literal(2)?)?;
        let is_odd = store.compare(Relation::Eq, remainder, store.literal(1)?)?;
        let is_even = store.pred(PredNode::Not(is_odd))?;
        self.decides(condition, is_odd)?;
        for (given, begin, begun, homes) in
            [(is_odd, odd, &rounds.second, &second), (is_even, even, &rounds.states, &first)]
        {
            let own = self.list(begin)?;
            self.assuming(given, |this| this.starts(begun, &own, &states, homes))?;
        }
        let (head, inner) = self.only_loop(&[*pairs])?;
        let [one, other] = inner[..] else { return wrong_form() };
        let loops = [self.only_loop(&[one])?, self.only_loop(&[other])?];
        let heads = [head, loops[0].0, loops[1].0];
        require(!heads.iter().any(|head| head.is_concurrent()), "rounds run at once")?;
        self.are_rounds(heads, last, is_odd)?;
        let count = self.index(head.hi)?;
        let homes = [[&first[..], &second[..]], [&second[..], &first[..]]];
        self.iterating(head, count, |this, _| {
            for (((head, inner), made), homes) in loops.iter().zip([away, back]).zip(homes) {
                let (lo, hi) = (this.index(head.lo)?, this.index(head.hi)?);
                this.iterating(*head, n, |this, level| {
                    let store = &this.judge.store;
                    let t = store.free_ix(level)?;
                    let (from, to) =
                        (store.compare(Relation::Le, lo, t)?, store.compare(Relation::Lt, t, hi)?);
                    let within = store.pred(PredNode::And(from, to))?;
                    this.assuming(within, |this| this.round(made, inner, (&states, homes), level))
                })?;
            }
            Ok(())
        })?;
        self.after_rounds((part(step, 0)?, left), (n, body), (&first, used), goal)?;
        self.filling.truncate(filling);
        Ok(())
    }

    /// All states before the first round.
    fn starts(
        &mut self,
        begun: &[Begun],
        statements: &[usize],
        states: &[Term],
        homes: &[Home],
    ) -> Checked<()> {
        let mut left = statements;
        for (k, begun) in begun.iter().enumerate() {
            let own = taken_from(&mut left, begun.count)?;
            self.start(begun, own, states[2 * k], (&homes[k], None))?;
        }
        require(left.is_empty(), "a start has more statements than its step")
    }

    /// The loops over pairs, and over the first and the second round of one, are over this many rounds, if
    /// that is odd or not.
    fn are_rounds(&mut self, [pairs, away, back]: [Head; 3], last: Ix, is_odd: Pred) -> Checked<()> {
        let store = &self.judge.store;
        let (zero, one) = (store.literal(0)?, store.literal(1)?);
        self.gives(pairs.lo, zero)?;
        let count = self.of_no_array(pairs.hi)?;
        let store = &self.judge.store;
        let none = store.pred(PredNode::And(store.compare(Relation::Eq, last, zero)?, self.not(is_odd)?))?;
        self.show_either(store.compare(Relation::Lt, zero, count)?, none)?;
        self.iterating(pairs, count, |this, level| {
            let [a, b, again, c] = [away.lo, away.hi, back.lo, back.hi].map(|ix| this.of_no_array(ix));
            let (a, b, again, c) = (a?, b?, again?, c?);
            let store = &this.judge.store;
            let (eq, add) = (|a, b| store.compare(Relation::Eq, a, b), |a| store.op(IxOp::Add, a, one));
            let p = store.free_ix(level)?;
            let is_first = eq(p, zero)?;
            let is_alone = store.pred(PredNode::And(is_first, is_odd))?;
            let (next, is_last) = (add(p)?, eq(add(p)?, count)?);
            let (ends, at_first) = (eq(c, last)?, eq(a, zero)?);
            let (is_one, is_none, other) = (eq(b, add(a)?)?, eq(b, a)?, add(b)?);
            this.equal(again, b)?;
            this.equal(c, other)?;
            this.show_either(this.not(is_first)?, at_first)?;
            this.show_either(this.not(is_alone)?, is_none)?;
            this.show_either(is_alone, is_one)?;
            this.show_either(this.not(is_last)?, ends)?;
            // The next pair, whose loops are at another index.
            let other = this.judge.context.len();
            this.judge.context.push_index(&this.judge.store, count)?;
            this.loops.pop();
            this.loops.push(other);
            let goes_on = this.of_no_array(away.lo)?;
            this.loops.pop();
            this.loops.push(level);
            let store = &this.judge.store;
            let is_next = store.compare(Relation::Eq, store.free_ix(other)?, next)?;
            this.assuming(is_next, |this| this.equal(goes_on, c))?;
            this.judge.context.leave(other);
            Ok(())
        })
    }

    /// An index term of the program that reads nothing.
    fn of_no_array(&mut self, ix: Ix) -> Checked<Ix> {
        let ix = self.index(ix)?;
        require(!self.judge.store.has_reads(ix)?, "the bounds of rounds are read from an array")?;
        Ok(ix)
    }

    fn not(&self, p: Pred) -> Checked<Pred> {
        self.judge.store.pred(PredNode::Not(p))
    }

    /// One of two predicates holds.
    fn show_either(&mut self, p: Pred, q: Pred) -> Checked<()> {
        self.show(self.judge.store.pred(PredNode::Or(p, q))?)
    }
}
