//! Iterations: that each round makes the next states of those before, in memory.
//!
//! A state has one buffer, its home, or a part of the goal's. What is true before each round, of each state,
//! is a predicate that the step gives: which of its elements its home holds. It is shown before the first
//! round, and of each round if it was true before; after the last one the body finds the states so.
//!
//! Why this is enough, case by case:
//!
//! * No round, or fewer than none: the loops run from 0 to the number, so not at all. The states are those of
//!   round `max(n, 0)`, which is 0. Without a loop the number is shown to be 0.
//! * Cells that no round stores: each element that the predicate says of the next round has a step. Either it
//!   is stored, or its cell is shown to hold it already.
//! * A start that is partial: each read of an element shows that the predicate has it. What the predicate
//!   leaves out is never read.
//! * Two states, and one buffer: a home is scratch that is there, and not there from then on, or the goal's,
//!   once. So is a buffer in which a round makes a state. None of them is another's.
//! * The goal's cells are those of a state around: the start is an update of that one, whose reads are shown
//!   as in a round. From the end of this start on it is not known, so no later start reads it either.
//! * A new state that is made is not replaced again in its round, so all that is held of it may be read.

use super::fill::{Filling, Goal, part, wrong_form};
use super::known::{Known, State};
use super::place::{Held, Target, Update};
use super::temporaries::Taken;
use super::{Buffer, Fills, Statement, Step};
use crate::context::{Entry, Type};
use crate::prelude::*;
use crate::subst::Subst;

/// What a step says of an iteration.
pub(super) struct Rounds {
    pub(super) states: Vec<Begun>,
    /// Of rounds by pairs, the same for the second buffers.
    pub(super) second: Vec<Begun>,
    /// For each loop over rounds, what a round makes, in order.
    pub(super) loops: Vec<Vec<Made>>,
}

/// How a state begins.
pub(super) struct Begun {
    /// The buffer of its home.
    pub(super) home: usize,
    /// Its start is filled as any term is, or element by element as a state that is updated.
    pub(super) fills: bool,
    /// In both, `bound k` is the index `k` of an element, and the next one the number of a round. Which
    /// elements the home holds before the round, and which may change in it.
    pub(super) held: Pred,
    pub(super) changed: Pred,
    /// How many statements.
    pub(super) count: usize,
    pub(super) step: usize,
}

/// Where a round makes a new state.
#[derive(Clone, Copy)]
pub(super) enum Making {
    /// In its home, where the old one is.
    Replaced,
    /// In a lifetime of this buffer, its home or another.
    Filled(usize),
    /// It is there, in another buffer, and comes home.
    Moved,
}

/// What a round makes.
pub(super) struct Made {
    pub(super) state: usize,
    pub(super) how: Making,
    /// How many statements.
    pub(super) count: usize,
    pub(super) step: usize,
}

/// A state while its rounds are replayed.
#[derive(Clone)]
pub(super) struct Home {
    ty: Type,
    shape: Vec<Ix>,
    pub(super) to: Target,
    /// Are its cells all of the buffer?
    is_whole: bool,
    /// Do they hold nothing yet, where the start is to be?
    is_fresh: bool,
    held: Pred,
    changed: Pred,
}

impl Home {
    /// A predicate at the number of a round.
    fn at(&self, store: &Store, pred: Pred, round: Ix) -> Checked<Pred> {
        let mut values = Vec::new();
        for k in 0..self.shape.len() {
            values.push(store.ix(IxNode::Bound(k as u32))?);
        }
        values.push(round);
        store.in_pred(Subst::Instance(&values), pred, 0)
    }

    /// The state before this round, in its home.
    fn state(&self, store: &Store, round: Ix) -> Checked<State> {
        let (held, changed) = (self.at(store, self.held, round)?, self.at(store, self.changed, round)?);
        Ok(State { to: self.to.clone(), held, changed, stored: vec![] })
    }
}

/// What is in use during an iteration.
#[derive(Default)]
pub(super) struct Used {
    taken: Vec<Taken>,
    /// A state's home is the goal's.
    at_goal: bool,
}

impl<'f> Filling<'f> {
    pub(super) fn iterated(
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
        let (mut used, mut homes, filling) = (Used::default(), Vec::new(), self.filling.len());
        for (begun, start) in rounds.states.iter().zip(states.iter().step_by(2)) {
            let home = self.home(begun, *start, goal, &mut used)?;
            self.filling.push(begun.home);
            homes.push(home);
        }
        let mut left = statements;
        for (k, begun) in rounds.states.iter().enumerate() {
            let own = taken_from(&mut left, begun.count)?;
            // A state around whose home this is. It is read while the start replaces it, and is gone then.
            let around = goal.to.update.filter(|_| begun.home == goal.to.buffer);
            self.start(begun, own, states[2 * k], (&homes[k], around))?;
            if let Some(old) = around.and_then(|around| around.old) {
                self.forget(old);
            }
        }
        let loops = taken_from(&mut left, rounds.loops.len())?;
        let (heads, halves) = self.halves(loops, n)?;
        for (k, ((head, inner), made)) in heads.iter().zip(&rounds.loops).enumerate() {
            require(!head.is_concurrent(), "rounds run at once")?;
            self.iterating(*head, n, |this, level| {
                let half = this.half((k, level), halves)?;
                this.assuming(half, |this| this.round(made, inner, (&states, [&homes, &homes]), level))
            })?;
        }
        self.after_rounds((part(step, 0)?, left), (n, body), (&homes, used), goal)?;
        self.filling.truncate(filling);
        Ok(())
    }

