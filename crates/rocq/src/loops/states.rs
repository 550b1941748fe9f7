//! States of iterations in memory: which of their elements the cells hold, and what a round may have
//! replaced.
//!
//! Mirrors `crates/recheck/src/program/known.rs`. Predicates about elements are templates: the indices of an
//! element, and the number of a round, are variables of no context.

use super::Lowering;
use super::place::{Place, in_box};
use super::step::{Evidence, Step, step};
use super::words::mismatch;
use super::{Kind, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::subst::Subst;
use atl_kernel::{Cmp, Expr, Ix, IxOp, Label, Node, Pred, Var, subst};
use atl_loops::{Name, Stmt};
use std::sync::Arc;

/// The first index of an element in a template; the others follow.
pub(super) const ELEMENT: u32 = u32::MAX - (1 << 17);

/// The number of a round in a template.
pub(super) const ROUND: u32 = ELEMENT - 1;

/// What is known of the elements of a state: those that its cells hold before a round, and those that it may
/// change.
#[derive(Clone)]
pub(super) struct About {
    pub(super) held: Pred,
    pub(super) changed: Pred,
}

/// A template for a round.
pub(super) fn at_round(p: &Pred, round: &Ix) -> Pred {
    Subst { index: vec![(ROUND, round.clone())], ..Subst::default() }.pred(p)
}

/// A template for an element.
pub(super) fn of_element(p: &Pred, index: &[Ix]) -> Result<Pred> {
    let found = Subst { index: (ELEMENT..).zip(index.iter().cloned()).collect(), ..Subst::default() }.pred(p);
    // A template of more indices.
    let more = (ROUND..ELEMENT + 16).any(|level| found.mentions(level));
    if more { mismatch("an element of a state") } else { Ok(found) }
}

/// Where a state is; the templates are those of one round.
#[derive(Clone)]
pub(super) struct InMemory {
    pub(super) place: Place,
    pub(super) about: About,
    /// What the round at hand may have replaced.
    stored: Vec<Replaced>,
}

impl InMemory {
    pub(super) fn new(place: &Place, about: &About, round: &Ix) -> InMemory {
        let [held, changed] = [&about.held, &about.changed].map(|p| at_round(p, round));
        InMemory { place: place.clone(), about: About { held, changed }, stored: Vec::new() }
    }
}

/// Elements with these first indices, and the next one in a range.
#[derive(Clone)]
struct Replaced {
    index: Vec<Ix>,
    from: Ix,
    end: Ix,
}

impl Replaced {
    /// The element is another than these, or `other` holds.
    fn apart(&self, at: &[Ix], other: Pred) -> Result<Pred> {
        let Some(next) = at.get(self.index.len()) else { return mismatch("an element of a state") };
        let or = |p, q| Pred::Or(Arc::new((p, q)));
        let (lt, le) = (less, |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Le, a.clone(), b.clone()));
        let beside = or(or(lt(next, &self.from), le(&self.end, next)), other);
        let first = self.index.iter().zip(at).rev();
        Ok(first.into_iter().fold(beside, |rest, (own, i)| or(lt(i, own), or(lt(own, i), rest))))
    }
}

fn less(a: &Ix, b: &Ix) -> Pred {
    Pred::Cmp(Cmp::Lt, a.clone(), b.clone())
}

/// What a round makes of the cells of a state.
#[derive(Clone)]
pub(super) struct Update {
    /// The level of the old state.
    pub(super) old: Option<u32>,
    pub(super) about: About,
    /// How many layers are around the state.
    pub(super) around: usize,
}

impl Target {
    /// The cells of a state, of which a round makes this.
    pub(super) fn replaced(&self, old: Option<u32>, changed: Pred, held: Pred) -> Target {
        let update = Update { old, about: About { held, changed }, around: self.place.depth() };
        Target { kind: Kind::Replaced, update: Some(update), ..self.clone() }
    }
}

