//! Sums along rows, of a few rows side by side.
//!
//! **The one idea.** A sum along a row is one chain of additions, each waiting for the one before. The
//! rows next to it have chains of their own, which wait for nobody: so a few rows are added up at once,
//! each in the order written. Where a row is one sum, they are rows of several [parts](super::parts). Else
//! they are next to each other, and what the loop over rows binds becomes an array of these rows.

use super::hoisted::{NAMED, reduction};
use super::lanes::Lanes;
use super::parts::Parts;
use super::steps::{WRITTEN, vectors};
use super::tiles::RESULTS;
use super::{NOTHING_TO_PEEL, PEEL};
use crate::extent::Extent;
use crate::names::fresh;
use crate::structure::{Structure, is_name};
use crate::{Judge, Request};
use atl_kernel::{Expr, Node};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};
use std::collections::BTreeSet;

/// How many rows are added up at once: two additions begin in each of the cycles that one takes.
const ROWS: i64 = 8;

/// The steps for rows side by side; none where no row has a sum along memory.
pub(super) fn rows_abreast(request: &Request<'_>, lanes: u32, judge: &mut dyn Judge) -> Option<Vec<String>> {
    let body = request.body;
    let (gens, lets) = around(body);
    let (row, all) = (gens.last()?, binders(body));
    let is_row = |place: &&Place| place.sort == Sort::Gen && *place.label.name == **row;
    let place = all.iter().find(is_row)?;
    let is_between = |other: &Place, sum: &Place| {
        other.sort == Sort::Gen
            && other.path.len() > place.path.len()
            && sum.path.len() > other.path.len()
            && sum.path.starts_with(&other.path)
    };
    let own =
        |sum: &&Place| sum.path.starts_with(&place.path) && !all.iter().any(|other| is_between(other, sum));
    let along = Lanes::of(body, WRITTEN, &|_| true);
    let sums: Vec<&Place> = along.sums().iter().filter(own).collect();
    let named = gens.iter().chain(&lets).cloned().collect::<BTreeSet<String>>();
    let is_clear = named.len() == gens.len() + lets.len() && named.iter().all(|name| is_name(name));
    if sums.is_empty() || !is_clear {
        return None;
    }
    let labels = all.iter().map(|place| place.label.name.to_string());
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let mut taken: BTreeSet<String> = request.names.values().cloned().chain(sizes).chain(labels).collect();
    if let ([sum], true) = (sums.as_slice(), lets.is_empty())
        && let Some(steps) = rows_of_parts(place, sum, &mut taken, request, (lanes, &mut *judge))
    {
        return Some(steps);
    }
    let (inner, outer) = (format!("{row}.i"), format!("{row}.o"));
    let mut steps = vec![format!("split {row} by {ROWS}")];
    steps.extend(lets.iter().map(|name| format!("hoist {name} at {outer}")));
    let mut written = Vec::new();
    for sum in sums {
        let acc = fresh(&mut taken, RESULTS);
        steps.extend([
            format!("stage {} as {acc}", qualified(body, sum)),
            format!("store {acc} at {outer}"),
            format!("reorder {acc}/{}, {acc}/{inner}", sum.label.name),
            format!("store {acc} in register"),
        ]);
        written.push(format!("{acc}/{inner}"));
    }
    let is_free = |place: &Place| *place.label.name != *inner;
    written_out(steps, &written, &is_free, request, (lanes, judge))
}

