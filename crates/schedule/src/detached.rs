//! A reduction of another algebra below a guard, in a `let` of its own.
//!
//! **Statement.** `gen a. [p] * view(s(a)) = let s_acc = gen a. [p] * s(a); gen a. [p] * view(s_acc[a])`,
//! over any nest of `gen`s. **The one idea.** After `split`, the tail of a loop stands under a guard, which
//! is 0 outside. The empty minimum is no 0, so the guard cannot move into the reduction past the change of
//! algebra, and its loops not out of it. But inside the guard a guard of the same condition changes nothing.
//! So the elements are computed first, under guards of the reduction's own algebra, and those within the tail
//! are taken over.
//!
//! It needs no law. The guard must depend on the loops of the nest only through what the context says, as any
//! does.

use crate::nest::{Place, binders, in_nest, subterm};
use atl_kernel::{Child, Expr, Ix, Label, Node, Rule, Var, subst};
use atl_rules::rules::guard_inward::guards_inward;
use atl_rules::{Cx, Step as Conversion, join};
use std::sync::Arc;

/// Where a nest has such a guard: the way to it.
pub(crate) fn guarded_reduction(e: &Expr) -> Option<Vec<Child>> {
    let reductions: Vec<Place> = binders(e).into_iter().filter(in_nest).collect();
    let path = &reductions.last()?.path;
    let guard = (0..path.len()).find(|depth| {
        let Some(Node::Guard(_, below)) = subterm(e, &path[..*depth]).map(|e| &**e) else { return false };
        matches!(**unguarded(below), Node::View(..))
    })?;
    Some(path[..guard].to_vec())
}

fn unguarded(e: &Expr) -> &Expr {
    match &**e {
        Node::Guard(_, below) => unguarded(below),
        _ => e,
    }
}

/// The theorem for the nest at hand, with this name for the `let`; nothing where more than `gen`s stand above
/// the guard.
pub(crate) fn detached(cx: &mut Cx<'_>, e: &Expr, name: &Arc<str>) -> Conversion {
    let merged = cx.total(e, None)?;
    let merged = cx.then(merged, one_guard)?;
    let home = cx.ctx.level();
    let (mut loops, mut inner): (Vec<(Label, Ix)>, Expr) = (Vec::new(), merged.rhs().clone());
    // Below the `let`'s name, which is not there in what it binds.
    while let Node::Gen(label, n, body) = &*inner.clone() {
        let level = home + 1 + loops.len() as u32;
        loops.push((label.clone(), n.clone()));
        inner = subst::open(body, level);
    }
    let Node::Guard(p, view) = &*inner else { return Ok(None) };
    let Node::View(algebra, reduced) = &**view else { return Ok(None) };
    let nest = |e: Expr| {
        let levels: Vec<u32> = (home + 1..).take(loops.len()).collect();
        levels.iter().zip(&loops).rev().fold(e, |e, (level, (label, n))| {
            Arc::new(Node::Gen(label.clone(), n.clone(), subst::close(&e, *level)))
        })
    };
    let bound = nest(Arc::new(Node::Guard(p.clone(), reduced.clone())));
    let variable: Expr = Arc::new(Node::Var(Var::Free(home)));
    let element =
        (home + 1..).take(loops.len()).fold(variable, |e, level| Arc::new(Node::Get(e, Ix::free(level))));
    let seen: Expr = Arc::new(Node::View(*algebra, element));
    let body = subst::close(&nest(Arc::new(Node::Guard(p.clone(), seen))), home);
    let label = Label { name: name.clone(), ..Label::default() };
    let named: Expr = Arc::new(Node::Let(label, bound, body));
    let back = cx.rule(Rule::LetInline, &named)?;
    let back = cx.then(back, at_guard)?;
    join(Some(merged), Some(back.sym()))
}

/// The guards of the nest at hand as one, below its loops.
fn one_guard(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    match &**e {
        Node::Gen(..) => cx.child(e, Child::Body, one_guard),
        Node::Guard(_, below) => {
            let step = match **below {
                Node::Gen(..) => guards_inward(cx, e)?,
                Node::Guard(..) => Some(cx.rule(Rule::GuardAnd, e)?),
                _ => None,
            };
            let Some(step) = step else { return Ok(None) };
            cx.then(step, one_guard).map(Some)
        }
        _ => Ok(None),
    }
}

/// Below the loops and the guard, the element as it was.
fn at_guard(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    match &**e {
        Node::Gen(..) | Node::Guard(..) => cx.child(e, Child::Body, at_guard),
        _ => cx.child(e, Child::Body, |cx, e| {
            let read = cx.converted(e, element)?;
            cx.then(read, |cx, e| cx.rule(Rule::GuardTrue, e))
        }),
    }
}

/// `(gen a. e(a))[a] = e(a)`, for as many accesses as there are.
fn element(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let Node::Get(array, _) = &**e else { return Ok(None) };
    let inner = match &**array {
        Node::Get(..) => cx.child(e, Child::Body, element)?,
        _ => None,
    };
    let thm = cx.total(e, inner)?;
    cx.then(thm, |cx, e| cx.rule(Rule::AccessGen, e)).map(Some)
}
