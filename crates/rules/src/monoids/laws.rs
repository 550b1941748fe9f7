//! Equations of sums of elements that are given by their fields.
//!
//! The one idea: a formula reads an operand many times, and operands are iterations. So the operands of a sum
//! are bound before it is spelt out, and a law is proved of variables, which are small, and then taken for
//! what is bound.

use super::Fold;
use crate::cx::{Chain, Cx, Step};
use crate::occurrences::variable;
use crate::rounds::{as_written, heads};
use atl_kernel::{Child, Expr, Ix, Label, Laws, Monoid, Node, Result, Rule, Thm, subst};
use std::ops::Range;
use std::sync::Arc;

/// A level that no variable has, nor those above it.
const FRESH: u32 = 1 << 30;

/// Elements, by their fields.
type Elements<'e> = &'e [&'e [Expr]];

/// A field of what two elements are together: `let a.. = .., b.. = ..; f(a.., b..)`.
pub(super) fn together(monoid: &Monoid, field: usize, a: &[Expr], b: &[Expr]) -> Expr {
    let count = (a.len() + b.len()) as u32;
    let variables: Vec<Expr> = (0..count).map(|k| variable(FRESH + k)).collect();
    let sum = monoid.sum(&variables[..a.len()], &variables[a.len()..]).swap_remove(field);
    let body = subst::close_all(&sum, FRESH, count);
    a.iter().chain(b).rev().fold(body, |body, e| Arc::new(Node::Let(Label::new("x"), e.clone(), body)))
}

/// Convert what the first `let`s bind, by number, and then what stands below them.
pub(super) fn lets(
    cx: &mut Cx<'_>,
    e: &Expr,
    count: usize,
    convert: &mut dyn FnMut(&mut Cx<'_>, usize, &Expr) -> Result<Thm>,
    below: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Step,
) -> Step {
    lets_from(cx, e, 0..count, convert, below)
}

/// The same, from a number on.
fn lets_from(
    cx: &mut Cx<'_>,
    e: &Expr,
    which: Range<usize>,
    convert: &mut dyn FnMut(&mut Cx<'_>, usize, &Expr) -> Result<Thm>,
    below: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Step,
) -> Step {
    if which.is_empty() {
        return below(cx, e);
    }
    let (k, rest) = (which.start, which.start + 1..which.end);
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| cx.child(e, Child::Bound, |cx, e| convert(cx, k, e)))?;
    chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| lets_from(cx, e, rest, convert, below)))?;
    Ok(chain.done())
}

