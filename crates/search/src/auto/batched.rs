//! Rows of a loop that share operands, where each row computes several arrays: a few rows side by side.
//!
//! **The one idea.** A loop whose body binds arrays computes them row by row, and each row reads all of an
//! operand that the next row reads again. The loop is split into blocks of rows, and what its body binds
//! becomes an array of the block's rows. Then a sum of products has rows that use an operand again, like a
//! product of matrices, and a tile of its sums stands in registers. Nothing here knows of attention or of
//! layers: both are loops of this kind.

use super::exact::Exact;
use super::lanes::Lanes;
use super::steps::{WRITTEN, vectors};
use super::tiles::{FEW, MANY, REGISTERS, RESULTS, across};
use crate::names::fresh;
use crate::reuse::{Read, collect};
use crate::structure::{Nest, Structure, is_name, nest};
use crate::{Judge, Request};
use atl_kernel::{Expr, Node, Rounding};
use std::collections::BTreeSet;

/// A loop over rows, and what its body binds.
struct Rows {
    /// The loops around the body; the last one is that over the rows.
    gens: Vec<String>,
    /// What is bound, in order, with its loops.
    lets: Vec<Bound>,
    /// The value, which has no name.
    value: Bound,
}

/// A term of the body, and its loops.
struct Bound {
    name: Option<String>,
    nest: Nest,
    reads: Vec<Read>,
}

/// The steps for blocks of rows; none where no rows of such a loop share an operand of a sum.
pub(super) fn batched(exact: Exact<'_>, lanes: u32, judge: &mut dyn Judge) -> Option<Vec<String>> {
    let request = exact.request;
    let rows = Rows::of(request.body, request)?;
    let taken = request.names.values().chain(rows.names()).cloned();
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let mut taken: BTreeSet<String> = taken.chain(sizes).collect();
    let mut steps = rows.copies(&mut taken);
    let rows = match steps.is_empty() {
        true => rows,
        false => Rows::of(&judge.derive(&steps).ok()?, request)?,
    };
    let tiled: Vec<&Bound> = rows.bound().filter(|bound| rows.shares(bound)).collect();
    let row = rows.gens.last().filter(|_| !tiled.is_empty())?;
    let many = request.machine.registers >= REGISTERS;
    let (height, width) = if many { MANY } else { FEW };
    let width = width * i64::from(lanes);
    steps.push(format!("split {row} by {height}"));
    steps.extend(
        rows.lets.iter().filter_map(|bound| Some(format!("hoist {} at {row}.o", bound.name.as_ref()?))),
    );
    let (mut written, mut along) = (Vec::new(), Vec::new());
    for bound in tiled {
        let Nest { gens, sums, .. } = &bound.nest;
        let ([others @ .., last], Some(sum)) = (gens.as_slice(), sums.first()) else { continue };
        let own =
            |name: &str| bound.name.as_ref().map_or_else(|| name.to_owned(), |of| format!("{of}/{name}"));
        let acc = fresh(&mut taken, RESULTS);
        let at = own(&format!("{last}.o"));
        let others: String = others.iter().map(|name| format!("{}, ", own(name))).collect();
        let inside: Vec<String> = sums.iter().map(|sum| format!("{acc}/{sum}")).collect();
        let [tile_row, tile_last] = [format!("{row}.i"), format!("{last}.i")];
        let follow: BTreeSet<&String> =
            bound.reads.iter().filter(|read| read.follows(row)).map(|read| &read.of).collect();
        let follow: Vec<&str> = follow.into_iter().map(String::as_str).collect();
        let from = if follow.is_empty() { String::new() } else { format!(" from {}", follow.join(", ")) };
        steps.extend([
            format!("split {} by {width}", own(last)),
            format!("reorder {others}{at}, {}, {}", own(&tile_row), own(&tile_last)),
            format!("stage {} as {acc}", own(sum)),
            format!("store {acc} at {at}"),
            format!("reorder {}, {acc}/{tile_row}, {acc}/{tile_last}", inside.join(", ")),
            format!("pad {acc}{from}"),
            format!("store {acc} in register"),
        ]);
        written.extend([own(&tile_row), format!("{acc}/{tile_row}")]);
        along.extend([own(&tile_last), format!("{acc}/{tile_last}")]);
    }
    let body = judge.derive(&steps).ok()?;
    let structure = Structure::of(&body, request.known());
    let sums = Lanes::of(&body, WRITTEN, &|_| true);
    let is_real = request.rounding == Rounding::Real;
    let [make, mark] = match is_real {
        true => {
            let each = sums.steps(&body, exact, lanes);
            [0, 1].map(|k| each.iter().flat_map(|parts| parts[k].clone()).collect())
        }
        false => [Vec::new(), Vec::new()],
    };
    let others = vectors(&body, &structure, &|place| !is_real || !sums.are_in(place), lanes);
    steps.extend(make);
    steps.push(format!("unroll {}", written.join(", ")));
    steps.extend(along.iter().map(|name| format!("vectorize {name} by {lanes}")));
    steps.extend(others);
    steps.extend(mark);
    Some(steps)
}

