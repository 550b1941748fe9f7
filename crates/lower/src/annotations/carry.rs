//! Windows that are carried along a loop: a `let` in its body whose tensor lives as long as the loop runs.
//!
//! ```text
//! for y { alloc t[w]: all rows of t; .. t[k] .. }
//!   =  alloc t[w]: for y { if y == 0: rows 0..w-s of t, else: keep them; forget and compute rows w-s..w; .. t[k] .. }
//! ```
//! What makes it right is the theorem that row `k` of the iteration `y + 1` is row `k + s` of `y`
//! (`atl_rules::moving`), proved here of the very term that is translated. In registers, rows that are kept
//! move down by `s`: they are renamed once the loop is unrolled, and copied from vector to vector where it is
//! not. In memory nothing moves: row `k` is kept at `(k + s*y) % w`.
//!
//! The loop must run in order, and the `let` stand right in its body, below other `let`s at most: so each
//! iteration does its part, and nothing else stores to the tensor. Of several copies of the loop, those that
//! run once have nothing to carry; a copy whose window is not proved to move computes all of its rows, if
//! another copy carries them.

use crate::cx::{Buffer, LowerCx};
use crate::definitely_initialised::is_definitely_initialised;
use crate::destination::Destination;
use crate::emit::emit;
use crate::error::{LowerError, MAX_WORK, NotCarried};
use crate::loop_around::{branch, looped};
use crate::notes::Carried;
use atl_annotations::{Mark, RequestId, Role};
use atl_check::Reindexer;
use atl_kernel::LoopKind as Kind;
use atl_kernel::{Expr, Ix, Label, Node, Pred, Type, Var, subst};
use atl_loops::prefetch::Frame;
use atl_loops::{Int, LoopKind, Stmt};
use atl_rules::moving::{Moving, Still, Window};
use atl_rules::{Cx, Work};
use std::ops::Range;
use std::sync::Arc;

impl LowerCx<'_> {
    /// The windows that are carried, if each that was asked for is somewhere, or need not be.
    pub(crate) fn all_carried(&mut self) -> Result<Vec<Carried>, LowerError> {
        let found = &self.found;
        match self.carries.missing.iter().find(|(request, ..)| !found.contains(request)) {
            Some((request, tensor, why)) => {
                let (at, tensor) = (self.span(*request), tensor.clone());
                Err(LowerError::NotCarried { at, tensor, why: why.clone() })
            }
            None => Ok(std::mem::take(&mut self.carries.carried)),
        }
    }

    /// The loop around, innermost, along which the request is to carry a window.
    fn along(&self, request: RequestId) -> Option<usize> {
        let mark = Mark { request, role: Role::Along };
        let is_meant = |label: &Label| self.annotations.marks(label.tag).contains(&mark);
        self.around.iter().rposition(|around| around.label.as_ref().is_some_and(is_meant))
    }
}

/// A window that is to be filled.
pub(crate) struct Filling {
    /// The level of the loop's variable.
    y: u32,
    moving: Moving,
    ty: Type,
    term: Expr,
}

/// How a `let` is carried along the loop in whose body it stands, if the schedule requests it and it can be.
pub(crate) fn carried(
    cx: &mut LowerCx<'_>,
    label: &Label,
    bound: &Expr,
    ty: &Type,
) -> Result<Option<Filling>, LowerError> {
    let annotations = cx.annotations;
    for mark in annotations.marks(label.tag).iter().filter(|mark| mark.role == Role::Window) {
        let request = mark.request;
        let Some(at) = cx.along(request) else { continue };
        let tensor = label.name.to_string();
        let here = &cx.around[at];
        let along = match (&here.label, &here.frame) {
            (Some(along), Frame::Loop { .. }) if at + 1 == cx.around.len() => along.name.to_string(),
            _ => {
                cx.carries.missing.push((request, tensor, NotCarried::Apart));
                continue;
            }
        };
        match moving(cx, &along, bound, ty)? {
            Ok((y, moving)) => {
                cx.found.insert(request);
                cx.carries.carried.push(Carried { tensor, along, moving: moving.clone() });
                return Ok(Some(Filling { y, moving, ty: ty.clone(), term: bound.clone() }));
            }
            Err(Some(why)) => cx.carries.missing.push((request, tensor, why)),
            Err(None) => drop(cx.found.insert(request)),
        }
    }
    Ok(None)
}

