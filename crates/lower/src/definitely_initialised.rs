//! Definite initialisation: does lowering a tensor store every cell of its destination?
//!
//! A query, not an inference: which element of the term lands at a given index of the result. The index is a
//! symbol; it is pulled back through operators by their gather view, a `gen` has it for its own, and a
//! guard on the way must be known to hold. Where the answer is no, the destination begins as zero.

use crate::cx::LowerCx;
use crate::error::LowerError;
use crate::normal::is_scalar;
use atl_check::shortened;
use atl_kernel::{Child, Expr, Ix, Label, Node, Pred, Type, Var, enter, subst};
use atl_ops::Operator;
use atl_rules::occurrences::mentions;

/// Is every cell set of a destination of this type that `e` is lowered into? A guarded scalar counts as set,
/// for the zero is stored where the guard fails, except below an operator that drops padding.
pub(crate) fn is_definitely_initialised(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    ty: &Type,
) -> Result<bool, LowerError> {
    let level = cx.ctx.level();
    let index: Vec<Ix> = ty.shape.iter().map(|n| Ix::free(cx.ctx.push_loop(Label::new("i"), n))).collect();
    let covered = stored(cx, e, index, false);
    cx.ctx.truncate(level);
    covered
}

/// Is every cell set that the body reads of a `let`'s tensor? So gaps between its rows need not be zero. It is asked of what an
/// operator lays out, and of floats, which no index term reads.
pub(crate) fn reads_are_initialised(
    cx: &mut LowerCx<'_>,
    label: &Label,
    bound: &Expr,
    body: &Expr,
) -> Result<bool, LowerError> {
    let ty = cx.type_of(bound)?;
    if !matches!(**bound, Node::Op(..)) || !ty.elem.scalar.is_float() {
        return Ok(false);
    }
    let level = cx.ctx.push_tensor(label.clone(), ty.clone());
    let found = reads_are_stored(cx, &subst::open(body, level), level, (bound, ty.shape.len()));
    cx.ctx.truncate(level);
    found
}

fn reads_are_stored(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    level: u32,
    (bound, rank): (&Expr, usize),
) -> Result<bool, LowerError> {
    let (mut array, mut index) = (e, Vec::new());
    while let Node::Get(inner, at) = &**array {
        index.insert(0, at.clone());
        array = inner;
    }
    if **array == Node::Var(Var::Free(level)) {
        return Ok(index.len() == rank && stored(cx, bound, index, false)?);
    }
    for at in e.children().filter(|at| e.child(*at).is_some_and(|child| mentions(child, level))) {
        let (inside, child) = enter(&cx.ctx, e, at, cx.prover)?;
        let here = std::mem::replace(&mut cx.ctx, inside);
        let found = reads_are_stored(cx, &child, level, (bound, rank));
        cx.ctx = here;
        if !found? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Is the element of `e` at `index` stored?
fn stored(cx: &mut LowerCx<'_>, e: &Expr, mut index: Vec<Ix>, dropping: bool) -> Result<bool, LowerError> {
    match &**e {
        Node::Gen(_, _, body) => {
            if index.is_empty() {
                return Err(LowerError::NotNormal(e.clone()));
            }
            let at = index.remove(0);
            stored(cx, &subst::instantiate(body, &at), index, dropping)
        }
        Node::Sum(..) => Ok(false),
        Node::Prim(..) if !index.is_empty() || !is_scalar(e) => Ok(false),
        Node::Guard(p, body) => {
            let zero_is_stored = index.is_empty() && !dropping;
            if !zero_is_stored && !cx.proves(p) {
                return Ok(false);
            }
            cx.assuming(p.clone(), |cx| stored(cx, body, index, dropping))
        }
        Node::Select(p, a, b) => Ok(cx.assuming(p.clone(), |cx| stored(cx, a, index.clone(), dropping))?
            && cx.assuming(Pred::not(p.clone()), |cx| stored(cx, b, index, dropping))?),
        Node::Let(label, bound, body) => {
            let ty = cx.type_of(bound)?;
            let level = cx.ctx.push_tensor(label.clone(), ty);
            let covered = stored(cx, &subst::open(body, level), index, dropping);
            cx.ctx.truncate(level);
            covered
        }
        Node::Iterate(it) => {
            let level = cx.ctx.level();
            for state in &it.states {
                let ty = cx.outside(level, |cx| cx.type_of(&state.init))?;
                cx.ctx.push_tensor(state.label.clone(), ty);
            }
            let body = subst::open_all(&it.body, level, e.binds(Child::Body));
            let covered = stored(cx, &body, index, dropping);
            cx.ctx.truncate(level);
            covered
        }
        Node::Op(definition, ixs, args) => {
            let op = atl_ops::of(definition).ok_or_else(|| LowerError::NotNormal(e.clone()))?;
            let extents = cx.extents(op, args)?;
            let level = cx.ctx.level();
            let covered = operands(cx, op, (ixs, &extents, args), index, dropping || op.drops);
            cx.ctx.truncate(level);
            covered
        }
        _ => Ok(true),
    }
}

/// Where the first operand's condition holds it must store the index; the second, if there is one, elsewhere.
/// What is assumed on the way stays in the context.
fn operands(
    cx: &mut LowerCx<'_>,
    op: &Operator,
    (ixs, extents, args): (&[Ix], &[Ix], &[Expr]),
    mut index: Vec<Ix>,
    dropping: bool,
) -> Result<bool, LowerError> {
    let rest = index.split_off(op.result_rank().min(index.len()));
    let mut extents_left = extents;
    for (k, arg) in args.iter().enumerate() {
        let gather = (op.gather)(ixs, extents, &index, k);
        let (bounds, left) = extents_left.split_at(op.tensor_params[k].len());
        extents_left = left;
        let last = k + 1 == args.len();
        if last && !cx.proves(&gather.cond) {
            return Ok(false);
        }
        let covered = cx.assuming(gather.cond.clone(), |cx| {
            let rho = gather.rho.into_iter().map(|i| shortened(&cx.ctx, cx.prover, i));
            let mut at: Vec<Ix> = rho.collect();
            let inside = at.iter().zip(bounds).map(|(i, n)| Pred::in_range(i, n));
            let inside = inside.fold(Pred::True, Pred::and);
            at.extend_from_slice(&rest);
            Ok::<bool, LowerError>(cx.proves(&inside) && stored(cx, arg, at, dropping)?)
        })?;
        if !covered {
            return Ok(false);
        }
        cx.ctx.push_hyp(Pred::not(gather.cond));
    }
    Ok(true)
}
