//! Sums that the loops inside of another loop do not change, computed once in that one.
//!
//! **The one idea.** In `A[i, j] * (1 / (sum k { A[i, k] }))` the sum is the same in all of the row,
//! and it stands inside the loop over the row's entries: each of them would add up the row again. No C
//! compiler takes a loop out of another one. So the steps name such a sum, and move it to the last loop
//! that it depends on. It is the same value, so every bit stays. A sum that only some iterations
//! compute, below a condition or a search, stays where it is.

use super::hoisted::{ONCE, variables};
use super::steps::{WRITTEN, terms};
use crate::Request;
use crate::names::fresh;
use crate::structure::is_name;
use atl_kernel::{Expr, LoopKind, Node};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};
use std::collections::BTreeSet;

/// What a script is called that takes sums out.
pub(super) const WORDS: &str = "; sums that inner loops do not change are computed once";

/// The steps; none if there are no such sums.
pub(super) fn sums_once(body: &Expr, request: &Request<'_>) -> Vec<String> {
    let all = binders(body);
    let labels = all.iter().map(|place| place.label.name.to_string());
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let mut taken: BTreeSet<String> = labels.chain(request.names.values().cloned()).chain(sizes).collect();
    let (mut steps, mut moved) = (Vec::new(), Vec::<&Place>::new());
    for sum in all.iter().filter(|place| is_long(body, place)) {
        // A name that means several loops would move all of them.
        let is_alone = all.iter().filter(|other| other.label.name == sum.label.name).count() == 1;
        if !is_alone || moved.iter().any(|other| sum.path.starts_with(&other.path)) {
            continue;
        }
        let Some(home) = home(body, &all, sum) else { continue };
        let once = fresh(&mut taken, ONCE);
        let at = home.map_or(String::new(), |name| format!(" at {name}"));
        steps.push(format!("stage {} as {once}", qualified(body, sum)));
        steps.push(format!("hoist {once}{at}"));
        moved.push(sum);
    }
    steps
}

/// Is it a sum of many terms, of which each is added up?
fn is_long(body: &Expr, place: &Place) -> bool {
    place.sort == Sort::Sum
        && place.label.kind != LoopKind::Search
        && is_name(&place.label.name)
        && terms(body, place).is_none_or(|n| n > WRITTEN)
}

/// The last loop that a sum depends on, by name, or the root, where another loop stands inside of that one,
/// each of whose iterations would compute the sum.
fn home(body: &Expr, all: &[Place], sum: &Place) -> Option<Option<String>> {
    let read = variables(subterm(body, &sum.path)?)?;
    // What binds the variables around the sum, outermost first, by how long the way to it is.
    let (mut e, mut nodes, mut binders) = (body, Vec::new(), Vec::new());
    for (depth, at) in sum.path.iter().enumerate() {
        binders.extend((0..e.binds(*at)).map(|_| depth));
        nodes.push(&**e);
        e = e.child(*at)?;
    }
    let binder = |k: &u32| binders.iter().rev().nth(*k as usize).copied();
    let last = read.iter().filter_map(binder).max();
    let is_loop = |node: &&Node| matches!(node, Node::Gen(..) | Node::Sum(..));
    let is_root =
        last.is_none_or(|last| matches!(nodes[last], Node::Let(..)) && !nodes[..last].iter().any(is_loop));
    let place = |depth: usize| {
        all.iter().find(|place| place.path.len() == depth && sum.path.starts_with(&place.path))
    };
    let is_named_loop = |place: &&Place| place.sort != Sort::Let && is_name(&place.label.name);
    let home = match last.filter(|_| !is_root) {
        None => None,
        Some(last) => Some(place(last).filter(is_named_loop)?),
    };
    let inside = last.map_or(0, |last| last + 1);
    let next = inside + nodes[inside..].iter().position(is_loop)?;
    let searches = |node: &Node| matches!(node, Node::Sum(label, ..) if label.kind == LoopKind::Search);
    let chooses = |node: &&Node| matches!(node, Node::Guard(..) | Node::Select(..) | Node::Iterate(_));
    let is_always = !searches(nodes[next]) && !nodes[inside..next].iter().any(chooses);
    is_always.then(|| home.map(|around| qualified(body, around)))
}
