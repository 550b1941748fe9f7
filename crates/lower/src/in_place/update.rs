//! The statement of a point update: stores to the cells that change, and to no others.
//!
//! ```text
//! U(gen i<n. e)           = U(e at c), if 0 <= c < n          where e changes the cell c alone
//!                         = for i in lo..hi: U(e)             where e changes cells of this range alone
//! U(select(p, a, b))      = if p: U(a) else: U(b)
//! U(x[i, ..])             = nothing
//! U(let y = a; b)         = alloc y: L(a) into y; U(b)
//! U(iterate .. in b)      = its rounds; U(b)
//! U(s)                    = cell of the index := s
//! ```

use super::Direction;
use super::shape::{Bound, bound, choice, continues, is_same, keeps, only_where, solved};
use crate::cx::{Buffer, LowerCx};
use crate::emit::{branch, looped};
use crate::error::LowerError;
use crate::lets;
use crate::normal::is_scalar;
use crate::rounds::{Home, rounds};
use crate::scalar::{value, zero};
use crate::threshold::by_threshold;
use atl_kernel::{Expr, Ix, Label, Node, Pred, subst};
use atl_loops::{Stmt, Val};

/// The state that is updated.
pub(crate) struct Target<'a> {
    /// The level of the old state.
    pub(crate) own: u32,
    /// Where it is.
    pub(crate) buffer: &'a Buffer,
    pub(crate) directions: &'a [Direction],
}

/// The statement that makes the state at a first index what `e` is.
pub(crate) fn update(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    to: &Target<'_>,
    index: &[Ix],
) -> Result<Stmt, LowerError> {
    if is_same(e, to.own, index) {
        return Ok(Stmt::skip());
    }
    let is_cell = index.len() == to.buffer.extents.len();
    let may_stay = !is_scalar(e) || keeps(e, to.own, index);
    if let Some((p, a, b)) = choice(e, to.own, index).filter(|_| may_stay) {
        return chosen(cx, (p, &a, &b), to, index);
    }
    match &**e {
        Node::Gen(label, n, body) if !is_cell => over(cx, (label, n, body), to, index),
        Node::Guard(p, body) if is_cell && !is_scalar(e) => {
            let cond = cx.translate_pred(p)?;
            let then = cx.within_branch(p.clone(), &cond, |cx| update(cx, body, to, index))?;
            let zero = zero(to.buffer.elem)?;
            let otherwise = replaced(cx, to, index, zero)?;
            Ok(branch(cond, then, otherwise))
        }
        Node::Let(label, bound, body) => {
            lets::bound(cx, label, bound, body, |cx, body| update(cx, body, to, index))
        }
        Node::Iterate(it) => match continues(it, to.own).filter(|_| index.is_empty()) {
            Some(k) => rounds(cx, it, Home::Taken(k, to.buffer), |_, _, _| Ok(Stmt::skip())),
            None => rounds(cx, it, Home::Into(Vec::new()), |cx, body, _| update(cx, body, to, index)),
        },
        _ => {
            let value = value(cx, e)?;
            replaced(cx, to, index, value)
        }
    }
}

/// The update by a condition: of the side that it says.
fn chosen(
    cx: &mut LowerCx<'_>,
    (p, a, b): (Pred, &Expr, &Expr),
    to: &Target<'_>,
    index: &[Ix],
) -> Result<Stmt, LowerError> {
    if cx.proves(&p) {
        return update(cx, a, to, index);
    }
    let not = Pred::not(p.clone());
    if cx.proves(&not) {
        return update(cx, b, to, index);
    }
    let cond = cx.translate_pred(&p)?;
    let then = cx.within_branch(p, &cond, |cx| update(cx, a, to, index))?;
    let negated = cond.clone().negate();
    let otherwise = cx.within_branch(not, &negated, |cx| update(cx, b, to, index))?;
    Ok(either(cond, then, otherwise))
}

fn replaced(cx: &mut LowerCx<'_>, to: &Target<'_>, index: &[Ix], value: Val) -> Result<Stmt, LowerError> {
    let cell = cx.cell(to.buffer, index)?;
    Ok(Stmt::replace(to.buffer.name.clone(), cell, value))
}

/// A conditional of which either branch may do nothing.
fn either(cond: atl_loops::Bool, then: Stmt, otherwise: Stmt) -> Stmt {
    match then == Stmt::skip() {
        true => branch(cond.negate(), otherwise, then),
        false => branch(cond, then, otherwise),
    }
}

/// The update of the cells with one more index, in a loop if that may have several values.
fn over(
    cx: &mut LowerCx<'_>,
    (label, n, body): (&Label, &Ix, &Expr),
    to: &Target<'_>,
    index: &[Ix],
) -> Result<Stmt, LowerError> {
    let level = cx.ctx.level();
    let at = |i: Ix| [index, &[i]].concat();
    let conds = only_where(&subst::open(body, level), to.own, &at(Ix::free(level)));
    let solutions: Vec<Ix> = conds.iter().filter_map(|p| solved(p, level)).collect();
    for solution in solutions {
        if !cx.is_there(&solution) {
            continue;
        }
        let solution = shorter(cx, solution);
        let inside = Pred::in_range(&solution, n);
        let body = subst::instantiate(body, &solution);
        if cx.proves(&inside) {
            return update(cx, &body, to, &at(solution));
        }
        let cond = cx.translate_pred(&inside)?;
        let then = cx.within_branch(inside, &cond, |cx| update(cx, &body, to, &at(solution)))?;
        return Ok(branch(cond, then, Stmt::skip()));
    }
    let (lo, hi) = range(cx, &conds, level, n);
    let count = if lo == Ix::ZERO { hi } else { shorter(cx, hi - lo.clone()) };
    let direction = to.directions[index.len()];
    by_threshold(cx, label, &count, |cx, label| {
        let level = cx.ctx.level();
        looped(cx, label, &count, body, |cx, _, _| {
            let i = match direction {
                Direction::Ascending => Ix::free(level),
                Direction::Descending => count.clone() - Ix::ONE - Ix::free(level),
            };
            let i = if lo == Ix::ZERO { i } else { lo.clone() + i };
            update(cx, &subst::instantiate(body, &i), to, &at(i))
        })
    })
}

/// The part of `0..n` outside of which the conditions on the variable at a level, which is not there yet,
/// do not hold.
fn range(cx: &mut LowerCx<'_>, conds: &[Pred], level: u32, n: &Ix) -> (Ix, Ix) {
    let (mut lo, mut hi) = (Ix::ZERO, n.clone());
    for cond in conds {
        match bound(cond, level) {
            Some(Bound::From(from)) if cx.is_there(&from) => {
                let from = shorter(cx, from);
                if cx.proves(&Pred::le(lo.clone(), from.clone())) {
                    lo = from;
                } else if !cx.proves(&Pred::le(from.clone(), lo.clone())) {
                    lo = Ix::max(lo, from);
                }
            }
            Some(Bound::Below(below)) if cx.is_there(&below) => {
                let below = shorter(cx, below);
                if cx.proves(&Pred::le(below.clone(), hi.clone())) {
                    hi = below;
                } else if !cx.proves(&Pred::le(hi.clone(), below.clone())) {
                    hi = Ix::min(hi, below);
                }
            }
            _ => {}
        }
    }
    (lo, hi)
}

/// The index term, as short as is known here.
fn shorter(cx: &mut LowerCx<'_>, ix: Ix) -> Ix {
    let shorter = atl_arith::simplify(&cx.ctx, &ix);
    if cx.is_there(&shorter) { shorter } else { ix }
}
