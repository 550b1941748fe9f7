//! Fronts of a recursive tensor: all elements of one rank at once.
//!
//! ```text
//! iterate f < F from y = z { gen c.. { select(rank(place(c)) == f, e(place(c), y), y[c]) } }
//! ```
//!
//! The rank of a place is a sum of multiples of its indices. Elements are kept where the tensor has them, or
//! by fronts: `y[rank(p), ..]`, where the other indices are those of the place but one, which the rank says.
//!
//! The one idea: a cell that a front has set stays as it is, so after all fronts each element is what its own
//! front has made of those before it (`unfolded`). What an element reads of places with lower rank are
//! elements, and of others what the tensor began with.

use crate::cx::{Chain, Cx};
use crate::lets::meet;
use crate::occurrences::{replace, variable};
use crate::ranks::Ranks;
use crate::recursion::{Recursion, access, accessed, loops};
use crate::rounds::{as_written, heads, induct, iterated, last_round, split, state_after};
use crate::rules::wavefront::Elements;
use atl_kernel::subst::close_all;
use atl_kernel::{Child, Ctx, Expr, Iterate, Ix, Label, Node, Pred, Result, Rule, State, Thm, Type, Var};
use std::sync::Arc;

/// Levels that no context reaches: of the state, the front's number and a cell.
const STATE: u32 = (1 << 30) + 8192;

/// When what an element reads is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Time {
    /// Before the element, in each of both orders.
    Before,
    /// Not before the element, in each of both orders.
    After,
    /// Before the element in one order where it is in the other.
    Same,
}

/// What is known of a read.
struct Known {
    time: Time,
    /// Is it of a place inside?
    is_inside: bool,
}

/// A read that one order has before its element, and the other may have after it.
pub struct Conflict {
    /// What is known where it is read.
    pub ctx: Ctx,
    /// The place of the element.
    pub place: Vec<Ix>,
    /// The place that is read.
    pub read: Vec<Ix>,
    /// That both orders agree.
    pub goal: Pred,
}

/// The fronts of a recursion.
pub(crate) struct Fronts {
    pub(crate) of: Recursion,
    /// Of elements.
    ranks: Ranks,
    /// The number of fronts.
    count: Ix,
    reads: Vec<Known>,
    /// All fronts.
    pub(crate) term: Expr,
}

/// `p` comes before a place of which these are the first indices.
pub(crate) fn before(p: &[Ix], first: &[Ix]) -> Pred {
    p.iter().zip(first).rev().fold(Pred::False, |later, (p, i)| {
        let (less, same) = (Pred::lt(p.clone(), i.clone()), Pred::eq(p.clone(), i.clone()));
        Pred::or(less, Pred::and(same, later))
    })
}

impl Fronts {
    /// The fronts of a recursion, if its own order and theirs agree on each read.
    pub(crate) fn new(
        cx: &mut Cx<'_>,
        of: Recursion,
        weights: &[i64],
        left_out: Option<usize>,
        name: &str,
    ) -> Result<std::result::Result<Fronts, Box<Conflict>>> {
        let ranks = Ranks::new(weights, left_out);
        let exact = ranks.total(&|k| of.along[k].1.clone() - Ix::ONE) + Ix::ONE;
        let exact = atl_arith::simplify(&cx.ctx, &exact);
        let is_natural = cx.proves(&Pred::le(Ix::ZERO, exact.clone()));
        let count = if is_natural { exact } else { ranks.total(&|k| of.along[k].1.clone()) };
        let term = of.start.clone();
        let mut fronts = Fronts { of, ranks, count, reads: Vec::new(), term };
        if let Some(conflict) = fronts.read(cx)? {
            return Ok(Err(conflict));
        }
        fronts.term = fronts.iteration(name);
        Ok(Ok(fronts))
    }

    /// Learn of each read when what it reads is computed; the first of which that is not known.
    fn read(&mut self, cx: &mut Cx<'_>) -> Result<Option<Box<Conflict>>> {
        let start = cx.type_of(&self.of.start)?;
        let mut ctx = (*cx.ctx).clone();
        let tensor = variable(ctx.push_tensor(self.of.label.clone(), Type { ..start }));
        let levels: Vec<u32> = self.of.along.iter().map(|(l, n)| ctx.push_loop(l.clone(), n)).collect();
        let place: Vec<Ix> = levels.into_iter().map(Ix::free).collect();
        let element = self.of.element_of(&tensor, &place);
        let mut there = cx.within(Arc::new(ctx));
        for read in &self.of.reads {
            let mut found = None;
            there.at(&element, &read.path, &mut |cx, e| {
                found = Some(self.known(cx, &accessed(e).1, &place));
                cx.refl(e)
            })?;
            match found {
                Some(Ok(known)) => self.reads.push(known),
                Some(Err(conflict)) => return Ok(Some(conflict)),
                None => {}
            }
        }
        Ok(None)
    }

