//! States that are updated in place: whether a round may store its new states over the old ones, and in
//! which order.
//!
//! A step in the form of *point updates*
//!
//! ```text
//! gen i.. { select(p, v, x[i, ..]) }         also nested, in parts `.. ++ ..`, and with `let`s in between
//! ```
//!
//! is a store of `v` to the cells where `p` holds, and touches no other. That is the step if no cell is
//! read after it was stored to in the same round: for all indices `i`, and `j` that come before `i` in the
//! loops, one part after the other,
//!
//! ```text
//! p(i) && p(j) && r(i) == j     is absurd, for each read `x[r(i)]` that is made for `i`
//! ```
//!
//! `arith` decides, for each loop in ascending order, else in descending order. What is not proved
//! keeps two buffers. Of several states, those are stored first whose old values no other step reads.

mod effects;
mod shape;
mod start;
mod until;
mod update;

pub(crate) use shape::{APART, has_extents, holds, is_bound, parts, state_at};
pub use shape::{Bound, Cells, bound, choice, conjuncts, is_same, only_where, solved};
pub(crate) use update::{Target, update};

use crate::cx::LowerCx;
use crate::error::LowerError;
use atl_kernel::subst::Subst;
use atl_kernel::{Child, Ctx, Expr, Iterate, Ix, Node, Pred, Type, subst};
use atl_rules::occurrences::mentions;
use effects::{Effects, Read, Write, effects};
use start::needed;

/// Where a state is, from one round to the next.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Mode {
    /// In one buffer, whose cells are replaced by loops in these directions, outermost first.
    InPlace(Vec<Direction>),
    /// In one buffer, which each round fills from its first cell on: no step reads the old state.
    Refilled,
    /// A scalar in a register, and the new one in another until the round ends.
    Register,
    /// In two buffers, filled by turns.
    Turns,
}

/// The order in which a loop's iterations come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Ascending,
    Descending,
}

/// How the rounds of an iteration are run.
pub(crate) struct Plan {
    /// For each state, where it is.
    pub(crate) modes: Vec<Mode>,
    /// The states, in the order in which a round makes them.
    pub(crate) order: Vec<usize>,
    /// For each state, the start without the cells that nothing looks at, which are those of the tensor at
    /// the level around; none where all are looked at.
    pub(crate) starts: Vec<Option<Expr>>,
    /// For each state, whether no step reads the old one.
    pub(crate) unread_by_steps: Vec<bool>,
    /// For each state, whether no step reads the old one, nor the value the last one.
    pub(crate) unread: Vec<bool>,
    /// The state that says that the rounds have ended, if there is one. It is the first that a round makes.
    pub(crate) until: Option<usize>,
    /// What the steps do.
    steps: Vec<Effects>,
}

impl Plan {
    /// Does each state have one buffer?
    pub(crate) fn is_plain(&self) -> bool {
        !self.modes.contains(&Mode::Turns)
    }
}

/// The variables that a step stands below.
pub(crate) struct Below {
    /// The level of the first old state; the new ones before the step's own follow the old ones.
    pub(crate) first: u32,
    /// The level of the round's number.
    pub(crate) round: u32,
}

/// How the rounds are run. The state `taken` has the buffer of a state around, and must be updated in
/// place.
pub(crate) fn plan(cx: &mut LowerCx<'_>, it: &Iterate, taken: Option<usize>) -> Result<Plan, LowerError> {
    let types = it.states.iter().map(|state| cx.type_of(&state.init)).collect::<Result<Vec<_>, _>>()?;
    let mut steps = Vec::new();
    for k in 0..it.states.len() {
        steps.push(below(cx, it, &types, k, |cx, below, step| effects(cx, step, &types, k, below))?);
    }
    let mut modes = Vec::new();
    for (k, step) in steps.iter().enumerate() {
        let is_scalar = types[k].shape.is_empty();
        let is_read = steps.iter().any(|other| other.olds.contains(&k));
        let found =
            if is_read || is_scalar || taken == Some(k) { directions(cx, step, &types[k]) } else { None };
        modes.push(match found {
            Some(directions) => Mode::InPlace(directions),
            None if is_scalar => Mode::Register,
            None if !is_read => Mode::Refilled,
            None => Mode::Turns,
        });
    }
    let order = order(cx, &steps, &types, &mut modes);
    let own = cx.ctx.level();
    let mut starts = Vec::new();
    for (k, state) in it.states.iter().enumerate() {
        let in_place = matches!(modes[k], Mode::InPlace(_)) && !types[k].shape.is_empty() && taken != Some(k);
        let (of, start) = ((k, &it.extent), (&state.init, &types[k]));
        starts.push(if in_place { needed(cx, &steps, of, start, own) } else { None });
    }
    let until = until::until(cx, it, &types)?.filter(|stop| order.first() == Some(stop));
    // Single lanes of a vector leave no loop: there all rounds are run.
    let until = until.filter(|_| !cx.is_never_left(&it.label.name));
    let node = Node::Iterate(it.clone().into());
    let body = subst::open_all(&it.body, own, node.binds(Child::Body));
    let is_read = |k: usize| steps.iter().any(|step| step.olds.contains(&k));
    let unread_by_steps: Vec<bool> = (0..it.states.len()).map(|k| !is_read(k)).collect();
    let is_last = |k: usize| mentions(&body, own + k as u32) || until == Some(k);
    let unread = unread_by_steps.iter().enumerate().map(|(k, unread)| *unread && !is_last(k)).collect();
    Ok(Plan { modes, order, starts, unread_by_steps, unread, until, steps })
}

