//! Rounds of many elements side by side, along rows of memory.
//!
//! **The one idea.** The rounds of one element are a chain, in which each waits for the one before. Where
//! the elements lie side by side in what the rounds read, one iteration runs the rounds of all of them:
//! each round is a loop along a row, in vectors. A few rounds are written out, so that the states are read
//! and stored once for these. Every element has its rounds in the order written.

use super::steps::vectors;
use crate::Request;
use crate::reuse::{Names, collect};
use crate::structure::{Structure, is_name};
use atl_kernel::{Expr, Iterate, Ix, Node};
use atl_schedule::nest::{Place, Sort, binders, subterm};
use std::collections::BTreeSet;

/// How many rounds are written out, of one state and of several.
const TOGETHER: [i64; 2] = [8, 4];

/// A term that is rounds for each element of a tensor.
struct Rounds<'e> {
    /// The last loop over elements.
    last: String,
    rounds: &'e Iterate,
}

/// The steps, for the results or for producers around all loops.
pub(super) fn rounds_abreast(request: &Request<'_>, source: &Structure, lanes: u32) -> Option<Vec<String>> {
    let (body, names) = (request.body, request.names);
    let all = binders(body);
    let is_outside = |name: &str| source.producers.iter().any(|p| p.outside && p.name == name);
    let (mut scope, mut e) = (Vec::new(), body);
    let (mut steps, mut own) = (Vec::new(), BTreeSet::new());
    let mut add = |within: Option<&str>, found: Option<Rounds<'_>>| {
        let Some(Rounds { last, rounds }) = found else { return };
        let of = within.map_or_else(String::new, |name| format!("{name}/"));
        let round = rounds.label.name.to_string();
        let is_own = |place: &&Place| {
            place.sort == Sort::Gen
                && *place.label.name == *last
                && place.within.last().map(|name| &**name) == within
        };
        let is_clear = within.is_none() || all.iter().filter(is_own).count() == 1;
        if !is_clear || !is_name(&round) || !own.insert((within.map(str::to_owned), last.clone())) {
            return;
        }
        let together = TOGETHER[usize::from(rounds.states.len() > 1)];
        steps.extend([
            format!("unroll {round} by {together}"),
            format!("vectorize {of}{last} by {lanes}"),
            format!("batch {of}{last}"),
        ]);
    };
    while let Node::Let(label, bound, inner) = &**e {
        let name = label.name.to_string();
        if is_outside(&name) {
            add(Some(&name), rounds(bound, scope.clone(), names, lanes));
        }
        scope.push(name);
        e = inner;
    }
    let results =
        if let Node::Bundle(_, results) = &**e { results.as_slice() } else { std::slice::from_ref(e) };
    for result in results {
        add(None, rounds(result, scope.clone(), names, lanes));
    }
    if steps.is_empty() {
        return None;
    }
    let is_free = |place: &Place| {
        let within = place.within.last().map(ToString::to_string);
        !own.contains(&(within, place.label.name.to_string()))
    };
    steps.extend(vectors(body, source, &is_free, lanes));
    Some(steps)
}

/// The rounds that each element of a term is, if they read memory along the last loop.
fn rounds<'e>(term: &'e Expr, mut scope: Vec<String>, names: &Names, lanes: u32) -> Option<Rounds<'e>> {
    let (mut e, mut last) = (term, None);
    while let Node::Gen(label, extent, inner) = &**e {
        let is_few = matches!(extent, Ix::Lit(n) if *n < i64::from(lanes));
        last = (!is_few).then(|| label.name.to_string());
        scope.push(label.name.to_string());
        e = inner;
    }
    let last = last.filter(|name| is_name(name))?;
    let mut reads = Vec::new();
    collect(e, &mut scope, names, &mut reads)?;
    let rounds = only_rounds(e).filter(|rounds| !matches!(rounds.extent, Ix::Lit(n) if n < TOGETHER[0]))?;
    let round = rounds.label.name.to_string();
    let mut own = reads.iter().filter(|read| read.follows(&last)).peekable();
    let has_rows = reads.iter().any(|read| read.follows(&last) && read.follows(&round));
    own.peek().filter(|_| has_rows)?;
    let runs_along = own.all(|read| {
        let is_last = read.indices.last().is_some_and(|index| index.contains(&last));
        let count = read.indices.iter().filter(|index| index.contains(&last)).count();
        is_last && count == 1 && read.is_exact_in(&last)
    });
    runs_along.then_some(Rounds { last, rounds })
}

/// How many arrays of states there are where these steps put rounds side by side: one for each number that
/// is a state, or a sum that becomes rounds.
pub(super) fn states(body: &Expr, steps: &[String]) -> usize {
    let loops: BTreeSet<&str> = steps.iter().filter_map(|step| step.strip_prefix("batch ")).collect();
    let all = binders(body);
    let of_loop = |name: &&str| {
        let own = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".i").to_owned();
        let places = all.iter().filter(move |place| place.sort == Sort::Gen && *place.label.name == *own);
        places.filter_map(|place| subterm(body, &place.path)).map(states_in).sum::<usize>()
    };
    loops.iter().map(of_loop).sum()
}

fn states_in(e: &Expr) -> usize {
    let own = match &**e {
        Node::Iterate(it) => it.states.len(),
        Node::Sum(..) => 1,
        _ => 0,
    };
    own + e.children().filter_map(|at| e.child(at)).map(states_in).sum::<usize>()
}

/// The only loop of a term, if it is an iteration of numbers below operations on them.
fn only_rounds(e: &Expr) -> Option<&Iterate> {
    match &**e {
        Node::Iterate(it) => {
            let parts = e.children().filter_map(|at| e.child(at));
            parts.into_iter().all(has_no_loop).then_some(it)
        }
        Node::Prim(..) | Node::View(..) => {
            let mut found = None;
            for part in e.children().filter_map(|at| e.child(at)) {
                match only_rounds(part) {
                    Some(_) if found.is_some() => return None,
                    Some(it) => found = Some(it),
                    None if has_no_loop(part) => {}
                    None => return None,
                }
            }
            found
        }
        _ => None,
    }
}

fn has_no_loop(e: &Expr) -> bool {
    let is_loop = matches!(**e, Node::Gen(..) | Node::Sum(..) | Node::Iterate(_) | Node::Op(..));
    !is_loop && e.children().all(|at| e.child(at).is_none_or(has_no_loop))
}