    /// What comes after the rounds, the states at home; then scratch that they had is there again.
    pub(super) fn after_rounds(
        &mut self,
        (step, statements): (usize, &[usize]),
        (n, body): (Ix, Term),
        (homes, mut used): (&[Home], Used),
        goal: Goal<'_>,
    ) -> Checked<()> {
        let stays = !used.at_goal || self.program.steps[step].form == Fills::Kept;
        require(stays, "the value of an iteration goes where its states are")?;
        let first = self.judge.context.len();
        let none = self.judge.store.literal(0)?;
        let last = self.judge.store.op(IxOp::Max, n, none)?;
        for home in homes {
            let state = Some(home.state(&self.judge.store, last)?);
            let (level, buffer) = (self.judge.context.len(), home.to.buffer);
            self.judge.context.push(Entry::Tensor(home.ty))?;
            self.known.push(Known { level, buffer, state });
        }
        let term = self.judge.store.open_all(body, first, homes.len() as u32)?;
        self.fill(step, statements, Goal { term, ..goal })?;
        self.known.retain(|known| known.level < first);
        self.judge.context.leave(first);
        while let Some(taken) = used.taken.pop() {
            self.return_taken(taken);
        }
        Ok(())
    }

    /// Where a state is.
    pub(super) fn home(
        &mut self,
        begun: &Begun,
        start: Term,
        goal: Goal<'_>,
        used: &mut Used,
    ) -> Checked<Home> {
        let ty = self.judge.type_of(start)?;
        let shape = self.judge.store.ix_list(ty.shape);
        let (to, is_whole, is_fresh) = if begun.home == goal.to.buffer {
            let fits = !used.at_goal && goal.to.held != Held::Adding && ty.element == goal.to.element;
            require(fits && shape.len() == goal.shape.len(), "a state has no room where its value goes")?;
            goal.shape.iter().zip(&shape).try_for_each(|(a, b)| self.equal(*a, *b))?;
            used.at_goal = true;
            let to = goal.to.as_home().ok_or("a state is in a part of what it becomes")?;
            let is_fresh = goal.to.update.is_none();
            let is_whole = is_fresh && to.is_all(&self.judge.store, goal.shape)?;
            (to, is_whole, is_fresh)
        } else {
            let scratch = Buffer::Scratch(ty.element.scalar);
            require(self.program.buffers[begun.home] == scratch, "a buffer has another type")?;
            let taken = self.taken(begun.home, &shape)?;
            used.taken.push(taken);
            (Target::whole(begun.home, ty.element, &shape, Held::Unset), true, false)
        };
        let (held, changed) = (self.about(begun.held, shape.len())?, self.about(begun.changed, shape.len())?);
        Ok(Home { ty, shape, to, is_whole, is_fresh, held, changed })
    }

    /// A predicate about elements of this rank and the number of a round, where loops of the program
    /// are around; these stay bound.
    fn about(&mut self, pred: Pred, rank: usize) -> Checked<Pred> {
        let level = self.judge.context.len();
        let own = level..level + 1 + rank as u32;
        for _ in own.clone() {
            self.judge.context.push(Entry::Index)?;
        }
        let loops = self.loops.len();
        self.loops.extend(own);
        let found = self.condition(pred)?;
        self.loops.truncate(loops);
        self.judge.context.leave(level);
        self.judge.store.in_pred(Subst::Close(level, 1 + rank as u32), found, 0)
    }

    /// A state before the first round.
    pub(super) fn start(
        &mut self,
        begun: &Begun,
        statements: &[usize],
        term: Term,
        (home, around): (&Home, Option<Update>),
    ) -> Checked<()> {
        let Home { shape, to, .. } = home;
        if begun.fills {
            return match statements.first().map(|first| &self.program.statements[*first]) {
                Some(Statement::Reset(..)) => {
                    self.lifetime((begun.step, statements), (term, home), to, |_| Ok(()))
                }
                _ => {
                    require(home.is_fresh, "a state has no lifetime")?;
                    self.fill(begun.step, statements, Goal { term, shape, to })
                }
            };
        }
        let store = &self.judge.store;
        let held = home.at(store, home.held, store.literal(0)?)?;
        let all = store.pred(PredNode::True)?;
        let (old, changed) = around.map_or((None, all), |around| (around.old, around.changed));
        let to = to.replaced(old, changed, held);
        self.fill(begun.step, statements, Goal { term, shape, to: &to })
    }