/// How a window in the body of the innermost loop moves; else why it is not carried, or nothing where it need
/// not be.
fn moving(
    cx: &mut LowerCx<'_>,
    name: &str,
    bound: &Expr,
    ty: &Type,
) -> Result<Result<(u32, Moving), Option<NotCarried>>, LowerError> {
    let Some(along) = cx.loops.last().cloned() else { return Ok(Err(Some(NotCarried::Nowhere))) };
    if cx.proves(&Pred::le(along.extent.clone(), Ix::ONE)) {
        return Ok(Err(None));
    }
    if along.search.is_some() || !matches!(along.kind, LoopKind::Serial | LoopKind::Unroll) {
        return Ok(Err(Some(NotCarried::Concurrent)));
    }
    let mut outside = cx.ctx.clone();
    outside.truncate(along.level);
    let between: Vec<_> = cx.around_lets.iter().filter(|a| a.level > along.level).cloned().collect();
    let window = Window { outside: &outside, name, extent: &along.extent, between: &between, term: bound };
    let work = Work::limited(MAX_WORK);
    let found = window.moving(&mut Cx::new(Arc::new(cx.ctx.clone()), cx.prover).with_work(&work));
    if work.is_spent() {
        return Err(LowerError::TooMuchWork);
    }
    let there = cx.outside(along.level, |cx| ty.shape.iter().all(|n| cx.is_there(n)));
    match found {
        Ok(_) if !there => Ok(Err(Some(NotCarried::Still(Still::Extents)))),
        Err(still) => Ok(Err(Some(NotCarried::Still(still)))),
        Ok(_) if !is_definitely_initialised(cx, bound, ty)? => Ok(Err(Some(NotCarried::Uncovered))),
        Ok(moving) => Ok(Ok((along.level, moving))),
    }
}

