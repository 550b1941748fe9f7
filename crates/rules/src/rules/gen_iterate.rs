//! `gen_iterate`: a loop of iterations is one iteration over the states of all of them.
//!
//! **Statement.** `gen i < b { iterate t < n from x = e(i) { s(i, t, x) } in r(i, x) } = iterate t < n from
//! x = gen i < b { e(i) } { gen i < b { s(i, t, x[i]) } } in gen i < b { r(i, x[i]) }`, of any number of
//! states; a step reads the new states before its own as `x.new[i]`.
//! **Requires.** `0 <= n`, and `n` does not depend on `i`. No law: each element has the same operations.
//! **Fails when.** The number of rounds depends on `i`, or an index or a condition reads a state.
//! **Example.** A polynomial at many points, by Horner's rule: the points are in the rounds, in lanes.
//! **See also.** `let_out_of_gen`; the directive `batch`.

use crate::cx::{Chain, Cx};
use crate::derived::{Derived, Example, no_match};
use crate::lets::{Lifted, let_out, meet};
use crate::occurrences::mentions;
use crate::rounds::{heads, induct, inlined, iterated, last_round, state_after};
use crate::rules::guard_iterate::reads_states;
use atl_kernel::{Child, Expr, Iterate, Ix, Label, Node, Result, Rule, State, Thm, Var, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "gen_iterate",
    statement: "gen i<b. iterate t<n from x = e(i) { s(i, t, x) } in r(i, x)  =  iterate t<n from x = gen i<b. e(i) { gen i<b. s(i, t, x[i]) } in gen i<b. r(i, x[i])",
    requires: "0 <= n; n does not depend on i",
    args: &[],
    example: Example {
        program: "fn f(c: f32[N], x: f32[M]) -> f32[M] { gen i < M { iterate t < N from y = f32(0), z = x[i] { y * z + c[t], z + y } in y + z } }",
        args: &[],
    },
    rewrite: |cx, e, _| gen_iterate(cx, e),
    inverse: None,
};

/// The theorem for the loop at hand.
pub fn gen_iterate(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let wants = "a `gen` of iterations with one number of rounds, of states that no index reads";
    let Node::Gen(label, count, below) = &**e else { return no_match(RULE.name, wants, e) };
    let all = Batch { label, count, below };
    let Some(target) = all.target(cx.ctx.level()) else { return no_match(RULE.name, wants, e) };
    let level = cx.ctx.level();
    let family: Vec<Expr> = (0..all.states(level)).map(|k| all.after(&Ix::free(level), k, level)).collect();
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let left = cx.inside(lhs, Child::Body, |cx, e| {
            let count = iterated(e)?.states.len();
            let start = cx.rule(Rule::IterateZero, e)?;
            cx.then(start, |cx, e| heads(cx, e, count))
        })?;
        let right = cx.refl(rhs)?;
        meet(cx, left, right)
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut next)?;
    let states = cx.inside(e, Child::Body, |cx, e| cx.rule(Rule::IterateBody, e))?;
    let states = cx.then(states, |cx, e| outward(cx, e, family.len()))?;
    let here = cx.refl(thm.lhs())?;
    meet(cx, states, here)?.trans(thm)
}

/// A loop of iterations.
struct Batch<'e> {
    label: &'e Label,
    count: &'e Ix,
    below: &'e Expr,
}