impl Rows {
    /// Those of a body: its first loop whose body binds something.
    fn of(body: &Expr, request: &Request<'_>) -> Option<Rows> {
        let (mut scope, mut gens, mut lets, mut e) = (Vec::new(), Vec::new(), Vec::new(), body);
        let read = |name: Option<String>, term: &Expr, scope: &[String]| {
            let mut reads = Vec::new();
            collect(term, &mut scope.to_vec(), request.names, &mut reads)?;
            Some(Bound { name, nest: nest(term, scope.to_vec(), request.known()), reads })
        };
        loop {
            match &**e {
                Node::Let(label, bound, inner) => {
                    let name = label.name.to_string();
                    if !gens.is_empty() {
                        lets.push(read(Some(name.clone()), bound, &scope)?);
                    }
                    scope.push(name);
                    e = inner;
                }
                Node::Gen(label, _, inner) if lets.is_empty() => {
                    gens.push(label.name.to_string());
                    scope.push(label.name.to_string());
                    e = inner;
                }
                _ => break,
            }
        }
        let value = read(None, e, &scope)?;
        let rows = Rows { gens, lets, value };
        let mut names = BTreeSet::new();
        let is_clear = scope.iter().all(|name| is_name(name) && names.insert(name));
        (!rows.lets.is_empty() && is_clear).then_some(rows)
    }

    /// All terms of the body.
    fn bound(&self) -> impl Iterator<Item = &Bound> {
        self.lets.iter().chain([&self.value])
    }

    /// All names of loops and of what is bound.
    fn names(&self) -> impl Iterator<Item = &String> {
        let inside = self.bound().flat_map(|bound| bound.nest.gens.iter().chain(&bound.nest.sums));
        self.gens.iter().chain(inside).chain(self.lets.iter().filter_map(|bound| bound.name.as_ref()))
    }

    /// Is what is read each row's own?
    fn is_own(&self, read: &Read) -> bool {
        let is_bound = self.lets.iter().any(|bound| bound.name.as_ref() == Some(&read.of));
        is_bound || self.gens.last().is_some_and(|row| read.follows(row))
    }

    /// Has a term sums over what all rows read along its last loop, with what each row has?
    fn shares(&self, bound: &Bound) -> bool {
        let Nest { gens, sums, terms, .. } = &bound.nest;
        let Some(last) = gens.last().filter(|_| terms.iter().any(|n| n.literal().is_none())) else {
            return false;
        };
        let in_sums = |read: &&Read| sums.iter().any(|sum| read.follows(sum));
        let (along, others): (Vec<&Read>, Vec<&Read>) =
            bound.reads.iter().filter(in_sums).partition(|read| read.follows(last));
        let runs_along = |read: &&Read| read.indices.last().is_some_and(|index| index.contains(last));
        let shared = !along.is_empty() && along.iter().all(|read| !self.is_own(read) && runs_along(read));
        shared && others.iter().any(|read| self.is_own(read))
    }

    /// The steps that make transposed copies of what all rows read along sums.
    fn copies(&self, taken: &mut BTreeSet<String>) -> Vec<String> {
        let mut steps = Vec::new();
        let mut seen = BTreeSet::new();
        for bound in self.bound() {
            let nest = Nest { gens: [&*self.gens, &*bound.nest.gens].concat(), ..bound.nest.clone() };
            let shared: Vec<&Read> = bound.reads.iter().filter(|read| !self.is_own(read)).collect();
            steps.extend(across(&nest, &shared, taken, &mut seen));
        }
        steps
    }
}