    /// All elements of a state in all cells of a buffer, of which a lifetime begins; `then` once it has
    /// begun.
    fn lifetime(
        &mut self,
        (step, statements): (usize, &[usize]),
        (term, home): (Term, &Home),
        to: &Target,
        then: impl FnOnce(&mut Self) -> Checked<()>,
    ) -> Checked<()> {
        let Some((first, rest)) = statements.split_first() else { return wrong_form() };
        let Statement::Reset(buffer, begin) = self.program.statements[*first] else { return wrong_form() };
        require(buffer == to.buffer, "another buffer is reset")?;
        require(home.is_whole || buffer != home.to.buffer, "a lifetime begins of more than a state")?;
        then(self)?;
        let to = to.holding(self.begins(begin, to.element)?);
        self.fill(step, rest, Goal { term, shape: &home.shape, to: &to })
    }

    /// A round, whose number has this level: where the states are before it, and after it.
    pub(super) fn round(
        &mut self,
        made: &[Made],
        statements: &[usize],
        (states, [homes, next_homes]): (&[Term], [&[Home]; 2]),
        level: u32,
    ) -> Checked<()> {
        let (count, store) = (homes.len() as u32, &self.judge.store);
        let now = store.free_ix(level)?;
        let next = store.op(IxOp::Add, now, store.literal(1)?)?;
        let first = self.judge.context.len();
        for ty in homes.iter().chain(homes).map(|home| home.ty) {
            self.judge.context.push(Entry::Tensor(ty))?;
        }
        for (old, home) in (first..).zip(homes) {
            let state = Some(home.state(&self.judge.store, now)?);
            self.known.push(Known { level: old, buffer: home.to.buffer, state });
        }
        let (mut left, mut others) = (statements, Vec::new());
        for Made { state: k, how, count: own, step } in made {
            let home = homes.get(*k).ok_or("a round makes a state that is not there")?;
            let after = &next_homes[*k];
            let own = taken_from(&mut left, *own)?;
            let (old, new) = (first + *k as u32, first + count + *k as u32);
            let store = &self.judge.store;
            let held = home.at(store, home.held, next)?;
            let changed = home.at(store, home.changed, now)?;
            let term = store.at(states[2 * k + 1], now)?;
            // The number of the round, which is the innermost, is there already.
            let term = store.open_all(term, first, count + *k as u32 + 1)?;
            let made = self.known.iter().find(|known| known.level == new);
            let fits = match how {
                Making::Moved => made.is_some_and(|made| made.state.is_none()),
                _ => made.is_none(),
            };
            require(fits, "a new state is made twice, or is not there")?;
            let buffer = home.to.buffer;
            let at_home = Known { level: new, buffer, state: Some(home.state(&self.judge.store, next)?) };
            match how {
                Making::Replaced => {
                    let to = home.to.replaced(Some(old), changed, held);
                    self.fill(*step, own, Goal { term, shape: &home.shape, to: &to })?;
                    self.forget(old);
                    self.known.push(at_home);
                }
                Making::Filled(into) if *into == buffer => {
                    let to = home.to.clone();
                    self.lifetime((*step, own), (term, home), &to, |this| {
                        this.forget(old);
                        Ok(())
                    })?;
                    self.known.push(at_home);
                }
                Making::Filled(into) if *into == after.to.buffer => {
                    self.lifetime((*step, own), (term, after), &after.to, |_| Ok(()))?;
                    let state = Some(after.state(&self.judge.store, next)?);
                    self.known.push(Known { level: new, buffer: *into, state });
                }
                Making::Filled(into) => {
                    let scratch = Buffer::Scratch(home.ty.element.scalar);
                    require(self.program.buffers[*into] == scratch, "a buffer has another type")?;
                    let taken = self.taken(*into, &home.shape)?;
                    others.push(taken);
                    self.filling.push(*into);
                    let to = Target::whole(*into, home.ty.element, &home.shape, Held::Unset);
                    self.lifetime((*step, own), (term, home), &to, |_| Ok(()))?;
                    self.known.push(Known { level: new, buffer: *into, state: None });
                }
                Making::Moved => {
                    let store = &self.judge.store;
                    let to = home.to.replaced(None, store.pred(PredNode::True)?, held);
                    let term = store.term(TermNode::Free(new))?;
                    self.forget(old);
                    self.fill(*step, own, Goal { term, shape: &home.shape, to: &to })?;
                    self.forget(new);
                    self.known.push(at_home);
                }
            }
        }
        require(left.is_empty(), "a round has more statements than its step")?;
        for (new, home) in (first + count..).zip(next_homes) {
            let found = self.known.iter().find(|known| known.level == new);
            let is_home = found.is_some_and(|known| known.buffer == home.to.buffer);
            require(is_home, "a round leaves a state elsewhere than the next one finds it")?;
        }
        self.known.retain(|known| known.level < first);
        self.judge.context.leave(first);
        while let Some(taken) = others.pop() {
            self.filling.pop();
            self.return_taken(taken);
        }
        Ok(())
    }
}

/// The first statements, this many, which are no longer left.
pub(super) fn taken_from<'s>(left: &mut &'s [usize], count: usize) -> Checked<&'s [usize]> {
    let (own, rest) = left.split_at_checked(count).ok_or("a step has more statements than there are")?;
    *left = rest;
    Ok(own)
}
