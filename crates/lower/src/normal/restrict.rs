//! Stores below a truncation, restricted to what it keeps.
//!
//! What a truncation drops has to be padding, which the check has shown of the term before its normal form. But
//! a temporary that the normal form introduces is stored whole, guards or no guards in what it holds. Such stores get the
//! condition that their element is kept. Under the truncation that changes nothing, which gather forms show.

use atl_check::Reindexer;
use atl_kernel::{Child, Error, Expr, Node, Pred, Result, subst};
use atl_rules::gather::by_gather;
use atl_rules::{Cx, Step};
use std::sync::Arc;

/// Guards the elements stored below `e`, the application of a dropping operator, that are not known to be kept.
pub(crate) fn restrict(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match guarded(cx, e, &Reindexer::identity())? {
        None => Ok(None),
        // Where gather forms do not show it, the check refuses what is stored.
        Some(restricted) => Ok(by_gather(cx, e, &restricted).ok()),
    }
}

/// The tensor with those guards, if there are any.
fn guarded(cx: &mut Cx<'_>, e: &Expr, theta: &Reindexer) -> Result<Option<Expr>> {
    match &**e {
        Node::Gen(..) => {
            let index = atl_kernel::Ix::free(cx.ctx.level());
            at(cx, e, Child::Body, &theta.under_gen(index))
        }
        Node::Sum(..) | Node::Guard(..) | Node::Let(..) | Node::Iterate(_) => at(cx, e, Child::Body, theta),
        Node::Select(..) => each(cx, e, &[Child::Then, Child::Else], |_| theta.clone()),
        Node::Op(definition, ixs, args) => {
            let op = atl_ops::of(definition).ok_or(Error::Mismatch("not in normal form"))?;
            let mut extents = Vec::new();
            for (arg, named) in args.iter().zip(op.tensor_params) {
                extents.extend(cx.type_of(arg)?.shape.into_iter().take(named.len()));
            }
            each(cx, e, &e.children().collect::<Vec<_>>(), |k| theta.under_operator(op, ixs, &extents, k))
        }
        _ => {
            let kept = theta.kept(&cx.ctx.clone(), cx.prover, Vec::new());
            let unknown = |(_, kept): (&str, Pred)| if cx.proves(&kept) { Pred::True } else { kept };
            Ok(match kept.into_iter().map(unknown).fold(Pred::True, Pred::and) {
                Pred::True => None,
                kept => Some(Arc::new(Node::Guard(kept, e.clone()))),
            })
        }
    }
}

fn each(
    cx: &mut Cx<'_>,
    e: &Expr,
    places: &[Child],
    theta: impl Fn(usize) -> Reindexer,
) -> Result<Option<Expr>> {
    let mut changed = None;
    for (k, place) in places.iter().enumerate() {
        let now = changed.clone().unwrap_or_else(|| e.clone());
        changed = at(cx, &now, *place, &theta(k))?.or(changed);
    }
    Ok(changed)
}

fn at(cx: &mut Cx<'_>, e: &Expr, place: Child, theta: &Reindexer) -> Result<Option<Expr>> {
    let level = cx.ctx.level();
    let (mut inside, child) = cx.enter(e, place)?;
    let Some(new) = guarded(&mut inside, &child, theta)? else { return Ok(None) };
    let new = subst::close_all(&new, level, e.binds(place));
    Ok(Some(Arc::new(e.with_child(place, new))))
}
