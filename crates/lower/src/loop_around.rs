//! A loop around what is made of its body, and a conditional around what is made of its branches.
//!
//! A binder gives a loop here, whatever the body becomes: its variable gets a name, its label says how the
//! iterations run, and what was noted inside ends with it.

use crate::cx::{Enclosing, EnclosingLoop, LowerCx};
use crate::error::LowerError;
use crate::search::{Head, search};
use atl_kernel::{self as kernel, Expr, Ix, Label, Node, Pred, subst};
use atl_loops::prefetch::Frame;
use atl_loops::search::Search;
use atl_loops::{Bool, Int, LoopKind, Share, Stmt};

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

/// How a loop searches that is to, the condition on it, and what stands under it; none where nothing says
/// where to look.
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

/// How the iterations may be run. A single one runs beside no other, and its cell need not depend on the loop
/// variable.
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

/// A conditional, decided where its condition is.
pub(crate) fn branch(cond: Bool, then: Stmt, otherwise: Stmt) -> Stmt {
    match cond {
        Bool::Lit(true) => then,
        Bool::Lit(false) => otherwise,
        cond if otherwise == Stmt::skip() => Stmt::guard(cond, then),
        cond => Stmt::If { cond, then: Box::new(then), otherwise: Some(Box::new(otherwise)) },
    }
}
