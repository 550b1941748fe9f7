//! Iterations: states in buffers, which rounds update in place where they can.
//!
//! ```text
//! L(iterate t<n from x = e { s } in b)  =  alloc x: L(e) into x
//!                                          for t in 0..n: U(s) in x                 see `in_place`
//!                                          L(b) from x
//! ```
//!
//! A state that is the value of the iteration is in the destination itself. A state that cannot be updated
//! in place has two buffers, which rounds fill by turns:
//!
//! ```text
//! alloc a, b
//! if odd n: L(e) into b, else: L(e) into a
//! for pair in 0..(n + 1) / 2:
//!     for t in 2 pair - n % 2: L(s) from a into b     if 0 <= t
//!     for t in the next:       L(s) from b into a
//! L(b) from a
//! ```
//!
//! So no round copies what it has computed, and the last states are in `a` whatever `n` is. A fill begins a
//! lifetime of its buffer, which begins as zero where the step does not set every cell. A scalar that is read
//! after its new value is there has a register more, until the round ends.

use crate::cx::{Buffer, Enclosing, EnclosingLoop, LowerCx};
use crate::definitely_initialised::is_definitely_initialised;
use crate::destination::Destination;
use crate::emit::into_buffer;
use crate::error::{LowerError, NotCarried};
use crate::in_place::{
    APART, Below, Cells, Direction, Mode, Plan, Target, below, holds, plan, reads_new, update,
};
use crate::joint::{emit_ends, joined, share_rounds};
use crate::scalar::zero;
use atl_check::{StorageError, storage};
use atl_kernel::subst::Subst;
use atl_kernel::{self as kernel, Expr, Iterate, Ix, Pred, Type, subst};
use atl_loops::prefetch::Frame;
use atl_loops::{Bool, Init, Int, IntOp, LoopKind, Name, Stmt, Storage, Val};

/// Whose buffer the value of an iteration is in.
pub(crate) enum Home<'a> {
    /// Each state has its own, but for these, which the iteration ends in: they are in a destination, or a
    /// part of one, whose cells hold nothing yet.
    Into(Vec<(usize, Buffer)>),
    /// This state goes on where the state around is that it begins as.
    Taken(usize, &'a Buffer),
}

/// A state, and the buffers that it is in: one, or two by turns.
struct State {
    ty: Type,
    mode: Mode,
    buffers: [Buffer; 2],
    storage: Storage,
    /// Is the first buffer someone else's?
    is_given: bool,
}

impl State {
    /// Where the old state is in a round that stores to the buffers of this turn.
    fn before(&self, to: usize) -> &Buffer {
        &self.buffers[if self.mode == Mode::Turns { 1 - to } else { 0 }]
    }

    /// Where the new one is.
    fn after(&self, to: usize) -> &Buffer {
        &self.buffers[match self.mode {
            Mode::Turns => to,
            Mode::Register => 1,
            Mode::InPlace(_) | Mode::Refilled => 0,
        }]
    }

    /// The buffer around what uses it.
    fn allocated(&self, cx: &mut LowerCx<'_>, turn: usize, inside: Stmt) -> Result<Stmt, LowerError> {
        let extents = self.ty.shape.iter().map(|n| cx.translate_ix(n)).collect::<Result<Vec<_>, _>>()?;
        let (buf, scalar) = (self.buffers[turn].name.clone(), self.ty.elem.scalar);
        // A compiler does not see that the number of rounds decides which register the first one reads.
        let is_by_turns = extents.is_empty() && self.mode == Mode::Turns;
        let init = if is_by_turns { Init::Value(zero(self.ty.elem)?) } else { Init::Uninit };
        Ok(Stmt::Alloc { buf, scalar, extents, storage: self.storage, init, body: Box::new(inside) })
    }
}

