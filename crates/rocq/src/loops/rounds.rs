//! Iterations: which buffers their states are in, what a round makes of each, and which elements of a state
//! its cells hold before a round. Rocq's library has the steps of states that change where they are, in one
//! loop.

use super::fill::Filled;
use super::pairs::by_pairs;
use super::place::Place;
use super::round_loops::{half, loops_over};
use super::states::{About, ELEMENT, InMemory, ROUND, Update, at_round, element, stored_to};
use super::step::{Arg, Evidence, Step, step};
use super::words::{Text, ix, list, mismatch, nested};
use super::{Kind, Lowering, Target};
use crate::error::{Refusal, Result};
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Cmp, Expr, Iterate, Ix, IxOp, Label, Node, Pred, Type, Var, subst};
use atl_loops::{Init, LoopKind, Name, Stmt, StoreMode};
use atl_lower::sanitise;
use atl_lower::updates::{Cells, choice, conjuncts, is_same, solved};

/// A state.
#[derive(Clone)]
pub(super) struct Home {
    pub(super) ty: Type,
    pub(super) to: Target,
    pub(super) about: About,
}

/// What a round makes.
struct Made {
    state: usize,
    how: How,
    count: usize,
}

enum How {
    Replaced,
    Filled(Name),
    Moved,
}

/// Is it the name that lowering makes of this label, or that one with a number?
pub(super) fn is_named(name: &Name, label: &str) -> bool {
    name.as_str().strip_prefix(&*sanitise(label, "")).is_some_and(|rest| {
        let digits = rest.strip_prefix('_').unwrap_or(rest);
        rest.is_empty() || (rest.len() > digits.len() && digits.bytes().all(|c| c.is_ascii_digit()))
    })
}

/// The state that the value of an iteration is.
pub(super) fn value_of(it: &Iterate, rank: usize) -> Option<usize> {
    let (first, count) = (ELEMENT + 64, it.states.len() as u32);
    let index: Vec<Ix> = (ELEMENT..).take(rank).map(Ix::free).collect();
    let (level, at) = element(&subst::open_all(&it.body, first, count), &index)?;
    (at == index && (first..first + count).contains(&level)).then(|| (level - first) as usize)
}

impl Lowering<'_, '_> {
    pub(super) fn iterated(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        it: &Iterate,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        self.in_memory(scope, stmts, it, shape, to).map_err(|why| match why {
            Refusal::Loops(what) if !what.starts_with("an iteration") => {
                Refusal::Loops(format!("an iteration: {what}"))
            }
            why => why,
        })
    }

    fn in_memory(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        it: &Iterate,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        if let [Stmt::Alloc { buf, extents, init, body, .. }] = stmts {
            let extents = self.extents(extents)?;
            let text = self.alloc_text(scope, buf, &extents, init, &it.states[0].init)?;
            self.scratch.insert(0, (buf.clone(), extents));
            let filled = self.iterated(scope, list(body), it, shape, to);
            self.scratch.remove(0);
            let (texts, how) = filled?;
            return Ok((vec![text.around(&nested(&texts))], step!("Spared", how)));
        }
        let scratch = self.scratch.clone();
        let found = match by_pairs(stmts, it) {
            Some(_) if self.has_one_type => mismatch("rounds by pairs, in two buffers in turn"),
            Some(pairs) => self.paired(scope, &pairs, it, (shape, to)),
            None => self.with_homes(scope, stmts, it, (shape, to)),
        };
        self.scratch = scratch;
        found
    }

