//! `sum_as_iterate`: a sum is an iteration, with the same additions in the same order.
//!
//! **Statement.** `sum i < n { f(i) } = iterate i < n from x = 0 { x + f(i) }`.
//! **Requires.** `0 <= n`. No law.
//! **Fails when.** `n` may be negative.
//! **Example.** `sum i < N { x[i] }` becomes rounds over a scalar state.
//! **See also.** `sum_last`, the primitive; `scan_of_sums`, of sums that grow.

use crate::cx::Cx;
use crate::derived::{Derived, Example, no_match};
use crate::lets::meet;
use crate::rounds::{as_written, induct};
use crate::rules::guard_false::{cancelled, zeros};
use atl_kernel::{Expr, Iterate, Ix, Label, Node, Prim, Result, Rule, State, Thm, Var, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "sum_as_iterate",
    statement: "sum i<n. f(i)  =  iterate i<n from x = 0 { x + f(i) }",
    requires: "0 <= n",
    args: &[],
    example: Example { program: "fn f(x: f32[N]) -> f32 { sum i < N { x[i] * x[i] } }", args: &[] },
    rewrite: |cx, e, _| sum_as_iterate(cx, e),
    inverse: None,
};

/// The theorem for the sum at hand.
pub fn sum_as_iterate(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Sum(label, n, terms) = &**e else { return no_match(RULE.name, "a sum", e) };
    let (level, ty) = (cx.ctx.level(), cx.type_of(e)?);
    let state: Expr = Arc::new(Node::Var(Var::Free(level)));
    let step = Node::Prim(Prim::Add, vec![state, subst::instantiate(terms, &Ix::free(level + 1))]);
    let step = subst::close_all(&Arc::new(step), level, 2);
    let states = vec![State { label: Label::new("x"), init: zeros(&ty), step }];
    let body = Arc::new(Node::Var(Var::Bound(0)));
    let label_of_rounds = Label::new(&label.name);
    let target: Expr = Arc::new(Node::Iterate(Arc::new(Iterate {
        label: label_of_rounds,
        extent: n.clone(),
        states,
        body,
    })));
    let family = [Arc::new(Node::Sum(label.clone(), Ix::free(level), terms.clone()))];
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let thm = no_terms(cx, lhs)?;
        as_written(cx, thm, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let (left, right) = (cx.rule(Rule::SumLast, lhs)?, cx.rule(Rule::LetInline, rhs)?);
        meet(cx, left, right)
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut goes_on)?;
    cx.rule(Rule::LetInline, &thm.lhs().clone())?.sym().trans(thm)
}

/// A sum without terms is zeros.
pub(crate) fn no_terms(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let empty = cx.rule(Rule::SumEmpty, e)?;
    cx.then(empty, cancelled)
}
