//! What a round makes of a state, where it is: it stores to some cells, and to no others.
//!
//! The goal is a term, whose elements are to be in the cells of the old state. Each of them is stored once,
//! or is what its cell holds already, or is one that the cells need not hold.
//!
//! Different elements have different cells, and a step for an element stores to its own cell alone. So a cell
//! is not what the old state has only if the step of its element stored to it: before, or at once. That is
//! what `after` lists wherever statements for other elements may have run: the earlier iterations of a loop,
//! all others if it is concurrent, and the first of two operands. A loop that never runs stores less than
//! that. A range that is swept is the iterations of the loops. Each other index has a step of no statements;
//! these are all where the range is empty.

use super::fill::{Filling, Goal, part, wrong_form};
use super::place::{Held, Layer};
use super::{Fills, Head, Statement, Step};
use crate::context::Entry;
use crate::prelude::*;

/// Two loops, one after the other: the end of the first, and where the second begins.
pub(super) type Halves = Option<(Ix, Ix)>;

/// Loops: their heads, and the statements of their bodies.
type Loops = Vec<(Head, Vec<usize>)>;

impl<'f> Filling<'f> {
    /// Is it a step for cells that are updated?
    pub(super) fn updates(form: Fills) -> bool {
        use Fills::{
            Either, GuardedTrue, Iterated, Joined, Kept, LetNew, LetThere, LetUnread, Loop, Once, Pointed,
            PointedIf, Selected, SelectedFalse, SelectedOther, SelectedTrue, Spared, Stored, Swept, Unheld,
        };
        matches!(
            form,
            Either
                | GuardedTrue
                | Iterated
                | Joined
                | Kept
                | LetNew
                | LetThere
                | LetUnread
                | Loop
                | Once
                | Pointed
                | PointedIf
                | Selected
                | SelectedFalse
                | SelectedOther
                | SelectedTrue
                | Spared
                | Stored
                | Swept
                | Unheld
        )
    }

    /// No statement: the cells hold the elements already, or need not.
    pub(super) fn unchanged(
        &mut self,
        step: &Step<Fills>,
        statements: &[usize],
        goal: Goal<'_>,
    ) -> Checked<()> {
        let Goal { term, shape, to } = goal;
        require(statements.is_empty(), "there are statements where nothing is stored")?;
        require(to.held != Held::Adding, "nothing is added to cells")?;
        require(!self.is_several(term)?, "several results are kept where one goes")?;
        let level = self.judge.context.len();
        let (index, cell) = self.kept_element(shape, to)?;
        if let Some(update) = to.update {
            let own = to.own(&self.judge.store, index.clone())?;
            let held = self.judge.store.of_element(update.held, &own)?;
            self.judge.context.push(Entry::Hypothesis(held))?;
        }
        if step.form == Fills::Unheld {
            self.show(self.judge.store.pred(PredNode::False)?)?;
        } else {
            let (head, at) = self.element(term, &index)?;
            let known = self.known.iter().find(|known| known.level == head);
            let state = known.and_then(|known| known.state.as_ref());
            let same = state.is_some_and(|state| state.to.buffer == to.buffer);
            require(same, "elements are in another buffer, or in none")?;
            let variable = self.judge.store.term(TermNode::Free(head))?;
            let ty = self.judge.type_of(variable)?;
            let extents = self.judge.store.ix_list(ty.shape);
            require(extents.len() == at.len(), "a tensor is read with another number of indices")?;
            require(ty.element == to.element, "a value of another type is stored")?;
            let from = self.cell_of(head, &extents, &at)?;
            self.equal(cell, from)?;
        }
        self.judge.context.leave(level);
        Ok(())
    }

    /// Are they several results, below `let`s perhaps?
    pub(super) fn is_several(&self, mut term: Term) -> Checked<bool> {
        while let TermNode::Let(_, body) = self.judge.store.node(term) {
            self.judge.store.work(1)?;
            term = body;
        }
        Ok(matches!(self.judge.store.node(term), TermNode::Bundle(_)))
    }