    fn with_homes(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        it: &Iterate,
        (shape, to): (&[Ix], &Target),
    ) -> Result<Filled> {
        let (mut homes, mut names, mut args) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..it.states.len() {
            let (home, asked) = self.home(scope, (it, k), (stmts, &names), (shape, to))?;
            names.push(home.to.buf.clone());
            args.push(Arg::from(asked));
            homes.push(home);
        }
        let homes = &homes[..];
        args.push(it.states.len().into());
        let (mut left, mut texts) = (stmts, Vec::new());
        for (k, home) in homes.iter().enumerate() {
            let count = self.begins_with(scope, left, it, (k, home))?;
            let (own, rest) = left.split_at_checked(count).ok_or(Refusal::Loops("a state".to_owned()))?;
            left = rest;
            // A state around whose home this is. It is read while the start replaces it, and is gone then.
            let around = to.update.as_ref().filter(|_| home.to.buf == to.buf);
            let (fills, (own, how)) = self.start(scope, own, &it.states[k].init, (home, around))?;
            texts.extend(own);
            if let Some(old) = around.and_then(|around| around.old) {
                self.leaves_home(old);
            }
            args.extend([
                Arg::Ring(self.ring_of(home.ty.elem)),
                Arg::Shape(self.closed_shape(&home.ty.shape)),
            ]);
            args.extend(self.begun(home, (fills, count, how))?);
        }
        let count = loops_over(left);
        if count != 1 {
            self.uncovered("rounds in two loops, or in none")?;
        }
        let (loops, left) = left.split_at(count);
        let (bounds, halves) = self.halves(scope, loops, &it.extent)?;
        args.push(count.into());
        args.extend(bounds);
        for (k, stmt) in loops.iter().enumerate() {
            let Stmt::For { var, lo, hi, kind: LoopKind::Serial, body } = stmt else {
                return mismatch("a loop over rounds");
            };
            let (lo, hi) = (self.index(scope, lo)?.0, self.index(scope, hi)?.0);
            let (name, (own, made)) =
                self.entering(scope, &it.label, &it.extent, Some(var), |this, scope, level| {
                    scope.push_hyp(&half((k, level), halves.as_ref()));
                    this.round(scope, list(body), (it, [homes, homes]), level)
                })?;
            texts.push(nested(&own).looped((&lo, &hi), &name));
            args.extend(made);
        }
        let (own, how) = self.after_rounds(scope, left, (it, homes), (shape, to))?;
        texts.extend(own);
        args.push(how.into());
        Ok((texts, Step { name: "Iterated", args }))
    }

    /// What comes after the rounds, the states at home.
    pub(super) fn after_rounds(
        &mut self,
        scope: &mut Scope,
        left: &[Stmt],
        (it, homes): (&Iterate, &[Home]),
        (shape, to): (&[Ix], &Target),
    ) -> Result<Filled> {
        let (first, last) = (scope.level(), raw::bin(IxOp::Max, it.extent.clone(), Ix::ZERO));
        for (k, home) in homes.iter().enumerate() {
            self.enter(scope, &it.states[k].label, home, Some(&last));
        }
        let rest = subst::open_all(&it.body, first, it.states.len() as u32);
        let rest = match left {
            [] => self.unchanged(scope, (&rest, true), shape, to).map(|how| (Vec::new(), how)),
            left => self.fill(scope, left, &rest, shape, to),
        };
        self.leave(scope, first);
        rest
    }

    /// How a state begins, in words.
    pub(super) fn begun(&self, home: &Home, (fills, count, how): (bool, usize, Step)) -> Result<[Arg; 6]> {
        let rank = home.ty.shape.len();
        let [held, changed] = [&home.about.held, &home.about.changed].map(|p| self.said_about(rank, p));
        Ok([
            Arg::Word(if fills { "filled" } else { "replaced" }),
            Arg::Buffer(home.to.buf.clone()),
            Arg::Pred(held?),
            Arg::Pred(changed?),
            count.into(),
            how.into(),
        ])
    }

    /// A tensor variable for a state, which is at home before a round, if it is.
    fn enter(&mut self, scope: &mut Scope, label: &Label, home: &Home, round: Option<&Ix>) {
        let level = scope.level();
        scope.push_tensor(label, home.ty.clone());
        if let Some(round) = round {
            self.at_home(level, home, round);
        }
    }

    fn at_home(&mut self, level: u32, home: &Home, round: &Ix) {
        self.known.insert(0, (level, home.to.buf.clone()));
        self.states.insert(level, InMemory::new(&home.to.place, &home.about, round));
    }

    fn leave(&mut self, scope: &mut Scope, level: u32) {
        self.known.retain(|(known, _)| *known < level);
        self.states.retain(|known, _| *known < level);
        scope.truncate(level);
    }

