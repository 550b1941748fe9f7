//! Sums that search: of a sum over positions whose terms stand under an equation of coordinates, one term at
//! most is not zero.
//!
//! Where two sparse operands meet, one of them is left as `sum q { [crd[q] == c] * .. }` with a `c` that the
//! other operand says. Its coordinates increase within each segment, as a format's facts say; so the sum is
//! marked as a search, which is no rewriting: the theorem is reflexivity, and the check shows the same once
//! more. What else is asked and does not depend on `q` moves out, so that a search around it finds its own
//! equation. Where coordinates may come again but never fall, the terms that are not zero follow each other,
//! and a sum may be marked too.

use super::coordinates::{is_coordinate, reads};
use super::scatter::merged;
use super::sparsify::outward;
use crate::conjuncts::{conjunction, conjuncts, with_guard};
use crate::cx::{Chain, Cx, Step};
use crate::rules::guard_inward::{guard_outward, guards_inward};
use crate::rules::interchange::interchange;
use atl_arith::keys::{Equation, Growth, equations, grows};
use atl_kernel::subst::Subst;
use atl_kernel::{
    Child, Cmp, Ctx, Entry, Expr, Ix, IxOp, Label, LoopKind, Node, Pred, Result, Thm, Var, subst,
};
use std::sync::Arc;

/// Mark every sum of a term that is one.
pub fn mark_searches(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.once(e, &mut mark)
}

/// Mark every sum of which the terms that are not zero follow each other, as those of a row do where a row is
/// given for each entry. With a further condition on coordinates, a run may be as long as all of them, unless
/// it is for pairs.
pub fn mark_runs(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.once(e, &mut |cx, e| {
        let marked = mark_pair(cx, e, Growth::Weak)?;
        if marked.is_some() || !asks_once(cx, e) { Ok(marked) } else { mark_run(cx, e) }
    })
}

/// Does a sum ask for one coordinate of its positions?
fn asks_once(cx: &Cx<'_>, e: &Expr) -> bool {
    let Node::Sum(_, _, body) = &**e else { return false };
    let level = cx.ctx.level();
    let (mut inside, mut asked) = (subst::open(body, level), 0);
    while let Node::Guard(p, below) = &*inside {
        asked += conjuncts(p).iter().filter(|part| part.mentions(level) && is_coordinate(part)).count();
        inside = below.clone();
    }
    asked == 1
}

/// Marks the searches of a term again after its loops were interchanged. A sum that was marked as a search
/// may become one over a run.
pub fn remark_searches(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Some(plain) = unmarked(e) else { return Ok(None) };
    let mut names = Vec::new();
    searched(e, &mut names);
    let first = cx.relabel(e, &plain)?;
    let runs = |cx: &mut Cx<'_>, e: &Expr| {
        cx.once(e, &mut |cx, e| match &**e {
            Node::Sum(label, ..) if names.contains(&label.name) => mark_run(cx, e),
            _ => Ok(None),
        })
    };
    let marks = |cx: &mut Cx<'_>, e: &Expr| cx.sequence(e, mark_searches, runs);
    cx.then(first, |cx, e| cx.sequence(e, hoist_conditions, marks)).map(Some)
}

/// Has a search of the term lost its equation to one around it? Then it would look at all of its positions.
pub fn has_search_without_equation(e: &Expr) -> bool {
    let is_one = match &**e {
        Node::Sum(label, _, body) if label.kind == LoopKind::Search => {
            // No context is so long.
            let level = u32::MAX >> 1;
            match &*subst::open(body, level) {
                Node::Guard(p, _) => equations(p, level).is_empty(),
                _ => true,
            }
        }
        _ => false,
    };
    is_one || e.children().filter_map(|at| e.child(at)).any(has_search_without_equation)
}

/// The names of the searches in a term.
fn searched(e: &Expr, names: &mut Vec<Arc<str>>) {
    if let Node::Sum(label, ..) = &**e
        && label.kind == LoopKind::Search
    {
        names.push(label.name.clone());
    }
    e.children().filter_map(|at| e.child(at)).for_each(|part| searched(part, names));
}

