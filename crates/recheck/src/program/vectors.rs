//! Loops that were cut: some iterations, and the rest in a loop with lanes that ask whether they are among
//! it.

use super::fill::{Filling, Goal, part, wrong_form};
use super::place::Layer;
use super::{Fills, Head, Statement, Step};
use crate::context::Entry;
use crate::prelude::*;

/// A loop whose body is a condition: its head, the condition, the statements.
type Rest = (Head, Pred, Vec<usize>);

impl<'f> Filling<'f> {
    /// A loop, each of whose iterations asks.
    fn rest(&mut self, statement: usize) -> Checked<Rest> {
        let (head, inner) = self.only_loop(&[statement])?;
        let [inner] = inner[..] else { return wrong_form() };
        let Statement::If(condition, then, None) = self.program.statements[inner] else {
            return wrong_form();
        };
        Ok((head, condition, self.list(then)?))
    }

    /// Iterations up to a number, and a loop from there on, to the end or beyond.
    pub(super) fn cut(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, body): (Ix, Term),
        goal: Goal<'_>,
    ) -> Checked<()> {
        let ([first, second], Some(extent)) = (statements, goal.shape.first()) else { return wrong_form() };
        let (head, whole) = self.only_loop(&[*first])?;
        let (rest, condition, then) = self.rest(*second)?;
        self.equal(*extent, n)?;
        let [lo, middle, again, end] = [head.lo, head.hi, rest.lo, rest.hi].map(|ix| self.index(ix));
        let (lo, middle, again, end) = (lo?, middle?, again?, end?);
        [lo, middle, again, end].into_iter().try_for_each(|ix| self.reads(ix))?;
        let zero = self.judge.store.literal(0)?;
        self.equal(lo, zero)?;
        self.equal(again, middle)?;
        self.lane(condition, n)?;
        let store = &self.judge.store;
        let le = |a, b| store.compare(Relation::Le, a, b);
        let inner = store.pred(PredNode::And(le(zero, middle)?, le(middle, n)?))?;
        self.show(store.pred(PredNode::And(inner, le(n, end)?))?)?;
        self.iterating(head, n, |this, level| {
            let early = this.before(level, middle)?;
            this.assuming(early, |this| this.iteration((part(step, 0)?, &whole), (body, level), goal))
        })?;
        self.iterating(rest, n, |this, level| {
            let late = this.judge.store.pred(PredNode::Not(this.before(level, middle)?))?;
            this.assuming(late, |this| this.iteration((part(step, 1)?, &then), (body, level), goal))
        })
    }

    /// A loop to the end or beyond.
    pub(super) fn resting(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, body): (Ix, Term),
        goal: Goal<'_>,
    ) -> Checked<()> {
        let ([statement], Some(extent)) = (statements, goal.shape.first()) else { return wrong_form() };
        let (rest, condition, then) = self.rest(*statement)?;
        self.equal(*extent, n)?;
        let (lo, end) = (self.index(rest.lo)?, self.index(rest.hi)?);
        self.reads(lo)?;
        self.reads(end)?;
        let zero = self.judge.store.literal(0)?;
        self.equal(lo, zero)?;
        self.lane(condition, n)?;
        let store = &self.judge.store;
        let le = |a, b| store.compare(Relation::Le, a, b);
        self.show(store.pred(PredNode::And(le(zero, n)?, le(n, end)?))?)?;
        self.iterating(rest, n, |this, level| this.iteration((part(step, 0)?, &then), (body, level), goal))
    }

    /// One iteration of the term's loop.
    fn iteration(
        &mut self,
        (step, statements): (usize, &[usize]),
        (body, level): (Term, u32),
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        let Some((_, rest)) = shape.split_first() else { return wrong_form() };
        let (term, index) = (self.judge.store.open(body, level)?, self.judge.store.free_ix(level)?);
        self.fill(step, statements, Goal { term, shape: rest, to: &to.under(Layer::Index(index)) })
    }

    fn before(&self, level: u32, end: Ix) -> Checked<Pred> {
        self.judge.store.compare(Relation::Lt, self.judge.store.free_ix(level)?, end)
    }

    /// Whatever the loop's variable is, the condition says that it is below the end.
    fn lane(&mut self, condition: Pred, n: Ix) -> Checked<()> {
        let level = self.judge.context.len();
        self.judge.context.push(Entry::Index)?;
        self.loops.push(level);
        self.decides(condition, self.before(level, n)?)?;
        self.loops.pop();
        self.judge.context.leave(level);
        Ok(())
    }
}
