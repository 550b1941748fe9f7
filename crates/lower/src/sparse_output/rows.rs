//! Terms that come in another order than that of a result: counted by row, and then put side by side, row
//! after row.
//!
//! ```text
//! R(e), of n0 rows  =  alloc pos[n0 + 2] = 0
//!                      for each term: pos[row + 2] += 1                              count
//!                      for i in 0..n0: pos[i + 2] += pos[i + 1]                      scan: row r begins at pos[r + 1]
//!                      alloc crd[pos[n0 + 1]], vals[pos[n0 + 1]]
//!                      for each term: crd, vals [pos[row + 1]] = its place, its value; pos[row + 1] += 1
//!                      gen i<n0. sum q<pos[i + 1] - pos[i]. one_hot(n1, crd[pos[i] + q], vals[pos[i] + q])
//! ```
//!
//! The last line is the same tensor, as a term over the arrays, in the order of its rows; the caller uses
//! that term. All this costs the terms and the rows, in time and in memory, however many columns
//! there are. Within a row the terms stand in the order in which they came; where that is proved to be the
//! order of their places, the context is told so.
//!
//! Each addition is followed by `pos[..] min= TERMS`: so no sum leaves 64 bits, and where there are more
//! terms than that there is no memory for them.

use crate::cx::{Buffer, LowerCx};
use crate::emit::{computed, each_term};
use crate::error::LowerError;
use crate::sparse_output::term_order::comes_in_order;
use atl_arith::keys::Growth;
use atl_kernel::{Elem, Expr, Ix, Label, Node, Pred, Prim, Scalar, Type, Var, subst};
use atl_loops::{Init, Int, Literal, LoopKind, ReduceOp, Stmt, Storage, Val};
use std::sync::Arc;

/// Do sums say where each term of the tensor stands, and does no loop over coordinates stand in a sum? Then
/// there are not more terms than the sums have, where a dense tensor has cells that nothing is added to.
pub(crate) fn is_scattered(cx: &mut LowerCx<'_>, e: &Expr) -> Result<bool, LowerError> {
    let level = cx.ctx.level();
    let scattered = Position { sum: false, place: false }.scatters(cx, e);
    cx.ctx.truncate(level);
    scattered
}

/// What stands around a part of a tensor.
#[derive(Clone, Copy)]
struct Position {
    sum: bool,
    place: bool,
}

impl Position {
    fn scatters(self, cx: &mut LowerCx<'_>, e: &Expr) -> Result<bool, LowerError> {
        if cx.type_of(e)?.shape.is_empty() {
            return Ok(self.place);
        }
        let level = cx.ctx.level();
        let mut all = |around: Position, parts: &[Expr]| {
            parts.iter().try_fold(true, |all, part| Ok(all && around.scatters(cx, part)?))
        };
        match &**e {
            Node::Guard(_, body) => all(self, std::slice::from_ref(body)),
            Node::Select(_, a, b) => all(self, &[a.clone(), b.clone()]),
            Node::Prim(Prim::Add, parts) => all(self, parts),
            Node::Op(definition, _, args) => {
                all(Position { place: self.place || definition.name == "one_hot", ..self }, args)
            }
            Node::Gen(label, n, body) if !self.sum => {
                cx.ctx.push_loop(label.clone(), n);
                self.scatters(cx, &subst::open(body, level))
            }
            Node::Sum(label, n, body) => {
                cx.ctx.push_loop(label.clone(), n);
                Position { sum: true, ..self }.scatters(cx, &subst::open(body, level))
            }
            Node::Let(label, bound, body) => {
                let ty = cx.type_of(bound)?;
                cx.ctx.push_tensor(label.clone(), ty);
                self.scatters(cx, &subst::open(body, level))
            }
            _ => Ok(false),
        }
    }
}

/// More terms than memory holds, so few that no arithmetic on their positions leaves 64 bits.
const TERMS: i64 = 1 << 58;

/// The arrays of the terms.
struct Rows {
    pos: Buffer,
    /// One for each dimension but the first, and one of values.
    places: Vec<Buffer>,
    values: Buffer,
}

