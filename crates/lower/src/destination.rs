//! What a term is lowered into: cells of a buffer through a reindexer, or whatever is done with each term.
//!
//! A destination knows where elements go and whether each cell is set. It makes no statement but the store of
//! one scalar.

use crate::cx::{Buffer, LowerCx, Part};
use crate::error::LowerError;
use crate::scalar::{reduction, zero};
use atl_check::Reindexer;
use atl_kernel::{Expr, Ix, Label};
use atl_loops::{Stmt, StoreMode, Val};
use atl_ops::Operator;
use std::sync::Arc;

/// What is done with a term: a scalar, and its index.
pub(crate) type EachTerm<'a> = &'a dyn Fn(&mut LowerCx<'_>, &Expr, Vec<Ix>) -> Result<Stmt, LowerError>;

/// What a term is lowered into.
#[derive(Clone)]
pub(crate) struct Destination<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) theta: Reindexer,
}

#[derive(Clone)]
pub(crate) enum Place<'a> {
    /// The cells of a buffer.
    Cells {
        buffer: Buffer,
        /// Is every cell set, so that none needs to begin as zero?
        covered: bool,
        mode: StoreMode,
    },
    /// No cells of its own.
    Terms(EachTerm<'a>),
}

impl Destination<'_> {
    /// Cells all of which are set.
    pub(crate) fn set(buffer: Buffer, theta: Reindexer) -> Destination<'static> {
        Destination { place: Place::Cells { buffer, covered: true, mode: StoreMode::Set }, theta }
    }

    /// A whole buffer; is every cell set, so that none needs to begin as zero?
    pub(crate) fn whole(buffer: Buffer, covered: bool) -> Destination<'static> {
        let place = Place::Cells { buffer, covered, mode: StoreMode::Set };
        Destination { place, theta: Reindexer::identity() }
    }

    /// The same below a `gen` with this index.
    pub(crate) fn under_gen(&self, at: Ix) -> Self {
        Destination { theta: self.theta.under_gen(at), ..self.clone() }
    }

    /// The same below an operator, of its operand with this number.
    pub(crate) fn under_operator(&self, op: &'static Operator, ixs: &[Ix], extents: &[Ix], k: usize) -> Self {
        Destination { theta: self.theta.under_operator(op, ixs, extents, k), ..self.clone() }
    }

    /// The same, where elements are added up.
    pub(crate) fn adding(&self) -> Result<Self, LowerError> {
        let mut to = self.clone();
        if let Place::Cells { buffer, mode, .. } = &mut to.place {
            *mode = StoreMode::Reduce(reduction(buffer.elem)?);
        }
        Ok(to)
    }
}

/// Where an iteration may keep the state that it ends in, which is of the type of `e`: in the destination
/// itself, if that is a buffer, or a part of one, which may be read and stored to again.
pub(crate) fn home(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    to: &Destination<'_>,
) -> Result<Option<Buffer>, LowerError> {
    let Place::Cells { buffer, covered, mode: StoreMode::Set } = &to.place else { return Ok(None) };
    if buffer.turn.is_some() || buffer.extents.is_empty() || cx.is_stored_once() {
        return Ok(None);
    }
    match (to.theta.is_identity(), covered) {
        (true, true) => Ok(Some(buffer.clone())),
        (true, false) => Ok(None),
        (false, _) => part(cx, e, buffer, &to.theta),
    }
}

/// The part of a buffer where the elements of `e` go, if each has a cell there. Threads of a device share
/// the whole, so nothing is kept there.
fn part(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    buffer: &Buffer,
    theta: &Reindexer,
) -> Result<Option<Buffer>, LowerError> {
    let ty = cx.type_of(e)?;
    if cx.is_for_device() || ty.shape.is_empty() {
        return Ok(None);
    }
    let level = cx.ctx.level();
    let index: Vec<Ix> = ty.shape.iter().map(|n| Ix::free(cx.ctx.push_loop(Label::new("i"), n))).collect();
    let kept = theta.kept(&cx.ctx, cx.prover, index);
    let is_there = kept.iter().all(|(_, kept)| cx.proves(kept));
    cx.ctx.truncate(level);
    if !is_there {
        return Ok(None);
    }
    let (theta, whole) = match &buffer.part {
        Some(outer) => (outer.theta.after(theta), outer.whole.clone()),
        None => (theta.clone(), buffer.extents.clone()),
    };
    let part = Some(Arc::new(Part { theta, whole }));
    Ok(Some(Buffer { extents: ty.shape, part, ..buffer.clone() }))
}

/// What a guarded scalar stores where its guard does not hold: its zero, if the cell does not begin so.
pub(crate) fn where_unguarded(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    to: &Destination<'_>,
) -> Result<Option<Val>, LowerError> {
    match &to.place {
        Place::Cells { buffer, covered: true, mode: StoreMode::Set } if !to.theta.drops() => {
            cx.type_of(e)?.shape.is_empty().then(|| zero(buffer.elem)).transpose()
        }
        _ => Ok(None),
    }
}

/// Stores the value of a scalar.
pub(crate) fn store_value(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    value: Val,
    to: &Destination<'_>,
) -> Result<Stmt, LowerError> {
    // What is done with terms has been done.
    let Place::Cells { buffer, mode, .. } = &to.place else { return Err(LowerError::NotNormal(e.clone())) };
    let index = to.theta.apply(&cx.ctx, cx.prover, Vec::new());
    let index = cx.cell(buffer, &index)?;
    Ok(Stmt::Store { buf: buffer.name.clone(), index, value, mode: *mode })
}
