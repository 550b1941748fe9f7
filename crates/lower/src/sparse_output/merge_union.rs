//! The union of several summands with increasing coordinates, as one merge that visits every coordinate once.
//!
//! ```text
//! A(sum p<n. one_hot(m, c(p), e(p)) + sum q<k. one_hot(m, d(q), f(q)))         c and d strictly increase
//!   = merge j of p in 0..n at (c(p)) as has, q in 0..k at (d(q)) as has':
//!         A([has = 1] * e(p) + [has' = 1] * f(q)) at j
//! ```
//!
//! So it goes for any number of them, for coordinates of several dimensions that are stored together, and
//! level by level: the slices below are united in turn, where only a summand that is there has any. A
//! `one_hot` by itself is a sum of one term. Guards around a summand are its run's condition, and those
//! inside stand around its slice.
//!
//! Nothing is added to what the term says: in an iteration of the merge the summands that are there are the
//! terms at `j`, in the order of the sum. The context learns, of each place, that it is in range where `has`
//! is 1.

use crate::cx::{EnclosingLoop, LowerCx};
use crate::error::LowerError;
use crate::sparse_output::term_order::comes_in_order;
use atl_kernel::{Expr, Ix, Label, Node, Pred, Prim, subst};
use atl_loops::{Bool, Int, LoopKind, Run, Share, Stmt};
use std::sync::Arc;

/// One of the tensors that are added up.
struct Summand {
    /// Where it is not zero.
    conds: Vec<Pred>,
    label: Label,
    extent: Ix,
    /// The term at a place, which is a bound variable.
    body: Expr,
}

/// The statement that does something with what is stored at each coordinate of these dimensions, if `e`
/// adds up several tensors whose coordinates increase.
pub(crate) fn merge_union(
    cx: &mut LowerCx<'_>,
    e: &Expr,
    together: usize,
    each: impl FnOnce(&mut LowerCx<'_>, &Expr, Vec<Int>) -> Result<Stmt, LowerError>,
) -> Result<Option<Stmt>, LowerError> {
    let Some(summands) = summands(e).filter(|summands| summands.len() > 1) else { return Ok(None) };
    for summand in &summands {
        if !is_in_order(cx, summand, together)? {
            return Ok(None);
        }
    }
    let level = cx.ctx.level();
    let keys: Vec<_> =
        (0..together).map(|d| cx.names.enter(["j", "k", "l"].get(d).unwrap_or(&"m"))).collect();
    let mut entered = keys.len();
    let (mut runs, mut slices, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for Summand { conds, label, extent, body } in summands {
        let cond = conds.iter().cloned().reduce(Pred::and);
        let hi = cx.within(cond.as_ref(), |cx| cx.translate_ix(&extent))?;
        let place = cx.names.enter(&label.name);
        let has = cx.names.enter(&format!("in_{place}"));
        entered += 2;
        let at = cx.ctx.push_index(label.clone());
        cx.indices.insert(at, place.clone());
        // What a key reads is there where it is a place.
        let inside = Pred::in_range(&Ix::free(at), &extent);
        let known = cond.clone().into_iter().fold(inside.clone(), Pred::and);
        let placed = placed(&subst::open(&body, at), together);
        let Some((coordinates, slice)) = placed else { return Err(LowerError::NotNormal(e.clone())) };
        let key = cx.assuming(known.clone(), |cx| {
            coordinates.iter().map(|coordinate| cx.translate_ix(coordinate)).collect::<Result<Vec<_>, _>>()
        })?;
        let flag = cx.ctx.push_loop(Label::new(has.as_str()), &Ix::Lit(2));
        cx.indices.insert(flag, has.clone());
        let is_there = Pred::eq(Ix::free(flag), Ix::ONE);
        cx.ctx.push_hyp(Pred::or(Pred::not(is_there.clone()), known));
        let cond = cond.map_or(Ok(Bool::Lit(true)), |cond| cx.translate_pred(&cond))?;
        runs.push(Run { place: place.clone(), lo: Int::Lit(0), hi, key, has, cond });
        slices.push(Arc::new(Node::Guard(is_there, slice)) as Expr);
        places.push(EnclosingLoop {
            search: None,
            level: at,
            name: place,
            extent,
            // It is gone through in steps that hang on others: nothing goes on from one to the next.
            kind: LoopKind::Parallel(Share::Static),
            kept: Vec::new(),
        });
    }
    let sum = slices.into_iter().reduce(|a, b| Arc::new(Node::Prim(Prim::Add, vec![a, b])));
    let outer = cx.loops.len();
    cx.loops.extend(places);
    let coordinates = keys.iter().cloned().map(Int::Var).collect();
    let body = sum.map_or(Ok(Stmt::skip()), |sum| each(cx, &sum, coordinates));
    cx.loops.truncate(outer);
    (level..cx.ctx.level()).for_each(|level| drop(cx.indices.remove(&level)));
    (0..entered).for_each(|_| cx.names.leave());
    cx.ctx.truncate(level);
    Ok(Some(Stmt::Merge { keys, runs, body: Box::new(body?) }))
}

/// The summands of a sum, if each is a sum over places, or one of a single term.
fn summands(e: &Expr) -> Option<Vec<Summand>> {
    if let Node::Prim(Prim::Add, ab) = &**e {
        return ab
            .iter()
            .map(summands)
            .collect::<Option<Vec<_>>>()
            .map(|parts| parts.into_iter().flatten().collect());
    }
    let (mut conds, mut inner) = (Vec::new(), e);
    while let Node::Guard(p, body) = &**inner {
        conds.push(p.clone());
        inner = body;
    }
    match &**inner {
        Node::Sum(label, n, body) if label.kind == atl_kernel::LoopKind::Serial => {
            Some(vec![Summand { conds, label: label.clone(), extent: n.clone(), body: body.clone() }])
        }
        // Of two sums under a condition, each is under it.
        Node::Prim(Prim::Add, _) if !conds.is_empty() => {
            let mut parts = summands(inner)?;
            parts.iter_mut().for_each(|part| part.conds.splice(0..0, conds.clone()).for_each(drop));
            Some(parts)
        }
        _ => None,
    }
}

/// Do its coordinates strictly increase, and are they there wherever there is a place?
fn is_in_order(cx: &mut LowerCx<'_>, summand: &Summand, together: usize) -> Result<bool, LowerError> {
    let Summand { conds, label, extent, body } = summand;
    let cond = conds.iter().cloned().reduce(Pred::and);
    cx.within(cond.as_ref(), |cx| {
        if !comes_in_order(cx, extent, body, together) {
            return Ok(false);
        }
        let level = cx.ctx.push_loop(label.clone(), extent);
        let there = placed(&subst::open(body, level), together).is_some_and(|(coordinates, _)| {
            coordinates.iter().all(|coordinate| cx.is_input_read(coordinate))
        });
        cx.ctx.truncate(level);
        Ok(there)
    })
}

/// The coordinates of these dimensions, and the slice at them below its guards.
fn placed(e: &Expr, together: usize) -> Option<(Vec<Ix>, Expr)> {
    let (mut inner, mut guards, mut coordinates) = (e, Vec::new(), Vec::new());
    while coordinates.len() < together {
        match &**inner {
            Node::Guard(p, body) => {
                guards.push(p.clone());
                inner = body;
            }
            Node::Op(definition, ixs, args) if definition.name == "one_hot" => {
                coordinates.push(ixs[1].clone());
                inner = &args[0];
            }
            _ => return None,
        }
    }
    let slice = guards.into_iter().rev().fold(inner.clone(), |e, p| Arc::new(Node::Guard(p, e)));
    Some((coordinates, slice))
}
