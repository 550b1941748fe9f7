//! Rounds of states that do not read each other, at once or one after the other.
//!
//! The one idea: what a group of states is after some rounds depends on no other state, so each group's own
//! rounds begin and go on as those of all states do.

use super::form::{NEW, OLD, Scan};
use crate::cx::{Chain, Cx, Step};
use crate::lets::{inline_where_read, meet};
use crate::occurrences::{mentions, part, variable, with_part};
use crate::rounds::{as_written, heads, induct, iterated, next_state};
use atl_kernel::{Child, Error, Expr, Ix, Node, Result, Rule, Thm, Var, subst};
use std::sync::Arc;

/// The groups of states of an iteration that read no state of another group, by their numbers, in order.
pub fn groups(e: &Expr) -> Vec<Vec<usize>> {
    let Some((all, _)) = Scan::without_cells(e) else { return Vec::new() };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (k, state) in all.states.iter().enumerate() {
        let reads = |step: &Expr, j: usize| [OLD, NEW].iter().any(|of| mentions(step, of + j as u32));
        let is_linked = |j: &usize| reads(&state.step, *j) || reads(&all.states[*j].step, k);
        let (linked, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(is_linked));
        groups = others;
        let mut own = linked.concat();
        own.push(k);
        own.sort_unstable();
        groups.push(own);
    }
    groups.sort();
    groups
}

