//! The rounds of a scan side by side: the states before each are a scan of their own.

use super::form::{NEW, OLD, ROUND, Scan};
use super::history::scan_as_loop;
use super::summary::reads_states;
use crate::cx::{Chain, Cx};
use crate::lets::meet;
use crate::occurrences::{mentions, replace, variable};
use crate::rounds::heads;
use atl_kernel::{Child, Expr, Ix, Label, Node, Result, Rule, State, Thm, Type, subst};
use std::sync::Arc;

/// Levels that no variable has: of what is bound, and of the number of a round.
const BOUND: u32 = (1 << 30) - (1 << 14);
const NUMBER: u32 = BOUND - 1;

/// `scan t < n from x = e { s(t, f(t), x) } give g  =  let a = gen t < n { f(t) }; let y = scan t < n from
/// x = e { s(t, a[t], x) } give x.old; gen t < n { g(t, y[t]) }`, where `f(t)` are the sums and rounds in a
/// step that depend on the round alone. What is bound for these has the name `part`, and what is bound for
/// a state the state's.
///
/// # Errors
/// The kernel refuses a part.
pub fn scan_from_starts(cx: &mut Cx<'_>, e: &Expr, scan: &Scan, part: &str) -> Result<Thm> {
    let count = scan.states.len();
    let types = scan.starts().iter().map(|e| cx.type_of(e)).collect::<Result<Vec<_>>>()?;
    let parts = parts(scan);
    let tables = tables(scan);
    let variables = |first: usize| BOUND + first as u32..;
    let apart = |e: &Expr| {
        let place = |e: &Expr| parts.iter().zip(variables(0)).find(|(part, _)| *part == e);
        replace(e, &mut |e| place(e).map(|(_, level)| read(level, ROUND)))
    };
    let steps = scan.states.iter().map(|state| State { step: apart(&state.step), ..state.clone() });
    let quick = scan.with(steps.collect(), scan.given.clone()).named(".carry");
    let looped = |e: &Expr| -> Expr {
        Arc::new(Node::Gen(scan.label.clone(), scan.extent.clone(), subst::close(e, NUMBER)))
    };
    let number = || vec![(ROUND, Ix::free(NUMBER))];
    let mut bound: Vec<(String, Expr)> = Vec::new();
    for e in &parts {
        let name = if bound.is_empty() { part.to_owned() } else { format!("{part}_{}", bound.len() + 1) };
        bound.push((name, looped(&subst::Subst { index: number(), ..Default::default() }.expr(e))));
    }
    let mut tensor = Vec::new();
    for ((of, k), level) in tables.iter().zip(variables(parts.len())) {
        let when = if *of == OLD { "start" } else { "end" };
        let name = format!("{}_{when}", scan.states[*k].label.name);
        bound.push((name, table(&quick, *of, *k, &types[*k]).term()));
        tensor.push((of + *k as u32, read(level, NUMBER)));
    }
    let rows = looped(&subst::Subst { index: number(), tensor }.expr(&scan.given));
    let body = subst::close_all(&rows, BOUND, bound.len() as u32);
    let close = |place: usize, e: &Expr| subst::close_all(e, BOUND, place as u32);
    let bind = |body, (place, (name, e)): (usize, &(String, Expr))| -> Expr {
        Arc::new(Node::Let(Label::new(name), close(place, e), body))
    };
    let target = bound.iter().enumerate().rev().fold(body, bind);

    let written = cx.relabel(e, &scan.term())?.trans(scan_as_loop(cx, scan)?)?;
    let left = cx.then(written, |cx, e| cx.child(e, Child::Body, |cx, e| heads(cx, e, 2 * count)))?;
    let mut chain = Chain::of(&target);
    chain.apply(cx, |cx, e| heads(cx, e, parts.len()))?;
    for (place, (of, k)) in tables.iter().enumerate() {
        let path = [vec![Child::Body; place], vec![Child::Bound]].concat();
        let whole = table(&scan.named(".carry"), *of, *k, &types[*k]);
        chain.apply(cx, |cx, e| {
            cx.at(e, &path, &mut |cx, e| {
                let [left, right] = [reads_carried_out(cx, e)?, reads_carried_out(cx, &whole.term())?];
                let whole = meet(cx, left, right)?.trans(scan_as_loop(cx, &whole)?)?;
                cx.then(whole, |cx, e| cx.child(e, Child::Body, |cx, e| heads(cx, e, 2 * count))).map(Some)
            })
        })?;
    }
    chain.apply(cx, |cx, e| heads(cx, e, tables.len()))?;
    let right = chain.total(cx)?;
    let [left, right] = [cx.then(left, reads_carried_out)?, cx.then(right, reads_carried_out)?];
    meet(cx, left, right)
}

/// An element of what is bound, at an index.
fn read(level: u32, index: u32) -> Expr {
    Arc::new(Node::Get(variable(level), Ix::free(index)))
}

/// The scan that stores a state before each round, or after it.
fn table(scan: &Scan, of: u32, k: usize, ty: &Type) -> Scan {
    scan.part(&Ix::ZERO, &scan.extent, &scan.starts(), ty).giving(variable(of + k as u32))
}

/// The states that what is stored depends on: before the round, or after it.
fn tables(scan: &Scan) -> Vec<(u32, usize)> {
    let all = [OLD, NEW].into_iter().flat_map(|of| (0..scan.states.len()).map(move |k| (of, k)));
    all.filter(|(of, k)| mentions(&scan.given, of + *k as u32)).collect()
}

/// The sums and rounds in steps that depend on the round and on no state, outermost ones.
fn parts(scan: &Scan) -> Vec<Expr> {
    let mut found = Vec::new();
    for state in &scan.states {
        collect(&state.step, scan.states.len(), &mut found);
    }
    found
}

fn collect(e: &Expr, states: usize, found: &mut Vec<Expr>) {
    if !reads_states(e, states) {
        if mentions(e, ROUND) && has_rounds(e) && !found.contains(e) {
            found.push(e.clone());
        }
        return;
    }
    for at in e.children().filter(|at| e.binds(*at) == 0) {
        e.child(at).into_iter().for_each(|child| collect(child, states, found));
    }
}

fn has_rounds(e: &Expr) -> bool {
    let itself = matches!(&**e, Node::Sum(..) | Node::Iterate(_));
    itself || e.children().filter_map(|at| e.child(at)).any(has_rounds)
}

/// With accesses to loops carried out.
pub(super) fn reads_carried_out(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    cx.converted(e, |cx, e| {
        cx.bottom_up(e, &mut |cx, e| match &**e {
            Node::Get(of, _) if matches!(**of, Node::Gen(..)) => Ok(cx.try_rule(Rule::AccessGen, e)),
            _ => Ok(None),
        })
    })
}
