//! `select_same`: a choice between equal terms is no choice.
//!
//! **Statement.** `select(p, a, b) = a` if `b = a` up to index arithmetic where `p` fails.
//! **Requires.** The two sides differ in index terms only, which are equal where `p` fails.
//! **Fails when.** They differ otherwise.
//! **Example.** `select(i < k, a[i], a[i - k + k])` is `a[i]`.
//! **See also.** `select_true`, `select_false`, `gen_split_at`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, no_match};
use atl_kernel::{Expr, Node, Pred, Result, Rule, Thm};

/// See the module.
pub static RULE: Derived = Derived {
    name: "select_same",
    statement: "select(p, a, b)  =  a  if b = a, up to arithmetic, where p fails",
    requires: "the sides differ in index terms only",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] { gen i < N { select(i < 3, a[i], a[i - 3 + 3]) } }",
        args: &[],
    },
    rewrite: |cx, e, _| select_same(cx, e),
    inverse: None,
};

/// The theorem for the select at hand.
pub fn select_same(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Select(p, a, _) = &**e else { return no_match(RULE.name, "a `select`", e) };
    let mut side = |condition: Pred, choose: Rule| {
        let mut inside = cx.assuming(condition);
        let chosen = inside.rule(choose, e)?;
        inside.then(chosen, |cx, side| match side == a {
            true => Ok(None),
            false => cx.rule(Rule::ArithEq(a.clone()), side).map(Some),
        })
    };
    let holds = side(p.clone(), Rule::SelectTrue)?;
    let fails = side(Pred::not(p.clone()), Rule::SelectFalse)?;
    Thm::cases(&cx.ctx, p.clone(), holds, fails)
}
