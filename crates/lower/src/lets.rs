//! `let`s: a value in memory around what is made of the body.
//!
//! ```text
//! L(let x = a; b)            = alloc x: L(a) into x; L(b)
//! L(let x = a; let y = b; c) = alloc x, y: L(a, b) into x and y; L(c)
//!                              where `a` and `b` have rounds in common: see `joint`
//! ```
//!
//! What is a result too has no memory of its own: it is stored where the result is to go.

use crate::annotations::carry::carried;
use crate::cx::{Buffer, LowerCx};
use crate::definitely_initialised::{is_definitely_initialised, reads_are_initialised};
use crate::destination::Destination;
use crate::emit::filled;
use crate::error::LowerError;
use crate::joint::{emit_ends, joined, share_rounds};
use crate::scalar::zero;
use crate::sparse_output::term_order::is_filled_at_once;
use atl_check::{StorageError, storage};
use atl_kernel::{self as kernel, Expr, Ix, Label, Node, Type, subst};
use atl_loops::{Init, Stmt, Storage};
use atl_rules::moving::Between;
use atl_rules::occurrences::mentions;

/// A `let` of the kernel: its label, what it binds, and its body.
pub(crate) type Let<'a> = (&'a Label, &'a Expr, &'a Expr);

/// The memory that a tensor with this level and these extents has already, of which this is the body.
pub(crate) type Homes<'a> = &'a dyn Fn(&Expr, u32, &[Ix]) -> Option<Buffer>;