/// Something below the binders of a step, with the step.
pub(crate) fn below<T>(
    cx: &mut LowerCx<'_>,
    it: &Iterate,
    types: &[Type],
    k: usize,
    run: impl FnOnce(&mut LowerCx<'_>, &Below, &Expr) -> Result<T, LowerError>,
) -> Result<T, LowerError> {
    let first = cx.ctx.level();
    for (state, ty) in it.states.iter().zip(types).chain(it.states[..k].iter().zip(types)) {
        cx.ctx.push_tensor(state.label.clone(), ty.clone());
    }
    let binders = cx.ctx.level() - first + 1;
    let round = cx.ctx.push_loop(it.label.clone(), &it.extent);
    let step = subst::open_all(&it.states[k].step, first, binders);
    let result = run(cx, &Below { first, round }, &step);
    cx.ctx.truncate(first);
    result
}

/// Does the step of a state read the new state `j`, of one before it?
pub(crate) fn reads_new(it: &Iterate, k: usize, j: usize) -> bool {
    let count = it.states.len() as u32;
    let step = subst::open_all(&it.states[k].step, APART, count + k as u32 + 1);
    mentions(&step, APART + count + j as u32)
}

/// The directions of the loops in which a step may replace the cells of its own old state, if it is a
/// point update and there are such.
fn directions(cx: &mut LowerCx<'_>, step: &Effects, ty: &Type) -> Option<Vec<Direction>> {
    let update = step.update.as_ref()?;
    let mut found = Vec::new();
    for k in 0..ty.shape.len() {
        let meets = |cx: &mut LowerCx<'_>, direction| {
            let reads = step.reads.iter().filter(|read| read.is_old(step.own) && k < read.around.len());
            reads.into_iter().any(|read| {
                update.writes.iter().any(|write| {
                    let Some(mut there) = stored(read, write, step, step, ty) else { return true };
                    let Some(index) = &read.index else { return true };
                    for (at, own) in index.iter().zip(&read.around).take(k) {
                        there.push_hyp(Pred::eq(at.clone(), own.clone()));
                    }
                    let (at, own) = (index[k].clone(), read.around[k].clone());
                    there.push_hyp(match direction {
                        Direction::Ascending => Pred::lt(at, own),
                        Direction::Descending => Pred::lt(own, at),
                    });
                    !cx.proves_there(there, &Pred::False)
                })
            })
        };
        let both = [Direction::Ascending, Direction::Descending];
        let meets = both.map(|direction| meets(cx, direction));
        found.push(match meets {
            [false, false] => Direction::Ascending,
            _ if update.is_concurrent[k] => return None,
            [false, true] => Direction::Ascending,
            [true, false] => Direction::Descending,
            [true, true] => return None,
        });
    }
    Some(found)
}

/// The context of a read, where moreover the cell that it reads is one that the write of another step, or
/// of the same, stores. None where that cannot be said.
fn stored(read: &Read, write: &Write, reader: &Effects, writer: &Effects, ty: &Type) -> Option<Ctx> {
    let index = read.index.as_ref()?;
    let mut there = read.ctx.clone();
    for (at, n) in index.iter().zip(&ty.shape) {
        there.push_hyp(Pred::in_range(at, n));
    }
    let own = write.at(index);
    let round = (writer.round, Ix::free(reader.round));
    let known = |level: u32| {
        level < writer.new || level == writer.round || own.iter().any(|(index, _)| *index == level)
    };
    let put = Subst { index: own.iter().cloned().chain([round]).collect(), ..Subst::default() };
    for cond in write.conds.iter().filter(|cond| shape::levels(cond).into_iter().all(known)) {
        there.push_hyp(put.pred(cond));
    }
    Some(there)
}

/// The order in which a round makes the states. A state that none allows to be updated in place is not any
/// more.
fn order(cx: &mut LowerCx<'_>, steps: &[Effects], types: &[Type], modes: &mut [Mode]) -> Vec<usize> {
    let count = steps.len();
    // `late[j]`: those that read what the step `j` would replace.
    let mut late = vec![Vec::new(); count];
    for (j, writer) in steps.iter().enumerate() {
        if !matches!(modes[j], Mode::InPlace(_)) {
            continue;
        }
        for (k, reader) in steps.iter().enumerate().filter(|(k, _)| *k != j) {
            let mut reads = reader.reads.iter().filter(|read| read.is_old(j));
            let writes = writer.update.iter().flat_map(|update| &update.writes);
            let meets = reads.any(|read| {
                writes.clone().any(|write| match stored(read, write, reader, writer, &types[j]) {
                    Some(there) => !cx.proves_there(there, &Pred::False),
                    None => true,
                })
            });
            if meets {
                late[j].push(k);
            }
        }
    }
    let mut done: Vec<usize> = Vec::new();
    while done.len() < count {
        let waits = |k: usize, modes: &[Mode]| {
            let new = steps[k].reads.iter().any(|read| read.new.is_some_and(|j| !done.contains(&j)));
            let late = matches!(modes[k], Mode::InPlace(_)) && late[k].iter().any(|j| !done.contains(j));
            (new, late)
        };
        let left = || (0..count).filter(|k| !done.contains(k));
        if let Some(next) = left().find(|k| waits(*k, modes) == (false, false)) {
            done.push(next);
            continue;
        }
        // The first of the others that waits for no new state waits for a reader of its old one.
        let kept = left().filter(|k| waits(*k, modes).1).min_by_key(|k| !types[*k].shape.is_empty());
        match kept {
            Some(k) => modes[k] = if types[k].shape.is_empty() { Mode::Register } else { Mode::Turns },
            // Steps read new states before their own only.
            None => done.extend(left().collect::<Vec<_>>()),
        }
    }
    done
}
