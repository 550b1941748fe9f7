//! A term computed into a buffer of its own: `e = let X = e; X`, with the padding around it kept.
//!
//! **The one idea.** Where tiles overhang, every element of `e` is guarded,
//! `e[i, ..] = sum k { [p(i)] * s }`. What is stored at last must still be guarded, for truncations around
//! drop only what certainly is padding. So the guard is found, moved out of the sums and put around the reads
//! of the buffer: `e = let X = e; gen i, .. { [p(i)] * X[i, ..] }`. Where the loops over the elements are in
//! sight, those that read the buffer have their names, with a guard or without: schedules can mark them.
//!
//! What it does not do: find a guard that only some elements have.

use crate::read_window::abstracted;
use atl_kernel::{Child, Expr, Label, LoopKind, Node, Pred, Result as Kernel, Rule, Thm, subst};
use atl_rules::gather::gather;
use atl_rules::{Cx, Step as Conversion, join};
use std::sync::Arc;

/// The theorem for `e`, and this name.
pub(crate) fn accumulate(cx: &mut Cx<'_>, e: &Expr, name: &str) -> Kernel<Thm> {
    let rank = cx.type_of(e)?.shape.len();
    let labels = loop_labels(e);
    let padded = if rank == 0 { None } else { guarded(cx, e, rank, &labels)? };
    let padded = cx.total(e, padded)?;
    let home = cx.ctx.level();
    let body = subst::close(&abstracted(padded.rhs(), e, home), home);
    let named: Expr = Arc::new(Node::Let(Label::new(name), e.clone(), body));
    padded.trans(cx.rule(Rule::LetInline, &named)?.sym())
}

/// The labels of the `gen`s around the elements, as far as they are in sight.
fn loop_labels(e: &Expr) -> Vec<Label> {
    match &**e {
        Node::Gen(label, _, body) => {
            let here = Label { kind: LoopKind::Serial, ..label.clone() };
            std::iter::once(here).chain(loop_labels(body)).collect()
        }
        Node::Sum(_, _, body) | Node::Guard(_, body) | Node::Let(_, _, body) => loop_labels(body),
        _ => Vec::new(),
    }
}

/// `part = gen i, .. { [p] * part[i, ..] }` for a tensor of this many dimensions, without a guard where its
/// elements share none; nothing where then no loop has a name either.
fn guarded(cx: &mut Cx<'_>, part: &Expr, rank: usize, labels: &[Label]) -> Conversion {
    if rank == 0 {
        return element(cx, part);
    }
    let (label, inner) = match labels.split_first() {
        Some((label, inner)) => (label.clone(), inner),
        None => (Label::new(["i", "j", "k", "l"][(rank - 1).min(3)]), labels),
    };
    let eta = cx.rule(Rule::GenEta(label), part)?;
    let below = cx.child(&eta.rhs().clone(), Child::Body, |cx, row| guarded(cx, row, rank - 1, inner))?;
    match below {
        None if labels.is_empty() => Ok(None),
        below => join(Some(eta), below),
    }
}

/// `x = [p] * x` where `x` is a sum of terms that are guarded by `p`.
fn element(cx: &mut Cx<'_>, x: &Expr) -> Conversion {
    let flat = cx.converted(x, gather)?;
    let flat = cx.then(flat, guards_out)?;
    let Node::Guard(p, _) = &**flat.rhs() else { return Ok(None) };
    let around: Expr = Arc::new(Node::Guard(p.clone(), x.clone()));
    let inside = cx.inside(&around, Child::Body, gather)?;
    let same = cx.rule(Rule::ArithEq(inside.rhs().clone()), &flat.rhs().clone())?;
    flat.trans(same)?.trans(inside.sym()).map(Some)
}

/// Move what guards the terms of a sum out of it, as far as it is not about the sum's index.
fn guards_out(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let Node::Sum(..) = &**e else { return Ok(None) };
    let level = cx.ctx.level();
    let apart = cx.inside(e, Child::Body, |cx, body| {
        let below = guards_out(cx, body)?;
        let mut below = cx.total(body, below)?;
        while let Node::Guard(_, inner) = &**below.rhs()
            && matches!(**inner, Node::Guard(..))
        {
            below = cx.then(below, |cx, body| cx.rule(Rule::GuardAnd, body))?;
        }
        cx.then(below, |cx, body| split_guard(cx, body, level))
    })?;
    let Node::Sum(label, n, body) = &**apart.rhs() else { return Ok(None) };
    let Node::Guard(p, inner) = &*subst::open(body, level) else { return Ok(Some(apart)) };
    if p.mentions(level) {
        return Ok(Some(apart));
    }
    let sum = Arc::new(Node::Sum(label.clone(), n.clone(), subst::close(inner, level)));
    let outside = cx.rule(Rule::GuardSum, &Arc::new(Node::Guard(p.clone(), sum)))?;
    apart.trans(outside.sym()).map(Some)
}

/// `[p && q] * e = [p] * [q] * e` with `p` what is not about the variable at this level, where there is both.
fn split_guard(cx: &mut Cx<'_>, e: &Expr, level: u32) -> Conversion {
    let Node::Guard(all, inner) = &**e else { return Ok(None) };
    let (mut outer, mut own) = (Pred::True, Pred::True);
    conjuncts(all, &mut |p| {
        let to = if p.mentions(level) { &mut own } else { &mut outer };
        *to = Pred::and(to.clone(), p.clone());
    });
    if outer == Pred::True || own == Pred::True {
        return Ok(None);
    }
    let under = Arc::new(Node::Guard(own, inner.clone()));
    let merged = cx.rule(Rule::GuardAnd, &Arc::new(Node::Guard(outer, under)))?;
    let same = cx.rule(Rule::ArithEq(e.clone()), &merged.rhs().clone())?;
    Ok(Some(merged.trans(same)?.sym()))
}

/// Each part of a conjunction.
fn conjuncts(p: &Pred, each: &mut dyn FnMut(&Pred)) {
    match p {
        Pred::And(ab) => {
            conjuncts(&ab.0, each);
            conjuncts(&ab.1, each);
        }
        p => each(p),
    }
}
