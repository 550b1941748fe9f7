//! `scan_of_sums`: sums that grow by a term with a loop's index are the states of one iteration.
//!
//! **Statement.** `gen i < n { sum j < i + 1 { f(j) } } = iterate i < n from x = 0, y = zeros { x + f(i),
//! gen k < n { select(k == i, x, y[k]) } } in y`, where the second step stores the new `x`; for `sum j < i`
//! the old one.
//! **Requires.** `0 <= n`, and terms that do not depend on `i`. No law: the additions are the same, in the
//! same order. Between the loop and the sum there may be other loops, over rows of sums, and views.
//! **Fails when.** The sum's extent is not `i` or `i + 1`, or its terms depend on `i`.
//! **Example.** `gen i < N { sum j < i + 1 { x[j] } }`, which adds `N * (N + 1) / 2` numbers, is a loop
//! that adds `N`.
//! **See also.** `sum_as_iterate`; the directive `scan`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, no_match};
use crate::lets::meet;
use crate::occurrences::mentions;
use crate::rounds::{as_written, heads, induct};
use crate::rules::guard_false::zeros;
use crate::rules::sum_as_iterate::no_terms;
use atl_kernel::{
    Child, Expr, Iterate, Ix, Label, Node, Pred, Prim, Result, Rule, State, Thm, Type, Var, subst,
};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "scan_of_sums",
    statement: "gen i<n. sum j<i+1. f(j)  =  iterate i<n from x = 0, y { x + f(i), y with x at i } in y",
    requires: "0 <= n; f does not depend on i",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N, M]) -> f32[N, M] { gen i < N, c < M { sum j < i + 1 { x[j, c] } } }",
        args: &[],
    },
    rewrite: |cx, e, _| scan_of_sums(cx, e, ["x", "y"]),
    inverse: None,
};

/// The theorem for the loop at hand, with these names for the states: the sum so far, and the sums.
pub fn scan_of_sums(cx: &mut Cx<'_>, e: &Expr, names: [&str; 2]) -> Result<Thm> {
    let Node::Gen(label, n, body) = &**e else { return no_match(RULE.name, "a `gen` of sums", e) };
    match &**body {
        Node::View(algebra, sums) => {
            let sums = Arc::new(Node::Gen(label.clone(), n.clone(), sums.clone()));
            let viewed: Expr = Arc::new(Node::View(*algebra, sums));
            let outward = cx.rule(Rule::ViewGen, &viewed)?.sym();
            cx.then(outward, |cx, e| cx.inside(e, Child::Body, |cx, e| scan_of_sums(cx, e, names)))
        }
        Node::Gen(..) => {
            let swapped = cx.inside(e, Child::Body, sum_outward)?;
            cx.then(swapped, |cx, e| scanned(cx, e, names))
        }
        _ => scanned(cx, e, names),
    }
}

/// Loops around a sum are loops in it.
fn sum_outward(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Gen(_, _, body) = &**e else { return cx.refl(e) };
    let inner = match &**body {
        Node::Gen(..) => cx.inside(e, Child::Body, sum_outward)?,
        _ => cx.refl(e)?,
    };
    cx.then(inner, |cx, e| cx.rule(Rule::GenSumSwap, e))
}

/// How the sum in a loop grows: its label, what the extent is beyond the index, and its terms, which know
/// no index.
fn growing(cx: &mut Cx<'_>, e: &Expr) -> Option<(Label, Ix, Expr)> {
    let index = Ix::free(cx.ctx.level());
    let (mut inside, body) = cx.enter(e, Child::Body).ok()?;
    let Node::Sum(label, extent, terms) = &*body else { return None };
    let more =
        [Ix::ONE, Ix::ZERO].into_iter().find(|c| inside.equal(extent, &(index.clone() + c.clone())))?;
    (!mentions(terms, cx.ctx.level())).then(|| (label.clone(), more, terms.clone()))
}

/// Is this a loop of growing sums, as [`scan_of_sums`] takes them?
pub fn is_scan(cx: &mut Cx<'_>, e: &Expr) -> bool {
    growing(cx, e).is_some()
}

