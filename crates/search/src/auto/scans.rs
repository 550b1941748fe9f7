//! Sums that grow with a loop, as scans.
//!
//! **The one idea.** A sum that grows by a term with each iteration is the one before and that term. Each
//! addition waits for the one before, so where rows do not depend on each other, a few of them are added up
//! side by side.

use crate::Request;
use crate::names::fresh;
use crate::structure::is_name;
use atl_kernel::{Child, Expr, Ix, IxOp, Node, Var};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};
use std::collections::BTreeSet;

/// How many rows are added up at once: two additions begin in each of the cycles that one takes.
const ROWS: i64 = 8;

/// The name of the sum so far.
const SUM: &str = "total";

/// A sum that grows with a loop.
struct Growing {
    /// Where the sum is.
    sum: Vec<Child>,
    /// The loop.
    along: Place,
}

/// The steps that compute sums which grow with a loop as one sum, and where these sums are.
pub(super) fn scans(body: &Expr) -> (Vec<String>, Vec<Vec<Child>>) {
    let (mut steps, mut sums) = (Vec::new(), Vec::new());
    for Growing { sum, along } in growing(body, &binders(body)) {
        let step = format!("scan {}", qualified(body, &along));
        sums.push(sum);
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    (steps, sums)
}

/// The steps for the only sum that grows, if the loop right around its own is over rows: a few rows at once.
pub(super) fn rows_of_scans(request: &Request<'_>) -> Option<Vec<String>> {
    let body = request.body;
    let all = binders(body);
    let sums = growing(body, &all);
    let [Growing { along, .. }] = sums.as_slice() else { return None };
    let (_, around) = along.path.split_last()?;
    let row = all.iter().find(|p| p.path == around && p.sort == Sort::Gen && is_name(&p.label.name))?;
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let labels = all.iter().map(|p| p.label.name.to_string());
    let mut taken: BTreeSet<String> = request.names.values().cloned().chain(sizes).chain(labels).collect();
    let so_far = fresh(&mut taken, SUM);
    let (own, row) = (&row.label.name, qualified(body, row));
    Some(vec![
        format!("split {row} by {ROWS}"),
        "peel".to_owned(),
        format!("scan {} as {so_far}", qualified(body, along)),
        format!("batch {row}.i"),
        format!("unroll {row}.i, {so_far}/{own}.i, {so_far}s/{own}.i"),
    ])
}

/// The sums that grow with a loop.
fn growing(body: &Expr, all: &[Place]) -> Vec<Growing> {
    let sums = all.iter().filter(|place| place.sort == Sort::Sum);
    let of = |sum: &Place| {
        let Some(Node::Sum(_, extent, _)) = subterm(body, &sum.path).map(|e| &**e) else { return None };
        // How many binders stand between the sum and the loop that it grows with.
        let index = match extent {
            Ix::Bin(IxOp::Add, ab) if ab.1 == Ix::ONE => &ab.0,
            index => index,
        };
        let Ix::Var(Var::Bound(k)) = index else { return None };
        let around = all.iter().filter(|p| {
            sum.path.len() > p.path.len()
                && sum.path.starts_with(&p.path)
                && (p.sort != Sort::Let || sum.path[p.path.len()] == Child::Body)
        });
        let around: Vec<&Place> = around.collect();
        let at = around.len().checked_sub(*k as usize + 1).and_then(|at| around.get(at))?;
        let is_loop = at.sort == Sort::Gen && is_name(&at.label.name);
        is_loop.then(|| Growing { sum: sum.path.clone(), along: (*at).clone() })
    };
    sums.filter_map(of).collect()
}