    /// What is known of a read at these indices, by the element of a place.
    fn known(&self, cx: &mut Cx<'_>, at: &[Ix], place: &[Ix]) -> std::result::Result<Known, Box<Conflict>> {
        let inside = self.of.inside(at);
        let is_inside = cx.proves(&inside);
        let mut there = cx.assuming(inside);
        let (own, front) = (before(at, place), Pred::lt(self.rank(at), self.rank(place)));
        let both = |there: &mut Cx<'_>, p: [Pred; 2]| p.iter().all(|p| there.proves(p));
        let not = [&own, &front].map(|p| Pred::not(p.clone()));
        let time = if both(&mut there, [own.clone(), front.clone()]) {
            Time::Before
        } else if both(&mut there, not) {
            Time::After
        } else {
            let goal = Pred::iff(&own, &front);
            if !there.proves(&goal) {
                let (place, read) = (place.to_vec(), at.to_vec());
                return Err(Box::new(Conflict { ctx: (*there.ctx).clone(), place, read, goal }));
            }
            Time::Same
        };
        Ok(Known { time, is_inside })
    }

    pub(crate) fn rank(&self, place: &[Ix]) -> Ix {
        self.ranks.rank(place)
    }

    /// What the storage begins with.
    fn stored_start(&self) -> Expr {
        if self.ranks.are_in_place() {
            return self.of.start.clone();
        }
        let mut literal = self.of.start.clone();
        while let Node::Gen(_, _, body) = &*literal.clone() {
            literal = body.clone();
        }
        let cells: Vec<Ix> = (STATE + 2..).take(self.of.rank()).map(Ix::free).collect();
        let cell = match &*literal {
            Node::Lit(..) => literal,
            _ => {
                let place = self.ranks.place_at(&cells);
                let is_there = self.ranks.is_there(&place, &self.of.along);
                Arc::new(Node::Guard(is_there, self.start(&place)))
            }
        };
        self.cells(&cell)
    }

    /// All cells of the storage.
    fn cells(&self, cell: &Expr) -> Expr {
        loops(cell, STATE + 2, &self.ranks.homes(&self.count, &self.of.along))
    }

    /// The iteration over fronts.
    fn iteration(&self, name: &str) -> Expr {
        let (y, front) = (variable(STATE), Ix::free(STATE + 1));
        let cell: Vec<Ix> = (STATE + 2..).take(self.of.rank()).map(Ix::free).collect();
        let place = self.ranks.place_at(&cell);
        let now = self.ranks.is_of(front, (&cell, &place), &self.of.along);
        let made = Node::Select(now, self.made(&y, &place), access(&y, &cell));
        let step = close_all(&self.cells(&Arc::new(made)), STATE, 2);
        let states = vec![State { label: self.of.label.clone(), init: self.stored_start(), step }];
        let body = Arc::new(Node::Var(Var::Bound(0)));
        let (label, extent) = (Label::new(name), self.count.clone());
        Arc::new(Node::Iterate(Arc::new(Iterate { label, extent, states, body })))
    }

    /// The element of a place, as a front makes it of the state before.
    fn made(&self, y: &Expr, place: &[Ix]) -> Expr {
        let made = self.of.element(place, &|n, at| {
            let read = self.get(y, at);
            let is_known = self.ranks.are_in_place() || self.is_inside(n);
            if is_known { read } else { Arc::new(Node::Guard(self.of.inside(at), read)) }
        });
        // The rank of a place whose own is known is shorter.
        let shorter = |ix: &Ix| atl_arith::simplify(&Ctx::new(), ix);
        replace(&made, &mut |e| {
            let (head, at) = accessed(e);
            let is_read = head == *y && at.len() == place.len();
            is_read.then(|| access(y, &at.iter().map(shorter).collect::<Vec<_>>()))
        })
    }

    fn is_done(&self, at: &[Ix], place: &[Ix]) -> Pred {
        Pred::lt(self.rank(at), self.rank(place))
    }

    /// The state after this many fronts.
    fn after(&self, fronts: &Ix) -> Result<Expr> {
        Ok(state_after(iterated(&self.term)?, fronts.clone(), 0))
    }

    /// The way to the state in an access to a cell.
    fn way(&self) -> Vec<Child> {
        vec![Child::Body; self.of.rank()]
    }