/// Hoists searches out of loops on which they do not depend: one search serves all iterations, and if it
/// finds nothing, the loop does not run.
///
/// `sum p { R(sum q @search { [crd[q] == c] * e }) } = sum q @search { [crd[q] == c] * sum p { R(e) } }`, for
/// operators `R`, if neither the equation nor the extent of the search depends on `p`. Other searches may
/// stand between: then it depends on none of them, and moves out of these first.
pub fn hoist_searches(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.bottom_up(e, &mut hoist_search)
}

fn hoist_search(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Sum(label, _, body) = &**e else { return Ok(None) };
    if label.kind != LoopKind::Serial {
        return Ok(None);
    }
    let level = cx.ctx.level();
    match between(cx, &subst::open(body, level)) {
        Some(between) => hoisted(cx, e, between).map(Some),
        None => Ok(None),
    }
}

/// How many searches stand around the search in this body of a loop that is the same in all iterations, if
/// there is one, below operators and conditions only.
fn between(cx: &mut Cx<'_>, body: &Expr) -> Option<usize> {
    let first = cx.ctx.level();
    let mut below = body.clone();
    for between in 0.. {
        let Node::Sum(label, n, inner) = &**operand(&below) else { return None };
        let level = first + 1 + between as u32;
        let Node::Guard(p, rest) = &*subst::open(inner, level) else { return None };
        if label.kind != LoopKind::Search {
            return None;
        }
        let is_alone = |ix: &Ix| (first..level).all(|around| !ix.mentions(around));
        let found = equations(p, level);
        let mut seeks = found.iter().filter(|one| [&one.key, &one.sought].into_iter().all(is_alone));
        if is_alone(n)
            && seeks.any(|one| {
                grown(cx, level, one, n, Growth::Weak) && (between == 0 || is_there(cx, level, one, n))
            })
        {
            return Some(between);
        }
        below = rest.clone();
    }
    None
}

/// What is below the operators of one operand.
fn operand(e: &Expr) -> &Expr {
    match &**e {
        Node::Op(_, _, args) if args.len() == 1 => operand(&args[0]),
        _ => e,
    }
}

/// The search below a loop and this number of other searches stands around the loop.
fn hoisted(cx: &mut Cx<'_>, e: &Expr, between: usize) -> Result<Thm> {
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| raised(cx, e, between)))?;
    chain.apply(cx, |cx, e| cx.child(e, Child::Body, condition_inward))?;
    chain.apply(cx, interchange)?;
    let inside = |cx: &mut Cx<'_>, e: &Expr| {
        let below = |cx: &mut Cx<'_>, e: &Expr| cx.child(e, Child::Body, hoist_conditions);
        cx.sequence(e, below, hoist_condition)
    };
    chain.apply(cx, |cx, e| cx.child(e, Child::Body, inside))?;
    chain.total(cx)
}

/// The search below this number of searches stands around them.
fn raised(cx: &mut Cx<'_>, e: &Expr, between: usize) -> Step {
    match &**e {
        Node::Op(_, _, args) if args.len() == 1 => cx.child(e, Child::Arg(0), |cx, e| raised(cx, e, between)),
        Node::Guard(..) => cx.child(e, Child::Body, |cx, e| raised(cx, e, between)),
        Node::Sum(..) if between > 0 => hoisted(cx, e, between - 1).map(Some),
        _ => Ok(None),
    }
}

/// The condition of a search stands below the next loop, with that of the loop.
fn condition_inward(cx: &mut Cx<'_>, e: &Expr) -> Step {
    fn merged_below(cx: &mut Cx<'_>, e: &Expr) -> Step {
        match &**e {
            Node::Op(..) => cx.child(e, Child::Arg(0), merged_below),
            _ => cx.child(e, Child::Body, merged),
        }
    }
    match &**e {
        Node::Guard(..) => cx.sequence(e, guards_inward, merged_below),
        _ => Ok(None),
    }
}