/// `iterate t < n from x = e, y = d { s(t, x), r(t, y) } in b  =  iterate t < n from x = e { s(t, x) } in
/// (iterate t < n from y = d { r(t, y) } in b)`, of these groups of states, each of which reads its own.
///
/// # Errors
/// The term is no iteration, a group reads another one, or `n` may be negative.
pub fn rounds_apart(cx: &mut Cx<'_>, e: &Expr, groups: &[Vec<usize>]) -> Result<Thm> {
    let Some((all, body)) = Scan::without_cells(e) else {
        return Err(Error::Mismatch("the term is no iteration"));
    };
    let (level, count) = (cx.ctx.level(), all.states.len());
    let order = groups.concat();
    let others = |group: &[usize]| -> Vec<usize> { (0..count).filter(|k| !group.contains(k)).collect() };
    let parts: Vec<Scan> = groups.iter().map(|group| all.without(&others(group))).collect();
    let place = |k: usize| -> Result<(usize, usize)> {
        let found =
            groups.iter().enumerate().find_map(|(g, group)| Some((g, group.iter().position(|j| *j == k)?)));
        found.ok_or(Error::Mismatch("a state in no group"))
    };
    let after = |k: usize, rounds: &Ix| place(k).map(|(g, at)| parts[g].state(rounds, at));
    let family = (0..count).map(|k| after(k, &Ix::free(level))).collect::<Result<Vec<_>>>()?;
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let own = iterated(lhs)?.states.len();
        let zero = cx.rule(Rule::IterateZero, lhs)?;
        let zero = cx.then(zero, |cx, e| heads(cx, e, own))?;
        as_written(cx, zero, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, k: usize, lhs: &Expr, rhs: &Expr| {
        let (group, at) = place(k)?;
        let own = &groups[group];
        // What the step does not read is not computed: the old states of other groups, and their new ones.
        let mut chain = Chain::of(rhs);
        let mut around = 0;
        for j in (0..count).chain(0..k) {
            if own.contains(&j) {
                around += 1;
            } else {
                chain
                    .apply(cx, |cx, e| cx.at(e, &vec![Child::Body; around], &mut |cx, e| heads(cx, e, 1)))?;
            }
        }
        let wanted = chain.total(cx)?;
        let next = next_state(cx, at, lhs, wanted.rhs())?;
        meet(cx, next, wanted)
    };
    let joined = induct(cx, e, &family, &mut begins, &mut goes_on)?;
    let states = cx.converted(&joined.lhs().clone(), |cx, e| heads(cx, e, count))?;
    // The body below each group in its turn.
    let first = level + count as u32;
    let renamed = (0..).zip(&order).map(|(at, k)| (level + *k as u32, variable(first + at)));
    let rename = subst::Subst { tensor: renamed.collect(), ..Default::default() };
    let mut target = rename.expr(&subst::open_all(&body, level, count as u32));
    let mut end = first + count as u32;
    for part in parts.iter().rev() {
        let own = part.states.len() as u32;
        end -= own;
        target = part.around(subst::close_all(&target, end, own));
    }
    let mut chain = Chain::of(&target);
    for part in &parts {
        chain.apply(cx, |cx, e| states_carried_out(cx, e, part.states.len()))?;
    }
    let apart = chain.total(cx)?;
    let joined = joined.sym().trans(states)?;
    meet(cx, joined, apart)
}

/// `iterate t < n from x = e { s(t, x) } in b  =  b(x_n)`.
fn states_carried_out(cx: &mut Cx<'_>, e: &Expr, count: usize) -> Result<Thm> {
    let body = cx.rule(Rule::IterateBody, e)?;
    cx.then(body, |cx, e| heads(cx, e, count))
}

/// `iterate t < n from x = e { s(t, x) } in (iterate t < n from y = d { r(t, y) } in b)  =  iterate t < n
/// from x = e, y = d { s(t, x), r(t, y) } in b`.
///
/// # Errors
/// The term is of another form, or `n` may be negative.
pub fn rounds_joined(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let level = cx.ctx.level();
    let both = Scan::without_cells(e).and_then(|(first, body)| {
        let count = first.states.len() as u32;
        let (second, body) = Scan::without_cells(&subst::open_all(&body, level, count))?;
        let reads = |e: &Expr| (level..level + count).any(|state| mentions(e, state));
        let is_own = !second.states.iter().any(|state| reads(&state.init) || reads(&state.step));
        // Below the states of the first and of the second.
        let more = second.states.len() as u32;
        let body = subst::open_all(&body, level + count, more);
        is_own.then(|| (first, second, subst::close_all(&body, level, count + more)))
    });
    let Some((first, second, body)) = both else {
        return Err(Error::Mismatch("one iteration right below another, of states of its own"));
    };
    let thm = joined(cx, &[first, second], body)?;
    let here = cx.refl(e)?;
    as_written(cx, here, thm.rhs())?.trans(thm.sym())
}

/// `iterate t < n from x = e, y = d { s(t, x), r(t, y) } in b  =  iterate t < n from x = e { s(t, x) } in
/// (iterate t < n from y = d { r(t, y) } in b)`, of the states of some iterations, and a body below all.
fn joined(cx: &mut Cx<'_>, rounds: &[Scan], body: Expr) -> Result<Thm> {
    let Some((first, others)) = rounds.split_first() else {
        return Err(Error::Mismatch("no iterations to join"));
    };
    let (mut all, mut groups) = (first.clone(), vec![(0..first.states.len()).collect::<Vec<_>>()]);
    for other in others {
        let before = all.states.len();
        all = all.beside(other);
        groups.push((before..all.states.len()).collect());
    }
    rounds_apart(cx, &all.around(body), &groups)
}

/// Terms bound one after the other, each of which is made of the states of an iteration.
struct Bound {
    /// The ways to the iterations, from the terms.
    ways: Vec<Vec<Child>>,
    /// The iterations.
    rounds: Vec<Scan>,
    /// The terms of the last states, and what reads them, below the states of all.
    body: Expr,
}

impl Bound {
    /// Those that a term begins with, if there are this many.
    fn of(cx: &mut Cx<'_>, e: &Expr, count: usize) -> Option<Bound> {
        let level = cx.ctx.level();
        // The names of the terms, and then the states.
        let states = level + count as u32;
        let (mut ways, mut rounds, mut ends) = (Vec::new(), Vec::<Scan>::new(), Vec::new());
        let (mut rest, mut next) = (e.clone(), states);
        for k in 0..count as u32 {
            let Node::Let(label, bound, below) = &*rest else { return None };
            let way = way_to_rounds(bound)?;
            let (scan, end) = Scan::without_cells(part(bound, &way)?)?;
            let reads_others = (level..level + k).any(|other| mentions(bound, other));
            if reads_others || !rounds.iter().all(|first| cx.equal(&first.extent, &scan.extent)) {
                return None;
            }
            let own = scan.states.len() as u32;
            ends.push((label.clone(), with_part(bound, &way, &subst::open_all(&end, next, own))));
            next += own;
            ways.push(way);
            rounds.push(scan);
            rest = subst::open(below, level + k);
        }
        for (k, (label, end)) in (level..states).zip(ends).rev() {
            rest = Arc::new(Node::Let(label, end, subst::close(&rest, k)));
        }
        Some(Bound { ways, rounds, body: subst::close_all(&rest, states, next - states) })
    }

    /// The term is one iteration.
    fn joined(&self, cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
        let thm = joined(cx, &self.rounds, self.body.clone())?;
        let (mut left, mut right) = (Chain::of(e), Chain::of(thm.rhs()));
        for (k, (way, scan)) in self.ways.iter().zip(&self.rounds).enumerate() {
            let way = [&vec![Child::Body; k], &[Child::Bound][..], way].concat();
            let own = scan.states.len();
            left.apply(cx, |cx, e| cx.at(e, &way, &mut |cx, e| states_carried_out(cx, e, own).map(Some)))?;
            right.apply(cx, |cx, e| states_carried_out(cx, e, own))?;
        }
        let [left, right] = [left.total(cx)?, right.total(cx)?];
        meet(cx, left, right)?.trans(thm.sym())
    }
}

/// `let a = (iterate t < n from x = e { s(t, x) } in p(x)); let b = (iterate t < n from y = d { r(t, y) } in
/// q(y)); f  =  iterate t < n from x = e, y = d { s(t, x), r(t, y) } in (let a = p(x); let b = q(y); f)`, of
/// this many terms; starts that are iterations themselves are joined, too. Nothing where the term does not
/// begin so.
///
/// # Errors
/// `n` may be negative.
pub fn lets_joined(cx: &mut Cx<'_>, e: &Expr, count: usize) -> Step {
    let Some(bound) = Bound::of(cx, e, count) else { return Ok(None) };
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| bound.joined(cx, e))?;
    for k in 0..count {
        let way = [&[Child::Body], &vec![Child::Body; k][..], &[Child::Bound]].concat();
        chain.apply(cx, |cx, e| cx.at(e, &way, &mut without_name_of_state))?;
    }
    chain.apply(cx, starts_joined)?;
    Ok(chain.done())
}

