//! Sums in a program's monoids, in the lanes of vectors.
//!
//! **The one idea.** Such a sum is rounds, each of which waits for the one before. A monoid that claims its
//! laws lets each lane of a few vectors take every so-many-th term, as sums of numbers do
//! ([`lanes`](super::lanes)). Which rounds are such a sum, and what its laws allow, the steps themselves
//! find: what they refuse stays as it is.

use super::exact::Exact;
use crate::names::fresh;
use crate::structure::is_name;
use atl_kernel::{Expr, Iterate, Ix, Node, Rounding};
use atl_schedule::nest::binders;
use std::collections::BTreeSet;

/// How many vectors of partial sums stand side by side.
const VECTORS: u32 = 4;

/// The most states of rounds that are regrouped without being asked: those of elements with two fields.
const STATES: usize = 8;

/// The most nodes of rounds that are regrouped without being asked: a derivation reads a formula as often as
/// it reads its operands, in each other.
const NODES: u64 = 150;

/// What the tensors of partial sums are called.
const PART: &str = "part";

/// What a script is called that has them.
pub(super) const WORDS: &str = "sums in a monoid, a few vectors of partial sums side by side";

/// The steps; none where no rounds are of several numbers.
pub(super) fn regrouped(exact: Exact<'_>, lanes: u32) -> Option<Vec<String>> {
    let request = exact.request;
    let mut taken: BTreeSet<String> = request.names.values().cloned().collect();
    taken.extend(binders(request.body).into_iter().map(|place| place.label.name.to_string()));
    let mut seen = BTreeSet::new();
    let (mut make, mut mark) = (Vec::new(), Vec::new());
    rounds(request.body, &mut |it| {
        let j = it.label.name.to_string();
        if !is_name(&j) || matches!(it.extent, Ix::Lit(_)) || !seen.insert(j.clone()) {
            return;
        }
        let widest = it.states.iter().filter_map(|state| exact.lanes(&state.init)).min().unwrap_or(lanes);
        let part = fresh(&mut taken, PART);
        make.extend([format!("split {j} by {}", VECTORS * widest), format!("rfactor {j}.i as {part}")]);
        mark.extend([format!("vectorize {j}.i by {widest}"), format!("batch {j}.i")]);
    });
    let class = match request.rounding {
        Rounding::Bitwise => None,
        class => Some(format!("rounding {class}")),
    };
    (!make.is_empty()).then(|| class.into_iter().chain(make).chain(mark).collect())
}

/// The most arrays that these steps make of numbers: of each that is a state, with a second one where rounds
/// read both.
pub(super) fn arrays(body: &Expr, steps: &[String]) -> usize {
    let loops: BTreeSet<&str> =
        steps.iter().filter_map(|step| step.strip_prefix("batch ")?.strip_suffix(".i")).collect();
    let mut count = 0;
    rounds(body, &mut |it| count += 2 * it.states.len() * usize::from(loops.contains(&*it.label.name)));
    count
}

/// The iterations of several numbers, wherever they stand.
fn rounds(e: &Expr, found: &mut dyn FnMut(&Iterate)) {
    if let Node::Iterate(it) = &**e
        && (2..=STATES).contains(&it.states.len())
        && it.states.iter().all(|state| is_number(&state.init))
        && super::nodes(e) <= NODES
    {
        found(it);
    }
    e.children().filter_map(|at| e.child(at)).for_each(|child| rounds(child, found));
}

/// Is the start of a state a number, as those of sums over nothing are?
fn is_number(e: &Expr) -> bool {
    match &**e {
        Node::Lit(..) | Node::Index(..) => true,
        Node::Prim(_, args) => args.iter().all(is_number),
        _ => false,
    }
}
