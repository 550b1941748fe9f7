//! Moving `let`s: both sides are one term once the outer `let` is inlined.
//!
//! A `let` computes nothing by itself, so every rule about where it stands is proved alike: inline it, and
//! compare. What a loop's body binds becomes, outside, one tensor with an entry for each iteration, and the
//! name an access to it: inside, what is bound is rewritten as that access. Where an index reads the name, no
//! access can stand in its place: there a `let` of the one entry stays. Sinking a `let` proposes the left side
//! and proves it by lifting.

use crate::cx::{Chain, Cx, Step};
use crate::derived::no_match;
use crate::occurrences::{mentions, replace, variable};
use atl_kernel::{Child, Cmp, Error, Expr, Ix, Label, Node, Pred, Result, Rule, Thm, Var, subst};
use std::sync::Arc;

/// What a `let` binds, once it is outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifted {
    /// The same term, which depends on no index of the loop.
    Constant,
    /// A tensor with an entry for each iteration of the loop.
    Table,
    /// Of `[i < k] * e`, a tensor with an entry for each of the first `k` iterations, read under the same guard.
    FirstEntries,
    /// The same term under the guard that it leaves.
    Guarded,
}

/// From two equations whose right sides agree up to index arithmetic, the equation of their left sides.
pub fn meet(cx: &mut Cx<'_>, left: Thm, right: Thm) -> Result<Thm> {
    if left.rhs() == right.rhs() {
        return left.trans(right.sym());
    }
    let same = cx.rule(Rule::ArithEq(right.rhs().clone()), &left.rhs().clone())?;
    left.trans(same)?.trans(right.sym())
}

/// From a left side whose rule yields `e`, up to index arithmetic, `e = left`.
pub fn from_left(
    cx: &mut Cx<'_>,
    e: &Expr,
    left: &Expr,
    rule: impl FnOnce(&mut Cx<'_>, &Expr) -> Result<Thm>,
) -> Result<Thm> {
    let thm = rule(cx, left)?;
    let here = cx.refl(e)?;
    meet(cx, here, thm)
}

/// Carry out the outermost `let` of a term.
pub fn inline(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.rule(Rule::LetInline, e).map(Some)
}

/// Carry out the outermost `let` of a term, unless its name is read where what it binds cannot stand.
pub fn inline_where_read(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Let(_, bound, body) if matches!(**bound, Node::Var(_)) || !is_read_by_name(body) => {
            inline(cx, e)
        }
        _ => Ok(None),
    }
}

/// The label of one entry of what a label names.
pub fn entry_of(label: &Label) -> Label {
    Label::new(&format!("{}_entry", label.name))
}

/// Is the name of a `let` with this body read in a condition or an index, where no term can stand in its place?
pub fn is_read_by_name(body: &Expr) -> bool {
    // Levels that no context reaches: of the name, and of what stands for it elsewhere.
    let (name, other) = (u32::MAX, u32::MAX - 1);
    let opened = subst::open(body, name);
    let elsewhere = replace(&opened, &mut |e| (*e == variable(name)).then(|| variable(other)));
    mentions(&elsewhere, name)
}

/// A `let` with a body in which the context variable at `level` stands for its name.
pub fn let_of(label: &Label, bound: Expr, body: &Expr, level: u32) -> Expr {
    Arc::new(Node::Let(label.clone(), bound, subst::close(body, level)))
}

/// `parent[let x = e; f(x)]  =  let x = e; parent[f(x)]` for the `let` at a child of `parent`, where `lifted` says
/// what becomes of `e`.
pub fn let_out(cx: &mut Cx<'_>, parent: &Expr, at: Child, lifted: Lifted) -> Result<Thm> {
    let (name, index) = (cx.ctx.level(), cx.ctx.level() + 1);
    let binders = parent.binds(at);
    let open = |e: &Expr| subst::open_all(e, index, binders);
    let close = |e: Expr| subst::close_all(&e, index, binders);
    let child = parent.child(at).map(open);
    let Some(Node::Let(label, bound, body)) = child.as_deref() else {
        return no_match("let_out", "a `let` at this place", parent);
    };
    let outside = lift(parent, bound, index, lifted)?;
    let copy: Expr =
        Arc::new(Node::Let(entry_of(label), read(&outside, &variable(name), index, lifted), body.clone()));
    let copied = let_of(label, outside.clone(), &Arc::new(parent.with_child(at, close(copy))), name);
    // In the context of a loop's body, the loop's index is the next variable, which outside is the name.
    let left = cx
        .inside(parent, at, |cx, e| cx.child(e, Child::Bound, |cx, _| as_read(cx, &outside, name, lifted)))?;
    let right = cx.rule(Rule::LetInline, &copied)?;
    let there = meet(cx, left, right)?;
    cx.then(there, |cx, e| cx.at(e, &[Child::Body, at], &mut inline_where_read))
}