/// The tensor and the index of which a term is an element, at this index of the term.
pub(super) fn element(e: &Expr, index: &[Ix]) -> Option<(u32, Vec<Ix>)> {
    let (mut e, mut rest) = (e.clone(), index);
    while let (Node::Gen(_, _, body), [first, others @ ..]) = (&*e.clone(), rest) {
        (e, rest) = (subst::instantiate(body, first), others);
    }
    let mut at = rest.to_vec();
    while let Node::Get(inner, i) = &*e.clone() {
        at.insert(0, i.clone());
        e = inner.clone();
    }
    match &*e {
        Node::Var(Var::Free(level)) => Some((*level, at)),
        _ => None,
    }
}

impl Lowering<'_, '_> {
    /// The cell of an element that is read, with evidence that it is within the extents, and that the cell
    /// holds it.
    pub(super) fn cell_of(
        &mut self,
        scope: &mut Scope,
        level: u32,
        extents: &[Ix],
        at: &[Ix],
    ) -> Result<(Ix, Vec<Evidence>)> {
        let mut row = Vec::new();
        for (i, n) in at.iter().zip(extents) {
            row.push(self.shown(scope, &raw::in_range(i, n))?);
        }
        let Some(state) = self.states.get(&level).cloned() else {
            return Ok((super::place::flat(extents, at), row));
        };
        let (cell, kept) = state.place.at(at.to_vec());
        row.push(self.shown(scope, &kept)?);
        row.push(self.shown(scope, &of_element(&state.about.held, at)?)?);
        let stays = raw::not(&of_element(&state.about.changed, at)?);
        for stored in &state.stored {
            row.push(self.shown(scope, &stored.apart(at, stays.clone())?)?);
        }
        Ok((cell, row))
    }

    /// Something after the round may have replaced elements of the old state.
    pub(super) fn after<T>(
        &mut self,
        to: &Target,
        ranges: &[(Ix, Ix)],
        run: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let Some(update) = &to.update else { return run(self) };
        let Some(old) = update.old.filter(|old| self.states.contains_key(old)) else { return run(self) };
        let Some((index, base)) = to.place.first(update.around) else {
            return mismatch("an operator of a state");
        };
        let moved = |ix: &Ix| raw::bin(IxOp::Add, base.clone(), ix.clone());
        let more: Vec<Replaced> = ranges
            .iter()
            .map(|(from, end)| Replaced { index: index.clone(), from: moved(from), end: moved(end) })
            .collect();
        let before = self.states.get(&old).map_or(0, |state| state.stored.len());
        self.states.entry(old).and_modify(|state| state.stored.extend(more));
        let result = run(self);
        self.states.entry(old).and_modify(|state| state.stored.truncate(before));
        result
    }

    /// The state that a round updates is no longer what its cells hold.
    pub(super) fn leaves_home(&mut self, level: u32) {
        self.known.retain(|(known, _)| *known != level);
        self.states.remove(&level);
    }

