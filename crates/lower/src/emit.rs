//! The translation: a term in normal form, a destination, a mode and a reindexer give a statement.
//!
//! ```text
//! L(gen i<n. e)      = for i in 0..n: L(e), reindexer with i in front
//! L(sum i<n. e)      = for i in 0..n: L(e), mode +=
//! L([p] * e)         = if p: L(e)
//! L(select(p, a, b)) = if p: L(a) else: L(b)
//! L(let x = a; b)    = alloc x: L(a) into x, mode =; L(b)
//! L(iterate .. in b) = the states in buffers; L(b)                     see `rounds`
//! L(a + b)           = L(a), mode +=; L(b), mode +=      of tensors
//! L(op(e, ..))       = L(e); ..  reindexer after the scatter view of the operator, for each operand
//! L(s)               = destination[cell of the reindexer at ()] = or += s
//! ```
//!
//! The destination may also be whatever is done with each term, a scalar and its index: `D(s) = each(s, reindexer at ())`. Terms come
//! in the order of the loops then, which is settled.
//!
//! A destination begins as zero unless the term is known to set all of it ([`covers`]); then a guarded scalar
//! stores its zero itself.

use crate::cx::{Buffer, EnclosingLoop, LowerCx, Part};
use crate::definitely_initialised::is_definitely_initialised;
use crate::error::LowerError;
use crate::in_place::{is_bound, state_at};
use crate::lets::bound;
use crate::normal::is_scalar;
use crate::prefetch::Enclosing;
use crate::rounds::{Home, rounds};
use crate::scalar::{reduction, value, zero};
use crate::search::{Head, search};
use crate::threshold::by_threshold;
use atl_check::Reindexer;
use atl_kernel::{self as kernel, Expr, Ix, Label, Node, Pred, Prim, Type, subst};
use atl_loops::prefetch::Frame;
use atl_loops::search::Search;
use atl_loops::{Bool, Init, Int, LoopKind, Share, Stmt, Storage, StoreMode, Val};
use atl_ops::Operator;
use std::sync::Arc;

/// What is done with a term: a scalar, and its index.
pub(crate) type EachTerm<'a> = &'a dyn Fn(&mut LowerCx<'_>, &Expr, Vec<Ix>) -> Result<Stmt, LowerError>;

/// What a term is lowered into.
#[derive(Clone)]
pub(crate) struct Destination<'a> {
    place: Place<'a>,
    theta: Reindexer,
}

#[derive(Clone)]
enum Place<'a> {
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
    fn adding(&self) -> Result<Self, LowerError> {
        let mut to = self.clone();
        if let Place::Cells { buffer, mode, .. } = &mut to.place {
            *mode = StoreMode::Reduce(reduction(buffer.elem)?);
        }
        Ok(to)
    }
}

/// The statement that computes `e`, of this type, into a whole buffer; and whether it sets every cell itself.
pub(crate) fn into_buffer(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    ty: &Type,
    buffer: &Buffer,
) -> Result<(Stmt, bool), LowerError> {
    let covered = is_definitely_initialised(cx, e, ty)?;
    Ok((filled(cx, e, buffer, covered)?, covered))
}

/// The same where it is known whether every cell that matters is set.
pub(crate) fn filled(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    buffer: &Buffer,
    covered: bool,
) -> Result<Stmt, LowerError> {
    emit(cx, e, &Destination::whole(buffer.clone(), covered))
}

/// The statement that does this with each term of `e`. A cell of the tensor is the sum of its terms.
pub(crate) fn each_term(cx: &mut LowerCx<'_>, e: &Expr, each: EachTerm<'_>) -> Result<Stmt, LowerError> {
    emit(cx, e, &Destination { place: Place::Terms(each), theta: Reindexer::identity() })
}