    /// One index of a loop of the term, and no other.
    pub(super) fn pointed(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, body): (Ix, Term),
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        let ([at], Some((extent, rest)), true) = (&step.places[..], shape.split_first(), to.update.is_some())
        else {
            return wrong_form();
        };
        let at = self.index(*at)?;
        self.equal(*extent, n)?;
        let inside = self.judge.store.inside(at, n)?;
        let (term, under) = (self.judge.store.at(body, at)?, to.under(Layer::Index(at)));
        let goal = Goal { term, shape: rest, to: &under };
        if step.form == Fills::PointedIf {
            let [statement] = statements else { return wrong_form() };
            let Statement::If(condition, then, None) = self.program.statements[*statement] else {
                return wrong_form();
            };
            self.decides(condition, inside)?;
            let (step, then) = (part(step, 0)?, self.list(then)?);
            self.assuming(inside, |this| this.fill(step, &then, goal))?;
        } else {
            self.show(inside)?;
            self.fill(part(step, 0)?, statements, goal)?;
        }
        let other = |store: &Store, i| store.pred(PredNode::Not(store.compare(Relation::Eq, i, at)?));
        self.others(part(step, 1)?, (n, body), other, Goal { term, shape: rest, to })
    }

    /// The other indices of a loop of the term, for which this holds: nothing is stored. The goal's shape is
    /// that of the body.
    fn others(
        &mut self,
        step: usize,
        (n, body): (Ix, Term),
        other: impl Fn(&Store, Ix) -> Checked<Pred>,
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        let level = self.judge.context.len();
        self.judge.context.push_index(&self.judge.store, n)?;
        let index = self.judge.store.free_ix(level)?;
        let term = self.judge.store.open(body, level)?;
        let to = to.under(Layer::Index(index));
        let other = other(&self.judge.store, index)?;
        self.assuming(other, |this| this.fill(step, &[], Goal { term, shape, to: &to }))?;
        self.judge.context.leave(level);
        Ok(())
    }

    /// A range of a loop of the term, upwards or downwards, and no other index.
    pub(super) fn swept(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, body): (Ix, Term),
        Goal { term, shape, to }: Goal<'_>,
    ) -> Checked<()> {
        let ([from, count], Some((extent, rest)), [down, loops], true) =
            (&step.places[..], shape.split_first(), &step.counts[..], to.update.is_some())
        else {
            return wrong_form();
        };
        let (from, count) = (self.index(*from)?, self.index(*count)?);
        self.equal(*extent, n)?;
        require(statements.len() == *loops, "there are more or fewer loops than the step says")?;
        let (heads, halves) = self.halves(statements, count)?;
        let store = &self.judge.store;
        let one = store.literal(1)?;
        let (end, last) = (store.op(IxOp::Add, from, count)?, store.op(IxOp::Sub, count, one)?);
        let concurrent = heads.iter().any(|(head, _)| head.kind.is_concurrent());
        for (k, (head, inner)) in heads.iter().enumerate() {
            self.iterating(*head, count, |this, level| {
                let half = this.half((k, level), halves)?;
                this.assuming(half, |this| {
                    let store = &this.judge.store;
                    let i = store.free_ix(level)?;
                    let i = if *down == 0 { i } else { store.op(IxOp::Sub, last, i)? };
                    let at = store.op(IxOp::Add, from, i)?;
                    let next = store.op(IxOp::Add, at, one)?;
                    let mut before = vec![if *down == 0 { (from, at) } else { (next, end) }];
                    if concurrent {
                        before = vec![(from, at), (next, end)];
                    }
                    let term = store.at(body, at)?;
                    this.show(this.judge.store.inside(at, n)?)?;
                    this.after(to, &before, |this| {
                        let to = to.under(Layer::Index(at));
                        this.fill(part(step, k)?, inner, Goal { term, shape: rest, to: &to })
                    })
                })
            })?;
        }
        let outside = |store: &Store, i| {
            let (low, high) = (store.compare(Relation::Lt, i, from)?, store.compare(Relation::Le, end, i)?);
            store.pred(PredNode::Or(low, high))
        };
        self.others(part(step, *loops)?, (n, body), outside, Goal { term, shape: rest, to })
    }

    /// The loops that run from 0 to a number: none, if that is 0; one; or two of which the second goes on
    /// where the first ends.
    pub(super) fn halves(&mut self, statements: &[usize], count: Ix) -> Checked<(Loops, Halves)> {
        let heads = statements.iter().map(|statement| self.only_loop(&[*statement]));
        let heads = heads.collect::<Checked<Vec<_>>>()?;
        match &heads[..] {
            [] => {
                self.equal(count, self.judge.store.literal(0)?)?;
                Ok((heads, None))
            }
            [(head, _)] => {
                self.bounds(*head, count)?;
                Ok((heads, None))
            }
            [(first, _), (second, _)] => {
                let [lo, end, again, hi] =
                    [first.lo, first.hi, second.lo, second.hi].map(|ix| self.index(ix));
                let (lo, end, again, hi) = (lo?, end?, again?, hi?);
                [lo, end, again, hi].into_iter().try_for_each(|ix| self.reads(ix))?;
                let zero = self.judge.store.literal(0)?;
                self.equal(lo, zero)?;
                self.equal(hi, count)?;
                let store = &self.judge.store;
                let (eq, le) =
                    (|a, b| store.compare(Relation::Eq, a, b), |a, b| store.compare(Relation::Le, a, b));
                let and = |p, q| store.pred(PredNode::And(p, q));
                let on = and(eq(again, end)?, and(le(zero, end)?, le(end, count)?)?)?;
                let all = and(eq(end, count)?, le(count, again)?)?;
                self.show(store.pred(PredNode::Or(on, all))?)?;
                Ok((heads, Some((end, again))))
            }
            _ => wrong_form(),
        }
    }

    /// What is known of the variable of one of two loops.
    pub(super) fn half(&self, (k, level): (usize, u32), halves: Halves) -> Checked<Pred> {
        let store = &self.judge.store;
        let index = store.free_ix(level)?;
        match (halves, k) {
            (None, _) => store.pred(PredNode::True),
            (Some((end, _)), 0) => store.compare(Relation::Lt, index, end),
            (Some((_, again)), _) => store.compare(Relation::Le, again, index),
        }
    }
}