/// Convert what some of the first `let`s bind, by number.
pub(super) fn operands(
    cx: &mut Cx<'_>,
    e: &Expr,
    which: Range<usize>,
    convert: &mut dyn FnMut(&mut Cx<'_>, usize, &Expr) -> Result<Thm>,
) -> Result<Thm> {
    let path = vec![Child::Body; which.start];
    cx.converted(e, |cx, e| {
        cx.at(e, &path, &mut |cx, e| lets_from(cx, e, which.clone(), convert, &mut |_, _| Ok(None)))
    })
}

/// A field of the sum of one term more: `F(t + 1) = F(t) + e(t)`.
pub(super) fn one_more(cx: &mut Cx<'_>, fold: &Fold, t: &Ix, field: usize, e: &Expr) -> Result<Thm> {
    let (next, count) = (fold.field(&(t.clone() + Ix::ONE), field), fold.names.len());
    let here = cx.refl(e)?;
    let here = as_written(cx, here, &next)?;
    let last = cx.rule(Rule::IterateLast, &next)?;
    let last = cx.then(last, |cx, e| cx.rule(Rule::IterateBody, e))?;
    let last = cx.then(last, |cx, e| heads(cx, e, count))?;
    // Below the states and the terms of the round, of its new states one is read.
    let path = vec![Child::Body; 2 * count];
    let last = cx.then(last, |cx, e| cx.at(e, &path, &mut |cx, e| heads(cx, e, count)))?;
    let sum = together(&fold.monoid, field, &fold.fields(t), &fold.at(t));
    here.trans(as_written(cx, last, &sum)?)
}

/// A field of the sum of no terms.
pub(super) fn nothing(cx: &mut Cx<'_>, fold: &Fold, field: usize, e: &Expr) -> Result<Thm> {
    let here = cx.refl(e)?;
    let here = as_written(cx, here, &fold.field(&Ix::ZERO, field))?;
    let thm = cx.then(here, |cx, e| cx.rule(Rule::IterateZero, e))?;
    let thm = cx.then(thm, |cx, e| heads(cx, e, 2 * fold.names.len()))?;
    as_written(cx, thm, &fold.starts[field])
}

/// A field of `a + 0 = a`, at what is together.
pub(super) fn neutral(cx: &mut Cx<'_>, monoid: &Arc<Monoid>, field: usize, e: &Expr) -> Result<Thm> {
    let count = monoid.fields().len();
    let path = vec![Child::Body; count];
    let thm = cx.converted(e, |cx, e| {
        cx.at(e, &path, &mut |cx, e| {
            let zero = cx.converted(e, |cx, e| heads(cx, e, count))?;
            // The operand's fields are the variables that were entered last.
            let first = cx.ctx.level() - count as u32;
            let element: Vec<Expr> = (0..count as u32).map(|k| variable(first + k)).collect();
            cx.then(zero, |cx, e| cx.rule(Rule::Law(monoid.clone(), Laws::ADD_0_R, field, vec![element]), e))
        })
    })?;
    cx.then(thm, |cx, e| heads(cx, e, count))
}

/// A lemma about variables, the first of which are given, with what is bound for the others.
pub(crate) fn instances(
    cx: &mut Cx<'_>,
    bounds: &[Expr],
    given: &mut Vec<Expr>,
    sides: &dyn Fn(&[Expr]) -> (Expr, Expr),
    prove: &mut dyn FnMut(&mut Cx<'_>, &[Expr]) -> Result<Thm>,
) -> Result<Thm> {
    let Some(bound) = bounds.get(given.len()) else { return prove(cx, given) };
    let rest = &bounds[given.len() + 1..];
    let before = given.clone();
    let with = |v: &Expr| sides(&[&before[..], std::slice::from_ref(v), rest].concat());
    cx.instance(bound, with, |cx, _, _| {
        given.push(variable(cx.ctx.level() - 1));
        let thm = instances(cx, bounds, given, sides, prove);
        given.pop();
        thm
    })
}

/// A law at these elements, spelt out: `field` of its left side is that of its right one.
pub(crate) fn law(
    cx: &mut Cx<'_>,
    monoid: &Arc<Monoid>,
    law: Laws,
    field: usize,
    elements: Elements<'_>,
) -> Result<Thm> {
    let left = match elements {
        [a, b, c] => monoid.sum(&monoid.sum(a, b), c),
        [a, b] => monoid.sum(a, b),
        _ => return Err(atl_kernel::Error::Mismatch("a law of other elements")),
    };
    let elements = elements.iter().map(|element| element.to_vec()).collect();
    cx.rule(Rule::Law(monoid.clone(), law, field, elements), &left[field])
}

/// From equations for the fields of two elements, the equation for a field of their sum, spelt out.
pub(crate) fn sum_of_equal(
    cx: &mut Cx<'_>,
    monoid: &Monoid,
    field: usize,
    equations: [Vec<Thm>; 2],
) -> Result<Thm> {
    let [a, b] = equations;
    let operands: Vec<Thm> = a.into_iter().chain(b).collect();
    let mut now: Vec<Expr> = operands.iter().map(|thm| thm.lhs().clone()).collect();
    let half = now.len() / 2;
    let whole = |now: &[Expr]| monoid.sum(&now[..half], &now[half..]).swap_remove(field);
    let mut chain = Chain::of(&whole(&now));
    let level = cx.ctx.level();
    for (k, thm) in operands.into_iter().enumerate() {
        let (from, to) = (thm.lhs().clone(), thm.rhs().clone());
        if from == to {
            continue;
        }
        now[k] = variable(level);
        let body = subst::close(&whole(&now), level);
        let bound: Expr = Arc::new(Node::Let(Label::new("x"), from, body));
        let before = cx.rule(Rule::LetInline, &bound)?.sym();
        let changed = before.trans(cx.lift(&bound, Child::Bound, thm)?)?;
        chain.push(cx.then(changed, |cx, e| cx.rule(Rule::LetInline, e))?)?;
        now[k] = to;
    }
    chain.total(cx)
}

/// A field of `(a + b) + (c + d) = (a + c) + (b + d)`, spelt out. What is proved on the way of all fields is
/// kept for the next one.
pub(super) fn turned_variables(
    cx: &mut Cx<'_>,
    monoid: &Arc<Monoid>,
    field: usize,
    [a, b, c, d]: [&[Expr]; 4],
    inner: &mut Vec<Thm>,
) -> Result<Thm> {
    let sum = |x: &[Expr], y: &[Expr]| monoid.sum(x, y);
    let same = |cx: &mut Cx<'_>, e: &[Expr]| e.iter().map(|e| cx.refl(e)).collect::<Result<Vec<_>>>();
    // b + (c + d) = (b + c) + d = (c + b) + d = c + (b + d), of each field.
    for k in inner.len()..a.len() {
        let left = law(cx, monoid, Laws::ADD_ASSOC, k, &[b, c, d])?.sym();
        let turned = (0..a.len()).map(|j| law(cx, monoid, Laws::ADD_COMM, j, &[b, c]));
        let operands = [turned.collect::<Result<Vec<_>>>()?, same(cx, d)?];
        let middle = sum_of_equal(cx, monoid, k, operands)?;
        let right = law(cx, monoid, Laws::ADD_ASSOC, k, &[c, b, d])?;
        inner.push(left.trans(middle)?.trans(right)?);
    }
    let apart = law(cx, monoid, Laws::ADD_ASSOC, field, &[a, b, &sum(c, d)])?;
    let operands = [same(cx, a)?, inner.clone()];
    let middle = sum_of_equal(cx, monoid, field, operands)?;
    let together = law(cx, monoid, Laws::ADD_ASSOC, field, &[a, c, &sum(b, d)])?.sym();
    apart.trans(middle)?.trans(together)
}