    /// What is read of the state in the round of a place, as the equation has it.
    fn timed(&self, cx: &mut Cx<'_>, n: usize, e: &Expr, now: (&Expr, &[Ix])) -> Result<Thm> {
        let at = self.ranks.place_at(&accessed(e).1);
        let (state, place) = now;
        let here = cx.converted(e, |cx, e| written_as(cx, e, &self.get(state, &at)))?;
        let done = self.get(&self.term, &at);
        let then = match self.reads[n].time {
            Time::Before => self.stays(cx, &self.rank(place), &at)?.sym(),
            Time::After => self.untouched(cx, here.rhs(), &at)?,
            Time::Same => {
                let (is_done, read) = (self.is_done(&at, place), here.rhs().clone());
                let wanted: Expr = Arc::new(Node::Select(is_done.clone(), done, self.start(&at)));
                cx.distinguish(&is_done, |cx, holds| match holds {
                    true => {
                        let stays = self.stays(cx, &self.rank(place), &at)?.sym();
                        stays.trans(cx.rule(Rule::SelectTrue, &wanted)?.sym())
                    }
                    false => {
                        let untouched = self.untouched(cx, &read, &at)?;
                        untouched.trans(cx.rule(Rule::SelectFalse, &wanted)?.sym())
                    }
                })?
            }
        };
        here.trans(then)
    }

    /// After all fronts, the element of a place is the one after this many, of which its own was one.
    fn stays(&self, cx: &mut Cx<'_>, fronts: &Ix, place: &[Ix]) -> Result<Thm> {
        let mut chain = Chain::of(&self.get(&self.term, place));
        chain.apply(cx, |cx, e| cx.at(e, &self.way(), &mut |cx, e| split(cx, e, fronts)))?;
        chain.apply(cx, idle)?;
        let wanted = self.get(&self.after(fronts)?, place);
        chain.apply(cx, |cx, e| written_as(cx, e, &wanted))?;
        chain.total(cx)
    }

    /// Before its own front, the element of a place is what the tensor begins with.
    fn untouched(&self, cx: &mut Cx<'_>, e: &Expr, at: &[Ix]) -> Result<Thm> {
        let left = idle(cx, e)?;
        let wanted = self.start(at);
        if self.ranks.are_in_place() {
            return as_written(cx, left, &wanted);
        }
        let left = cx.then(left, carried_out)?;
        let left = match &**left.rhs() {
            Node::Guard(..) => cx.then(left, |cx, e| cx.rule(Rule::GuardTrue, e))?,
            _ => left,
        };
        let here = cx.refl(&wanted)?;
        let right = match &**left.rhs() {
            Node::Lit(..) => cx.then(here, carried_out)?,
            _ => here,
        };
        meet(cx, left, right)
    }
}

impl Elements for Fronts {
    fn of(&self) -> &Recursion {
        &self.of
    }

    fn term(&self) -> &Expr {
        &self.term
    }

    fn get(&self, y: &Expr, place: &[Ix]) -> Expr {
        access(y, &self.ranks.home(place))
    }

    fn start(&self, place: &[Ix]) -> Expr {
        access(&self.of.start, place)
    }

    fn equation(&self, place: &[Ix]) -> Expr {
        self.of.element(place, &|n, at| {
            let known = &self.reads[n];
            let (done, start) = (self.get(&self.term, at), self.start(at));
            let read = match known.time {
                Time::Before => done,
                Time::After => start,
                Time::Same => Arc::new(Node::Select(self.is_done(at, &self.of.own_place()), done, start)),
            };
            if known.is_inside { read } else { Arc::new(Node::Guard(self.of.inside(at), read)) }
        })
    }

    fn unfolded(&self, cx: &mut Cx<'_>, place: &[Ix]) -> Result<Thm> {
        let rank = self.rank(place);
        let next = rank.clone() + Ix::ONE;
        let mut chain = Chain::of(&self.get(&self.term, place));
        chain.apply(cx, |cx, _| self.stays(cx, &next, place))?;
        chain.apply(cx, |cx, e| cx.at(e, &self.way(), &mut one_round))?;
        chain.apply(cx, carried_out)?;
        chain.apply(cx, |cx, e| cx.rule(Rule::SelectTrue, e))?;
        let now = self.after(&rank)?;
        let made = self.made(&now, place);
        chain.apply(cx, |cx, e| written_as(cx, e, &made))?;
        for (n, read) in self.of.reads.iter().enumerate() {
            chain.apply(cx, |cx, e| {
                cx.at(e, &read.path, &mut |cx, e| {
                    self.inside_guard(cx, n, e, &mut |cx, e| self.timed(cx, n, e, (&now, place)))
                })
            })?;
        }
        chain.apply(cx, |cx, e| written_as(cx, e, &self.equation(place)))?;
        chain.total(cx)
    }

    fn is_inside(&self, n: usize) -> bool {
        self.reads[n].is_inside
    }