    /// No statement: the cells hold the elements already, or need not.
    pub(super) fn unchanged(
        &mut self,
        scope: &mut Scope,
        (e, held): (&Expr, bool),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Step> {
        let (level, entered) = (scope.level(), self.entered.len());
        let found = self.unchanged_here(scope, (e, held), shape, to);
        self.entered.truncate(entered);
        scope.truncate(level);
        found
    }

    fn unchanged_here(
        &mut self,
        scope: &mut Scope,
        (e, held): (&Expr, bool),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Step> {
        let mut index = Vec::new();
        for _ in shape {
            self.entered.push(scope.level());
            index.push(Ix::free(scope.level()));
            scope.push_index(&Label::new("l"));
        }
        scope.push_hyp(&in_box(&index, shape));
        let (cell, kept) = to.place.at(index.clone());
        scope.push_hyp(&kept);
        if let Some(update) = &to.update {
            let own = to.place.own(update.around, index.clone());
            scope.push_hyp(&of_element(&update.about.held, &own)?);
        }
        match held {
            true => self.held(scope, (e, &index), (to, cell)),
            false => self.shown(scope, &Pred::False).map(|shown| step!("Unheld", shown)),
        }
    }

    /// Is it a state, whose cells are in the buffer of this goal?
    pub(super) fn is_in_buffer(&self, level: u32, to: &Target) -> bool {
        let is_there = |(known, buf): &(u32, Name)| *known == level && *buf == to.buf;
        self.states.contains_key(&level) && self.known.iter().any(is_there)
    }

    fn held(
        &mut self,
        scope: &mut Scope,
        (e, index): (&Expr, &[Ix]),
        (to, cell): (&Target, Ix),
    ) -> Result<Step> {
        let Some((head, at)) = element(e, index) else { return mismatch("a part of a state") };
        if !self.is_in_buffer(head, to) {
            return mismatch("a part of a state that is there");
        }
        let extents = scope.tensor(Var::Free(head), Side::Left)?.1.shape.clone();
        if extents.len() != at.len() {
            return mismatch("a part of a state");
        }
        let (from, row) = self.cell_of(scope, head, &extents, &at)?;
        let equal = self.equal(scope, &cell, &from)?;
        Ok(step!("Kept", row, equal))
    }

    /// An index term as the file has it, where the loops around are bound, the last ones by others.
    pub(super) fn said(&self, more: &[u32], ix: &Ix) -> Result<Ix> {
        let levels: Vec<u32> = self.binders.iter().chain(more).copied().collect();
        let bound = |level: u32| levels.iter().rev().position(|known| *known == level);
        Ok(match ix {
            Ix::Lit(_) => ix.clone(),
            Ix::Var(Var::Free(level)) => match bound(*level) {
                Some(k) => Ix::Var(Var::Bound(u32::try_from(k).unwrap_or(u32::MAX))),
                None if *level < self.base => ix.clone(),
                None => return mismatch("an index that the loops around do not have"),
            },
            Ix::Bin(op, ab) => raw::bin(*op, self.said(more, &ab.0)?, self.said(more, &ab.1)?),
            Ix::Var(Var::Bound(_)) | Ix::Read(..) => return mismatch("an index that reads an array"),
        })
    }

    /// A template as the file has it.
    pub(super) fn said_about(&self, rank: usize, p: &Pred) -> Result<Pred> {
        let more: Vec<u32> =
            [ROUND].into_iter().chain((ELEMENT..).take(rank).collect::<Vec<_>>().into_iter().rev()).collect();
        let both = |pq: &Arc<(Pred, Pred)>| {
            Ok::<_, crate::error::Refusal>(Arc::new((
                self.said_about(rank, &pq.0)?,
                self.said_about(rank, &pq.1)?,
            )))
        };
        Ok(match p {
            Pred::Cmp(cmp, a, b) => Pred::Cmp(*cmp, self.said(&more, a)?, self.said(&more, b)?),
            Pred::Not(p) => raw::not(&self.said_about(rank, p)?),
            Pred::And(pq) => Pred::And(both(pq)?),
            Pred::Or(pq) => Pred::Or(both(pq)?),
            Pred::True | Pred::False => p.clone(),
        })
    }

    /// Something that may fail, after which everything is as before.
    pub(super) fn attempt<T>(
        &mut self,
        scope: &mut Scope,
        run: impl FnOnce(&mut Self, &mut Scope) -> Result<T>,
    ) -> Result<T> {
        let level = scope.level();
        let kept = (self.known.clone(), self.states.clone(), self.scratch.clone());
        let around = (self.entered.clone(), self.binders.clone(), self.names.vars.clone());
        let result = run(self, scope);
        if result.is_err() {
            scope.truncate(level);
            (self.known, self.states, self.scratch) = kept;
            (self.entered, self.binders, self.names.vars) = around;
        }
        result
    }
}

/// The buffers that statements store to, or begin; of these, those of which cells are replaced or that begin.
pub(super) fn stored_to(stmts: &[Stmt]) -> Vec<Name> {
    let mut found = Vec::new();
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            let name = match stmt {
                Stmt::Store { buf, mode: atl_loops::StoreMode::Replace, .. } | Stmt::Reset { buf, .. } => buf,
                _ => return,
            };
            if !found.contains(name) {
                found.push(name.clone());
            }
        });
    }
    found
}