    /// Where a state is, and evidence that there is room.
    pub(super) fn home(
        &mut self,
        scope: &mut Scope,
        (it, k): (&Iterate, usize),
        (stmts, taken): (&[Stmt], &[Name]),
        (shape, to): (&[Ix], &Target),
    ) -> Result<(Home, Vec<Evidence>)> {
        let (state, ty) = (&it.states[k], scope.ty(&it.states[k].init, Side::Left)?);
        let stored = stored_to(stmts);
        let own = self.scratch.iter().position(|(name, _)| {
            is_named(name, &state.label.name) && stored.contains(name) && !taken.contains(name)
        });
        let is_value = value_of(it, shape.len()) == Some(k) && ty.shape.len() == shape.len();
        let (home, evidence) = match own {
            Some(at) if !(is_value && stored.contains(&to.buf)) => {
                let (name, extents) = self.scratch.remove(at);
                let evidence = self.same_room(scope, &extents, &ty.shape)?;
                let place = Place::whole(&ty.shape);
                (Target { buf: name, elem: ty.elem, place, kind: Kind::Unset, update: None }, evidence)
            }
            _ if is_value => {
                let is_all = to.update.as_ref().is_none_or(|update| update.around == to.place.depth());
                if !is_all || to.place.drops() || to.kind == Kind::Adding {
                    return mismatch("a state in a part of what it becomes");
                }
                let evidence = self.equals(scope, shape, &ty.shape)?;
                (Target { kind: Kind::Unset, update: None, ..to.clone() }, evidence)
            }
            _ => return mismatch("a state without a buffer"),
        };
        let rank = ty.shape.len();
        let begins_filled = stmts.iter().any(|stmt| match stmt {
            Stmt::If { .. } => false,
            stmt => stmt.any(|stmt| {
                matches!(stmt, Stmt::Reset { buf, .. } if *buf == home.buf)
                    || matches!(stmt, Stmt::Store { buf, mode: StoreMode::Set, .. } if *buf == home.buf)
            }),
        });
        let mut about = self.about((it, k), rank, begins_filled);
        // Where it goes on in a state around, it has what that one has.
        let around = to.update.as_ref().and_then(|update| update.old).and_then(|old| self.states.get(&old));
        if let Some(around) = around.filter(|_| to.buf == home.buf) {
            let or = |p, q| Pred::Or(std::sync::Arc::new((p, q)));
            about.held = match &around.about.held {
                Pred::True => Pred::True,
                held => or(held.clone(), raw::and(around.about.changed.clone(), about.held)),
            };
        }
        Ok((Home { ty, to: home, about }, evidence))
    }

    /// What is true of the elements of a state before each round, as far as its step says when one is stored.
    fn about(&self, (it, k): (&Iterate, usize), rank: usize, is_filled: bool) -> About {
        let (first, count) = (ROUND - 4096, it.states.len() as u32);
        let step = subst::instantiate(&it.states[k].step, &Ix::free(ROUND));
        let step = subst::open_all(&step, first, count + k as u32 + 1);
        let mut conds = Vec::new();
        stores(&step, first + k as u32, &mut Vec::new(), rank, &mut conds);
        let known = |ix: &Ix| {
            let more: Vec<u32> = (ELEMENT..).take(rank).collect();
            self.said(&more, ix).is_ok()
        };
        let when = conds.iter().filter_map(|p| solved(p, ROUND)).find(known);
        let round = Ix::free(ROUND);
        let changed = match &when {
            Some(when) => Pred::Cmp(Cmp::Eq, when.clone(), round.clone()),
            None => Pred::True,
        };
        let held = match (is_filled, when) {
            (true, _) => Pred::True,
            (false, Some(when)) => Pred::Cmp(Cmp::Lt, when, round),
            (false, None) => Pred::Cmp(Cmp::Lt, Ix::ZERO, round),
        };
        About { held, changed }
    }

    /// How many of the statements are the start of a state.
    pub(super) fn begins_with(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        it: &Iterate,
        (k, home): (usize, &Home),
    ) -> Result<usize> {
        if let Some(Stmt::Reset { buf, .. }) = stmts.first() {
            return match *buf == home.to.buf {
                true => Ok(1 + self.count(scope, &it.states[k].init, &stmts[1..])?),
                false => Ok(0),
            };
        }
        let is_rounds = |stmts: &[Stmt]| {
            let Some(Stmt::For { var, kind: LoopKind::Serial, .. }) = stmts.first() else { return false };
            let last = &stmts[loops_over(stmts) - 1];
            let Stmt::For { hi, .. } = last else { return false };
            let end = ix(&self.names, hi);
            is_named(var, &it.label.name)
                && end.is_ok_and(|end| {
                    super::evidence::same(&Pred::eq(end, Ix::ZERO), &Pred::eq(it.extent.clone(), Ix::ZERO))
                })
        };
        let own = |stmt: &Stmt| {
            stmt.any(|stmt| matches!(stmt, Stmt::Store { buf, .. } if *buf == home.to.buf))
                && !matches!(stmt, Stmt::Reset { .. })
        };
        let mut count = 0;
        while count < stmts.len() && own(&stmts[count]) && !is_rounds(&stmts[count..]) {
            count += 1;
        }
        Ok(count)
    }