/// A value in memory around what is made of the body; none where nothing reads it, as where terms are only
/// counted.
pub(crate) fn bound(
    cx: &mut LowerCx<'_>,
    label: &Label,
    bound: &Expr,
    body: &Expr,
    rest: impl FnOnce(&mut LowerCx<'_>, &Expr) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    bound_in(cx, (label, bound, body), &|_, _, _| None, rest)
}

/// The same, where some tensors have memory already: that of a `let` with this level, of which this is the
/// body.
pub(crate) fn bound_in(
    cx: &mut LowerCx<'_>,
    one: Let<'_>,
    home: Homes<'_>,
    rest: impl FnOnce(&mut LowerCx<'_>, &Expr) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let level = cx.ctx.level();
    let (lets, body) = together(cx, one, level);
    let mut homes = Vec::new();
    for (level, (label, bound)) in (level..).zip(&lets) {
        let shape = cx.type_of(bound)?.shape;
        homes.push(home(&body, level, &shape).filter(|_| is_plain(cx, label)));
    }
    match &lets[..] {
        [_] if homes[0].is_none() => alone(cx, one, rest),
        _ => at_once(cx, &lets, &homes, &body, rest),
    }
}

/// Is nothing asked of the `let`?
fn is_plain(cx: &LowerCx<'_>, label: &Label) -> bool {
    label.storage == kernel::Storage::Auto && cx.annotations.marks(label.tag).is_empty()
}

/// A `let` and those right below it that have rounds in common with it and do not read it, and what is
/// below them; they have the levels from this one on.
fn together(cx: &LowerCx<'_>, (label, bound, body): Let<'_>, level: u32) -> (Vec<(Label, Expr)>, Expr) {
    let mut lets = vec![(label.clone(), bound.clone())];
    let mut rest = subst::open(body, level);
    let is_markless = |label: &Label| cx.annotations.marks(label.tag).is_empty();
    while let Node::Let(label, other, body) = &*rest.clone() {
        let below = level + lets.len() as u32;
        let reads = (level..below).any(|level| mentions(other, level));
        if reads
            || ![&lets[0].0, label].into_iter().all(is_markless)
            || !share_rounds(cx.annotations, bound, other)
        {
            break;
        }
        lets.push((label.clone(), other.clone()));
        rest = subst::open(body, below);
    }
    (lets, rest)
}

fn kept_in(label: &Label, bound: &Expr, ty: &Type) -> Result<Storage, LowerError> {
    match storage(label, ty) {
        Ok(kernel::Storage::Register) => Ok(Storage::Register),
        Ok(kernel::Storage::Stack) => Ok(Storage::Stack),
        Ok(kernel::Storage::Heap | kernel::Storage::Auto) => Ok(Storage::Heap),
        // The check has refused it.
        Err(StorageError(_)) => Err(LowerError::NotNormal(bound.clone())),
    }
}

fn buffer(cx: &mut LowerCx<'_>, label: &Label, ty: &Type) -> Buffer {
    let name = cx.names.buffer(&label.name);
    Buffer { name, elem: ty.elem, extents: ty.shape.clone(), turn: None, part: None }
}

/// What is made of the body below `let`s of these tensors, which are in these buffers.
fn below(
    cx: &mut LowerCx<'_>,
    lets: &[(Label, Expr)],
    made: &[(Type, Buffer)],
    body: &Expr,
    rest: impl FnOnce(&mut LowerCx<'_>, &Expr) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let first = cx.ctx.level();
    for ((label, bound), (ty, buffer)) in lets.iter().zip(made) {
        let level = cx.ctx.push_tensor(label.clone(), ty.clone());
        cx.buffers.insert(level, buffer.clone());
        cx.around_lets.push(Between { level, label: label.clone(), bound: bound.clone() });
    }
    let rest = rest(cx, body);
    cx.around_lets.truncate(cx.around_lets.len() - lets.len());
    cx.buffers.retain(|level, _| *level < first);
    cx.ctx.truncate(first);
    rest
}

/// `let`s that are computed together, some of them where they have a home.
fn at_once(
    cx: &mut LowerCx<'_>,
    lets: &[(Label, Expr)],
    homes: &[Option<Buffer>],
    body: &Expr,
    rest: impl FnOnce(&mut LowerCx<'_>, &Expr) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let level = cx.ctx.level();
    let (mut made, mut allocs, mut begins) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bounds, mut to) = (Vec::new(), Vec::new());
    for (level, ((label, bound), home)) in (level..).zip(lets.iter().zip(homes)) {
        let ty = cx.type_of(bound)?;
        let own = match home {
            Some(home) => home.clone(),
            None => buffer(cx, label, &ty),
        };
        made.push((ty.clone(), own.clone()));
        if home.is_none() && !mentions(body, level) {
            continue;
        }
        let covered = is_definitely_initialised(cx, bound, &ty)?;
        if home.is_none() {
            let extents = ty.shape.iter().map(|n| cx.translate_ix(n)).collect::<Result<Vec<_>, _>>()?;
            let init = if covered { Init::Uninit } else { Init::Value(zero(ty.elem)?) };
            allocs.push((own.clone(), extents, kept_in(label, bound, &ty)?, init));
        } else if !covered {
            begins.push(Stmt::fill(own.name.clone(), zero(ty.elem)?));
        }
        bounds.push(bound.clone());
        to.push(Destination::whole(own, covered));
    }
    // Where a schedule names loops, the normal form's own `let`s are not there yet.
    let is_written = cx.source_let_names.contains(&lets[0].0.name);
    if is_written {
        cx.lets.push(made[0].1.name.clone());
    }
    let fill = emit_ends(cx, &joined(cx.annotations, &bounds), &to);
    if is_written {
        cx.lets.pop();
    }
    let fill = fill?;
    let rest = below(cx, lets, &made, body, rest)?;
    let inside = Stmt::seq(begins.into_iter().chain([fill, rest]));
    Ok(allocs.into_iter().rev().fold(inside, |inside, (buffer, extents, storage, init)| {
        let (buf, scalar, body) = (buffer.name, buffer.elem.scalar, Box::new(inside));
        Stmt::Alloc { buf, scalar, extents, storage, init, body }
    }))
}

/// A `let` by itself.
fn alone(
    cx: &mut LowerCx<'_>,
    (label, bound, body): Let<'_>,
    rest: impl FnOnce(&mut LowerCx<'_>, &Expr) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let ty = cx.type_of(bound)?;
    let storage = kept_in(label, bound, &ty)?;
    let shared = cx.shared(label);
    let storage = shared.map_or(storage, |(_, swizzle)| Storage::Shared(swizzle));
    let tracked = cx.tracked(label);
    let mut buffer = buffer(cx, label, &ty);
    let window = carried(cx, label, bound, &ty)?;
    if let Some(window) = &window
        && storage != Storage::Register
    {
        buffer.turn = Some(window.turn());
    }
    let extents = match &window {
        Some(window) => window.extents(cx)?,
        None => ty.shape.iter().map(|n| cx.translate_ix(n)).collect::<Result<Vec<_>, _>>()?,
    };
    if let Some(shared) = shared {
        cx.fits(label, shared, &extents)?;
    }
    // Where a schedule names loops, the normal form's own `let`s are not there yet.
    let is_written = cx.source_let_names.contains(&label.name);
    if is_written {
        cx.lets.push(buffer.name.clone());
    }
    let filled = match &window {
        Some(window) => window.fill(cx, &buffer).map(|fill| (fill, true)),
        None => {
            let covered =
                is_definitely_initialised(cx, bound, &ty)? || reads_are_initialised(cx, label, bound, body)?;
            filled(cx, bound, &buffer, covered).map(|fill| (fill, covered))
        }
    };
    if is_written {
        cx.lets.pop();
    }
    let (fill, covered) = filled?;
    let init = if covered { Init::Uninit } else { Init::Value(zero(ty.elem)?) };
    let storage = if tracked.is_some() { Storage::Touched } else { storage };
    if let Some(request) = tracked
        && (covered || window.is_some())
    {
        let why = "each iteration stores every cell, so none needs a reset".to_owned();
        return Err(LowerError::NotSaved { at: cx.span(request), why });
    }
    if let Some(request) = tracked
        && is_filled_at_once(&fill, &buffer.name)
    {
        let why = "iterations that run at once store to it, and would share the record of what is stored; a loop around the `let` may be marked"
            .to_owned();
        return Err(LowerError::NotSaved { at: cx.span(request), why });
    }
    let body = subst::open(body, cx.ctx.level());
    let one = [(label.clone(), bound.clone())];
    let rest = below(cx, &one, &[(ty.clone(), buffer.clone())], &body, rest)?;
    if !rest.reads(&buffer.name) {
        return Ok(rest);
    }
    let inside = Stmt::seq([fill, rest]);
    let alloc = |body| {
        let (buf, scalar) = (buffer.name, ty.elem.scalar);
        Stmt::Alloc { buf, scalar, extents, storage, init, body: Box::new(body) }
    };
    match (window, cx.loops.last_mut()) {
        (Some(_), Some(along)) => {
            along.kept.push(alloc(Stmt::skip()));
            Ok(inside)
        }
        _ => Ok(alloc(inside)),
    }
}
