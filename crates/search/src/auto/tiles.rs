//! Tiles of sums in registers, for nests in which rows use an operand again.
//!
//! **The one idea.** A strip of that operand is copied first, and ends in zeros where it overhangs; so every
//! tile is computed whole, and what is added up has no test. The code is one tile, where splitting off what
//! overhangs would be four, and the strip stays in the nearest cache. Where the operand runs along the sum,
//! as in the products of all rows with all rows, its strips are transposed as they are copied, or a transposed
//! copy of the whole is made first.

use crate::Request;
use crate::names::fresh;
use crate::plan::{Fate, Plan};
use crate::reuse::{Read, collect};
use crate::shape::{Order, Shape};
use crate::structure::{Nest, Structure, is_name};
use atl_kernel::{Expr, Node};
use std::collections::BTreeSet;

/// The rows of a tile, and its vectors: as many sums as keep the adders busy. The first of machines with few
/// registers.
pub(super) const FEW: (i64, i64) = (4, 2);
pub(super) const MANY: (i64, i64) = (8, 2);

/// From how many registers on there are many.
pub(super) const REGISTERS: u32 = 32;

/// The name of a tile of sums.
pub(super) const RESULTS: &str = "acc";

/// The names of a transposed copy, and of a copy of an operand that is read in two ways.
const ACROSS: &str = "across";
const COPY: &str = "copy";

/// How a tile is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strips {
    /// The operand is copied strip by strip; tiles are computed whole.
    Copied,
    /// The same of an operand that runs along the sum, whose strips are transposed as they are copied.
    Turned,
    /// It is read where it is; what overhangs is split off.
    InPlace,
}

impl Strips {
    /// What a script with such tiles is called.
    pub(super) fn words(self) -> &'static str {
        match self {
            Strips::Copied => "tiles of sums in registers, along copied strips",
            Strips::Turned => "tiles of sums in registers, along strips that are transposed",
            Strips::InPlace => "tiles of sums in registers",
        }
    }
}

/// Has the nest an operand that rows use again, and sums to go around their tiles? What stands in windows of
/// a few terms has vectors enough.
fn is_tiled(nest: &Nest) -> bool {
    nest.reuse.is_some() && nest.terms.iter().any(|terms| terms.literal().is_none())
}

/// The steps for tiles of sums in registers, in every nest that has a use for them.
pub(super) fn tiles(
    request: &Request<'_>,
    source: &Structure,
    lanes: u32,
    strips: Strips,
) -> Option<Vec<String>> {
    let is_copied = strips != Strips::InPlace;
    let mut plan = Plan::plain(vec![Fate::Keep; source.producers.len()], source, source, Some(lanes));
    plan.parallel = false;
    plan.peel = !is_copied;
    plan.unroll = true;
    plan.own_results = true;
    let has_many = request.machine.registers >= REGISTERS && is_copied;
    let (rows, vectors) = if has_many { MANY } else { FEW };
    let nests = source.producers.iter().map(|p| source.nest_of(&p.name)).chain([&source.nest]);
    let (mut is_any, mut is_turned) = (false, strips != Strips::Turned);
    for (slot, nest) in plan.stored.iter_mut().chain([&mut plan.result]).zip(nests) {
        let Some(reuse) = nest.reuse.as_ref().filter(|_| is_tiled(nest)) else { continue };
        is_turned |= reuse.transposed;
        let size = (rows, vectors * i64::from(lanes));
        *slot = Shape { copied: is_copied, ..Shape::plain(nest).strips(reuse.rows, size) };
        is_any = true;
    }
    (is_any && is_turned).then(|| plan.steps(source, source))
}

/// How many vectors of sums stand side by side where nothing is used again: none waits for another.
const ABREAST: i64 = 4;