impl Batch<'_> {
    /// The iteration of the index at this level.
    fn at(&self, index: u32) -> Option<Arc<Iterate>> {
        match &*subst::open(self.below, index) {
            Node::Iterate(it) => Some(it.clone()),
            _ => None,
        }
    }

    fn states(&self, level: u32) -> usize {
        self.at(level).map_or(0, |it| it.states.len())
    }

    /// All elements of what is made at the index of this level.
    fn all(&self, e: &Expr, index: u32) -> Expr {
        Arc::new(Node::Gen(self.label.clone(), self.count.clone(), subst::close(e, index)))
    }

    /// All states of this number after `n` rounds.
    fn after(&self, n: &Ix, k: usize, level: u32) -> Expr {
        let index = level + 1;
        let state = self.at(index).map(|it| state_after(&it, n.clone(), k));
        self.all(&state.unwrap_or_else(|| self.below.clone()), index)
    }

    /// The iteration over the states of all; none if it is not of the form.
    fn target(&self, level: u32) -> Option<Expr> {
        let it = self.at(level)?;
        if it.extent.mentions(level) || reads_states(&it, level + 1) {
            return None;
        }
        let count = it.states.len() as u32;
        let mut states = Vec::new();
        for k in 0..count {
            let binders = count + k + 1;
            let index = level + binders;
            let it = self.at(index)?;
            let state = &it.states[k as usize];
            let step = self.of_all(&state.step, level, binders, binders - 1);
            states.push(State { label: state.label.clone(), init: self.all(&state.init, index), step });
        }
        let body = self.of_all(&self.at(level + count)?.body, level, count, count);
        let (label, extent) = (it.label.clone(), it.extent.clone());
        Some(Arc::new(Node::Iterate(Arc::new(Iterate { label, extent, states, body }))))
    }

    /// What stands below these binders, the first of which are states, about the states of all; the index
    /// of the loop is the variable that comes after them.
    fn of_all(&self, e: &Expr, level: u32, binders: u32, states: u32) -> Expr {
        let index = level + binders;
        let opened = subst::open_all(e, level, binders);
        // At these levels are the variables of one element, while all have the others.
        let apart = index + 1;
        let tensor = (0..states).map(|k| {
            let all = Arc::new(Node::Var(Var::Free(apart + k)));
            (level + k, Arc::new(Node::Get(all, Ix::free(index))) as Expr)
        });
        let put = subst::Subst { tensor: tensor.collect(), ..subst::Subst::default() };
        let all = self.all(&put.expr(&opened), index);
        let back = (0..states).map(|k| (apart + k, Arc::new(Node::Var(Var::Free(level + k))) as Expr));
        let back = subst::Subst { tensor: back.collect(), ..subst::Subst::default() };
        subst::close_all(&back.expr(&all), level, binders)
    }
}

/// `gen i { let x = e(i); f(x) }  =  let x = gen i { e(i) }; gen i { f(x[i]) }`, this often.
fn outward(cx: &mut Cx<'_>, e: &Expr, count: usize) -> Result<Thm> {
    let mut chain = Chain::of(e);
    for k in 0..count {
        chain.apply(cx, |cx, e| {
            cx.at(e, &vec![Child::Body; k], &mut |cx, e| let_out(cx, e, Child::Body, Lifted::Table))
        })?;
    }
    chain.total(cx)
}

/// A round of all, from the states before it, which are `let`s around it.
fn round(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Gen(_, _, below) = &**e else { return cx.refl(e) };
    let count = iterated(below)?.states.len();
    let last = cx.inside(e, Child::Body, last_round)?;
    cx.then(last, |cx, e| outward(cx, e, count))
}

/// The premise of the induction: the states of all, after one round more.
fn next(cx: &mut Cx<'_>, k: usize, e: &Expr, wanted: &Expr) -> Result<Thm> {
    let Node::Gen(_, _, below) = &**e else { return cx.refl(e) };
    let count = iterated(below)?.states.len();
    let left = round(cx, e)?;
    // The new states before this one: unused, or a round after the old ones.
    let mut right = Chain::of(wanted);
    let mut shares = false;
    right.apply(cx, |cx, e| {
        cx.at(e, &vec![Child::Body; count], &mut |cx, e| {
            let mut chain = Chain::of(e);
            for _ in 0..k {
                let Node::Let(_, _, body) = &**chain.now() else { break };
                let level = cx.ctx.level();
                if mentions(&subst::open(body, level), level) {
                    shares = true;
                    chain.apply(cx, |cx, e| cx.child(e, Child::Bound, round))?;
                }
                chain.apply(cx, |cx, e| heads(cx, e, 1))?;
            }
            Ok(chain.done())
        })
    })?;
    let right = right.total(cx)?;
    if !shares {
        return meet(cx, left, right);
    }
    let (left, right) = (carried_out(cx, left)?, carried_out(cx, right)?);
    meet(cx, left, right)
}

/// The theorem, with every `let` of its right side carried out, and every access to a loop.
fn carried_out(cx: &mut Cx<'_>, thm: Thm) -> Result<Thm> {
    let thm = cx.then(thm, inlined)?;
    cx.then(thm, |cx, e| {
        cx.bottom_up(e, &mut |cx, e| match &**e {
            Node::Get(array, _) if matches!(**array, Node::Gen(..)) => Ok(cx.try_rule(Rule::AccessGen, e)),
            _ => Ok(None),
        })
    })
}
