//! Sums that grow with a loop, as scans.
//!
//! **The one idea.** A sum that grows by a term with each iteration is the one before and that term. Each
//! addition waits for the one before, so where rows do not depend on each other, a few of them are added up
//! side by side.

use super::parts::Parts;
use super::producers::reads;
use super::steps::vectors;
use crate::extent::Extent;
use crate::names::fresh;
use crate::structure::{Producer, Structure, is_name};
use crate::{Judge, Request};
use atl_kernel::{Child, Expr, Ix, IxOp, Node, Var};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};
use std::collections::BTreeSet;

/// The name of the sum so far.
const SUM: &str = "total";

/// Rows of no more sums than this are short: while one is added up, a processor begins the next ones by itself,
/// and rows next to each other are one stream from memory.
const SHORT: i64 = 16;

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

/// The steps for the only sum that grows, if the loop right around its own is over rows: a row of each part at
/// once, and then the rows that are left over.
pub(super) fn rows_of_scans(request: &Request<'_>) -> Option<Vec<String>> {
    let body = request.body;
    let all = binders(body);
    let sums = growing(body, &all);
    let [Growing { along, .. }] = sums.as_slice() else { return None };
    let is_short =
        matches!(subterm(body, &along.path).map(|e| &**e), Some(Node::Gen(_, Ix::Lit(n), _)) if *n <= SHORT);
    let (_, around) = along.path.split_last().filter(|_| !is_short)?;
    let row = all.iter().find(|p| p.path == around && p.sort == Sort::Gen && is_name(&p.label.name))?;
    let Some(Node::Gen(_, rows, _)) = subterm(body, &row.path).map(|e| &**e) else { return None };
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let labels = all.iter().map(|p| p.label.name.to_string());
    let mut taken: BTreeSet<String> = request.names.values().cloned().chain(sizes).chain(labels).collect();
    let so_far = fresh(&mut taken, SUM);
    let Parts { mut steps, part, .. } = Parts::of(body, row, &Extent::of(rows, request.named_sizes))?;
    let own = part.rsplit('/').next()?;
    steps.extend([
        format!("scan {} as {so_far}", qualified(body, along)),
        format!("batch {part}"),
        format!("unroll {so_far}/{own}, {so_far}s/{own}"),
    ]);
    Some(steps)
}

/// The steps where such sums add up producers that are such sums themselves, and that nobody else reads: each
/// cell of these is computed where it is added, by the same loop.
pub(super) fn scans_of_scans(
    request: &Request<'_>,
    source: &Structure,
    lanes: u32,
    judge: &mut dyn Judge,
) -> Option<Vec<String>> {
    let is_read_once = |p: &&Producer| {
        p.outside && !p.nest.sums.is_empty() && is_name(&p.name) && reads(request.body, &p.name) == 1
    };
    let added = source.producers.iter().filter(is_read_once);
    let mut steps: Vec<String> = added.map(|p| format!("inline {}", p.name)).collect();
    if steps.is_empty() {
        return None;
    }
    steps.push("simplify".to_owned());
    let body = judge.derive(&steps).ok()?;
    let (scans, growing) = scans(&body);
    let sums = binders(&body).iter().filter(|place| place.sort == Sort::Sum).count();
    if growing.len() < sums {
        return None;
    }
    let is_free = |place: &Place| !growing.iter().any(|sum| sum.starts_with(&place.path));
    let others = vectors(&body, &Structure::of(&body, request.known()), &is_free, lanes);
    Some([steps, scans, others].concat())
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
