//! Iterations: each state has two buffers, and rounds fill them by turns.
//!
//! ```text
//! L(iterate t<n from x = e { s } in b)  =  alloc a, b
//!                                          if odd n: L(e) into b, else: L(e) into a
//!                                          for pair in 0..(n + 1) / 2:
//!                                              for t in 2 pair - n % 2: L(s) from a into b     if 0 <= t
//!                                              for t in the next:       L(s) from b into a
//!                                          L(body) from a
//! ```
//!
//! So no round copies what it has computed, and the last states are in `a` whatever `n` is. A fill begins a lifetime of
//! its buffer, which begins as zero where the step does not set every cell. A scalar's buffers are registers.

use crate::carry::NotCarried;
use crate::cx::{Buffer, EnclosingLoop, LowerCx};
use crate::emit::into_buffer;
use crate::error::LowerError;
use crate::prefetch::Enclosing;
use crate::scalar::zero;
use atl_check::{StorageError, storage};
use atl_kernel::{self as kernel, Expr, Iterate, Ix, Pred, Type, subst};
use atl_loops::prefetch::Frame;
use atl_loops::{Bool, Init, Int, IntOp, LoopKind, Stmt, Storage};

/// A state, and the buffers that it is in by turns.
struct State {
    ty: Type,
    buffers: [Buffer; 2],
    storage: Storage,
}

/// The rounds of an iteration, and what is made of its body, where the last states are.
pub(crate) fn rounds(
    cx: &mut LowerCx<'_>,
    it: &Iterate,
    rest: impl FnOnce(&mut LowerCx<'_>, &Expr) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let states = it.states.iter().map(|state| allocated(cx, state)).collect::<Result<Vec<_>, _>>()?;
    let count = match cx.proves(&Pred::le(Ix::ZERO, it.extent.clone())) {
        true => it.extent.clone(),
        false => Ix::max(it.extent.clone(), Ix::ZERO),
    };
    let odd = cx.translate_ix(&(count.clone() % Ix::Lit(2)))?;
    let pairs = cx.translate_ix(&((count + Ix::ONE) / Ix::Lit(2)))?;
    let starts = start(cx, it, &states, &odd)?;
    let pair = cx.names.enter("pair");
    let first = Int::bin(IntOp::Sub, Int::Lit(2) * Int::Var(pair.clone()), odd.clone());
    let frame = Frame::Loop { var: pair.clone(), lo: 0.into(), hi: pairs.clone() };
    cx.around.push(Enclosing::new(None, frame));
    let turns = turns(cx, it, &states, &first, &odd);
    cx.around.pop();
    cx.names.leave();
    let turns = Stmt::for_loop(pair, 0.into(), pairs, LoopKind::Serial, turns?);
    let level = cx.ctx.level();
    enter(cx, it, &states, 0);
    let binders = cx.ctx.level() - level;
    let body = rest(cx, &subst::open_all(&it.body, level, binders));
    leave(cx, level);
    let inside = Stmt::seq([starts, turns, body?]);
    states.into_iter().rev().try_fold(inside, |inside, state| {
        let State { ty, buffers, storage } = state;
        buffers.into_iter().rev().try_fold(inside, |body, buffer| {
            let extents = ty.shape.iter().map(|n| cx.translate_ix(n)).collect::<Result<Vec<_>, _>>()?;
            let (buf, scalar, body) = (buffer.name, ty.elem.scalar, Box::new(body));
            // A compiler does not see that the number of rounds decides which register the first one reads.
            let init = if extents.is_empty() { Init::Value(zero(ty.elem)?) } else { Init::Uninit };
            Ok(Stmt::Alloc { buf, scalar, extents, storage, init, body })
        })
    })
}

fn allocated(cx: &mut LowerCx<'_>, state: &kernel::State) -> Result<State, LowerError> {
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
        Buffer { name, elem: ty.elem, extents: ty.shape.clone(), turn: None }
    };
    let buffers = [buffer(""), buffer("_next")];
    Ok(State { ty, buffers, storage })
}

/// The states before the first round, where it reads them.
fn start(cx: &mut LowerCx<'_>, it: &Iterate, states: &[State], odd: &Int) -> Result<Stmt, LowerError> {
    let mut into = |turn: usize| {
        let fills = it.states.iter().zip(states).map(|(state, to)| fill(cx, &state.init, to, turn));
        fills.collect::<Result<Vec<_>, _>>().map(Stmt::seq)
    };
    Ok(match odd {
        Int::Lit(0) => into(0)?,
        Int::Lit(_) => into(1)?,
        odd => Stmt::If {
            cond: Bool::eq(odd.clone(), 1.into()),
            then: Box::new(into(1)?),
            otherwise: Some(Box::new(into(0)?)),
        },
    })
}