/// What is bound inside, as it is bound outside; the loop's index inside is the context variable `index`.
fn lift(parent: &Expr, bound: &Expr, index: u32, lifted: Lifted) -> Result<Expr> {
    let table = |n: &Ix, e: &Expr| match &**parent {
        Node::Gen(label, ..) | Node::Sum(label, ..) => {
            Ok(Arc::new(Node::Gen(label.clone(), n.clone(), subst::close(e, index))))
        }
        _ => no_match("let_out", "a `gen` or a `sum`", parent),
    };
    match (lifted, &**parent, &**bound) {
        (Lifted::Constant, ..) if mentions(bound, index) => {
            no_match("let_out", "a `let` of a term without the binder's own name", bound)
        }
        (Lifted::Constant, ..) => Ok(bound.clone()),
        (Lifted::Table, Node::Gen(_, n, _) | Node::Sum(_, n, _), _) => table(n, bound),
        (Lifted::FirstEntries, _, Node::Guard(p, e)) => match below(p, index) {
            Some(k) => table(k, e),
            None => no_match("let_out", "a `let` of `[i < k] * e`, i the loop's index", bound),
        },
        (Lifted::Guarded, Node::Guard(p, _), _) => Ok(Arc::new(Node::Guard(p.clone(), bound.clone()))),
        _ => no_match("let_out", "a `let` of this form below its construct", parent),
    }
}

/// The bound `k`, free of the index, of a predicate `i < k`.
fn below(p: &Pred, index: u32) -> Option<&Ix> {
    match p {
        Pred::Cmp(Cmp::Lt, i, k) if *i == Ix::free(index) && !k.mentions(index) => Some(k),
        _ => None,
    }
}

/// What stands inside for the name of what is bound outside: `x`, `x[i]`, or `[i < k] * x[i]`.
fn read(outside: &Expr, name: &Expr, index: u32, lifted: Lifted) -> Expr {
    let entry = || Arc::new(Node::Get(name.clone(), Ix::free(index)));
    match (lifted, &**outside) {
        (Lifted::FirstEntries, Node::Gen(_, k, _)) => {
            Arc::new(Node::Guard(Pred::lt(Ix::free(index), k.clone()), entry()))
        }
        (Lifted::Table | Lifted::FirstEntries, _) => entry(),
        (Lifted::Constant | Lifted::Guarded, _) => name.clone(),
    }
}

/// What is bound inside equals what is read of the term outside.
fn as_read(cx: &mut Cx<'_>, outside: &Expr, index: u32, lifted: Lifted) -> Step {
    let read = read(outside, outside, index, lifted);
    match lifted {
        Lifted::Constant => Ok(None),
        Lifted::Guarded => Ok(Some(cx.rule(Rule::GuardTrue, outside)?.sym())),
        Lifted::Table => Ok(Some(cx.rule(Rule::AccessGen, &read)?.sym())),
        Lifted::FirstEntries => {
            let carried_out = cx.child(&read, Child::Body, |cx, e| cx.rule(Rule::AccessGen, e))?;
            Ok(carried_out.map(Thm::sym))
        }
    }
}