/// The steps for a few vectors of sums side by side in registers, in nests of long sums in which rows use no
/// operand again.
pub(super) fn abreast(request: &Request<'_>, source: &Structure, lanes: u32) -> Option<Vec<String>> {
    let mut reads = Vec::new();
    collect(request.body, &mut Vec::new(), request.names, &mut reads)?;
    let mut plan = Plan::plain(vec![Fate::Keep; source.producers.len()], source, source, Some(lanes));
    (plan.parallel, plan.peel, plan.unroll, plan.own_results) = (false, true, true, true);
    let nests = source.producers.iter().map(|p| source.nest_of(&p.name)).chain([&source.nest]);
    let width = ABREAST * i64::from(lanes);
    let mut is_any = false;
    for (slot, nest) in plan.stored.iter_mut().chain([&mut plan.result]).zip(nests) {
        let is_wide = nest.counts.last().is_some_and(|count| count.literal().is_none_or(|n| n >= width));
        let is_long = nest.terms.iter().all(|terms| terms.literal().is_none());
        let runs_along = |last: &String| {
            let mut own = reads.iter().filter(|read| read.follows(last));
            own.all(|read| read.indices.last().is_some_and(|index| index.contains(last)))
        };
        let is_alone = nest.reuse.is_none() && nest.sums.len() == 1;
        if is_alone && is_long && is_wide && nest.gens.last().is_some_and(runs_along) {
            *slot = Shape { order: Order::AroundTile, ..Shape::plain(nest).tiled(&[width]) };
            is_any = true;
        }
    }
    is_any.then(|| plan.steps(source, source))
}

/// The same where a sum over entries stands around the last loop: two vectors, since columns may be few.
pub(super) fn entries_abreast(body: &Expr, lanes: u32) -> Option<Vec<String>> {
    let mut gens = 0;
    let mut e = body;
    while let Node::Gen(_, _, inner) = &**e {
        gens += 1;
        e = inner;
    }
    let Node::Sum(sum, _, row) = &**e else { return None };
    let Node::Gen(last, _, term) = &**row else { return None };
    let names = [&*sum.name, &*last.name];
    if gens == 0 || !is_scalar_term(term) || !names.into_iter().all(is_name) {
        return None;
    }
    let [sum, last] = names;
    let width = 2 * i64::from(lanes);
    Some(vec![
        format!("split {last} by {width}"),
        format!("reorder {last}.o, {sum}, {last}.i"),
        format!("stage {sum} as {RESULTS}"),
        format!("store {RESULTS} in register"),
        "peel".to_owned(),
        format!("vectorize {RESULTS}/{last}.i, {last}.i by {lanes}"),
    ])
}

/// Has the term no loops?
pub(super) fn is_scalar_term(e: &Expr) -> bool {
    let is_loop = matches!(**e, Node::Gen(..) | Node::Sum(..) | Node::Iterate(_) | Node::Op(..));
    !is_loop && e.children().all(|at| e.child(at).is_none_or(is_scalar_term))
}

/// The steps that make copies of operands, so that one runs along the last loop: transposed ones of those of
/// which each row is added up with all rows of another, and plain ones of those of which each column is
/// added up with all of its columns.
pub(super) fn copies(request: &Request<'_>, source: &Structure) -> Vec<String> {
    let mut reads = Vec::new();
    if collect(request.body, &mut Vec::new(), request.names, &mut reads).is_none() {
        return Vec::new();
    }
    let labels = request.named_sizes.values().map(|(name, _)| name.clone());
    let mut taken: BTreeSet<String> =
        request.names.values().chain(&source.lets).cloned().chain(labels).collect();
    let (mut steps, mut seen) = (Vec::new(), BTreeSet::new());
    let reads: Vec<&Read> = reads.iter().collect();
    for nest in source.producers.iter().filter(|p| p.outside).map(|p| &p.nest).chain([&source.nest]) {
        let step = across(nest, &reads, &mut taken, &mut seen);
        steps.extend(step.or_else(|| twice(nest, &reads, &mut taken, &mut seen)));
    }
    steps
}

