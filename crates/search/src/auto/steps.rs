//! Steps that several rules end with: sums written out, and last loops in vectors.

use super::tiles::is_scalar_term;
use crate::structure::{Structure, is_name};
use atl_kernel::{Expr, Ix, Node};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};
use std::collections::BTreeSet;

/// The most terms of a sum, of all of a nest together, that are written out.
pub(super) const WRITTEN: i64 = 32;

/// The step that writes out sums of few terms, innermost first; none if there are no such sums.
pub(super) fn written_out(body: &Expr) -> Vec<String> {
    let all = binders(body);
    let sums = all.iter().filter(|place| place.sort == Sort::Sum);
    let few = sums.filter(|place| {
        // With those inside.
        let inside = all.iter().filter(|p| p.sort == Sort::Sum && p.path.starts_with(&place.path));
        let terms = inside.map(|p| terms(body, p)).try_fold(1_i64, |all, n| Some(all.saturating_mul(n?)));
        terms.is_some_and(|n| n <= WRITTEN)
    });
    let mut names: Vec<String> = Vec::new();
    for place in few.filter(|place| is_name(&place.label.name)) {
        let name = qualified(body, place);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { Vec::new() } else { vec![format!("unroll {}", names.join(", "))] }
}

/// The number of terms of a sum, if it is a literal.
pub(super) fn terms(body: &Expr, place: &Place) -> Option<i64> {
    match &**subterm(body, &place.path)? {
        Node::Sum(_, Ix::Lit(n), _) => Some(*n),
        _ => None,
    }
}

/// The steps that put values which loops bind where they are read, such as `v` in
/// `sum j { let v = A[i, j]; v * x[j] }`: they hide an operand from the loop. Values with loops stay.
pub(super) fn unbound(body: &Expr) -> Vec<String> {
    let all = binders(body);
    let is_in_loop = |place: &Place| {
        let loops = all.iter().filter(|other| matches!(other.sort, Sort::Gen | Sort::Sum));
        loops
            .into_iter()
            .any(|other| place.path.len() > other.path.len() && place.path.starts_with(&other.path))
    };
    let has_no_loops = |place: &Place| match subterm(body, &place.path).map(|e| &**e) {
        Some(Node::Let(_, bound, _)) => is_scalar_term(bound),
        _ => false,
    };
    let lets = all.iter().filter(|place| place.sort == Sort::Let && is_name(&place.label.name));
    let names: BTreeSet<&str> = lets
        .filter(|place| is_in_loop(place) && has_no_loops(place))
        .map(|place| &*place.label.name)
        .collect();
    names.into_iter().map(|name| format!("inline {name}")).collect()
}

/// The steps that run the last loops over cells in vectors: loops in which no other one over cells stands.
/// Those that are not free stay.
pub(super) fn vectors(
    body: &Expr,
    structure: &Structure,
    is_free: &dyn Fn(&Place) -> bool,
    lanes: u32,
) -> Vec<String> {
    let extent = |place: &Place| match subterm(body, &place.path).map(|e| &**e) {
        Some(Node::Gen(_, Ix::Lit(n), _)) => Some(*n),
        _ => None,
    };
    let all = last_loops(body);
    let mut steps = Vec::new();
    let is_long = |place: &&Place| extent(place).is_none_or(|n| n >= i64::from(lanes));
    let last = all.iter().filter(is_long).filter(|place| is_free(place));
    for place in last.filter(|place| is_name(&place.label.name)) {
        let step = format!("vectorize {} by {lanes}", qualified(body, place));
        if !steps.contains(&step) && structure.lets.iter().all(|name| is_name(name)) {
            steps.push(step);
        }
    }
    steps
}

/// The loops over cells in which no other one of them stands: what is computed for one element is a number.
pub(super) fn last_loops(body: &Expr) -> Vec<Place> {
    let mut gens = binders(body);
    gens.retain(|place| {
        let of_one = matches!(subterm(body, &place.path).map(|e| &**e), Some(Node::Gen(_, Ix::Lit(1), _)));
        place.sort == Sort::Gen && !of_one
    });
    let is_last = |place: &Place| {
        let is_inside =
            |other: &Place| other.path.len() > place.path.len() && other.path.starts_with(&place.path);
        !gens.iter().any(is_inside)
    };
    gens.iter().filter(|place| is_last(place)).cloned().collect()
}
