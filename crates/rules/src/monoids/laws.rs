//! Equations of sums of elements that are given by their fields.

use super::Fold;
use crate::cx::{Chain, Cx};
use crate::occurrences::variable;
use crate::rounds::{as_written, heads, last_round};
use atl_kernel::{Child, Expr, Ix, Label, Laws, Monoid, Node, Result, Rule, Thm, subst};
use std::sync::Arc;

/// A law at these elements: `field` of its left side is that of its right one.
pub(super) fn law(
    cx: &mut Cx<'_>,
    monoid: &Arc<Monoid>,
    law: Laws,
    field: usize,
    elements: &[&[Expr]],
) -> Result<Thm> {
    let sum = |a: &[Expr], b: &[Expr]| monoid.sum(a, b);
    let left = match (law, elements) {
        (Laws::ADD_ASSOC, [a, b, c]) => sum(&sum(a, b), c),
        (Laws::ADD_0_R, [a]) => sum(a, monoid.zero()),
        (_, [a, b]) => sum(a, b),
        (_, _) => return Err(atl_kernel::Error::Mismatch("a law of other elements")),
    };
    let elements = elements.iter().map(|element| element.to_vec()).collect();
    cx.rule(Rule::Law(monoid.clone(), law, field, elements), &left[field])
}

/// From equations for the fields of two elements, the equation for a field of their sum.
pub(super) fn sum_of_equal(
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
        let changed = cx.lift(&bound, Child::Bound, thm)?;
        let changed = before.trans(changed)?;
        chain.push(cx.then(changed, |cx, e| cx.rule(Rule::LetInline, e))?)?;
        now[k] = to;
    }
    chain.total(cx)
}

/// `e = e` for each.
pub(super) fn same(cx: &mut Cx<'_>, elements: &[Expr]) -> Result<Vec<Thm>> {
    elements.iter().map(|e| cx.refl(e)).collect()
}

/// The fields of a sum of one term more, `F(t + 1) = F(t) + e(t)`, each.
pub(super) fn one_more(cx: &mut Cx<'_>, fold: &Fold, t: &Ix) -> Result<Vec<Thm>> {
    let sum = fold.monoid.sum(&fold.fields(t), &fold.at(t));
    let next = fold.fields(&(t.clone() + Ix::ONE));
    let step = |(e, sum): (&Expr, &Expr)| {
        let thm = last_round(cx, e)?;
        let thm = cx.then(thm, |cx, e| heads(cx, e, fold.names.len()))?;
        as_written(cx, thm, sum)
    };
    next.iter().zip(&sum).map(step).collect()
}

/// The fields of a sum of no terms, each.
pub(super) fn nothing(cx: &mut Cx<'_>, fold: &Fold) -> Result<Vec<Thm>> {
    let of = |(e, start): (&Expr, &Expr)| {
        let thm = cx.rule(Rule::IterateZero, e)?;
        let thm = cx.then(thm, |cx, e| heads(cx, e, fold.names.len()))?;
        as_written(cx, thm, start)
    };
    fold.fields(&Ix::ZERO).iter().zip(&fold.starts).map(of).collect()
}
