//! What it is to be a scan.

use crate::occurrences::{mentions, variable};
use crate::rounds::iterated;
use crate::rules::guard_false::zeros;
use atl_kernel::{Cmp, Expr, Iterate, Ix, Label, Node, Pred, State, Type, Var, subst};
use std::sync::Arc;

/// Levels that no variable of a term has: the old states, the new ones, and the number of the round.
pub(super) const OLD: u32 = 1 << 30;
pub(super) const NEW: u32 = OLD + MOST;
pub(super) const ROUND: u32 = NEW + MOST;
/// A cell of what is stored, and binders in order.
const CELL: u32 = ROUND + 1;
const BINDERS: u32 = CELL + 1;
/// The most states.
const MOST: u32 = 1 << 8;

/// `iterate t < n from x = e, h = h0 { s(t), h with g at t } in h`, where no step reads `h`.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The name of the index.
    pub(super) label: Label,
    /// How many rounds there are.
    pub(super) extent: Ix,
    /// The states but the last; their steps are of the variables at [`OLD`], [`NEW`] and [`ROUND`].
    pub(super) states: Vec<State>,
    /// The state that is stored to.
    pub(super) all: Label,
    /// What it begins with.
    start: Expr,
    /// The index of what is stored.
    cell: Label,
    /// What a round stores, of the same variables.
    pub(super) given: Expr,
}

impl Scan {
    /// The scan that an iteration is.
    pub fn of(e: &Expr) -> Option<Scan> {
        let it = iterated(e).ok()?;
        let (all, before) = it.states.split_last()?;
        let count = before.len() as u32;
        if it.body != Arc::new(Node::Var(Var::Bound(0))) || count >= MOST {
            return None;
        }
        let opened = |k: u32, step: &Expr| opened(step, count + 1, k);
        let states: Vec<State> = (0..count)
            .zip(before)
            .map(|(k, state)| State { step: opened(k, &state.step), ..state.clone() })
            .collect();
        let Node::Gen(cell, n, entry) = &*opened(count, &all.step) else { return None };
        let entry = subst::open(entry, CELL);
        let Node::Select(Pred::Cmp(Cmp::Eq, a, b), given, kept) = &*entry else { return None };
        let [here, round] = [Ix::free(CELL), Ix::free(ROUND)];
        let stores = [(a, b), (b, a)].contains(&(&here, &round));
        let keeps = **kept == Node::Get(variable(OLD + count), here);
        let reads_cells = |e: &Expr| mentions(e, OLD + count) || mentions(e, CELL);
        let is_free = !states.iter().any(|state| reads_cells(&state.step)) && !reads_cells(given);
        let is_scan = stores && keeps && is_free && *n == it.extent;
        is_scan.then(|| Scan {
            label: it.label.clone(),
            extent: n.clone(),
            states,
            all: all.label.clone(),
            start: all.init.clone(),
            cell: cell.clone(),
            given: given.clone(),
        })
    }

    /// Rounds that store nothing, and their value: of a scan only the states.
    pub fn without_cells(e: &Expr) -> Option<(Scan, Expr)> {
        let it = iterated(e).ok()?;
        let count = it.states.len() as u32;
        let states = it.states.iter().zip(0..count);
        let states = states.map(|(s, k)| State { step: opened(&s.step, count, k), ..s.clone() });
        let first = it.states.first().filter(|_| count < MOST)?;
        let (label, extent) = (it.label.clone(), it.extent.clone());
        let (all, start, cell, given) =
            (first.label.clone(), first.init.clone(), label.clone(), first.init.clone());
        let scan = Scan { label, extent, states: states.collect(), all, start, cell, given };
        Some((scan, it.body.clone()))
    }

    /// The rounds without what is stored, around a value of the states.
    pub(super) fn around(&self, body: Expr) -> Expr {
        let count = self.states.len() as u32;
        let (label, extent, states) = (self.label.clone(), self.extent.clone(), self.states_below(count));
        Arc::new(Node::Iterate(Arc::new(Iterate { label, extent, states, body })))
    }

    /// Does it have states besides what it stores?
    pub fn has_states(&self) -> bool {
        !self.states.is_empty()
    }

    /// Does it have more than one?
    pub fn has_several_states(&self) -> bool {
        self.states.len() > 1
    }

    /// The names of the states.
    pub(super) fn names(&self) -> impl DoubleEndedIterator<Item = &Label> + ExactSizeIterator {
        self.states.iter().map(|state| &state.label)
    }

    /// What the states begin with.
    pub(super) fn starts(&self) -> Vec<Expr> {
        self.states.iter().map(|state| state.init.clone()).collect()
    }