    fn decided(&self, cx: &mut Cx<'_>, n: usize, e: &Expr) -> Result<Option<Thm>> {
        match self.reads[n].time {
            Time::Before => cx.rule(Rule::SelectTrue, e).map(Some),
            Time::After => cx.rule(Rule::SelectFalse, e).map(Some),
            Time::Same => Ok(None),
        }
    }
}

/// `x[p, ..]  =  [p inside] * x[p, ..]`.
pub(crate) fn guarded(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let mut chain = Chain::of(e);
    if matches!(&**e, Node::Get(array, _) if matches!(**array, Node::Get(..))) {
        chain.apply(cx, |cx, e| cx.child(e, Child::Body, guarded))?;
        chain.apply(cx, |cx, e| cx.rule(Rule::GetGuard, e))?;
        chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::AccessGuard, e)))?;
        chain.apply(cx, |cx, e| cx.rule(Rule::GuardAnd, e))?;
    } else {
        chain.apply(cx, |cx, e| cx.rule(Rule::AccessGuard, e))?;
    }
    chain.total(cx)
}

/// The term as this one, which is equal by arithmetic.
pub(crate) fn written_as(cx: &mut Cx<'_>, e: &Expr, wanted: &Expr) -> Result<Option<Thm>> {
    if e == wanted { Ok(None) } else { cx.rule(Rule::ArithEq(wanted.clone()), e).map(Some) }
}

/// The last round of an iteration of one state, which is its value, of the state before.
pub(crate) fn one_round(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let last = last_round(cx, e)?;
    cx.then(last, |cx, e| heads(cx, e, 1))
}

/// An access to `gen`s, carried out.
pub(crate) fn carried_out(cx: &mut Cx<'_>, e: &Expr) -> Result<Option<Thm>> {
    let mut chain = Chain::of(e);
    if let Node::Get(array, _) = &**e {
        if let Node::Get(..) = **array {
            chain.apply(cx, |cx, e| cx.child(e, Child::Body, carried_out))?;
        }
        if matches!(&**chain.now(), Node::Get(array, _) if matches!(**array, Node::Gen(..))) {
            chain.apply(cx, |cx, e| cx.rule(Rule::AccessGen, e))?;
        }
    }
    Ok(chain.done())
}

/// A cell of a state of which each round leaves that cell as it is has what it began with:
/// `(iterate t < n from x = e { s(t, x) } in x)[c]  =  e[c]`, if `s(t, x)[c] = x[c]`.
pub(crate) fn idle(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let (rounds, cell) = accessed(e);
    let (it, level, way) = (iterated(&rounds)?, cx.ctx.level(), vec![Child::Body; cell.len()]);
    let value = access(&it.states[0].init, &cell);
    // Rounds that do nothing.
    let nothing = State {
        label: it.states[0].label.clone(),
        init: value.clone(),
        step: Arc::new(Node::Var(Var::Bound(1))),
    };
    let nothing: Expr = Arc::new(Node::Iterate(Arc::new(Iterate { states: vec![nothing], ..it.clone() })));
    let family = [access(&state_after(it, Ix::free(level), 0), &cell)];
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let start = cx.at(lhs, &way, &mut |cx, e| {
            let start = cx.rule(Rule::IterateZero, e)?;
            cx.then(start, |cx, e| heads(cx, e, 1))
        })?;
        let start = cx.total(lhs, start)?;
        as_written(cx, start, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let mut left = Chain::of(lhs);
        left.apply(cx, |cx, e| cx.at(e, &way, &mut one_round))?;
        left.apply(cx, |cx, e| cx.at(e, &way, &mut |cx, e| heads(cx, e, usize::MAX)))?;
        left.apply(cx, carried_out)?;
        left.apply(cx, |cx, e| cx.rule(Rule::SelectFalse, e))?;
        let (left, right) = (left.total(cx)?, cx.rule(Rule::LetInline, rhs)?);
        meet(cx, left, right)
    };
    let all = induct(cx, &nothing, &family, &mut begins, &mut goes_on)?;
    let all = cx.rule(Rule::LetInline, &all.lhs().clone())?.sym().trans(all)?;
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, _: &Expr| cx.refl(lhs);
    let mut goes_on =
        |cx: &mut Cx<'_>, _: usize, _: &Expr, rhs: &Expr| cx.rule(Rule::LetInline, rhs).map(Thm::sym);
    let none = induct(cx, &nothing, &[value], &mut begins, &mut goes_on)?;
    let none = cx.rule(Rule::LetInline, &none.lhs().clone())?.sym().trans(none)?;
    let here = cx.refl(e)?;
    as_written(cx, here, all.lhs())?.trans(all)?.trans(none.sym())
}