    /// A state before the first round: whether it is filled, and how.
    pub(super) fn start(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        init: &Expr,
        (home, around): (&Home, Option<&Update>),
    ) -> Result<(bool, Filled)> {
        let shape = &home.ty.shape;
        let is_set = stmts.first().is_some_and(|stmt| {
            stmt.any(|stmt| {
                matches!(stmt, Stmt::Reset { buf, .. } if *buf == home.to.buf)
                    || matches!(stmt, Stmt::Store { buf, mode: StoreMode::Set | StoreMode::Reduce(_), .. } if *buf == home.to.buf)
            })
        });
        if is_set {
            return Ok((true, self.lifetime(scope, stmts, (init, shape), &home.to)?));
        }
        let held = at_round(&home.about.held, &Ix::ZERO);
        let (old, changed) =
            around.map_or((None, Pred::True), |around| (around.old, around.about.changed.clone()));
        let to = home.to.replaced(old, changed, held);
        Ok((false, self.fill(scope, stmts, init, shape, &to)?))
    }

    /// All elements of a state, in a lifetime of its buffer if one begins.
    fn lifetime(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (e, shape): (&Expr, &[Ix]),
        to: &Target,
    ) -> Result<Filled> {
        let (kind, mut texts, rest) = match stmts {
            [Stmt::Reset { buf, init }, rest @ ..] if *buf == to.buf => {
                let begun = self.init_text(scope, init, e)?;
                let text = Text {
                    plain: format!("(Reset \"{buf}\" {})", begun.plain),
                    deep: format!("(LReset {} {})", self.leaves.buffer(buf), begun.deep),
                };
                (if matches!(init, Init::Uninit) { Kind::Unset } else { Kind::Zeroed }, vec![text], rest)
            }
            _ => {
                self.uncovered("a state that starts where the value goes, whole")?;
                (Kind::Unset, Vec::new(), stmts)
            }
        };
        let to = Target { kind, update: None, ..to.clone() };
        let (own, how) = self.fill(scope, rest, e, shape, &to)?;
        texts.extend(own);
        Ok((texts, how))
    }

    /// A round, whose number has this level: where the states are before it, and after it.
    pub(super) fn round(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (it, [homes, next_homes]): (&Iterate, [&[Home]; 2]),
        level: u32,
    ) -> Result<(Vec<Text>, Vec<Arg>)> {
        let (now, first, count) = (Ix::free(level), scope.level(), homes.len() as u32);
        let next = raw::bin(IxOp::Add, now.clone(), Ix::ONE);
        for round in [Some(&now), None] {
            for (home, state) in homes.iter().zip(&it.states) {
                self.enter(scope, &state.label, home, round);
            }
        }
        let scratch = self.scratch.clone();
        let (mut left, mut made, mut done, mut texts) = (stmts, Vec::new(), Vec::new(), Vec::new());
        while !left.is_empty() || done.len() < homes.len() {
            let Made { state: k, how, count: own } =
                self.next_made(scope, left, (it, [homes, next_homes]), (&done, first, &now))?;
            let (own_stmts, rest) = left.split_at_checked(own).ok_or(Refusal::Loops("a round".to_owned()))?;
            left = rest;
            let (home, old, new) = (&homes[k], first + k as u32, first + count + k as u32);
            let step = subst::instantiate(&it.states[k].step, &now);
            let step = subst::open_all(&step, first, count + k as u32 + 1);
            let [held, changed] = [at_round(&home.about.held, &next), at_round(&home.about.changed, &now)];
            let shape = &home.ty.shape;
            if !matches!(how, How::Replaced) {
                self.uncovered("a state that a round makes in another buffer, or in a new lifetime")?;
            }
            let (word, (own_texts, step)) = match &how {
                How::Replaced => {
                    let to = home.to.replaced(Some(old), changed, held);
                    let how = self.fill(scope, own_stmts, &step, shape, &to)?;
                    self.leaves_home(old);
                    self.at_home(new, home, &next);
                    (vec![Arg::Word("replaced")], how)
                }
                How::Filled(into) if *into == home.to.buf => {
                    self.leaves_home(old);
                    let how = self.lifetime(scope, own_stmts, (&step, shape), &home.to)?;
                    self.at_home(new, home, &next);
                    (vec![Arg::Word("filled"), Arg::Buffer(into.clone())], how)
                }
                How::Filled(into) if *into == next_homes[k].to.buf => {
                    let how = self.lifetime(scope, own_stmts, (&step, shape), &next_homes[k].to)?;
                    self.at_home(new, &next_homes[k], &next);
                    (vec![Arg::Word("filled"), Arg::Buffer(into.clone())], how)
                }
                How::Filled(into) => {
                    let Some(at) = self.scratch.iter().position(|(name, _)| name == into) else {
                        return mismatch("a state in a buffer that is not there");
                    };
                    let (_, extents) = self.scratch.remove(at);
                    let room = self.same_room(scope, &extents, shape)?;
                    let place = Place::whole(shape);
                    let to = Target {
                        buf: into.clone(),
                        elem: home.ty.elem,
                        place,
                        kind: Kind::Unset,
                        update: None,
                    };
                    let how = self.lifetime(scope, own_stmts, (&step, shape), &to)?;
                    self.known.insert(0, (new, into.clone()));
                    made.push(Arg::Row(room));
                    (vec![Arg::Word("filled"), Arg::Buffer(into.clone())], how)
                }
                How::Moved => {
                    let to = home.to.replaced(None, Pred::True, held);
                    self.leaves_home(old);
                    let from = std::sync::Arc::new(Node::Var(Var::Free(new)));
                    let how = self.fill(scope, own_stmts, &from, shape, &to)?;
                    self.leaves_home(new);
                    self.at_home(new, home, &next);
                    (vec![Arg::Word("moved")], how)
                }
            };
            if !matches!(how, How::Moved) {
                done.push(k);
            }
            texts.extend(own_texts);
            made.extend(word);
            made.extend([k.into(), own.into(), step.into()]);
        }
        self.scratch = scratch;
        self.leave(scope, first);
        let count = made.iter().filter(|arg| matches!(arg, Arg::Step(_))).count();
        made.insert(0, count.into());
        Ok((texts, made))
    }

