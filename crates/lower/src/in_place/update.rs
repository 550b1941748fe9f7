//! The statement of a point update: stores to the cells that change, and to no others.
//!
//! ```text
//! U(gen i<n. e)           = U(e at c), if 0 <= c < n          where e changes the cell c alone
//!                         = for i in lo..hi: U(e)             where e changes cells of this range alone
//! U(a ++ b)               = U(a); U(b), or U(b); U(a) where cells descend
//! U(select(p, a, b))      = if p: U(a) else: U(b)
//! U(x[i, ..])             = nothing
//! U(let y = a; b)         = alloc y: L(a) into y; U(b)
//! U(iterate .. in b)      = its rounds; U(b)
//! U(s)                    = cell of the index := s
//! ```

use super::Direction;
use super::shape::{Bound, Cells, bound, choice, continues, is_same, keeps, only_where, parts, solved};
use crate::annotations::threshold::by_threshold;
use crate::cx::{Buffer, LowerCx};
use crate::error::LowerError;
use crate::lets;
use crate::loop_around::{branch, looped};
use crate::normal::is_scalar;
use crate::rounds::{Home, rounds};
use crate::scalar::{value, zero};
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

/// The statement that makes these cells of the state what `e` is.
pub(crate) fn update(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    to: &Target<'_>,
    cells: &Cells,
) -> Result<Stmt, LowerError> {
    if is_same(e, to.own, cells) {
        return Ok(Stmt::skip());
    }
    let is_cell = cells.index.len() == to.buffer.extents.len();
    let may_stay = !is_scalar(e) || keeps(e, to.own, cells);
    if let Some((p, a, b)) = choice(e, to.own, cells).filter(|_| may_stay) {
        return chosen(cx, (p, &a, &b), to, cells);
    }
    match &**e {
        Node::Gen(label, n, body) if !is_cell => over(cx, (label, n, body), to, cells),
        Node::Op(..) if let Some(parts) = parts(e, cells) => {
            let mut stored = Vec::new();
            for (part, cells) in &parts {
                stored.push(update(cx, part, to, cells)?);
            }
            if to.directions[cells.index.len()] == Direction::Descending {
                stored.reverse();
            }
            Ok(Stmt::seq(stored))
        }
        Node::Guard(p, body) if is_cell && !is_scalar(e) => {
            let cond = cx.translate_pred(p)?;
            let then = cx.within_branch(p.clone(), &cond, |cx| update(cx, body, to, cells))?;
            let zero = zero(to.buffer.elem)?;
            let otherwise = replaced(cx, to, cells, zero)?;
            Ok(branch(cond, then, otherwise))
        }
        Node::Let(label, bound, body) => {
            lets::bound(cx, label, bound, body, |cx, body| update(cx, body, to, cells))
        }
        Node::Iterate(it) => {
            match continues(it, to.own, &to.buffer.extents).filter(|_| cells.index.is_empty()) {
                Some(k) => rounds(cx, it, Home::Taken(k, to.buffer), |_, _, _| Ok(Stmt::skip())),
                None => rounds(cx, it, Home::Into(Vec::new()), |cx, body, _| update(cx, body, to, cells)),
            }
        }
        _ => {
            let value = value(cx, e)?;
            replaced(cx, to, cells, value)
        }
    }
}

/// The update by a condition: of the side that it says.
fn chosen(
    cx: &mut LowerCx<'_>,
    (p, a, b): (Pred, &Expr, &Expr),
    to: &Target<'_>,
    cells: &Cells,
) -> Result<Stmt, LowerError> {
    if cx.proves(&p) {
        return update(cx, a, to, cells);
    }
    let not = Pred::not(p.clone());
    if cx.proves(&not) {
        return update(cx, b, to, cells);
    }
    let cond = cx.translate_pred(&p)?;
    let then = cx.within_branch(p, &cond, |cx| update(cx, a, to, cells))?;
    let negated = cond.clone().negate();
    let otherwise = cx.within_branch(not, &negated, |cx| update(cx, b, to, cells))?;
    Ok(either(cond, then, otherwise))
}

fn replaced(cx: &mut LowerCx<'_>, to: &Target<'_>, cells: &Cells, value: Val) -> Result<Stmt, LowerError> {
    let cell = cx.cell(to.buffer, &cells.index)?;
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
    cells: &Cells,
) -> Result<Stmt, LowerError> {
    let level = cx.ctx.level();
    let at = |i: Ix| cells.below(i);
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
    let direction = to.directions[cells.index.len()];
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