/// The steps for rows of parts side by side, each of which is one sum; none where no step can mean the sum of
/// the parts alone.
fn rows_of_parts(
    row: &Place,
    sum: &Place,
    taken: &mut BTreeSet<String>,
    request: &Request<'_>,
    (lanes, judge): (u32, &mut dyn Judge),
) -> Option<Vec<String>> {
    let body = request.body;
    let Some(Node::Gen(_, rows, _)) = subterm(body, &row.path).map(|e| &**e) else { return None };
    let parent = sum.path.split_last().and_then(|(_, around)| subterm(body, around));
    let term = parent.filter(|e| matches!(***e, Node::View(..))).or_else(|| subterm(body, &sum.path))?;
    let named = binders(body).iter().filter(|place| place.label.name == sum.label.name).count();
    let what = reduction(term).filter(|_| named == 1 && !taken.contains(NAMED))?;
    let Parts { mut steps, within, part } = Parts::of(body, row, &Extent::of(rows, request.named_sizes))?;
    let acc = fresh(taken, RESULTS);
    let of_part = part.rsplit('/').next()?;
    steps.extend([
        format!("rw let_bind at {what}"),
        format!("rename {NAMED} to {acc}"),
        format!("store {acc} at {within}"),
        format!("reorder {acc}/{}, {acc}/{of_part}", sum.label.name),
        format!("store {acc} in register"),
    ]);
    // The rows that are left over are no vector: they are few.
    let own = [&*row.label.name, of_part];
    let is_free = |place: &Place| !own.contains(&&*place.label.name);
    written_out(steps, &[format!("{acc}/{of_part}")], &is_free, request, (lanes, judge))
}

/// The steps for rows side by side of producers around all loops, each of whose elements is a sum along memory.
pub(super) fn producers_abreast(
    request: &Request<'_>,
    source: &Structure,
    lanes: u32,
    judge: &mut dyn Judge,
) -> Option<Vec<String>> {
    let all = binders(request.body);
    let along = Lanes::of(request.body, WRITTEN, &|_| true);
    let labels = all.iter().map(|place| place.label.name.to_string());
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let mut taken: BTreeSet<String> = request.names.values().cloned().chain(sizes).chain(labels).collect();
    let (mut steps, mut written, mut own) = (Vec::new(), Vec::new(), BTreeSet::new());
    for producer in source.producers.iter().filter(|p| p.outside && p.nest.reuse.is_none()) {
        let (name, nest) = (&producer.name, &producer.nest);
        let (Some(row), [sum]) = (nest.gens.last(), nest.sums.as_slice()) else { continue };
        let is_own = |place: &&Place| {
            *place.label.name == **sum && place.within.last().is_some_and(|within| **within == **name)
        };
        let is_clear = [name, row, sum].into_iter().all(|name| is_name(name));
        if !is_clear || along.sums().iter().filter(is_own).count() != 1 {
            continue;
        }
        let (acc, inner) = (fresh(&mut taken, RESULTS), format!("{row}.i"));
        steps.extend([
            format!("split {name}/{row} by {ROWS}"),
            format!("stage {name}/{sum} as {acc}"),
            format!("store {acc} at {name}/{row}.o"),
            format!("reorder {acc}/{sum}, {acc}/{inner}"),
            format!("store {acc} in register"),
        ]);
        written.push(format!("{acc}/{inner}"));
        own.insert(inner);
    }
    let is_free = |place: &Place| !own.contains(&*place.label.name);
    (!steps.is_empty()).then(|| written_out(steps, &written, &is_free, request, (lanes, judge))).flatten()
}

/// The steps, then those that split guards off, write the rows out, and run the other loops in vectors.
fn written_out(
    mut steps: Vec<String>,
    rows: &[String],
    is_free: &dyn Fn(&Place) -> bool,
    request: &Request<'_>,
    (lanes, judge): (u32, &mut dyn Judge),
) -> Option<Vec<String>> {
    steps.push(PEEL.to_owned());
    steps.push(format!("unroll {}", rows.join(", ")));
    let derived = judge.derive(&steps).or_else(|refused| {
        steps.retain(|step| step != PEEL || refused.code != NOTHING_TO_PEEL);
        judge.derive(&steps)
    });
    let body = derived.ok()?;
    steps.extend(vectors(&body, &Structure::of(&body, request.known()), is_free, lanes));
    Some(steps)
}

/// The first loops over cells, and what is bound inside them.
pub(super) fn around(body: &Expr) -> (Vec<String>, Vec<String>) {
    let (mut gens, mut lets, mut e) = (Vec::new(), Vec::new(), body);
    loop {
        match &**e {
            Node::Let(label, _, inner) => {
                if !gens.is_empty() {
                    lets.push(label.name.to_string());
                }
                e = inner;
            }
            Node::Gen(label, _, inner) if lets.is_empty() => {
                gens.push(label.name.to_string());
                e = inner;
            }
            _ => return (gens, lets),
        }
    }
}
