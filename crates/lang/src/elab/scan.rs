//! Scans: `scan t < n from x = e { s }`, all `n + 1` states, and `scan t < n from x = e, y = f { s, r }
//! give g`, what `n` rounds give.
//!
//! A scan is an iteration with one more state, the *history*, of which a round sets one element; where a
//! round gives several values, `give (g, h)`, each has a history, as each state has of several without
//! `give`. A scalar state is a state beside it; a tensor is not kept twice: there, the state of round `t`
//! is the slice `t` of the history.

use super::iterate::of_the_only_state;
use super::rounds::{Begun, Made, Rounding};
use super::{Elab, Val};
use crate::show;
use atl_diag::{Span, err};
use atl_kernel::subst::{Subst, close};
use atl_kernel::{Child, Elem, Expr as Term, Ix, Label, Node, Pred, Type, Var};
use atl_syntax::ast::{Expr, Rounds};
use std::sync::Arc;

impl Elab<'_> {
    /// A scan, with the tensors that it gives. Without `give`, these are all of its states.
    pub(super) fn scan(
        &mut self,
        e: &Expr,
        rounds: &Rounds,
        give: Option<&Expr>,
        wants: &[Option<Elem>],
    ) -> Option<Vec<Val>> {
        let gives = give.map_or(rounds.states.len(), |give| self.components(give));
        if gives != wants.len() {
            return self.report(
                err!(E0300, e.span, "this scan gives {gives} tensors, and one is needed here")
                    .help("say what it gives, of the states: `scan .. { .. } give x`")
                    .help("or give each a name: `let (a, b) = scan .. { .. };`"),
            );
        }
        let at = self.enter();
        let begun = self.begin(rounds, of_the_only_state(rounds, wants));
        let made = begun.and_then(|begun| match give {
            Some(give) => self.given(e, rounds, begun, (give, wants)),
            None if gives == 1 => self.all_states(e, rounds, begun),
            None => self.all_of_several(e, rounds, begun),
        });
        let vals = made.and_then(|(round, made)| {
            let histories = &made[made.len().checked_sub(gives)?..];
            let last = |history: &Made| self.var(history.old?, history.init.ty.clone(), e.span);
            let lasts = histories.iter().map(last).collect::<Option<Vec<Val>>>()?;
            self.closed(e, &rounds.index, (&round, &made), &lasts)
        });
        self.leave(at);
        vals
    }

    /// The states of rounds that give something, and last what they gave.
    fn given(
        &mut self,
        e: &Expr,
        rounds: &Rounds,
        begun: Begun,
        (give, wants): (&Expr, &[Option<Elem>]),
    ) -> Option<(Rounding, Vec<Made>)> {
        let outside = begun.level();
        let (round, mut made) = self.round(rounds, begun, None)?;
        let states = made.len() - rounds.states.len();
        for ((name, _), state) in rounds.states.iter().zip(&made[states..]) {
            self.means(&format!("{}.old", name.text), state.old?);
            self.means(&name.text, state.new?);
        }
        let (name, _) = rounds.states.first()?;
        for (k, given) in self.ends(give, wants)?.into_iter().enumerate() {
            let name = if k == 0 { name.text.clone() } else { format!("{}_{k}", name.text) };
            let history = self.gives(outside, (&name, e.span), &round, (give, given))?;
            made.push(history);
        }
        Some((round, made))
    }

    /// The history of something that each round gives.
    fn gives(
        &mut self,
        outside: u32,
        (name, span): (&str, Span),
        round: &Rounding,
        (give, given): (&Expr, Val),
    ) -> Option<Made> {
        let given = self.named_below(outside, given)?;
        if let Some(jagged) = given.ty.shape.iter().find(|n| self.is_inside(outside, n)) {
            return self.report(
                err!(E0231, give.span, "what the rounds of this scan give differs in length")
                    .label(format!("an extent is `{}`", show::ix(&self.ctx, jagged)))
                    .note("a tensor is a box: its extents are the same at every index"),
            );
        }
        let mut ty = given.ty.clone();
        ty.shape.insert(0, round.extent.clone());
        let init = self.zeros(&ty, span)?;
        let history = self.history(name, init);
        let step = self.sets_one(span, &history, Ix::free(round.index), &given)?;
        Some(Made { step, ..history })
    }

    /// The history of rounds with one state, and before it that state, where it is a scalar.
    fn all_states(&mut self, e: &Expr, rounds: &Rounds, begun: Begun) -> Option<(Rounding, Vec<Made>)> {
        let (round, mut made) = self.round(rounds, begun, None)?;
        let state = made.pop()?;
        let (start, name) = (&state.init, &rounds.states.first()?.0);
        let mut ty = start.ty.clone();
        ty.shape.insert(0, round.extent.clone() + Ix::ONE);
        let init = self.begins_with(e.span, &ty, start)?;
        let history = self.history(&name.text, init);
        let place = Ix::free(round.index) + Ix::ONE;
        if start.ty.shape.is_empty() {
            let next = self.var(state.new?, start.ty.clone(), name.span)?;
            let step = self.sets_one(e.span, &history, place, &next)?;
            made.extend([state, Made { step, ..history }]);
            return Some((round, made));
        }
        let old = state.old?;
        let all: Term = Arc::new(Node::Var(Var::Free(history.old?)));
        let slice: Term = Arc::new(Node::Get(all, Ix::free(round.index)));
        for shared in &mut made {
            shared.step.expr = self.with_slice(&shared.step.expr, &state.label, old, &slice);
        }
        let next = Val { expr: self.with_slice(&state.step.expr, &state.label, old, &slice), ..state.step };
        let step = self.sets_one(e.span, &history, place, &next)?;
        made.push(Made { step, label: state.label, ..history });
        Some((round, made))
    }

    /// The states of rounds, and the history of each.
    fn all_of_several(&mut self, e: &Expr, rounds: &Rounds, begun: Begun) -> Option<(Rounding, Vec<Made>)> {
        let (round, mut made) = self.round(rounds, begun, None)?;
        let shared = made.len() - rounds.states.len();
        let place = Ix::free(round.index) + Ix::ONE;
        for (k, (name, _)) in rounds.states.iter().enumerate() {
            let state = &made[shared + k];
            let (start, new) = (state.init.clone(), state.new?);
            let mut ty = start.ty.clone();
            ty.shape.insert(0, round.extent.clone() + Ix::ONE);
            let init = self.begins_with(e.span, &ty, &start)?;
            let history = self.history(&name.text, init);
            let next = self.var(new, start.ty.clone(), name.span)?;
            let step = self.sets_one(e.span, &history, place.clone(), &next)?;
            made.push(Made { step, ..history });
        }
        Some((round, made))
    }

    /// A history that begins as this; its step is to be found.
    fn history(&mut self, name: &str, init: Val) -> Made {
        let label = Label::new(&format!("{name}_all"));
        let old = self.ctx.push_tensor(label.clone(), init.ty.clone());
        Made { label, step: init.clone(), init, old: Some(old), new: None }
    }

    /// The history with another element at one place: `gen k { select(k == place, e, all[k]) }`.
    fn sets_one(&mut self, span: Span, history: &Made, place: Ix, element: &Val) -> Option<Val> {
        let ty = history.init.ty.clone();
        let k = self.ctx.level();
        let all: Term = Arc::new(Node::Var(Var::Free(history.old?)));
        let other: Term = Arc::new(Node::Get(all, Ix::free(k)));
        let (by_elements, inside) = by_elements(element, k + 1);
        let body = Arc::new(Node::Select(Pred::eq(Ix::free(k), place), by_elements, other));
        let node = Node::Gen(Label::new("k"), ty.shape.first()?.clone(), close(&body, k));
        let path: Vec<Child> = [Child::Body, Child::Then].into_iter().chain(inside).collect();
        self.build(node, ty, span, &[(&path, element)])
    }

    /// A tensor whose first element is the start; the others are zeros, which nobody reads.
    fn begins_with(&mut self, span: Span, ty: &Type, start: &Val) -> Option<Val> {
        let k = self.ctx.level();
        let rest = self.zeros(&start.ty, span)?;
        let body = Arc::new(Node::Select(Pred::eq(Ix::free(k), Ix::ZERO), start.expr.clone(), rest.expr));
        let node = Node::Gen(Label::new("k"), ty.shape.first()?.clone(), close(&body, k));
        self.build(node, ty.clone(), span, &[(&[Child::Body, Child::Then], start)])
    }

    /// The term with a slice in place of the tensor at this level. In an index only a variable is read,
    /// so there the slice has a name.
    fn with_slice(&self, e: &Term, label: &Label, level: u32, slice: &Term) -> Term {
        let reads = |ix: &Ix| matches!(ix, Ix::Read(Var::Free(array), _) if *array == level);
        if super::lookup::first_in(e, &reads).is_some() {
            return Arc::new(Node::Let(label.clone(), slice.clone(), close(e, level)));
        }
        let mut place = Subst::default();
        place.tensor.push((level, slice.clone()));
        place.expr(e)
    }

    /// Does an extent speak of what was bound from this level on?
    fn is_inside(&self, outside: u32, n: &Ix) -> bool {
        (outside..self.ctx.level()).any(|level| n.mentions(level))
    }
}

/// A slice as the elements that a round stores, `let row = e; gen j { row[j] }` where it is not written so,
/// and where `e` is in it. Levels from `free` on are free.
fn by_elements(e: &Val, free: u32) -> (Term, Option<Child>) {
    let rank = e.ty.shape.len();
    let gens = std::iter::successors(Some(&e.expr), |e| match &***e {
        Node::Gen(.., body) => Some(body),
        _ => None,
    });
    if gens.skip(1).take(rank).count() == rank {
        return (e.expr.clone(), None);
    }
    let row: Term = Arc::new(Node::Var(Var::Free(free)));
    let indices = free + 1..free + 1 + rank as u32;
    let cell = indices.clone().fold(row, |e, j| Arc::new(Node::Get(e, Ix::free(j))));
    let cells = indices
        .zip(&e.ty.shape)
        .rev()
        .fold(cell, |cell, (j, n)| Arc::new(Node::Gen(Label::new("j"), n.clone(), close(&cell, j))));
    (Arc::new(Node::Let(Label::new("row"), e.expr.clone(), close(&cells, free))), Some(Child::Bound))
}