/// Can the range of a search be read here, and its key and what it seeks wherever there is a place?
fn is_there(cx: &mut Cx<'_>, level: u32, equation: &Equation, n: &Ix) -> bool {
    if !can_be_read(cx, n) {
        return false;
    }
    let mut there = (*cx.ctx).clone();
    let place = Ix::free(there.push_loop(Label::new("q"), n));
    let key = Subst { index: vec![(level, place)], ..Subst::default() }.ix(&equation.key);
    let mut there = cx.within(Arc::new(there));
    [&key, &equation.sought].into_iter().all(|side| can_be_read(&mut there, side))
}

/// Is every cell there that an index term reads?
fn can_be_read(cx: &mut Cx<'_>, ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => true,
        Ix::Bin(_, ab) => can_be_read(cx, &ab.0) && can_be_read(cx, &ab.1),
        Ix::Read(array, at) => {
            let Ok(ty) = cx.type_of(&Arc::new(Node::Var(*array))) else { return false };
            at.iter().zip(&ty.shape).all(|(i, n)| can_be_read(cx, i) && cx.proves(&Pred::in_range(i, n)))
        }
    }
}

/// Does the key of an equation in the variable at a level grow like this below `n`?
fn grown(cx: &mut Cx<'_>, level: u32, equation: &Equation, n: &Ix, growth: Growth) -> bool {
    let (there, goal) = grows(&cx.ctx, (level, &equation.key), n, growth);
    cx.within(Arc::new(there)).proves(&goal)
}

/// What a sum's condition does not say of its variable stands before it.
fn hoist_condition(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Sum(_, _, body) = &**e else { return Ok(None) };
    let level = cx.ctx.level();
    let Node::Guard(p, rest) = &*subst::open(body, level) else { return Ok(None) };
    let (own, outer): (Vec<Pred>, Vec<Pred>) =
        conjuncts(p).into_iter().partition(|part| part.mentions(level));
    if outer.is_empty() { Ok(None) } else { outward(cx, e, own, outer, rest).map(Some) }
}

/// What the loops over positions do not say stands before them, too: how far they go may be known only there.
///
/// `sum p < n { [x] * e } = [x] * sum p < n { e }`, where `x` does not depend on `p`.
pub fn conditions_before_positions(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.once(e, &mut |cx, e| match &**e {
        Node::Sum(_, n, _) if reads(n) => hoist_condition(cx, e),
        _ => Ok(None),
    })
}

/// A term with searches without their marks.
fn unmarked(e: &Expr) -> Option<Expr> {
    let mut done: Option<Node> = None;
    for at in e.children() {
        if let Some(child) = e.child(at).and_then(unmarked) {
            done = Some(done.as_ref().unwrap_or(e).with_child(at, child));
        }
    }
    match done.as_ref().unwrap_or(e) {
        Node::Sum(label, n, body) if label.kind == LoopKind::Search => {
            let label = Label { kind: LoopKind::Serial, ..label.clone() };
            Some(Arc::new(Node::Sum(label, n.clone(), body.clone())))
        }
        _ => done.map(Arc::new),
    }
}

/// The condition of a term that is put somewhere stands before the place again: it is that of the sum around.
fn hoist_conditions(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.bottom_up(e, &mut |cx, e| match &**e {
        Node::Op(_, _, args) if args.len() == 1 && matches!(&*args[0], Node::Guard(..)) => {
            guard_outward(cx, e).map(Some)
        }
        _ => Ok(None),
    })
}

/// Mark a sum of which the terms that are not zero follow each other.
pub fn mark_run(cx: &mut Cx<'_>, e: &Expr) -> Step {
    mark_grown(cx, e, Growth::Weak)
}

fn mark(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let marked = mark_grown(cx, e, Growth::Strict)?;
    if marked.is_some() { Ok(marked) } else { mark_pair(cx, e, Growth::Strict) }
}