    /// What the next statements of a round make.
    fn next_made(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (it, [homes, next_homes]): (&Iterate, [&[Home]; 2]),
        (done, first, now): (&[usize], u32, &Ix),
    ) -> Result<Made> {
        let Some(stmt) = stmts.first() else {
            // What no statement makes stays what it is.
            let state = (0..homes.len()).find(|k| !done.contains(k));
            let Some(state) = state else { return mismatch("a round") };
            return Ok(Made { state, how: How::Replaced, count: 0 });
        };
        if let Stmt::Reset { buf, .. } = stmt {
            let k = (0..homes.len()).find(|k| {
                let next = format!("{}_next", it.states[*k].label.name);
                let is_home = [homes, next_homes].iter().any(|homes| homes[*k].to.buf == *buf);
                !done.contains(k) && (is_home || is_named(buf, &next))
            });
            let Some(state) = k else { return mismatch("a state of this buffer") };
            let count = homes.len() as u32;
            let step = subst::instantiate(&it.states[state].step, now);
            let step = subst::open_all(&step, first, count + state as u32 + 1);
            let count = 1 + self.count(scope, &step, &stmts[1..])?;
            return Ok(Made { state, how: How::Filled(buf.clone()), count });
        }
        let of = |stmt: &Stmt| {
            let stored = stored_to(std::slice::from_ref(stmt));
            (0..homes.len()).find(|k| stored.contains(&homes[*k].to.buf))
        };
        let Some(state) = of(stmt) else { return mismatch("a statement of a round") };
        if done.contains(&state) {
            return Ok(Made { state, how: How::Moved, count: 1 });
        }
        let is_own = |stmt: &&Stmt| !matches!(stmt, Stmt::Reset { .. }) && of(stmt) == Some(state);
        let count = stmts.iter().take_while(is_own).count();
        Ok(Made { state, how: How::Replaced, count })
    }
}

/// The conditions for a step to change an element: no other is stored.
fn stores(e: &Expr, own: u32, index: &mut Vec<Ix>, rank: usize, conds: &mut Vec<Pred>) {
    match &**e {
        Node::Gen(_, _, body) if index.len() < rank => {
            let at = Ix::free(ELEMENT + index.len() as u32);
            index.push(at.clone());
            stores(&subst::instantiate(body, &at), own, index, rank, conds);
        }
        Node::Iterate(it) => {
            let Some(k) = value_of(it, rank) else { return };
            let (first, count) = (ROUND - 8192, (it.states.len() + k) as u32);
            let step = subst::instantiate(&it.states[k].step, &Ix::free(ROUND - 1));
            stores(&subst::open_all(&step, first, count + 1), first + k as u32, index, rank, conds);
        }
        Node::Let(_, _, body) => stores(&subst::open(body, ROUND - 1), own, index, rank, conds),
        _ => {
            let cells = Cells { index: index.clone(), from: None };
            let Some((p, a, b)) = choice(e, own, &cells) else { return };
            let (p, stored) = match [&a, &b].map(|e| is_same(e, own, &cells)) {
                [_, true] => (p, a),
                [true, false] => (Pred::not(p), b),
                _ => return,
            };
            conjuncts(&p, conds);
            stores(&stored, own, index, rank, conds);
        }
    }
}