/// The tensor by rows, and then what is made of it in that order. Coordinates of all dimensions but the first
/// have numbers in 32 bits.
pub(crate) fn by_rows(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    ty: &Type,
    rest: impl FnOnce(&mut LowerCx<'_>, &Expr) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let in_order = comes_by_column(cx, e);
    let n = &ty.shape[0];
    let level = cx.ctx.level();
    let array = |cx: &mut LowerCx<'_>, label: &str, elem: Elem, extent: Ix| {
        let ty = Type { elem, shape: vec![extent] };
        let buffer =
            Buffer { name: cx.names.buffer(label), elem, extents: ty.shape.clone(), turn: None, part: None };
        let level = cx.ctx.push_tensor(Label::new(label), ty);
        cx.buffers.insert(level, buffer.clone());
        buffer
    };
    let integer = |scalar: Scalar| Elem { scalar, ..ty.elem };
    let pos = array(cx, "w_pos", integer(Scalar::I64), n.clone() + Ix::Lit(2));
    let len = read(level, n.clone() + Ix::ONE);
    let places =
        ty.shape[1..].iter().map(|_| array(cx, "w_crd", integer(Scalar::I32), len.clone())).collect();
    let values = array(cx, "w_vals", ty.elem, len);
    let rows = Rows { pos, places, values };
    if in_order {
        increasing(cx, level, n);
    }
    let filled = rows.filled(cx, e, n)?;
    let made = rest(cx, &term(level, ty))?;
    (level..cx.ctx.level()).for_each(|level| drop(cx.buffers.remove(&level)));
    cx.ctx.truncate(level);
    let [count, fill] = filled;
    let arrays = rows.places.iter().chain([&rows.values]);
    let total = Int::load(rows.pos.name.clone(), cx.translate_ix(n)? + Int::Lit(1));
    let inside = arrays
        .rev()
        .fold(Stmt::seq([fill, made]), |inside, array| scratch(array, total.clone(), Init::Uninit, inside));
    let zero = Init::Value(Val::Lit(Literal::i64(0)));
    Ok(scratch(&rows.pos, cx.translate_ix(n)? + Int::Lit(2), zero, Stmt::seq([count, inside])))
}

fn scratch(array: &Buffer, extent: Int, init: Init, body: Stmt) -> Stmt {
    let (buf, scalar, body) = (array.name.clone(), array.elem.scalar, Box::new(body));
    Stmt::Alloc { buf, scalar, extents: vec![extent], storage: Storage::Heap, init, body }
}

impl Rows {
    /// Where the next term of a row stands, once rows have been counted.
    fn next(&self, cx: &mut LowerCx<'_>, row: &Ix) -> Result<Int, LowerError> {
        Ok(cx.translate_ix(row)? + Int::Lit(1))
    }

    /// Adds to a position. It stays within [`TERMS`].
    fn add(&self, cell: Int, value: Val) -> Stmt {
        let pos = &self.pos.name;
        let most = Val::OfInt(Int::Lit(TERMS));
        Stmt::seq([
            Stmt::reduce(ReduceOp::Add, pos.clone(), cell.clone(), value),
            Stmt::reduce(ReduceOp::Min, pos.clone(), cell, most),
        ])
    }

    /// The statements that count terms and add up the counts, and those that put the terms in their rows.
    fn filled(&self, cx: &mut LowerCx<'_>, e: &Expr, n: &Ix) -> Result<[Stmt; 2], LowerError> {
        let one = Val::OfInt(Int::Lit(1));
        let count =
            each_term(cx, e, &|cx, _, at| Ok(self.add(self.next(cx, &at[0])? + Int::Lit(1), one.clone())))?;
        let (row, hi) = (cx.names.enter("i"), cx.translate_ix(n)?);
        let i = Int::Var(row.clone());
        let before = Val::load(self.pos.name.clone(), i.clone() + Int::Lit(1));
        let scan = Stmt::for_loop(row, Int::Lit(0), hi, LoopKind::Serial, self.add(i + Int::Lit(2), before));
        cx.names.leave();
        let fill = each_term(cx, e, &|cx, e, at| {
            let next = self.next(cx, &at[0])?;
            let cell = Int::load(self.pos.name.clone(), next.clone());
            let mut stores = Vec::new();
            for (array, place) in self.places.iter().zip(&at[1..]) {
                let place = Val::convert(Scalar::I32, Val::OfInt(cx.translate_ix(place)?));
                stores.push(Stmt::set(array.name.clone(), cell.clone(), place));
            }
            computed(cx, e, |_, value| {
                stores.push(Stmt::set(self.values.name.clone(), cell, value));
                stores.push(self.add(next, one.clone()));
                Ok(Stmt::seq(stores))
            })
        })?;
        Ok([Stmt::seq([count, scan]), fill])
    }
}