/// The theorem for a loop with the sum right in it.
fn scanned(cx: &mut Cx<'_>, e: &Expr, names: [&str; 2]) -> Result<Thm> {
    let Some((sum, more, terms)) = growing(cx, e) else {
        return no_match(RULE.name, "a `gen i` of `sum j < i + 1`, or `sum j < i`, of terms without `i`", e);
    };
    let Node::Gen(label, n, _) = &**e else { return no_match(RULE.name, "a `gen` of sums", e) };
    let (level, ty) = (cx.ctx.level(), cx.type_of(e)?);
    let of = |n: Ix| -> Expr { Arc::new(Node::Sum(sum.clone(), n, terms.clone())) };
    let zero = zeros(&Type { shape: ty.shape[1..].to_vec(), ..ty.clone() });
    // Its cells have the name that they have where they are stored.
    let empty: Expr = Arc::new(Node::Gen(Label::new("k"), n.clone(), zero.clone()));
    let target = iteration(label, n, [&zero, &empty], names, &more, level, &terms);
    // The sums so far, and zeros where none is stored yet.
    let (t, k) = (Ix::free(level), Ix::free(level + 1));
    let stored = Node::Select(Pred::lt(k.clone(), t.clone()), of(k + more), zero);
    let stored = Node::Gen(label.clone(), n.clone(), subst::close(&Arc::new(stored), level + 1));
    let family = [of(t), Arc::new(stored)];
    let mut begins = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let thm = match k {
            0 => no_terms(cx, lhs)?,
            _ => cx.inside(lhs, Child::Body, |cx, e| cx.rule(Rule::SelectFalse, e))?,
        };
        as_written(cx, thm, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let right = cx.converted(rhs, |cx, e| heads(cx, e, 2 + k))?;
        let left = match k {
            0 => cx.rule(Rule::SumLast, lhs)?,
            _ => one_more(cx, lhs, right.rhs())?,
        };
        meet(cx, left, right)
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut goes_on)?;
    let sums = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, 2))?;
    let sums = cx.then(sums, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::SelectTrue, e)))?;
    let here = cx.refl(e)?;
    let here = as_written(cx, here, sums.rhs())?;
    here.trans(sums.sym())?.trans(thm)
}

/// The iteration over the sum so far and the sums that are stored.
fn iteration(
    label: &Label,
    n: &Ix,
    starts: [&Expr; 2],
    names: [&str; 2],
    more: &Ix,
    level: u32,
    terms: &Expr,
) -> Expr {
    let var = |level| -> Expr { Arc::new(Node::Var(Var::Free(level))) };
    // Below both states and the index; below both, the new sum, and the index.
    let next = Node::Prim(Prim::Add, vec![var(level), subst::instantiate(terms, &Ix::free(level + 2))]);
    let next = subst::close_all(&Arc::new(next), level, 3);
    let (t, k) = (Ix::free(level + 3), Ix::free(level + 4));
    let new = if *more == Ix::ONE { var(level + 2) } else { var(level) };
    let old = Arc::new(Node::Get(var(level + 1), k.clone()));
    let entry = subst::close(&Arc::new(Node::Select(Pred::eq(k, t), new, old)), level + 4);
    let store = Arc::new(Node::Gen(Label::new("k"), n.clone(), entry));
    let store = subst::close_all(&store, level, 4);
    let state = |(name, (init, step)): (&str, (&Expr, Expr))| State {
        label: Label::new(name),
        init: init.clone(),
        step,
    };
    let states = names.into_iter().zip(starts.into_iter().zip([next, store])).map(state).collect();
    let body = Arc::new(Node::Var(Var::Bound(0)));
    let label = Label::new(&label.name);
    Arc::new(Node::Iterate(Arc::new(Iterate { label, extent: n.clone(), states, body })))
}

/// `gen k { select(k < t + 1, e(k), z) }  =  gen k { select(k == t, e(t), (gen k { select(k < t, e(k), z)
/// })[k]) }`.
fn one_more(cx: &mut Cx<'_>, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let right =
        cx.inside(rhs, Child::Body, |cx, e| cx.inside(e, Child::Else, |cx, e| cx.rule(Rule::AccessGen, e)))?;
    let Node::Gen(_, _, wanted) = &**right.rhs() else { return no_match(RULE.name, "a `gen`", rhs) };
    let level = cx.ctx.level();
    let wanted = subst::open(wanted, level);
    let Node::Select(at, ..) = &*wanted else { return no_match(RULE.name, "a `select`", rhs) };
    let left = cx.inside(lhs, Child::Body, |cx, e| {
        cx.distinguish(at, |cx, holds| {
            let (left, right) = match holds {
                true => (cx.rule(Rule::SelectTrue, e)?, cx.rule(Rule::SelectTrue, &wanted)?),
                false => (cx.refl(e)?, cx.rule(Rule::SelectFalse, &wanted)?),
            };
            meet(cx, left, right)
        })
    })?;
    meet(cx, left, right)
}
