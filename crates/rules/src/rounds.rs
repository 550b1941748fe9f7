//! Rounds of iterations: what follows from the kernel's induction.
//!
//! The one idea: a family of tensors that begins and goes on as the states do is the states. Families are
//! most often the iteration itself after fewer rounds, of which the last is taken apart.

use crate::cx::{Chain, Cx, Step};
use crate::inductions::Premises;
use crate::lets::{is_read_by_name, meet};
use crate::occurrences::mentions;
use atl_kernel::{Child, Error, Expr, Iterate, Ix, Node, Pred, Result, Rule, State, Thm, Var, rounds, subst};
use std::sync::Arc;

/// A proof of an equation, for the state of this number.
pub(crate) type Premise<'p> = &'p mut dyn FnMut(&mut Cx<'_>, usize, &Expr, &Expr) -> Result<Thm>;

/// The iteration that a term is.
pub(crate) fn iterated(e: &Expr) -> Result<&Iterate> {
    if let Node::Iterate(it) = &**e { Ok(it) } else { Err(Error::Mismatch("the term is no iteration")) }
}

/// `let x = F(n); b  =  iterate t < n from x = e { s(t) } in b`, where `F` begins and goes on as the
/// states. Each family is a term in which the next variable of the context is its argument.
pub(crate) fn induct(
    cx: &mut Cx<'_>,
    iteration: &Expr,
    family: &[Expr],
    begins: Premise<'_>,
    goes_on: Premise<'_>,
) -> Result<Thm> {
    let mut all = induct_each(cx, std::slice::from_ref(iteration), family, begins, goes_on)?;
    Ok(all.swap_remove(0))
}

/// The same for each of some iterations that differ in their values alone.
pub(crate) fn induct_each(
    cx: &mut Cx<'_>,
    iterations: &[Expr],
    family: &[Expr],
    begins: Premise<'_>,
    goes_on: Premise<'_>,
) -> Result<Vec<Thm>> {
    let iteration = &iterations[0];
    let it = iterated(iteration)?;
    let premises = match cx.inductions.known(&cx.ctx, it, family) {
        Some(premises) => premises,
        None => {
            let premises = proved(cx, iteration, family, begins, goes_on)?;
            cx.inductions.keep(&cx.ctx, it, family, &premises);
            premises
        }
    };
    iterations.iter().map(|iteration| cx.induction(iteration, family, premises.clone())).collect()
}

/// The premises of an induction.
fn proved(
    cx: &mut Cx<'_>,
    iteration: &Expr,
    family: &[Expr],
    begins: Premise<'_>,
    goes_on: Premise<'_>,
) -> Result<Premises> {
    let (it, level) = (iterated(iteration)?, cx.ctx.level());
    let at = |ix: &Ix| -> Vec<Expr> {
        family.iter().map(|f| subst::instantiate(&subst::close(f, level), ix)).collect()
    };
    let t = Ix::free(level);
    let (first, now, next) = (at(&Ix::ZERO), at(&t), at(&(t.clone() + Ix::ONE)));
    let inner = Arc::new(rounds(&cx.ctx, iteration)?);
    let mut premises = Vec::new();
    for (k, state) in it.states.iter().enumerate() {
        let base = begins(cx, k, &first[k], &state.init)?;
        let new = it.lets(next[..k].iter().cloned(), it.step_at(k, &t, inner.level()));
        let wanted = it.lets(now.iter().cloned(), new);
        let step = goes_on(&mut cx.within(inner.clone()), k, &next[k], &wanted)?;
        premises.push((base, step));
    }
    Ok(premises)
}

/// The theorem with this right side, which is equal to its own by arithmetic.
pub(crate) fn as_written(cx: &mut Cx<'_>, thm: Thm, rhs: &Expr) -> Result<Thm> {
    cx.then(thm, |cx, e| match e == rhs {
        true => Ok(None),
        false => cx.rule(Rule::ArithEq(rhs.clone()), e).map(Some),
    })
}

/// The iteration with other rounds and another value.
pub(crate) fn with(it: &Iterate, extent: Ix, body: Expr) -> Expr {
    Arc::new(Node::Iterate(Arc::new(Iterate { extent, body, ..it.clone() })))
}

/// The state of this number after this number of rounds.
pub(crate) fn state_after(it: &Iterate, extent: Ix, k: usize) -> Expr {
    with(it, extent, Arc::new(Node::Var(Var::Bound((it.states.len() - 1 - k) as u32))))
}

/// The steps, with an index term made of the index for it; `fresh` is a level that no variable has.
pub(crate) fn steps_with(it: &Iterate, fresh: u32, index: impl Fn(Ix) -> Ix) -> Vec<Expr> {
    let index = index(Ix::free(fresh));
    it.states.iter().map(|s| subst::close(&subst::instantiate(&s.step, &index), fresh)).collect()
}

/// The iteration with other starts and steps.
fn renewed(it: &Iterate, extent: Ix, inits: Vec<Expr>, steps: Vec<Expr>) -> Iterate {
    let parts = it.states.iter().zip(inits).zip(steps);
    let states = parts.map(|((s, init), step)| State { label: s.label.clone(), init, step }).collect();
    Iterate { extent, states, ..it.clone() }
}

/// Carry out the outermost `let`s, up to a number of them, but those whose names indices read.
pub(crate) fn heads(cx: &mut Cx<'_>, e: &Expr, count: usize) -> Step {
    let mut chain = Chain::of(e);
    for _ in 0..count {
        let is_open = matches!(&**chain.now(), Node::Let(_, _, body) if !is_read_by_name(body));
        if !is_open {
            break;
        }
        chain.apply(cx, |cx, e| cx.rule(Rule::LetInline, e))?;
    }
    Ok(chain.done())
}

/// Carry out every `let`, but those whose names indices read.
pub(crate) fn inlined(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.bottom_up(e, &mut |cx, e| match &**e {
        Node::Let(_, _, body) if !is_read_by_name(body) => cx.rule(Rule::LetInline, e).map(Some),
        _ => Ok(None),
    })
}

/// Two terms are equal: as they are, or with every `let` carried out.
pub(crate) fn same(cx: &mut Cx<'_>, a: &Expr, b: &Expr) -> Result<Thm> {
    if let Some(thm) = cx.try_rule(Rule::ArithEq(b.clone()), a) {
        return Ok(thm);
    }
    let (left, right) = (cx.converted(a, inlined)?, cx.converted(b, inlined)?);
    meet(cx, left, right)
}

/// `iterate t < n .. in b  =  let x = (iterate t < n - 1 .. in x); b(s(n - 1))`, the new states carried
/// out.
pub(crate) fn last_round(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let count = iterated(e)?.states.len();
    let last = cx.rule(Rule::IterateLast, e)?;
    let thm = cx.then(last, |cx, e| cx.rule(Rule::IterateBody, e))?;
    cx.then(thm, |cx, e| cx.at(e, &vec![Child::Body; count], &mut |cx, e| heads(cx, e, count)))
}

/// The premise of an induction whose families are the states of an iteration, after other numbers of
/// rounds.
pub(crate) fn next_state(cx: &mut Cx<'_>, k: usize, e: &Expr, wanted: &Expr) -> Result<Thm> {
    let count = iterated(e)?.states.len();
    let left = last_round(cx, e)?;
    let below = vec![Child::Body; count];
    // The new states before this one: unused, or themselves a round after the old ones.
    let mut right = Chain::of(wanted);
    right.apply(cx, |cx, e| {
        cx.at(e, &below, &mut |cx, e| {
            let mut chain = Chain::of(e);
            for _ in 0..k {
                let Node::Let(_, _, body) = &**chain.now() else { break };
                let level = cx.ctx.level();
                let is_used = mentions(&subst::open(body, level), level) || is_read_by_name(body);
                if is_used {
                    chain.apply(cx, |cx, e| cx.child(e, Child::Bound, last_round))?;
                }
                chain.apply(cx, |cx, e| heads(cx, e, 1))?;
            }
            Ok(chain.done())
        })
    })?;
    let right = right.total(cx)?;
    let meets = same(cx, &left.rhs().clone(), right.rhs())?;
    left.trans(meets)?.trans(right.sym())
}

/// `iterate t < n .. in b  =  let x = (iterate t < m .. in x); b`, where `n == m`.
pub(crate) fn as_states(cx: &mut Cx<'_>, e: &Expr, m: &Ix) -> Result<Thm> {
    let it = iterated(e)?;
    let states = (0..it.states.len()).map(|k| state_after(it, m.clone(), k));
    let wanted = it.lets(states, it.body.clone());
    let body = cx.rule(Rule::IterateBody, e)?;
    as_written(cx, body, &wanted)
}

/// `I(n; e; s)  =  I(n - a; I(a; e; s); s(a + t))`, if `0 <= a <= n`.
pub fn split(cx: &mut Cx<'_>, e: &Expr, a: &Ix) -> Result<Thm> {
    let (it, level) = (iterated(e)?, cx.ctx.level());
    let rest = it.extent.clone() - a.clone();
    cx.demand(Pred::and(Pred::le(Ix::ZERO, a.clone()), Pred::le(a.clone(), it.extent.clone())))?;
    let count = it.states.len();
    let starts = (0..count).map(|k| state_after(it, a.clone(), k)).collect();
    let steps = steps_with(it, level, |t| a.clone() + t);
    let target: Expr = Arc::new(Node::Iterate(Arc::new(renewed(it, rest.clone(), starts, steps))));
    let family: Vec<Expr> = (0..count).map(|k| state_after(it, a.clone() + Ix::free(level), k)).collect();
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let here = cx.refl(lhs)?;
        as_written(cx, here, rhs)
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut next_state)?;
    let states = as_states(cx, e, &(a.clone() + rest))?;
    as_written(cx, states, thm.lhs())?.trans(thm)
}