/// The same of starts, if each is an iteration.
fn starts_joined(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Iterate(it) = &**e else { return Ok(None) };
    let (level, count) = (cx.ctx.level(), it.states.len());
    if !it.states.iter().all(|state| matches!(&*state.init, Node::Iterate(_))) {
        return Ok(None);
    }
    let mut begun = (**it).clone();
    for (k, state) in (level..).zip(&mut begun.states) {
        state.init = variable(k);
    }
    let body = subst::close_all(&(Arc::new(Node::Iterate(Arc::new(begun))) as Expr), level, count as u32);
    let bound = it.lets(it.states.iter().map(|state| state.init.clone()), body);
    let inlined = cx.converted(&bound, |cx, e| heads(cx, e, count))?;
    let Some(joined) = lets_joined(cx, &bound, count)? else { return Ok(None) };
    let here = cx.refl(e)?;
    let thm = meet(cx, here, inlined)?.trans(joined)?;
    cx.then(thm, |cx, e| cx.child(e, Child::Body, |cx, e| heads(cx, e, count))).map(Some)
}

/// Carry out the name of a state.
fn without_name_of_state(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Let(_, bound, _) if matches!(**bound, Node::Var(Var::Free(_))) => inline_where_read(cx, e),
        _ => Ok(None),
    }
}

/// The way to the iteration that a term is made of: values bound of it, and views.
fn way_to_rounds(e: &Expr) -> Option<Vec<Child>> {
    let at = match &**e {
        Node::Iterate(_) => return Some(Vec::new()),
        Node::Let(..) => Child::Bound,
        Node::View(..) => Child::Body,
        _ => return None,
    };
    Some(std::iter::once(at).chain(way_to_rounds(e.child(at)?)?).collect())
}
