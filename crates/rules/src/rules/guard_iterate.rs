//! `guard_iterate`: below a guard, rounds do nothing where it fails.
//!
//! **Statement.** `[p] * iterate t < n from x = e { s(t, x) } in b(x) = iterate t < n from x = [p] * e {
//! select(p, s(t, x), x) } in [p] * b(x)`, of any number of states.
//! **Requires.** `0 <= n`. No law: where `p` holds nothing changes, and elsewhere both are zeros.
//! **Fails when.** `n` may be negative, or an index or a condition reads a state.
//! **Example.** In the last tile of a loop that was split, the rounds are those that the guard allows.
//! **See also.** `gen_iterate`; the directive `batch`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, no_match};
use crate::lets::{is_read_by_name, meet};
use crate::rounds::{heads, induct, next_state, state_after};
use crate::rules::guard_false::{guard_false, zeros};
use atl_kernel::{Expr, Iterate, Ix, Node, Pred, Result, Rule, State, Thm, Var, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "guard_iterate",
    statement: "[p] * iterate t<n from x = e { s(t, x) } in b(x)  =  iterate t<n from x = [p] * e { select(p, s(t, x), x) } in [p] * b(x)",
    requires: "0 <= n",
    args: &[],
    example: Example {
        program: "fn f(c: f32[N], x: f32[M]) -> f32[M] { gen i < M { [i < 2] * iterate t < N from y = f32(1), z = x[i] { y * z + c[t], z + y } in y * z } }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_iterate(cx, e),
    inverse: None,
};

/// The theorem for the guard at hand.
pub fn guard_iterate(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let wants = "a guard around an iteration whose states no index reads";
    let Node::Guard(p, below) = &**e else { return no_match(RULE.name, wants, e) };
    let Node::Iterate(it) = &**below else { return no_match(RULE.name, wants, e) };
    if reads_states(it, cx.ctx.level()) {
        return no_match(RULE.name, wants, e);
    }
    let level = cx.ctx.level();
    let count = it.states.len() as u32;
    let guarded = |e: &Expr| -> Expr { Arc::new(Node::Guard(p.clone(), e.clone())) };
    let select = |a: Expr, b: Expr| -> Expr { Arc::new(Node::Select(p.clone(), a, b)) };
    let state = |s: &State| {
        // Below the states, the new ones before this, and the index.
        let old = Arc::new(Node::Var(Var::Bound(count)));
        State { label: s.label.clone(), init: guarded(&s.init), step: select(s.step.clone(), old) }
    };
    let states: Vec<State> = it.states.iter().map(state).collect();
    let starts: Vec<Expr> = states.iter().map(|s| s.init.clone()).collect();
    let body = guarded(&it.body);
    let target: Expr = Arc::new(Node::Iterate(Arc::new(Iterate { states, body, ..(**it).clone() })));
    let after = |(k, start): (usize, &Expr)| select(state_after(it, Ix::free(level), k), start.clone());
    let family: Vec<Expr> = starts.iter().enumerate().map(after).collect();
    let count = starts.len();
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        cx.distinguish(p, |cx, holds| {
            let (left, right) = (decided(cx, lhs, p, holds)?, decided(cx, rhs, p, holds)?);
            let left = match holds {
                true => cx.then(left, |cx, e| {
                    let start = cx.rule(Rule::IterateZero, e)?;
                    cx.then(start, |cx, e| heads(cx, e, count))
                })?,
                false => left,
            };
            meet(cx, left, right)
        })
    };
    let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        cx.distinguish(p, |cx, holds| {
            let (left, right) = (decided(cx, lhs, p, holds)?, decided(cx, rhs, p, holds)?);
            if holds {
                let same = next_state(cx, k, left.rhs(), right.rhs())?;
                return left.trans(same)?.trans(right.sym());
            }
            let right = cx.then(right, |cx, e| heads(cx, e, count + k))?;
            meet(cx, left, right)
        })
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut goes_on)?;
    let all = thm.lhs().clone();
    let here = cx.distinguish(p, |cx, holds| {
        if holds {
            let (left, right) = (decided(cx, e, p, holds)?, decided(cx, &all, p, holds)?);
            let left = cx.then(left, |cx, e| cx.rule(Rule::IterateBody, e))?;
            return meet(cx, left, right);
        }
        let nothing = zeros(&cx.type_of(e)?);
        let left = guard_false(cx, e, &nothing)?;
        let right = cx.converted(&all, |cx, e| heads(cx, e, count))?;
        let right = cx.then(right, |cx, e| guard_false(cx, e, &nothing))?;
        meet(cx, left, right)
    })?;
    here.trans(thm)
}

/// Does an index or a condition read a state?
pub(crate) fn reads_states(it: &Iterate, level: u32) -> bool {
    let count = it.states.len() as u32;
    let reads = |e: &Expr, binders: u32, states: u32| {
        let opened = subst::open_all(e, level, binders);
        (0..states).any(|k| is_read_by_name(&subst::close(&opened, level + k)))
    };
    let mut steps = (0..).zip(&it.states);
    reads(&it.body, count, count) || steps.any(|(k, s)| reads(&s.step, count + k + 1, count + k))
}

/// The term where the predicate is known to hold, or not to: without selections by it, nor guards if it does.
fn decided(cx: &mut Cx<'_>, e: &Expr, p: &Pred, holds: bool) -> Result<Thm> {
    cx.converted(e, |cx, e| {
        cx.bottom_up(e, &mut |cx, e| match &**e {
            Node::Select(q, ..) if q == p && holds => cx.rule(Rule::SelectTrue, e).map(Some),
            Node::Select(q, ..) if q == p => cx.rule(Rule::SelectFalse, e).map(Some),
            Node::Guard(q, _) if q == p && holds => cx.rule(Rule::GuardTrue, e).map(Some),
            _ => Ok(None),
        })
    })
}