    /// This many rounds from there on, of these states; `row` is the type of what a round stores.
    pub(super) fn part(&self, first: &Ix, extent: &Ix, starts: &[Expr], row: &Type) -> Scan {
        let from =
            subst::Subst { index: vec![(ROUND, first.clone() + Ix::free(ROUND))], ..Default::default() };
        let states = self.states.iter().zip(starts).map(|(state, init)| State {
            label: state.label.clone(),
            init: init.clone(),
            step: from.expr(&state.step),
        });
        let shape = std::iter::once(extent.clone()).chain(row.shape.iter().cloned()).collect();
        Scan {
            extent: extent.clone(),
            states: states.collect(),
            start: zeros(&Type { shape, ..row.clone() }),
            given: from.expr(&self.given),
            ..self.clone()
        }
    }

    /// The same rounds of other states.
    pub(super) fn from(&self, starts: &[Expr]) -> Scan {
        let states = self.states.iter().zip(starts);
        let states = states.map(|(state, init)| State { init: init.clone(), ..state.clone() });
        Scan { states: states.collect(), ..self.clone() }
    }

    /// A step in the round of this number.
    pub(super) fn step_at(&self, round: &Ix, k: usize) -> Expr {
        let at = subst::Subst { index: vec![(ROUND, round.clone())], ..Default::default() };
        at.expr(&self.states[k].step)
    }

    /// A term of the old states, at these.
    pub(super) fn of_states(e: &Expr, states: &[Expr]) -> Expr {
        let old = (OLD..).zip(states.iter().cloned()).collect();
        subst::Subst { tensor: old, ..Default::default() }.expr(e)
    }

    /// The same, with the steps of new states in place of these states; nothing where no step reads a new
    /// one.
    pub(super) fn carried_out(&self) -> Option<Scan> {
        let mut steps: Vec<Expr> = Vec::new();
        for state in &self.states {
            let new = (NEW..).zip(steps.iter().cloned()).collect();
            steps.push(subst::Subst { tensor: new, ..Default::default() }.expr(&state.step));
        }
        let states = self.states.iter().zip(&steps);
        let states: Vec<State> = states.map(|(s, step)| State { step: step.clone(), ..s.clone() }).collect();
        (states != self.states).then(|| Scan { states, ..self.clone() })
    }

    /// The states that no step reads as they were before the round, nor what is stored, by number.
    pub(super) fn unread(&self) -> Vec<usize> {
        let terms = || self.states.iter().map(|state| &state.step).chain([&self.given]);
        (0..self.states.len()).filter(|k| !terms().any(|e| mentions(e, OLD + *k as u32))).collect()
    }

    /// The same without these states, of which no step reads a new one: what is stored has their steps
    /// instead.
    pub(super) fn without(&self, gone: &[usize]) -> Scan {
        let kept: Vec<usize> = (0..self.states.len()).filter(|k| !gone.contains(k)).collect();
        let place = |k: usize| kept.iter().position(|other| *other == k).unwrap_or(0) as u32;
        let renamed =
            kept.iter().flat_map(|k| [OLD, NEW].map(|of| (of + *k as u32, variable(of + place(*k)))));
        let rename = subst::Subst { tensor: renamed.collect(), ..Default::default() };
        let steps = gone.iter().map(|k| (NEW + *k as u32, self.states[*k].step.clone()));
        let given = subst::Subst { tensor: steps.collect(), ..Default::default() }.expr(&self.given);
        let state = |k: &usize| State { step: rename.expr(&self.states[*k].step), ..self.states[*k].clone() };
        Scan { states: kept.iter().map(state).collect(), given: rename.expr(&given), ..self.clone() }
    }

    /// The states of both, with those of the other one last.
    pub(super) fn beside(&self, other: &Scan) -> Scan {
        let first = self.states.len() as u32;
        let renamed = (0..other.states.len() as u32)
            .flat_map(|k| [OLD, NEW].map(|of| (of + k, variable(of + first + k))));
        let rename = subst::Subst { tensor: renamed.collect(), ..Default::default() };
        let others =
            other.states.iter().map(|state| State { step: rename.expr(&state.step), ..state.clone() });
        Scan { states: self.states.iter().cloned().chain(others).collect(), ..self.clone() }
    }

    /// Do its rounds depend on their number?
    pub(super) fn depends_on_round(&self) -> bool {
        self.states.iter().any(|state| mentions(&state.step, ROUND))
    }

    /// The same with a suffix to the name of the index.
    pub(super) fn named(&self, part: &str) -> Scan {
        self.with_name(&format!("{}{part}", self.label.name))
    }

    /// The same with this name of the index.
    pub(super) fn with_name(&self, name: &str) -> Scan {
        Scan { label: Label { name: name.into(), ..self.label.clone() }, ..self.clone() }
    }

    /// The same rounds, of which each stores something else.
    pub(super) fn giving(&self, given: Expr) -> Scan {
        Scan { given, ..self.clone() }
    }