/// `let x = e; parent[f(x)]  =  parent[let x = e; f(x)]`, the inverse of [`let_out`]. The name may stand at one child
/// only, and below a loop whose entries it holds only as the entry of the iteration at hand.
pub fn let_into(
    cx: &mut Cx<'_>,
    e: &Expr,
    fits: impl Fn(&Node, Child) -> bool,
    lifted: Lifted,
) -> Result<Thm> {
    let Node::Let(label, bound, body) = &**e else { return no_match("let_into", "a `let`", e) };
    let (name, index, entry) = (cx.ctx.level(), cx.ctx.level() + 1, cx.ctx.level() + 2);
    let parent = subst::open(body, name);
    let places: Vec<Child> = parent.children().filter(|at| fits(&parent, *at)).collect();
    let uses = |at: &Child| parent.child(*at).is_some_and(|child| mentions(child, name));
    let Some(at) = places.iter().copied().find(uses).or(places.first().copied()) else {
        return no_match("let_into", "the construct below the `let`", e);
    };
    let opened = parent.child(at).map(|child| subst::open_all(child, index, parent.binds(at)));
    let Some(child) = opened else { return no_match("let_into", "a child at this place", e) };
    let (inner_name, child) = match lifted {
        Lifted::Constant | Lifted::Guarded => (name, child),
        Lifted::Table | Lifted::FirstEntries => {
            let read = read(bound, &variable(name), index, lifted);
            (entry, replace(&child, &mut |e| (*e == read).then(|| variable(entry))))
        }
    };
    let inner = let_of(label, sunk(&parent, bound, index, lifted)?, &child, inner_name);
    let inner = subst::close_all(&inner, index, parent.binds(at));
    let left: Expr = Arc::new(parent.with_child(at, inner));
    if mentions(&left, name) {
        return Err(Error::Mismatch("the name stands where the `let` would not reach"));
    }
    from_left(cx, e, &left, |cx, left| let_out(cx, left, at, lifted))
}

/// What is bound outside, as it is bound inside.
fn sunk(parent: &Expr, bound: &Expr, index: u32, lifted: Lifted) -> Result<Expr> {
    match (lifted, &**parent, &**bound) {
        (Lifted::Constant, ..) => Ok(bound.clone()),
        (Lifted::Guarded, Node::Guard(p, _), Node::Guard(q, inner)) if p == q => Ok(inner.clone()),
        (Lifted::Table, _, Node::Gen(_, _, entry)) => Ok(subst::instantiate(entry, &Ix::free(index))),
        (Lifted::FirstEntries, _, Node::Gen(_, k, entry)) => {
            let first = Pred::lt(Ix::free(index), k.clone());
            Ok(Arc::new(Node::Guard(first, subst::instantiate(entry, &Ix::free(index)))))
        }
        _ => no_match("let_into", "what is bound of the form that lifting gives", bound),
    }
}

/// `let x = e; ..; f(x, ..)  =  let x = e'; ..; f(x, ..)`, for a number of names, where nothing that is
/// bound reads a name of these: so each `e = e'` is proved in one context, that of the whole.
pub fn in_bounds(
    cx: &mut Cx<'_>,
    e: &Expr,
    count: usize,
    convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Result<Thm>,
) -> Result<Thm> {
    let (mut chain, mut bounds, mut body) = (Chain::of(e), Vec::new(), e.clone());
    for _ in 0..count {
        let Node::Let(label, _, rest) = &*body.clone() else {
            return no_match("in_bounds", "a `let`", &body);
        };
        let (label, rest) = (label.clone(), rest.clone());
        chain.apply(cx, |cx, e| cx.child(e, Child::Bound, |cx, e| convert(cx, e)))?;
        let Node::Let(_, bound, _) = &**chain.now() else {
            return no_match("in_bounds", "a `let`", chain.now());
        };
        bounds.push((label, bound.clone()));
        body = rest;
        chain.apply(cx, |cx, e| cx.rule(Rule::LetInline, e))?;
    }
    let bind = |body, (label, bound): (Label, Expr)| Arc::new(Node::Let(label, bound, body));
    let target: Expr = bounds.into_iter().rev().fold(body, bind);
    let mut there = Chain::of(&target);
    for _ in 0..count {
        there.apply(cx, |cx, e| cx.rule(Rule::LetInline, e))?;
    }
    let (here, there) = (chain.total(cx)?, there.total(cx)?);
    meet(cx, here, there)
}

/// Is this the name of a `let` that stands directly around it?
pub fn is_own_name(body: &Expr) -> bool {
    matches!(**body, Node::Var(Var::Bound(0)))
}