/// The step that makes a copy for a nest of an operand along its last loop that other loops read, too: the
/// copy alone is cut in strips. None if it has been seen.
fn twice(
    nest: &Nest,
    reads: &[&Read],
    taken: &mut BTreeSet<String>,
    seen: &mut BTreeSet<(String, String)>,
) -> Option<String> {
    let (last, others) = nest.gens.split_last()?;
    let read = reads.iter().find(|read| {
        let is_along =
            read.indices.len() > 1 && read.indices.last().is_some_and(|index| index.contains(last));
        let is_other = |other: &&Read| {
            let mut rows = others.iter().filter(|row| !read.follows(row));
            other.of == read.of && !other.follows(last) && rows.any(|row| other.follows(row))
        };
        is_along && read.is_exact() && reads.iter().any(is_other)
    })?;
    if !seen.insert((read.of.clone(), last.clone())) {
        return None;
    }
    let index = |loops: &BTreeSet<String>| if loops.contains(last) { last.clone() } else { "_".to_owned() };
    let pattern: Vec<String> = read.indices.iter().map(index).collect();
    Some(format!("stage {}[{}] at root as {}", read.of, pattern.join(", "), fresh(taken, COPY)))
}

/// The step that makes a transposed copy for a nest, of the first of these reads that it has a use for; none
/// if it has been seen.
pub(super) fn across(
    nest: &Nest,
    reads: &[&Read],
    taken: &mut BTreeSet<String>,
    seen: &mut BTreeSet<(String, String)>,
) -> Option<String> {
    let last = nest.gens.last()?;
    let read = reads.iter().find(|read| runs_along_sum(read, nest, last))?;
    if !seen.insert((read.of.clone(), last.clone())) {
        return None;
    }
    let rank = read.indices.len();
    let pattern: Vec<&str> = (0..rank).map(|k| if k + 2 == rank { last } else { "_" }).collect();
    let name = fresh(taken, ACROSS);
    Some(format!("pack {}[{}] at root as {name} by {}", read.of, pattern.join(", "), last_two_turned(rank)))
}

/// The operators that make the last two dimensions change places: they come first, and go back transposed.
fn last_two_turned(rank: usize) -> String {
    let rotate = format!("rotate_{rank}");
    match rank {
        0..=2 => "transpose".to_owned(),
        3 => format!("{rotate}, transpose"),
        _ => [vec![rotate.as_str(); 2], vec!["transpose"], vec![&rotate; rank - 2]].concat().join(", "),
    }
}

/// The name of what a sum adds up without the factors that do not depend on it.
pub(super) const PART: &str = "part";

/// The step that adds up the last of several sums by itself, and multiplies by the other factors afterwards;
/// and the name of what it makes, which stands in the result's outer loops that its operands depend on.
pub(super) fn factored(request: &Request<'_>, source: &Structure) -> Option<(String, String)> {
    let Nest { gens, sums, .. } = &source.nest;
    let ([others @ .., last], Some((_, around))) = (sums.as_slice(), gens.split_last()) else { return None };
    let mut reads = Vec::new();
    collect(request.body, &mut Vec::new(), request.names, &mut reads)?;
    let own: BTreeSet<&String> =
        reads.iter().filter(|read| read.follows(last)).flat_map(|read| read.loops()).collect();
    let outside = around.iter().take_while(|name| own.contains(name)).count();
    let inside = others.iter().chain(&gens[outside..]).filter(|name| own.contains(name));
    let inside: Vec<&str> = inside.map(String::as_str).collect();
    if others.is_empty() || inside.is_empty() {
        return None;
    }
    let place = gens[..outside].last().map_or("root", String::as_str);
    let named = request.names.values().chain(&source.lets).cloned();
    let part = fresh(&mut named.collect(), PART);
    // The result's last loop stays the last: operands run along it.
    let step = format!("factor {last} as {part}[{}] at {place}", inside.join(", "));
    Some((part, step))
}

/// Does a read run along a sum where the nest's last loop chooses its row, for other rows again?
fn runs_along_sum(read: &Read, nest: &Nest, last: &String) -> bool {
    let [.., row, along] = read.indices.as_slice() else { return false };
    let is_own = |loops: &BTreeSet<String>, name: &String| loops.len() == 1 && loops.contains(name);
    let is_sum = |name: &String| is_own(along, name);
    let uses_again = |around: &String| !read.follows(around);
    read.is_exact() && is_own(row, last) && nest.sums.iter().any(is_sum) && nest.gens.iter().any(uses_again)
}
