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
//! The destination may also be whatever is done with each term, a scalar and its index:
//! `D(s) = each(s, reindexer at ())`. Terms come in the order of the loops then, which is settled.
//!
//! A destination begins as zero unless the term is known to set all of it ([`is_definitely_initialised`]);
//! then a guarded scalar stores its zero itself.

use crate::annotations::threshold::by_threshold;
use crate::cx::{Buffer, LowerCx};
use crate::definitely_initialised::is_definitely_initialised;
use crate::destination::{Destination, EachTerm, Place, home, store_value, where_unguarded};
use crate::error::LowerError;
use crate::in_place::{is_bound, state_at};
use crate::lets::bound;
use crate::loop_around::{branch, looped};
use crate::normal::is_scalar;
use crate::rounds::{Home, rounds};
use crate::scalar::{value, zero};
use atl_check::Reindexer;
use atl_kernel::{self as kernel, Expr, Ix, Label, Node, Pred, Prim, Type};
use atl_loops::{Init, Stmt, Storage, Val};

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

/// The buffer of a destination that a `let` of an iteration fills as it is, if nothing is to be done with the
/// `let`.
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

fn store(cx: &mut LowerCx<'_>, e: &Expr, to: &Destination<'_>) -> Result<Stmt, LowerError> {
    let value = value(cx, e)?;
    store_value(cx, e, value, to)
}