    /// The rounds of other states, of which each stores something else.
    pub(super) fn with(&self, states: Vec<State>, given: Expr) -> Scan {
        Scan { states, given, ..self.clone() }
    }

    /// A step as it stands below this many states and new states.
    fn closed(&self, step: &Expr, olds: u32, news: u32) -> Expr {
        let old = (0..olds).map(|j| (OLD + j, variable(BINDERS + j)));
        let new = (0..news).map(|j| (NEW + j, variable(BINDERS + olds + j)));
        let index = vec![(ROUND, Ix::free(BINDERS + olds + news))];
        let step = subst::Subst { index, tensor: old.chain(new).collect() }.expr(step);
        subst::close_all(&step, BINDERS, olds + news + 1)
    }

    fn iteration(&self, extent: &Ix, states: Vec<State>, body: u32) -> Expr {
        let body = Arc::new(Node::Var(Var::Bound(body)));
        let (label, extent) = (self.label.clone(), extent.clone());
        Arc::new(Node::Iterate(Arc::new(Iterate { label, extent, states, body })))
    }

    /// The states but the last, below this many.
    fn states_below(&self, olds: u32) -> Vec<State> {
        let states = (0..).zip(&self.states);
        states.map(|(k, state)| State { step: self.closed(&state.step, olds, k), ..state.clone() }).collect()
    }

    /// The term.
    pub(super) fn term(&self) -> Expr {
        let count = self.states.len() as u32;
        let mut states = self.states_below(count + 1);
        let kept = Arc::new(Node::Get(variable(OLD + count), Ix::free(CELL)));
        let here = Pred::eq(Ix::free(CELL), Ix::free(ROUND));
        let entry = subst::close(&Arc::new(Node::Select(here, self.given.clone(), kept)), CELL);
        let step: Expr = Arc::new(Node::Gen(self.cell.clone(), self.extent.clone(), entry));
        let step = self.closed(&step, count + 1, count);
        states.push(State { label: self.all.clone(), init: self.start.clone(), step });
        self.iteration(&self.extent, states, 0)
    }

    /// A state after a number of rounds, without what is stored.
    pub(super) fn state(&self, extent: &Ix, k: usize) -> Expr {
        let count = self.states.len() as u32;
        self.iteration(extent, self.states_below(count), count - 1 - k as u32)
    }

    /// All states after a number of rounds.
    pub(super) fn states_after(&self, extent: &Ix) -> Vec<Expr> {
        (0..self.states.len()).map(|k| self.state(extent, k)).collect()
    }

    /// `let`s of these values around a term of the old and the new states.
    fn lets(&self, values: [Vec<Expr>; 2], e: &Expr) -> Expr {
        let count = self.states.len() as u32;
        let old = (0..count).map(|j| (OLD + j, variable(BINDERS + j)));
        let new = (0..count).map(|j| (NEW + j, variable(BINDERS + count + j)));
        let e = subst::Subst { tensor: old.chain(new).collect(), ..Default::default() }.expr(e);
        let body = subst::close_all(&e, BINDERS, 2 * count);
        let bound = values.into_iter().flat_map(|values| values.into_iter().zip(self.names())).rev();
        bound.fold(body, |body, (value, label)| Arc::new(Node::Let(label.clone(), value, body)))
    }

    /// What the round of this number stores: `let`s of the states before it and after it, around it.
    pub(super) fn stored(&self, round: &Ix) -> Expr {
        let at = subst::Subst { index: vec![(ROUND, round.clone())], ..Default::default() };
        let after = round.clone() + Ix::ONE;
        self.lets([self.states_after(round), self.states_after(&after)], &at.expr(&self.given))
    }

    /// What each cell is after a number of rounds; `level` is that of the cell.
    pub(super) fn cells(&self, rounds: &Ix, level: u32) -> Expr {
        let cell = Ix::free(level);
        let before = Arc::new(Node::Get(self.start.clone(), cell.clone()));
        let is_stored = Pred::lt(cell.clone(), rounds.clone());
        let entry: Expr = Arc::new(Node::Select(is_stored, self.stored(&cell), before));
        Arc::new(Node::Gen(self.cell.clone(), self.extent.clone(), subst::close(&entry, level)))
    }
}

/// A step below this many states and new states, of variables.
fn opened(step: &Expr, olds: u32, news: u32) -> Expr {
    let step = subst::open_all(step, BINDERS, olds + news + 1);
    let old = (0..olds).map(|j| (BINDERS + j, variable(OLD + j)));
    let new = (0..news).map(|j| (BINDERS + olds + j, variable(NEW + j)));
    let index = vec![(BINDERS + olds + news, Ix::free(ROUND))];
    subst::Subst { index, tensor: old.chain(new).collect() }.expr(&step)
}