/// What is made of the first indices of a window's cells.
type Inside<'a> = &'a dyn Fn(&mut LowerCx<'_>, &[Ix]) -> Result<Stmt, LowerError>;

impl Filling {
    /// How far rows have gone round, in memory that does not move.
    pub(crate) fn turn(&self) -> (usize, Ix) {
        (self.moving.dimension, Ix::free(self.y) * Ix::Lit(self.moving.by))
    }

    /// The extents of memory for it around the loop; where that does not run, none that may be large.
    pub(crate) fn extents(&self, cx: &mut LowerCx<'_>) -> Result<Vec<Int>, LowerError> {
        let runs = cx.loops.last().map_or(Ix::ONE, |along| along.extent.clone());
        cx.outside(self.y, |cx| {
            let extents = self.ty.shape.iter().map(|n| cx.translate_ix(n));
            let mut extents = extents.collect::<Result<Vec<_>, _>>()?;
            let is_large = extents.iter().any(|extent| extent.constant().is_none());
            if is_large && !cx.proves(&Pred::lt(Ix::ZERO, runs.clone())) {
                extents.insert(0, cx.translate_ix(&Ix::min(Ix::ONE, runs))?);
            }
            Ok(extents)
        })
    }

    /// The statement that computes what is new, and keeps the rest.
    pub(crate) fn fill(&self, cx: &mut LowerCx<'_>, buffer: &Buffer) -> Result<Stmt, LowerError> {
        let Moving { rows, by, .. } = self.moving;
        let first = Pred::eq(Ix::free(self.y), Ix::ZERO);
        let cond = cx.translate_pred(&first)?;
        let compute =
            |cx: &mut LowerCx<'_>, index: &[Ix]| emit(cx, &self.row(index), &destination(buffer, index));
        let forget = |cx: &mut LowerCx<'_>, index: &[Ix]| self.forget(cx, buffer, index);
        let begun =
            cx.within_branch(first.clone(), &cond, |cx| self.nest(cx, &[], 0..rows - by, None, &compute))?;
        let kept = match buffer.turn {
            Some(_) => Stmt::skip(),
            None => {
                let later = cond.clone().negate();
                cx.within_branch(Pred::not(first), &later, |cx| self.moved(cx, buffer))?
            }
        };
        let new = rows - by..rows;
        let mut stmts = vec![branch(cond, begun, kept)];
        if self
            .gens()
            .take(self.moving.dimension + 1)
            .any(|label| matches!(label.kind, Kind::Parallel | Kind::Vector(_)))
        {
            // Cells are forgotten in order.
            stmts.push(self.nest(cx, &[], new.clone(), Some(Kind::Serial), &forget)?);
            stmts.push(self.nest(cx, &[], new, None, &compute)?);
        } else {
            let anew =
                |cx: &mut LowerCx<'_>, index: &[Ix]| Ok(Stmt::seq([forget(cx, index)?, compute(cx, index)?]));
            stmts.push(self.nest(cx, &[], new, None, &anew)?);
        }
        Ok(Stmt::seq(stmts))
    }

    /// Moves the rows down that are kept.
    fn moved(&self, cx: &mut LowerCx<'_>, buffer: &Buffer) -> Result<Stmt, LowerError> {
        let Moving { rows, by, dimension, .. } = self.moving;
        self.nest(cx, &[], 0..rows - by, Some(Kind::Unroll), &|cx, index| {
            let forget = self.forget(cx, buffer, index)?;
            let window = cx.ctx.push_tensor(Label::new("t"), self.ty.clone());
            cx.buffers.insert(window, buffer.clone());
            let mut from = index.to_vec();
            from[dimension] = from[dimension].clone() + Ix::Lit(by);
            let copied = emit(cx, &self.entry(window, &from), &destination(buffer, index));
            cx.buffers.remove(&window);
            cx.ctx.truncate(window);
            Ok(Stmt::seq([forget, copied?]))
        })
    }

    /// Loops over the dimensions up to that of the rows, of which only some are meant, around what is made of
    /// the indices. Loops are run like those of the term, unless a kind is given; of a single iteration,
    /// there is none.
    fn nest(
        &self,
        cx: &mut LowerCx<'_>,
        around: &[Ix],
        rows: Range<i64>,
        kind: Option<Kind>,
        inside: Inside<'_>,
    ) -> Result<Stmt, LowerError> {
        let depth = around.len();
        let is_last = depth == self.moving.dimension;
        let (from, count) = match is_last {
            true => (rows.start, Ix::Lit(rows.end - rows.start)),
            false => (0, self.ty.shape[depth].clone()),
        };
        let one = |cx: &mut LowerCx<'_>, i: Ix| {
            let index = [around, &[i + Ix::Lit(from)]].concat();
            match is_last {
                true => inside(cx, &index),
                false => self.nest(cx, &index, rows.clone(), kind, inside),
            }
        };
        if count == Ix::ONE {
            return one(cx, Ix::ZERO);
        }
        let label = self.gens().nth(depth).cloned().unwrap_or(Label::new("i"));
        let label = Label { kind: kind.unwrap_or(label.kind), ..label };
        let level = cx.ctx.level();
        // What stands in the loop is made of its index alone.
        let nothing: Expr = Arc::new(Node::Index(self.ty.elem, Ix::ZERO));
        looped(cx, &label, &count, &nothing, |cx, _, _| one(cx, Ix::free(level)))
    }

    /// The labels of the loops that the term begins with.
    fn gens(&self) -> impl Iterator<Item = &Label> {
        let mut inside = &self.term;
        std::iter::from_fn(move || match &**inside {
            Node::Gen(label, _, body) => {
                inside = body;
                Some(label)
            }
            _ => None,
        })
    }

    /// The term at the first indices.
    fn row(&self, index: &[Ix]) -> Expr {
        index.iter().fold(self.term.clone(), |e, at| match &*e {
            Node::Gen(_, _, body) => subst::instantiate(body, at),
            _ => e,
        })
    }

    /// The tensor at a level at the first indices, element by element, in loops like those that compute one.
    fn entry(&self, window: u32, index: &[Ix]) -> Expr {
        let name: Expr = Arc::new(Node::Var(Var::Free(window)));
        let whole = index.iter().fold(name, |e, at| Arc::new(Node::Get(e, at.clone())));
        let extents = &self.ty.shape[index.len()..];
        let levels: Vec<u32> = (window + 1..).take(extents.len()).collect();
        let element = levels.iter().fold(whole, |e, level| Arc::new(Node::Get(e, Ix::free(*level))));
        let labels = self.gens().skip(index.len()).cloned().chain(std::iter::repeat(Label::new("i")));
        let labels: Vec<Label> = labels.take(extents.len()).collect();
        let nest = levels.iter().zip(labels).zip(extents).rev();
        nest.fold(element, |e, ((level, label), extent)| {
            Arc::new(Node::Gen(label, extent.clone(), subst::close(&e, *level)))
        })
    }

    /// The cells at the first indices hold nothing any more.
    fn forget(&self, cx: &mut LowerCx<'_>, buffer: &Buffer, index: &[Ix]) -> Result<Stmt, LowerError> {
        let inner = &buffer.extents[index.len()..];
        let cells = inner.iter().cloned().reduce(|a, b| a * b).unwrap_or(Ix::ONE);
        let lo = buffer.cell(&[index, &vec![Ix::ZERO; inner.len()]].concat());
        let (lo, hi) = (cx.translate_ix(&lo)?, cx.translate_ix(&(lo + cells))?);
        Ok(Stmt::Forget { buf: buffer.name.clone(), lo, hi })
    }
}

/// The cells of a buffer at the first indices, to be set.
fn destination(buffer: &Buffer, index: &[Ix]) -> Destination<'static> {
    let theta = index.iter().fold(Reindexer::identity(), |theta, at| theta.under_gen(at.clone()));
    Destination::set(buffer.clone(), theta)
}