/// The rounds of an iteration, and what is made of its body, where the last states are; `rest` knows which
/// have a destination.
pub(crate) fn rounds(
    cx: &mut LowerCx<'_>,
    it: &Iterate,
    home: Home<'_>,
    rest: impl FnOnce(&mut LowerCx<'_>, &Expr, &[usize]) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let (taken, mut given) = match home {
        Home::Into(homes) => (None, homes),
        Home::Taken(k, buffer) => (Some(k), vec![(k, buffer.clone())]),
    };
    let plan = plan(cx, it, taken)?;
    // More is known here than where the update around was planned, so this does not happen.
    if let Some(k) = taken.filter(|k| !matches!(plan.modes[*k], Mode::InPlace(_))) {
        return Err(LowerError::NotNormal(it.states[k].step.clone()));
    }
    for (k, buffer) in std::mem::take(&mut given) {
        if buffer.part.is_none() || taken.is_some() || goes_on_in_part(cx, it, &plan, k)? {
            given.push((k, buffer));
        }
    }
    let mut states = Vec::new();
    for (k, (state, mode)) in it.states.iter().zip(&plan.modes).enumerate() {
        let buffer = given.iter().find(|(at, _)| *at == k).map(|(_, buffer)| buffer);
        states.push(allocated(cx, state, mode, buffer)?);
    }
    let all = Rounds { it, states, plan, taken };
    let inside = if all.plan.is_plain() { all.one_by_one(cx)? } else { all.by_pairs(cx)? };
    let given: Vec<usize> = given.into_iter().map(|(k, _)| k).collect();
    let level = cx.ctx.level();
    all.enter(cx, 0);
    let binders = cx.ctx.level() - level;
    let body = rest(cx, &subst::open_all(&it.body, level, binders), &given);
    leave(cx, level);
    let body = body?;
    all.states.iter().rev().try_fold(Stmt::seq([inside, body]), |inside, state| {
        // Both rounds of a pair use a register, whose name is in the kernel once.
        let has_second = matches!(state.mode, Mode::Turns | Mode::Register);
        let inside = if has_second { state.allocated(cx, 1, inside)? } else { inside };
        if state.is_given { Ok(inside) } else { state.allocated(cx, 0, inside) }
    })
}

/// Can a state be in a part of a buffer, of which only single cells are replaced?
fn goes_on_in_part(cx: &mut LowerCx<'_>, it: &Iterate, plan: &Plan, k: usize) -> Result<bool, LowerError> {
    let start = &it.states[k].init;
    let ty = cx.type_of(start)?;
    let is_set = plan.starts[k].is_some() || is_definitely_initialised(cx, start, &ty)?;
    Ok(is_set && matches!(plan.modes[k], Mode::InPlace(_)))
}

fn allocated(
    cx: &mut LowerCx<'_>,
    state: &kernel::State,
    mode: &Mode,
    given: Option<&Buffer>,
) -> Result<State, LowerError> {
    let ty = cx.type_of(&state.init)?;
    let storage = match storage(&state.label, &ty) {
        Ok(kernel::Storage::Register) => Storage::Register,
        Ok(kernel::Storage::Stack) => Storage::Stack,
        Ok(kernel::Storage::Heap | kernel::Storage::Auto) => Storage::Heap,
        // The check has refused it.
        Err(StorageError(_)) => return Err(LowerError::NotNormal(state.init.clone())),
    };
    let mut buffer = |suffix: &str| {
        let name = cx.names.buffer(&format!("{}{suffix}", state.label.name));
        Buffer { name, elem: ty.elem, extents: ty.shape.clone(), turn: None, part: None }
    };
    let first = given.cloned().unwrap_or_else(|| buffer(""));
    let second = if matches!(mode, Mode::Turns | Mode::Register) { buffer("_next") } else { first.clone() };
    let (mode, is_given) = (mode.clone(), given.is_some());
    Ok(State { ty, mode, buffers: [first, second], storage, is_given })
}

/// What is known in a round of whether the rounds have ended.
#[derive(Clone, Copy, PartialEq)]
enum Ended {
    No,
    Unknown,
}

struct Rounds<'a> {
    it: &'a Iterate,
    states: Vec<State>,
    plan: Plan,
    /// The state whose buffer holds its start.
    taken: Option<usize>,
}