fn fill(cx: &mut LowerCx<'_>, e: &Expr, state: &State, turn: usize) -> Result<Stmt, LowerError> {
    let buffer = &state.buffers[turn];
    let (fill, covered) = into_buffer(cx, e, &state.ty, buffer)?;
    let init = if covered { Init::Uninit } else { Init::Value(zero(state.ty.elem)?) };
    Ok(Stmt::seq([Stmt::Reset { buf: buffer.name.clone(), init }, fill]))
}

/// Two rounds, the first of which reads the first buffers; `first` is its number, and -1 where it is none.
fn turns(
    cx: &mut LowerCx<'_>,
    it: &Iterate,
    states: &[State],
    first: &Int,
    odd: &Int,
) -> Result<Stmt, LowerError> {
    let next = first.clone() + Int::Lit(1);
    let lo = match odd {
        Int::Lit(0) => first.clone(),
        _ => Int::bin(IntOp::Max, first.clone(), Int::Lit(0)),
    };
    // Where the number of rounds is odd, its first round is the second of a pair.
    let away = round(cx, it, states, 1, (lo, next.clone()))?;
    let back = round(cx, it, states, 0, (next.clone(), next + Int::Lit(1)))?;
    Ok(Stmt::seq([away, back]))
}

/// The round with a number in this range, of one number at most, which stores to the buffers of this turn.
fn round(
    cx: &mut LowerCx<'_>,
    it: &Iterate,
    states: &[State],
    to: usize,
    (lo, hi): (Int, Int),
) -> Result<Stmt, LowerError> {
    let var = cx.names.enter(&it.label.name);
    let frame = Frame::Loop { var: var.clone(), lo: lo.clone(), hi: hi.clone() };
    cx.around.push(Enclosing::new(None, frame));
    let mut steps = Vec::new();
    let mut failed = None;
    for (k, (state, buffers)) in it.states.iter().zip(states).enumerate() {
        let level = cx.ctx.level();
        enter(cx, it, states, 1 - to);
        for (other, new) in it.states[..k].iter().zip(states) {
            let new_level = cx.ctx.push_tensor(other.label.clone(), new.ty.clone());
            cx.buffers.insert(new_level, new.buffers[to].clone());
        }
        let binders = cx.ctx.level() - level + 1;
        let index = cx.ctx.push_loop(it.label.clone(), &it.extent);
        if !cx.is_unreachable() {
            cx.indices.insert(index, var.clone());
            cx.loops.push(EnclosingLoop {
                level: index,
                name: var.clone(),
                extent: it.extent.clone(),
                kind: LoopKind::Serial,
                search: None,
                kept: Vec::new(),
            });
            let step = fill(cx, &subst::open_all(&state.step, level, binders), buffers, to);
            let kept = cx.loops.pop().map(|this| this.kept).unwrap_or_default();
            cx.indices.remove(&index);
            match step {
                // Rounds are written out by pairs: nothing lives as long as they all do.
                Ok(_) if !kept.is_empty() => {
                    let tensor = it.label.name.to_string();
                    failed = Some(LowerError::NotCarried { at: None, tensor, why: NotCarried::Apart });
                }
                Ok(step) => steps.push(step),
                Err(error) => failed = Some(error),
            }
        }
        leave(cx, level);
        if failed.is_some() {
            break;
        }
    }
    cx.around.pop();
    cx.names.leave();
    match failed {
        Some(error) => Err(error),
        None => Ok(Stmt::for_loop(var, lo, hi, LoopKind::Serial, Stmt::seq(steps))),
    }
}

/// The states are in the buffers of this turn.
fn enter(cx: &mut LowerCx<'_>, it: &Iterate, states: &[State], turn: usize) {
    for (state, buffers) in it.states.iter().zip(states) {
        let level = cx.ctx.push_tensor(state.label.clone(), buffers.ty.clone());
        cx.buffers.insert(level, buffers.buffers[turn].clone());
    }
}

/// The context is as long as it was, and what is beyond has no buffers.
fn leave(cx: &mut LowerCx<'_>, level: u32) {
    cx.ctx.truncate(level);
    cx.buffers.retain(|other, _| *other < level);
}