/// Mark a sum under two equations, of which neither has a key that grows so, but the two as a pair do: the
/// pairs are compared as numbers, by which a fact says that they are in order.
///
/// `[r[q] == x && c[q] == y] * e = [r[q] * n + c[q] == x * n + y] * e`, where `0 <= c[q] < n` and
/// `0 <= y < n`.
fn mark_pair(cx: &mut Cx<'_>, e: &Expr, growth: Growth) -> Step {
    let Node::Sum(label, _, body) = &**e else { return Ok(None) };
    let level = cx.ctx.level();
    let Node::Guard(p, _) = &*subst::open(body, level) else { return Ok(None) };
    if label.kind != LoopKind::Serial {
        return Ok(None);
    }
    let Some(joint) = joint(cx, p, level) else { return Ok(None) };
    // Where what is sought may be none of the numbers, the equations say more than their sum.
    let Ok(joined) = cx.child(e, Child::Body, |cx, e| with_guard(cx, e, joint)) else {
        return Ok(None);
    };
    let joined = cx.total(e, joined)?;
    let mut searches = false;
    let marked = cx.then(joined, |cx, e| {
        let marked = mark_grown(cx, e, growth)?;
        searches = marked.is_some();
        Ok(marked)
    })?;
    Ok(searches.then_some(marked))
}

/// The condition with one equation of numbers in place of two equations whose keys a fact says to grow as a
/// pair.
fn joint(cx: &Cx<'_>, p: &Pred, level: u32) -> Option<Pred> {
    let found = equations(p, level);
    for first in &found {
        for second in &found {
            let (Ix::Read(rows, at), Ix::Read(columns, same)) = (&first.key, &second.key) else { continue };
            if at != same || rows == columns {
                continue;
            }
            let Some(width) = width(&cx.ctx, *rows, *columns) else { continue };
            let number = |r: &Ix, c: &Ix| r.clone() * width.clone() + c.clone();
            let joint = Pred::eq(number(&first.key, &second.key), number(&first.sought, &second.sought));
            let others = first.rest.iter().filter(|part| !is_equation(part, second)).cloned();
            return Some(conjunction([joint].into_iter().chain(others)));
        }
    }
    None
}

/// Is the conjunct this equation?
fn is_equation(part: &Pred, equation: &Equation) -> bool {
    let Equation { key, sought, .. } = equation;
    matches!(part, Pred::Cmp(Cmp::Eq, a, b) if (a, b) == (key, sought) || (b, a) == (key, sought))
}

/// The `n` of a fact `.. => rows[p] * n + columns[p] < rows[p + 1] * n + columns[p + 1]`, or `<=`.
fn width(ctx: &Ctx, rows: Var, columns: Var) -> Option<Ix> {
    ctx.entries().find_map(|entry| {
        let Entry::All(_, fact) = entry else { return None };
        let Pred::Or(sides) = &**fact else { return None };
        let Pred::Cmp(Cmp::Lt | Cmp::Le, Ix::Bin(IxOp::Add, sum), _) = &sides.1 else { return None };
        let (Ix::Bin(IxOp::Mul, product), Ix::Read(second, _)) = (&sum.0, &sum.1) else { return None };
        match (&product.0, &product.1) {
            (Ix::Read(first, _), n) if (*first, *second) == (rows, columns) => Some(n.clone()),
            _ => None,
        }
    })
}

/// Mark a sum under an equation whose key grows like this.
fn mark_grown(cx: &mut Cx<'_>, e: &Expr, growth: Growth) -> Step {
    let Node::Sum(label, n, body) = &**e else { return Ok(None) };
    let level = cx.ctx.level();
    let inside = subst::open(body, level);
    let Node::Guard(p, rest) = &*inside else { return Ok(None) };
    if label.kind != LoopKind::Serial {
        return Ok(None);
    }
    let (own, outer): (Vec<Pred>, Vec<Pred>) =
        conjuncts(p).into_iter().partition(|part| part.mentions(level));
    // What moves out holds where the sum is, and the range of positions may be one only there.
    let mut there = cx.assuming(conjunction(outer.iter().cloned()));
    if !equations(p, level).iter().any(|equation| grown(&mut there, level, equation, n, growth)) {
        return Ok(None);
    }
    if outer.is_empty() {
        return marked(cx, e).map(Some);
    }
    let moved = outward(cx, e, own, outer, rest)?;
    cx.then(moved, |cx, e| cx.child(e, Child::Body, marked)).map(Some)
}

fn marked(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Sum(label, n, body) = &**e else { return cx.refl(e) };
    let label = Label { kind: LoopKind::Search, ..label.clone() };
    cx.relabel(e, &Arc::new(Node::Sum(label, n.clone(), body.clone())))
}
