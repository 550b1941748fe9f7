//! `gen_as_scatter`: a loop is the sum of its elements, each at its own place.
//!
//! **Statement.** `gen i < n { e(i) } = sum i < n { one_hot(n, i, e(i)) }`.
//! **Requires.** That zero is neutral. Adding zeros can change the sign of a zero: `rounding finite`.
//! **Fails when.** Never, at a `gen`. Backwards, when the place is not the sum's own index.
//! **Example.** `gen i < N { 2 * x[i] }` becomes `sum i < N { one_hot(N, i, 2 * x[i]) }`.
//! **See also.** `gen_one_hot`, which ends a loop; `onehot_sum_inb`; `sparsify`, which scatters where a loop outside asks for a
//! coordinate whose positions depend on this one.

use crate::conjuncts::guard;
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, by_name, no_match};
use crate::lets::from_left;
use atl_kernel::{Child, Expr, Ix, Label, Node, Pred, Result, Rule, Thm, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "gen_as_scatter",
    statement: "gen i<n. e(i)  =  sum i<n. one_hot(n, i, e(i))",
    requires: "0 + a = a = a + 0",
    args: &[],
    example: Example { program: "fn f(x: f32[N]) -> f32[N] { gen i < N { 2 * x[i] } }", args: &[] },
    rewrite: |cx, e, _| gen_as_scatter(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| {
        let level = cx.ctx.level();
        if let Node::Sum(label, n, body) = &**e
            && let Node::Op(definition, ixs, args) = &*subst::open(body, level)
            && definition.name == "one_hot"
            && *ixs == [n.clone(), Ix::free(level)]
        {
            let body = subst::close(&args[0], level);
            return from_left(cx, e, &Arc::new(Node::Gen(label.clone(), n.clone(), body)), gen_as_scatter);
        }
        no_match(RULE.name, "a sum of slices, each at the sum's own index", e)
    })),
};

/// The theorem for the `gen` at hand: both sides are `gen c < n { sum i < n { [c == i] * e(i) } }`.
pub fn gen_as_scatter(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Gen(label, n, body) = &**e else { return no_match(RULE.name, "a `gen`", e) };
    let level = cx.ctx.level();
    let (place, cell, slice) = (Ix::free(level), level + 1, subst::open(body, level));
    let sum = |body: Expr| Arc::new(Node::Sum(label.clone(), n.clone(), subst::close(&body, level))) as Expr;
    let scattered = sum(atl_ops::one_hot(n.clone(), place.clone(), slice.clone()));
    let term = sum(guard(Pred::eq(Ix::free(cell), place), &slice));
    let cells: Expr = Arc::new(Node::Gen(Label::new("c"), n.clone(), subst::close(&term, cell)));
    let left = from_left(cx, e, &cells, |cx, cells| {
        cx.inside(cells, Child::Body, |cx, e| {
            by_name("onehot_sum_inb").map(|rule| rule.rewrite(cx, e, &[])).transpose()
        })
    })?;
    let unfolded = cx.child(&scattered, Child::Body, |cx, e| cx.rule(Rule::Unfold, e))?;
    let right = cx.total(&scattered, unfolded)?;
    let right =
        cx.then(right, |cx, e| from_left(cx, e, &cells, |cx, cells| cx.rule(Rule::GenSumSwap, cells)))?;
    left.trans(right.sym())
}
