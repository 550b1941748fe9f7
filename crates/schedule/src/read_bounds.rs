//! How far reads go: the box that holds those of one place.
//!
//! Boxes are found for indices that are linear in the loops inside the place, and for quotients, `min` and
//! `max` of such.

use crate::cuts::{extent_of, samples, value};
use crate::linear::{End, extreme, has_quotient, outer};
use atl_kernel::{Ctx, Expr, Ix, Label, Pred};
use atl_rules::Cx;
use std::sync::Arc;

/// A read, with the loops around it below the place, outermost first.
pub(crate) struct Read {
    pub(crate) term: Expr,
    /// What is known where it stands.
    pub(crate) ctx: Arc<Ctx>,
    pub(crate) indices: Vec<Ix>,
    pub(crate) loops: Vec<(u32, Label, Ix)>,
    /// Does it stand in what is accessed at the place, and so in loops that run over all of their extents?
    pub(crate) in_access: bool,
}

/// The least and the greatest index of a read along one dimension; nothing where it is not linear.
fn ends(cx: &mut Cx<'_>, read: &Read, d: usize) -> Option<(Ix, Ix)> {
    let loops: Vec<(u32, Ix)> = read.loops.iter().map(|(l, _, n)| (*l, n.clone())).collect();
    let index = read.indices.get(d)?;
    Some((extreme(cx, index, &loops, End::Low)?, extreme(cx, index, &loops, End::High)?))
}

/// The ends of a read along one dimension, in terms of what is known outside: no `let` inside binds a part of
/// them.
pub(crate) fn known_ends(cx: &mut Cx<'_>, read: &Read, d: usize) -> Option<(Ix, Ix)> {
    let here = cx.ctx.level();
    let is_inside = |ix: &Ix| (here..read.ctx.level()).any(|level| ix.mentions(level));
    ends(cx, read, d).filter(|(lo, hi)| !is_inside(lo) && !is_inside(hi))
}

/// The first element and the number of elements that the reads need along one dimension; nothing where one of
/// them is not linear.
pub(crate) fn bound(cx: &mut Cx<'_>, reads: &[Read], d: usize, extent: &Ix) -> Option<(Ix, Ix)> {
    let mut range: Option<(Ix, Ix)> = None;
    for read in reads {
        let (lo, hi) = known_ends(cx, read, d)?;
        range = Some(match range {
            None => (lo, hi),
            Some((l, h)) => (outer(cx, l, lo, End::Low), outer(cx, h, hi, End::High)),
        });
    }
    let (lo, hi) = range?;
    if covers(cx, &lo, &hi, extent) {
        // Where the size is known, its number.
        let end = atl_arith::simplify(&cx.ctx, &(hi + Ix::ONE));
        let known = matches!(end, Ix::Lit(_)) && cx.equal(&end, extent);
        return Some((Ix::ZERO, if known { end } else { extent.clone() }));
    }
    let width = atl_arith::simplify(&cx.ctx, &(hi - lo.clone() + Ix::ONE));
    let width = greatest(cx, &width).unwrap_or(width);
    // Quotients may let windows grow from one iteration to the next, up to all of the tensor.
    if mentions_loop(&cx.ctx, &width) && reads.iter().any(|read| divides(read, d)) {
        return None;
    }
    Some((atl_arith::simplify(&cx.ctx, &lo), width))
}

/// Does a read divide the loops inside along this dimension?
pub(crate) fn divides(read: &Read, d: usize) -> bool {
    let loops: Vec<(u32, Ix)> = read.loops.iter().map(|(l, _, n)| (*l, n.clone())).collect();
    read.indices.get(d).is_some_and(|index| has_quotient(index, &loops))
}

/// Does the term depend on where a loop is?
fn mentions_loop(ctx: &Ctx, ix: &Ix) -> bool {
    (0..ctx.level()).any(|level| ix.mentions(level) && extent_of(ctx, level).is_some())
}

/// A number that a width with quotients of loops' indices is never above: the greatest of many iterations, if
/// that is proved.
fn greatest(cx: &mut Cx<'_>, width: &Ix) -> Option<Ix> {
    const ITERATIONS: i64 = 64;
    let [sample, _] = samples(&cx.ctx);
    if !mentions_loop(&cx.ctx, width) {
        return None;
    }
    let loops: Vec<u32> = (0..cx.ctx.level()).filter(|level| extent_of(&cx.ctx, *level).is_some()).collect();
    let at = |k: i64| {
        let indices = loops.iter().zip(1..).map(|(level, n)| (*level, k * n));
        value(width, &sample.iter().map(|(level, value)| (*level, *value)).chain(indices).collect())
    };
    let most = Ix::Lit((0..ITERATIONS).map(at).collect::<Option<Vec<i64>>>()?.into_iter().max()?);
    cx.proves(&Pred::le(width.clone(), most.clone())).then_some(most)
}

/// Does the range hold every index of the dimension?
fn covers(cx: &mut Cx<'_>, lo: &Ix, hi: &Ix, extent: &Ix) -> bool {
    cx.proves(&Pred::le(lo.clone(), Ix::ZERO)) && cx.proves(&Pred::le(extent.clone(), hi.clone() + Ix::ONE))
}