/// `array[at]`, of the array at a level.
fn read(level: u32, at: Ix) -> Ix {
    Ix::Read(Var::Free(level), vec![at].into())
}

/// `gen i<n0. sum q<pos[i + 1] - pos[i]. one_hot(n1, crd[pos[i] + q], .. vals[pos[i] + q])`, for arrays at
/// levels from this one on.
fn term(pos: u32, ty: &Type) -> Expr {
    let rank = u32::try_from(ty.shape.len()).unwrap_or(u32::MAX);
    let [i, q] = [0, 1].map(|k| pos.saturating_add(rank).saturating_add(k + 1));
    let begin = read(pos, Ix::free(i));
    let at = Ix::free(q) + begin.clone();
    let value: Expr = Arc::new(Node::Get(Arc::new(Node::Var(Var::Free(pos + rank))), at.clone()));
    let placed = ty
        .shape
        .iter()
        .zip(pos..pos + rank)
        .skip(1)
        .rev()
        .fold(value, |slice, (n, crd)| atl_ops::one_hot(n.clone(), read(crd, at.clone()), slice));
    let count = read(pos, Ix::free(i) + Ix::ONE) - begin;
    let row = Arc::new(Node::Sum(Label::new("q"), count, subst::close(&placed, q)));
    Arc::new(Node::Gen(Label::new("i"), ty.shape[0].clone(), subst::close(&(row as Expr), i)))
}

/// Tells the context that the places of each row strictly increase.
fn increasing(cx: &mut LowerCx<'_>, pos: u32, n: &Ix) {
    let [row, p] = [0, 1].map(|k| Ix::Var(Var::Bound(k)));
    let last = read(pos, row.clone() + Ix::ONE) - Ix::ONE;
    let within = Pred::and(Pred::le(read(pos, row.clone()), p.clone()), Pred::lt(p.clone(), last));
    let ranges = Pred::and(Pred::in_range(&row, n), within);
    let grows = Pred::lt(read(pos + 1, p.clone()), read(pos + 1, p + Ix::ONE));
    cx.ctx.push_all(vec![Label::new("i"), Label::new("p")], Pred::or(Pred::not(ranges), grows));
}

/// Do the terms of a matrix come column by column, those of a column at rows that strictly increase? Then
/// there is one for a cell at most, and those of a row come in the order of their columns.
fn comes_by_column(cx: &mut LowerCx<'_>, e: &Expr) -> bool {
    let (level, Node::Sum(label, n, body)) = (cx.ctx.level(), &**e) else { return false };
    let column = subst::open(body, level);
    let terms = unguarded(&column);
    let (term, rows) = match &**terms {
        Node::Sum(_, rows, body) => (subst::open(body, level + 1), Some((rows, body))),
        _ => (terms.clone(), None),
    };
    let place = place_in_row(unguarded(&term)).filter(|place| !place.mentions(level + 1));
    if !place.is_some_and(|place| cx.grows((level, place), n, Growth::Strict)) {
        return false;
    }
    cx.ctx.push_loop(label.clone(), n);
    let one_a_row = rows.is_none_or(|(rows, body)| comes_in_order(cx, rows, body, 1));
    cx.ctx.truncate(level);
    one_a_row
}

/// The `c` of `one_hot(n, r, one_hot(m, c, s))`.
fn place_in_row(e: &Expr) -> Option<&Ix> {
    let (_, slice) = placed(e)?;
    placed(slice).map(|(place, _)| place)
}

/// The place and the slice of a `one_hot`.
fn placed(e: &Expr) -> Option<(&Ix, &Expr)> {
    match &**e {
        Node::Op(definition, ixs, args) if definition.name == "one_hot" => Some((&ixs[1], &args[0])),
        _ => None,
    }
}

/// What stands below guards.
fn unguarded(e: &Expr) -> &Expr {
    match &**e {
        Node::Guard(_, inner) => unguarded(inner),
        _ => e,
    }
}