/// `I(n; e; s) in b  =  I(a; e; s) in (I(n - a; x; s(a + t)) in b)`, if `0 <= a <= n`: the rounds that are
/// left begin with the states that the first ones end with, and no round is run for each of them.
pub fn split_before_rest(cx: &mut Cx<'_>, e: &Expr, a: &Ix) -> Result<Thm> {
    let (it, level) = (iterated(e)?, cx.ctx.level());
    let count = it.states.len();
    let starts = (0..count as u32).rev().map(|k| Arc::new(Node::Var(Var::Bound(k)))).collect();
    let steps = steps_with(it, level, |t| a.clone() + t);
    let rest = renewed(it, it.extent.clone() - a.clone(), starts, steps);
    let target = with(it, a.clone(), Arc::new(Node::Iterate(Arc::new(rest))));
    let apart = split(cx, e, a)?;
    let states = cx.rule(Rule::IterateBody, &target)?;
    let states = cx.then(states, |cx, e| heads(cx, e, count))?;
    meet(cx, apart, states)
}

/// `I(q*k; e; s)  =  I(q; e; (u, x) -> I(k; x; s(u*k + t)))` of one state, if `0 <= q, 0 <= k`.
pub fn tile(cx: &mut Cx<'_>, e: &Expr, q: &Ix, k: &Ix) -> Result<Thm> {
    let (it, level) = (iterated(e)?, cx.ctx.level());
    let [state] = &it.states[..] else {
        return Err(Error::Mismatch("rounds of several states are not tiled"));
    };
    cx.demand(Pred::and(Pred::le(Ix::ZERO, q.clone()), Pred::le(Ix::ZERO, k.clone())))?;
    // Below the state and the index of tiles, at these levels.
    let (x, u) = (Arc::new(Node::Var(Var::Free(level))), Ix::free(level + 1));
    let mut steps = steps_with(it, level + 2, |t| u.clone() * k.clone() + t);
    let body = Arc::new(Node::Var(Var::Bound(0)));
    let inner = Iterate { body, ..renewed(it, k.clone(), vec![x], std::mem::take(&mut steps)) };
    let labels = [".o", ".i"].map(|part| atl_kernel::Label {
        name: format!("{}{part}", it.label.name).into(),
        ..it.label.clone()
    });
    let [outer_label, inner_label] = labels;
    let inner: Expr = Arc::new(Node::Iterate(Arc::new(Iterate { label: inner_label, ..inner })));
    let step = subst::close_all(&inner, level, 2);
    let outer = renewed(it, q.clone(), vec![state.init.clone()], vec![step]);
    let target: Expr = Arc::new(Node::Iterate(Arc::new(Iterate { label: outer_label, ..outer })));
    let after = |n: Ix| state_after(it, n, 0);
    let family = [after(Ix::free(level) * k.clone())];
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let thm = cx.rule(Rule::IterateZero, lhs)?;
        let thm = cx.then(thm, |cx, e| cx.rule(Rule::LetInline, e))?;
        as_written(cx, thm, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let before = Ix::free(level) * k.clone();
        let left = split(cx, lhs, &before)?;
        let right = cx.rule(Rule::LetInline, rhs)?;
        meet(cx, left, right)
    };
    let thm = induct(cx, &target, &family, &mut begins, &mut goes_on)?;
    let states = as_states(cx, e, &(q.clone() * k.clone()))?;
    as_written(cx, states, thm.lhs())?.trans(thm)
}

/// A literal number of rounds written out: each step a `let`, in order, around the body.
pub fn written_out(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let mut chain = Chain::of(e);
    let Ix::Lit(n) = iterated(e)?.extent else {
        return Err(Error::Mismatch("the number of rounds is no literal"));
    };
    for _ in 0..n {
        chain.apply(cx, |cx, e| cx.rule(Rule::IterateLast, e))?;
    }
    chain.apply(cx, |cx, e| cx.rule(Rule::IterateZero, e))?;
    chain.total(cx)
}