/// A scalar in a register, and what is made of it there.
pub(crate) fn computed(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    rest: impl FnOnce(&mut LowerCx<'_>, Val) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let ty = cx.type_of(e)?;
    let value = cx.names.buffer("value");
    let buffer = Buffer { name: value.clone(), elem: ty.elem, extents: vec![], turn: None, part: None };
    let (fill, covered) = into_buffer(cx, e, &ty, &buffer)?;
    let init = if covered { Init::Uninit } else { Init::Value(zero(ty.elem)?) };
    let body = Box::new(Stmt::seq([fill, rest(cx, Val::scalar(value.clone()))?]));
    let (scalar, storage) = (ty.elem.scalar, Storage::Register);
    Ok(Stmt::Alloc { buf: value, scalar, extents: vec![], storage, init, body })
}

/// The statement that stores a term where it is to go.
pub(crate) fn emit(cx: &mut LowerCx<'_>, e: &Expr, to: &Destination<'_>) -> Result<Stmt, LowerError> {
    if let Place::Terms(each) = &to.place
        && !matches!(**e, Node::Guard(..))
        && cx.type_of(e)?.shape.is_empty()
    {
        let index = to.theta.apply(&cx.ctx, cx.prover, Vec::new());
        return each(cx, e, index);
    }
    match &**e {
        Node::Gen(label, n, body) => by_threshold(cx, label, n, |cx, label| {
            let at = Ix::free(cx.ctx.level());
            for_loop(cx, label, n, body, &to.under_gen(at))
        }),
        Node::Sum(label, n, body) => {
            cx.not_on_device(label, "the iterations of a sum add into the same cells")?;
            for_loop(cx, label, n, body, &to.adding()?)
        }
        Node::Guard(p, body) => guard(cx, e, p, body, to),
        Node::Select(p, a, b) => {
            if is_scalar(e) && !to.theta.drops() {
                return store(cx, e, to);
            }
            let cond = cx.translate_pred(p)?;
            let then = cx.within_branch(p.clone(), &cond, |cx| emit(cx, a, to))?;
            let not = cond.clone().negate();
            let otherwise = cx.within_branch(Pred::not(p.clone()), &not, |cx| emit(cx, b, to))?;
            Ok(branch(cond, then, otherwise))
        }
        // The normal form leaves no other addition of what is no single expression.
        Node::Prim(Prim::Add, ab) if !cx.type_of(e)?.shape.is_empty() || !is_scalar(e) => {
            let to = to.adding()?;
            let operands = ab.iter().map(|operand| emit(cx, operand, &to));
            Ok(Stmt::seq(operands.collect::<Result<Vec<_>, _>>()?))
        }
        Node::Let(label, value, body) if let Some(buffer) = end_of_rounds(cx, (label, value, body), to)? => {
            let ty = cx.type_of(value)?;
            let (fill, covered) = into_buffer(cx, value, &ty, &buffer)?;
            Ok(match covered {
                true => fill,
                false => Stmt::seq([Stmt::fill(buffer.name, zero(ty.elem)?), fill]),
            })
        }
        Node::Let(label, value, body) => bound(cx, label, value, body, |cx, body| emit(cx, body, to)),
        Node::Iterate(it) => {
            let state = state_at(cx, it, &it.body)?;
            let home = if state.is_some() { home(cx, e, to)? } else { None };
            rounds(cx, it, Home::Into(state.zip(home).into_iter().collect()), |cx, body, given| {
                if given.is_empty() { emit(cx, body, to) } else { Ok(Stmt::skip()) }
            })
        }
        Node::Op(definition, ixs, args) => {
            let op = atl_ops::of(definition).ok_or_else(|| LowerError::NotNormal(e.clone()))?;
            let extents = cx.extents(op, args)?;
            let operands = args
                .iter()
                .enumerate()
                .map(|(k, arg)| emit(cx, arg, &to.under_operator(op, ixs, &extents, k)));
            Ok(Stmt::seq(operands.collect::<Result<Vec<_>, _>>()?))
        }
        _ => store(cx, e, to),
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

/// The buffer of a destination that a `let` of an iteration fills as it is, if nothing is to be done with the `let`.
fn end_of_rounds(
    cx: &mut LowerCx<'_>,
    (label, value, body): (&Label, &Expr, &Expr),
    to: &Destination<'_>,
) -> Result<Option<Buffer>, LowerError> {
    let is_plain = label.storage == kernel::Storage::Auto && cx.annotations.marks(label.tag).is_empty();
    if !is_plain || !matches!(**value, Node::Iterate(_)) {
        return Ok(None);
    }
    let ty = cx.type_of(value)?;
    if !is_bound(body, &ty.shape) {
        return Ok(None);
    }
    let Some(buffer) = home(cx, value, to)? else { return Ok(None) };
    let fits = buffer.part.is_none() || is_definitely_initialised(cx, value, &ty)?;
    Ok(fits.then_some(buffer))
}

fn for_loop(
    cx: &mut LowerCx<'_>,
    label: &Label,
    n: &Ix,
    body: &Expr,
    to: &Destination<'_>,
) -> Result<Stmt, LowerError> {
    if let (Place::Terms(_), kernel::LoopKind::Parallel | kernel::LoopKind::Vector(_)) =
        (&to.place, label.kind)
    {
        return Err(LowerError::Ordered(label.name.to_string()));
    }
    if let Place::Terms(_) = &to.place {
        cx.not_on_device(label, "what it computes is stored in order")?;
    }
    let stops = cx.stops(label);
    let made = looped(cx, label, n, body, |cx, body, _| emit(cx, body, to))?;
    let into = match &to.place {
        Place::Cells { buffer, .. } => Some(buffer),
        Place::Terms(_) => None,
    };
    match stops {
        Some(request) => cx.stopping(request, made, into),
        None => Ok(made),
    }
}

/// A loop around what is made of its body, with the variable's term.
pub(crate) fn looped(
    cx: &mut LowerCx<'_>,
    label: &Label,
    n: &Ix,
    body: &Expr,
    inside: impl FnOnce(&mut LowerCx<'_>, &Expr, Int) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let hi = cx.translate_ix(n)?;
    let kind = loop_kind(cx, label, n)?;
    if matches!(kind, LoopKind::Thread(_)) && !matches!(hi, Int::Lit(_)) {
        let why = "a block has a constant number of threads, and the extent of this loop is none";
        cx.not_on_device(label, why)?;
    }
    let before = cx.ctx.level();
    let level = cx.ctx.push_loop(label.clone(), n);
    if cx.is_unreachable() {
        cx.ctx.truncate(before);
        return Ok(Stmt::skip());
    }
    let var = cx.names.enter(&label.name);
    cx.indices.insert(level, var.clone());
    let is_plain = label.kind != kernel::LoopKind::Search && !matches!(kind, LoopKind::Vector { .. });
    cx.note_loop(label, &var);
    let frame = Frame::Loop { var: var.clone(), lo: 0.into(), hi: hi.clone() };
    cx.around.push(Enclosing::new(is_plain.then(|| label.clone()), frame));
    cx.loops.push(EnclosingLoop {
        level,
        name: var.clone(),
        extent: n.clone(),
        kind: kind.clone(),
        search: None,
        kept: Vec::new(),
    });
    let body = subst::open(body, level);
    let made = match searched(cx, label, level, &body)? {
        Some((Head { key, sought, rest, how }, p, body)) => {
            let variable = Int::Var(var.clone());
            let (lo, hi) = (Int::Lit(0), hi);
            let search = Search { var, lo, hi, key, sought, rest, how };
            let then = cx.within_branch(p, &search.cond(), |cx| inside(cx, &body, variable));
            then.map(|then| {
                let all = search.how.all;
                let then = if all { cx.prefetched_in_run(label, &search.key, then) } else { then };
                Stmt::Search { search, body: Box::new(then) }
            })
        }
        None => {
            let inside = inside(cx, &body, Int::Var(var.clone()));
            inside.map(|inside| Stmt::for_loop(var, 0.into(), hi, kind, cx.prefetched(inside)))
        }
    };
    let kept = cx.loops.pop().map(|this| this.kept).unwrap_or_default();
    cx.leave(label.tag);
    cx.indices.remove(&level);
    cx.names.leave();
    cx.ctx.truncate(before);
    let looped = made?;
    Ok(kept.into_iter().rev().fold(looped, |inside, around| around.map_parts(&mut |_| inside.clone())))
}

/// How a loop searches that is to, the condition on it, and what stands under it; none where nothing says where to look.
fn searched(
    cx: &mut LowerCx<'_>,
    label: &Label,
    level: u32,
    body: &Expr,
) -> Result<Option<(Head, Pred, Expr)>, LowerError> {
    let (kernel::LoopKind::Search, Node::Guard(p, inner)) = (label.kind, &**body) else { return Ok(None) };
    let Some(head) = search(cx, level, p)? else { return Ok(None) };
    if let Some(this) = cx.loops.last_mut() {
        this.search = Some(head.how.clone());
    }
    Ok(Some((head, p.clone(), inner.clone())))
}

/// How the iterations may be run. A single one runs beside no other, and its cell need not depend on the loop variable.
fn loop_kind(cx: &mut LowerCx<'_>, label: &Label, n: &Ix) -> Result<LoopKind, LowerError> {
    let mapped = cx.on_device(label)?;
    Ok(match label.kind {
        _ if let Some(kind) = mapped => {
            if cx.proves(&Pred::le(n.clone(), Ix::ONE)) {
                LoopKind::Serial
            } else {
                kind
            }
        }
        kernel::LoopKind::Serial | kernel::LoopKind::Search => LoopKind::Serial,
        kernel::LoopKind::Unroll => LoopKind::Unroll,
        _ if cx.proves(&Pred::le(n.clone(), Ix::ONE)) => LoopKind::Serial,
        kernel::LoopKind::Parallel if cx.is_dynamic(label) => LoopKind::Parallel(Share::Dynamic),
        kernel::LoopKind::Parallel => LoopKind::Parallel(Share::Static),
        kernel::LoopKind::Vector(width) => LoopKind::Vector { width },
    })
}

fn guard(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    p: &Pred,
    body: &Expr,
    to: &Destination<'_>,
) -> Result<Stmt, LowerError> {
    let zero = where_unguarded(cx, e, to)?;
    if zero.is_some() && is_scalar(body) {
        return store(cx, e, to);
    }
    let cond = cx.translate_pred(p)?;
    let then = cx.within_branch(p.clone(), &cond, |cx| emit(cx, body, to))?;
    let otherwise = zero.map_or_else(|| Ok(Stmt::skip()), |zero| store_value(cx, e, zero, to))?;
    Ok(branch(cond, then, otherwise))
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

/// A conditional, decided where its condition is.
pub(crate) fn branch(cond: Bool, then: Stmt, otherwise: Stmt) -> Stmt {
    match cond {
        Bool::Lit(true) => then,
        Bool::Lit(false) => otherwise,
        cond if otherwise == Stmt::skip() => Stmt::guard(cond, then),
        cond => Stmt::If { cond, then: Box::new(then), otherwise: Some(Box::new(otherwise)) },
    }
}

fn store(cx: &mut LowerCx<'_>, e: &Expr, to: &Destination<'_>) -> Result<Stmt, LowerError> {
    let value = value(cx, e)?;
    store_value(cx, e, value, to)
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