impl Rounds<'_> {
    /// Rounds of which none has two buffers.
    fn one_by_one(&self, cx: &mut LowerCx<'_>) -> Result<Stmt, LowerError> {
        let starts = self.start(cx, 0)?;
        let count = cx.translate_ix(&self.it.extent)?;
        Ok(Stmt::seq([starts, self.round(cx, 0, (Int::Lit(0), count), self.kind())?]))
    }

    /// Two rounds at a time.
    fn by_pairs(&self, cx: &mut LowerCx<'_>) -> Result<Stmt, LowerError> {
        let count = match cx.proves(&Pred::le(Ix::ZERO, self.it.extent.clone())) {
            true => self.it.extent.clone(),
            false => Ix::max(self.it.extent.clone(), Ix::ZERO),
        };
        let odd = cx.translate_ix(&(count.clone() % Ix::Lit(2)))?;
        let pairs = cx.translate_ix(&((count + Ix::ONE) / Ix::Lit(2)))?;
        let starts = match &odd {
            Int::Lit(0) => self.start(cx, 0)?,
            Int::Lit(_) => self.start(cx, 1)?,
            odd => Stmt::If {
                cond: Bool::eq(odd.clone(), 1.into()),
                then: Box::new(self.start(cx, 1)?),
                otherwise: Some(Box::new(self.start(cx, 0)?)),
            },
        };
        let pair = cx.names.enter("pair");
        let first = Int::bin(IntOp::Sub, Int::Lit(2) * Int::Var(pair.clone()), odd.clone());
        let frame = Frame::Loop { var: pair.clone(), lo: 0.into(), hi: pairs.clone() };
        cx.around.push(Enclosing::new(None, frame));
        let turns = self.turns(cx, &first, &odd);
        cx.around.pop();
        cx.names.leave();
        Ok(Stmt::seq([starts, Stmt::for_loop(pair, 0.into(), pairs, self.kind(), turns?)]))
    }

    /// The states before the first round, where it reads them.
    fn start(&self, cx: &mut LowerCx<'_>, turn: usize) -> Result<Stmt, LowerError> {
        let mut starts = Vec::new();
        for (k, (start, state)) in self.it.states.iter().zip(&self.states).enumerate() {
            if let Some(some) = &self.plan.starts[k] {
                let level = cx.ctx.push_tensor(start.label.clone(), state.ty.clone());
                cx.buffers.insert(level, state.buffers[0].clone());
                let directions = vec![Direction::Ascending; state.ty.shape.len()];
                let to = Target { own: level, buffer: &state.buffers[0], directions: &directions };
                let some = update(cx, some, &to, &Cells::default());
                leave(cx, level);
                starts.push(some?);
            } else if self.taken != Some(k) && !self.plan.unread[k] {
                let turn = if state.mode == Mode::Turns { turn } else { 0 };
                starts.push(fill(cx, &start.init, &state.ty, &state.buffers[turn])?);
            }
        }
        Ok(Stmt::seq(starts))
    }

    /// Two rounds, the first of which reads the first buffers; `first` is its number, and -1 where it is
    /// none.
    fn turns(&self, cx: &mut LowerCx<'_>, first: &Int, odd: &Int) -> Result<Stmt, LowerError> {
        let next = first.clone() + Int::Lit(1);
        let lo = match odd {
            Int::Lit(0) => first.clone(),
            _ => Int::bin(IntOp::Max, first.clone(), Int::Lit(0)),
        };
        // Where the number of rounds is odd, its first round is the second of a pair.
        let away = self.round(cx, 1, (lo, next.clone()), LoopKind::Serial)?;
        let back = self.round(cx, 0, (next.clone(), next + Int::Lit(1)), LoopKind::Serial)?;
        Ok(Stmt::seq([away, back]))
    }

    /// The rounds with numbers in this range, which store to the buffers of this turn.
    fn round(
        &self,
        cx: &mut LowerCx<'_>,
        to: usize,
        (lo, hi): (Int, Int),
        kind: LoopKind,
    ) -> Result<Stmt, LowerError> {
        let var = cx.names.enter(&self.it.label.name);
        let frame = Frame::Loop { var: var.clone(), lo: lo.clone(), hi: hi.clone() };
        cx.around.push(Enclosing::new(None, frame));
        let body = self.in_round(cx, to, &var);
        cx.around.pop();
        cx.names.leave();
        Ok(Stmt::for_loop(var, lo, hi, kind, body?))
    }

    /// The loop over rounds is left where they have ended.
    fn kind(&self) -> LoopKind {
        match self.plan.until {
            Some(stop) => LoopKind::Unless(self.states[stop].buffers[0].name.clone()),
            None => LoopKind::Serial,
        }
    }

    fn in_round(&self, cx: &mut LowerCx<'_>, to: usize, var: &Name) -> Result<Stmt, LowerError> {
        let Some(stop) = self.plan.until else {
            return self.steps(cx, to, var, &self.plan.order, Ended::Unknown);
        };
        let (asks, others) = self.plan.order.split_at(1);
        let asks = self.steps(cx, to, var, asks, Ended::Unknown)?;
        let goes_on = Bool::ne(Int::load(self.states[stop].buffers[0].name.clone(), 0.into()), 1.into());
        // The second round of a pair brings the states back into the first buffers, ended or not.
        let is_second = !self.plan.is_plain() && to == 0;
        let ended = if is_second { Ended::Unknown } else { Ended::No };
        let others = self.steps(cx, to, var, others, ended)?;
        Ok(match is_second {
            true => Stmt::guard(goes_on, Stmt::seq([asks, others])),
            false => Stmt::seq([asks, Stmt::guard(goes_on, others)]),
        })
    }

    /// What a round makes of these states, in this order.
    fn steps(
        &self,
        cx: &mut LowerCx<'_>,
        to: usize,
        var: &Name,
        order: &[usize],
        ended: Ended,
    ) -> Result<Stmt, LowerError> {
        let mut steps = Vec::new();
        for group in self.joint(cx, order) {
            steps.push(match group[..] {
                [k] => self.step(cx, to, k, var, ended),
                _ => self.steps_at_once(cx, to, &group, var, ended),
            }?);
        }
        let registers = order.iter().map(|k| &self.states[*k]).filter(|s| s.mode == Mode::Register);
        let ends = registers.map(|state| {
            let [old, new] = state.buffers.each_ref().map(|buffer| buffer.name.clone());
            Stmt::replace(old, Int::Lit(0), Val::scalar(new))
        });
        Ok(Stmt::seq(steps.into_iter().chain(ends)))
    }

    /// What a round makes of a state.
    fn step(
        &self,
        cx: &mut LowerCx<'_>,
        to: usize,
        k: usize,
        var: &Name,
        ended: Ended,
    ) -> Result<Stmt, LowerError> {
        self.within(cx, to, (self.it, k), var, ended, |cx, below, step| {
            let state = &self.states[k];
            match &state.mode {
                Mode::InPlace(directions) => {
                    let to = Target { own: below.first + k as u32, buffer: &state.buffers[0], directions };
                    update(cx, step, &to, &Cells::default())
                }
                _ => fill(cx, step, &state.ty, state.after(to)),
            }
        })
    }

    /// What a round makes of states whose steps have rounds of their own in common.
    fn steps_at_once(
        &self,
        cx: &mut LowerCx<'_>,
        to: usize,
        group: &[usize],
        var: &Name,
        ended: Ended,
    ) -> Result<Stmt, LowerError> {
        let steps: Vec<Expr> = group.iter().map(|k| self.step_below(*k, group[0])).collect();
        let mut it = self.it.clone();
        it.states[group[0]].step = joined(cx.annotations, &steps);
        self.within(cx, to, (&it, group[0]), var, ended, |cx, below, step| {
            let (mut begins, mut ends) = (Vec::new(), Vec::new());
            let binders = below.round - below.first + 1;
            for (k, step) in group.iter().zip(&steps) {
                let (ty, buffer) = (&self.states[*k].ty, self.states[*k].after(to));
                let step = subst::open_all(step, below.first, binders);
                let covered = is_definitely_initialised(cx, &step, ty)?;
                let init = if covered { Init::Uninit } else { Init::Value(zero(ty.elem)?) };
                begins.push(Stmt::Reset { buf: buffer.name.clone(), init });
                ends.push(Destination::whole(buffer.clone(), covered));
            }
            Ok(Stmt::seq(begins.into_iter().chain([emit_ends(cx, step, &ends)?])))
        })
    }

    /// The states in this order, those together that are made at once: whose old values no step reads,
    /// where no step reads what another makes, and whose steps have rounds of their own in common.
    fn joint(&self, cx: &LowerCx<'_>, order: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let is_free = |k: usize| {
            let state = &self.states[k];
            let own_memory = !state.is_given || state.buffers[0].part.is_none();
            self.plan.unread_by_steps[k] && own_memory && self.plan.until != Some(k)
        };
        for k in order.iter().copied() {
            let fits = |group: &&mut Vec<usize>| {
                let first = group[0];
                let reads = |j: usize| reads_new(self.it, k, j);
                let is_after = first < k && is_free(first) && is_free(k) && !(first..k).any(reads);
                let step = &self.it.states[first].step;
                is_after && share_rounds(cx.annotations, step, &self.step_below(k, first))
            };
            match groups.last_mut().filter(fits) {
                Some(group) => group.push(k),
                None => groups.push(vec![k]),
            }
        }
        groups
    }

    /// The step of a state below the binders of an earlier one's step; it reads no new state from that one
    /// on.
    fn step_below(&self, k: usize, first: usize) -> Expr {
        let (count, binders) = (self.states.len() as u32, |k: usize| (self.states.len() + k) as u32 + 1);
        let step = subst::open_all(&self.it.states[k].step, APART, binders(k));
        let round = (APART + count + k as u32, Ix::free(APART + count + first as u32));
        let moved = Subst { index: vec![round], ..Subst::default() }.expr(&step);
        subst::close_all(&moved, APART, binders(first))
    }

    /// Something below the binders of a step, in a round.
    fn within(
        &self,
        cx: &mut LowerCx<'_>,
        to: usize,
        (it, k): (&Iterate, usize),
        var: &Name,
        ended: Ended,
        make: impl FnOnce(&mut LowerCx<'_>, &Below, &Expr) -> Result<Stmt, LowerError>,
    ) -> Result<Stmt, LowerError> {
        let types: Vec<Type> = self.states.iter().map(|state| state.ty.clone()).collect();
        below(cx, it, &types, k, |cx, below, step| {
            if cx.is_unreachable() {
                return Ok(Stmt::skip());
            }
            let olds = self.states.iter().map(|state| state.before(to));
            let news = self.states[..k].iter().map(|state| state.after(to));
            for (level, buffer) in (below.first..).zip(olds.chain(news)) {
                cx.buffers.insert(level, buffer.clone());
            }
            cx.indices.insert(below.round, var.clone());
            if let Some(stop) = self.plan.until.filter(|stop| ended == Ended::No && *stop < k) {
                cx.ctx.push_hyp(Pred::not(holds(below.first + (self.states.len() + stop) as u32)));
            }
            cx.loops.push(EnclosingLoop {
                level: below.round,
                name: var.clone(),
                extent: self.it.extent.clone(),
                kind: LoopKind::Serial,
                search: None,
                kept: Vec::new(),
            });
            let made = make(cx, below, step);
            let kept = cx.loops.pop().map(|this| this.kept).unwrap_or_default();
            cx.indices.remove(&below.round);
            cx.buffers.retain(|other, _| *other < below.first);
            // The states are others in the next round, whatever their names are.
            match made {
                Ok(_) if !kept.is_empty() => {
                    let tensor = self.it.label.name.to_string();
                    Err(LowerError::NotCarried { at: None, tensor, why: NotCarried::Apart })
                }
                made => made,
            }
        })
    }

    /// The states are in the buffers of this turn.
    fn enter(&self, cx: &mut LowerCx<'_>, turn: usize) {
        for (start, state) in self.it.states.iter().zip(&self.states) {
            let level = cx.ctx.push_tensor(start.label.clone(), state.ty.clone());
            cx.buffers.insert(level, state.before(1 - turn).clone());
        }
    }
}

/// A new lifetime of a buffer, with the cells of `e`.
fn fill(cx: &mut LowerCx<'_>, e: &Expr, ty: &Type, buffer: &Buffer) -> Result<Stmt, LowerError> {
    let (fill, covered) = into_buffer(cx, e, ty, buffer)?;
    if buffer.part.is_some() {
        // The cells of a part have no lifetime of their own, and all are set: see `goes_on_in_part`.
        return Ok(fill);
    }
    let init = if covered { Init::Uninit } else { Init::Value(zero(ty.elem)?) };
    Ok(Stmt::seq([Stmt::Reset { buf: buffer.name.clone(), init }, fill]))
}

/// The context is as long as it was, and what is beyond has no buffers.
fn leave(cx: &mut LowerCx<'_>, level: u32) {
    cx.ctx.truncate(level);
    cx.buffers.retain(|other, _| *other < level);
}
