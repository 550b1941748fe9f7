//! `gen_split_at`: one loop into two, one after the other.
//!
//! **Statement.** `gen i < n { e(i) } = (gen i < k { e(i) }) ++ (gen i < n - k { e(i + k) })`.
//! **Requires.** `0 <= k <= n`.
//! **Fails when.** `k` may lie outside; either part may be empty.
//! **Example.** With `k = 1`, the first iteration for itself.
//! **See also.** `peel`, which chooses `k` so that guards are decided in each part.

use crate::catalogue;
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, gen_extent};
use crate::gather::by_gather;
use atl_kernel::{Child, Expr, Ix, Label, Node, Pred, Result, Rule, Thm, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "gen_split_at",
    statement: "gen i<n. e(i)  =  (gen i<k. e(i)) ++ (gen i<n-k. e(i+k))",
    requires: "0 <= k <= n",
    args: &["k"],
    example: Example { program: "fn f(a: f32[N]) -> f32[N] where 1 <= N { gen i < N { a[i] } }", args: &[1] },
    rewrite: |cx, e, args| gen_split_at(cx, e, &args[0]),
    inverse: Some(Inverse::plain(|cx, e, _| catalogue::backwards(cx, "gen_split_plus", e))),
};

/// The theorem for the `gen` at hand.
pub fn gen_split_at(cx: &mut Cx<'_>, e: &Expr, k: &Ix) -> Result<Thm> {
    let n = gen_extent(RULE.name, e)?;
    let goal = Pred::and(Pred::le(Ix::ZERO, k.clone()), Pred::le(k.clone(), n.clone()));
    cx.demand(goal)?;
    let Node::Gen(label, ..) = &**e else { unreachable!("it has an extent") };
    let level = cx.ctx.level() + 1;
    let part = |t: &Expr, extent: &Ix, offset: &Ix| {
        let read: Expr = Arc::new(Node::Get(t.clone(), Ix::free(level) + offset.clone()));
        Arc::new(Node::Gen(Label::clone(label), extent.clone(), subst::close(&read, level)))
    };
    let sides =
        |t: &Expr| (t.clone(), atl_ops::concat(part(t, k, &Ix::ZERO), part(t, &(n.clone() - k.clone()), k)));
    let mut thm = cx.instance(e, sides, by_gather)?;
    for side in [Child::Arg(0), Child::Arg(1)] {
        thm = cx.then(thm, |cx, e| {
            cx.at(e, &[side, Child::Body], &mut |cx, e| cx.rule(Rule::AccessGen, e).map(Some))
        })?;
    }
    Ok(thm)
}
