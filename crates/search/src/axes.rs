//! Scripts for a tensor that is multiplied by a matrix along each of three axes: one product after the other,
//! each a tile of vectors in registers.
//!
//! **The one idea.** Sums over a product which pair each of their loops with one of the result are as many
//! contractions. Along short axes these are quick if lanes run along memory in all of them: along rows, along
//! the rows of several slices, along slices; so nothing is transposed but a matrix. There are few numbers to
//! choose, and they follow from the extents and the registers. Where a whole slice is no more than a vector
//! or two, the two inner contractions are better done as one, by a table of products.
//!
//! What is written out has a number of iterations, so a script promises the sizes that the axes have. Nothing
//! is known of what is computed: any algebra, and any matrices, in which the kernel accepts the steps.

use crate::extent::{Extent, Sizes, assumptions};
use crate::names::fresh;
use crate::reuse::{Names, Read, binder, collect};
use crate::structure::is_name;
use atl_kernel::{Expr, Ix, Node};
use std::collections::BTreeSet;

/// How many terms of a sum are written out at most.
const WRITTEN_OUT: i64 = 16;

/// The most cells that are allocated at once; more only slice by slice.
const ASKED_WHOLE: i64 = 1024;

/// Three loops of the result, from outside inward, each with the sum along the same axis.
#[derive(Clone, Debug)]
pub(crate) struct Axes {
    /// The loop around them.
    at: String,
    gens: [Loop; 3],
    sums: [Loop; 3],
    /// The tensor.
    tensor: String,
    /// The matrix along the innermost axis, if its rows are the result's.
    transposed: Option<String>,
    /// The sizes that the extents are.
    promised: BTreeSet<(String, i64)>,
    /// Names that are taken.
    taken: BTreeSet<String>,
}

/// A loop.
#[derive(Clone, Debug)]
struct Loop {
    name: String,
    extent: i64,
}

/// What scripts are written for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// How many cells a vector register holds.
    pub(crate) lanes: i64,
    /// How many vector registers there are.
    pub(crate) registers: i64,
    /// Is there work for threads?
    pub(crate) parallel: bool,
}

impl Axes {
    /// Those of a body, if it is nothing else.
    pub(crate) fn of(body: &Expr, names: &Names, sizes: &Sizes) -> Option<Axes> {
        let (mut gens, mut sums, mut e) = (Vec::new(), Vec::new(), body);
        loop {
            let (into, extent, inner) = match &**e {
                Node::Gen(_, extent, inner) if sums.is_empty() => (&mut gens, extent, inner),
                Node::Sum(_, extent, inner) => (&mut sums, extent, inner),
                _ => break,
            };
            into.push((binder(e), extent));
            e = inner;
        }
        let scope: Vec<String> = gens.iter().chain(&sums).map(|(name, _)| name.clone()).collect();
        let params = names.values().chain(sizes.values().map(|(name, _)| name));
        let taken: BTreeSet<String> = scope.iter().chain(params).cloned().collect();
        if taken.len() < scope.len() || !scope.iter().all(|name| is_name(name)) {
            return None;
        }
        let mut reads = Vec::new();
        collect(e, &mut scope.clone(), names, &mut reads)?;
        let mut promised = BTreeSet::new();
        let mut known = |loops: &[(String, &Ix)]| -> Option<Vec<Loop>> {
            let mut extent = |ix: &Ix| Extent::of(ix, sizes).promised(&mut promised);
            let found = loops.iter().map(|(name, ix)| Some(Loop { name: name.clone(), extent: extent(ix)? }));
            found.collect()
        };
        let (around, inner) = gens.split_last_chunk::<3>()?;
        let (at, _) = around.last()?;
        let gens: [Loop; 3] = known(inner)?.try_into().ok()?;
        let sums: [Loop; 3] = known(&sums)?.try_into().ok()?;
        let matrix = |k: usize| {
            let own = |read: &&Read| read.loops() == BTreeSet::from([&gens[k].name, &sums[k].name]);
            reads.iter().find(own)
        };
        let all = |read: &&Read| sums.iter().all(|sum| read.follows(&sum.name));
        let [tensor] = reads.iter().filter(all).collect::<Vec<_>>()[..] else { return None };
        let tensor = tensor.of.clone();
        let last = (0..3).map(matrix).collect::<Option<Vec<_>>>()?.pop()?;
        let transposed = last.indices.first()?.contains(&gens[2].name).then(|| last.of.clone());
        let at = at.clone();
        (reads.len() == 4).then_some(Axes { at, gens, sums, tensor, transposed, promised, taken })
    }

    /// Scripts that differ in their numbers, for what the caches hold, and for what passes them by: then the
    /// tensor is asked for early, and results are stored past them.
    pub(crate) fn scripts(&self, target: Target) -> Vec<Vec<String>> {
        let (at, u) = (&self.at, &self.tensor);
        let table = self.table(target).map(|script| (script, format!("prefetch {u} at {at} by 3")));
        let slices = [1, 2].iter().filter_map(|k| {
            let (script, slice) = self.slices(target, *k)?;
            let whole = self.sums.iter().map(|sum| sum.extent).product::<i64>() <= ASKED_WHOLE;
            let group = script.iter().find_map(|step| step.strip_prefix("compute ")?.split_once(" at "));
            let early = match (whole, group) {
                (true, _) => format!("prefetch {u} at {at} by 2 in {slice}"),
                (false, group) => format!("prefetch {u} at {at}, {}, {slice} by 4", group?.1),
            };
            Some((script, early))
        });
        let (plain, early): (Vec<_>, Vec<_>) = table.into_iter().chain(slices).unzip();
        let passing = plain.iter().zip(early);
        let passing: Vec<Vec<String>> = passing
            .map(|(script, early)| [script.as_slice(), &[early, "stream".to_owned()]].concat())
            .collect();
        [plain, passing].concat()
    }

    /// What all scripts begin with.
    fn first_steps(&self) -> Vec<String> {
        assumptions(&self.promised).chain(["rounding real".to_owned()]).collect()
    }

    /// Two products of some slices at a time, of `factor` times as many as fill vectors, and the last one of
    /// all slices. Also what the loop over slices is called.
    fn slices(&self, target: Target, factor: i64) -> Option<(Vec<String>, String)> {
        let [[i, j, k], [l, m, n]] = [&self.gens, &self.sums].map(|loops| loops.each_ref().map(|l| &l.name));
        let [_, height, width] = self.gens.each_ref().map(|l| l.extent);
        let (wide, at) = (target.lanes, &self.at);
        let row = u64::try_from(width).ok()?.checked_next_power_of_two()?.min(wide.unsigned_abs());
        // So many rows are whole vectors.
        let rows = wide / gcd(width, wide)?;
        let group = (rows * factor).max(2);
        let vectors = |rows: i64| (rows * width).div_euclid(wide);
        let budget = target.registers * 5 / 8;
        let fits = |extent: i64, rows: i64| largest_divisor(extent, budget / vectors(rows).max(1));
        let (own, columns) = (fits(height, group)?, fits(self.gens[0].extent, group)?);
        if self.sums[1].extent > budget || self.sums[0].extent % group != 0 || height % group != 0 {
            return None;
        }
        let mut names = self.taken.clone();
        let [t, s, g, b] = ["t", "s", "g", "b"].map(|name| fresh(&mut names, name));
        let [slice, line, z] = ["slice", "line", "z"].map(|name| fresh(&mut names, name));
        let [o, p, q, r] = ["o", "p", "q", "r"].map(|name| fresh(&mut names, name));
        let [first, second, last] = [n, m, l].map(|sum| fresh(&mut names, &format!("sum_{sum}")));
        let mut steps = self.first_steps();
        steps.push(format!("factor {n} at {at} as {t}[{m}, {l}, {k}]"));
        steps.push(format!("factor {m} at {at} as {s}[{l}, {j}, {k}]"));
        let packed = |matrix: &String| format!("pack {matrix} at root as {b} by transpose");
        steps.extend(self.transposed.as_ref().map(packed));
        steps.extend([
            format!("split {s}/{l} by {group}"),
            format!("reorder {s}/{l}.o, {s}/{j}, {s}/{l}.i, {s}/{k}"),
            format!("stage {s}/{j} as {g}"),
            format!("split {g}/{j} by {own}"),
            format!("reorder {g}/{j}.o, {g}/{m}, {g}/{j}.i, {g}/{l}.i, {g}/{k}"),
            format!("stage {g}/{m} as {second}"),
            format!("rename {t}/{l} to {slice}"),
            format!("rename {t}/{m} to {line}"),
            format!("rename {t}/{k} to {z}"),
            format!("compute {t} at {s}/{l}.o"),
            format!("split {t}/{z} by {row}"),
            format!("reorder {t}/{slice}, {t}/{z}.o, {t}/{n}, {t}/{line}, {t}/{z}.i"),
            format!("stage {t}/{n} as {first}"),
        ]);
        steps.extend((width % row.cast_signed() != 0).then(|| format!("pad {first}")));
        steps.extend([
            format!("tile {i}, {j} by {columns}, {group}"),
            format!("reorder {i}.o, {j}.o, {l}, {i}.i, {j}.i, {k}"),
            format!("stage {l} as {last}"),
            format!("fuse {second}/{l}.i, {second}/{k} as {o}"),
            format!("fuse {g}/{l}.i, {g}/{k} as {p}"),
            format!("fuse {last}/{j}.i, {last}/{k} as {q}"),
            format!("fuse {j}.i, {k} as {r}"),
        ]);
        steps.extend([&first, &second, &last].map(|sum| format!("store {sum} in register")));
        steps.extend(target.parallel.then(|| format!("parallel {at}")));
        steps.push(format!(
            "unroll {first}/{line}, {t}/{line}, {second}/{j}.i, {g}/{j}.i, {last}/{i}.i, {i}.i"
        ));
        steps.push(format!("vectorize {first}/{z}.i, {t}/{z}.i, {s}/{k} by {row}"));
        steps.push(format!("vectorize {second}/{o}, {g}/{p}, {last}/{q}, {r} by {wide}"));
        Some((steps, slice))
    }

    /// The two inner products as one, by a table of the products of their matrices; then the outer one.
    fn table(&self, target: Target) -> Option<Vec<String>> {
        let [[i, j, k], [l, m, n]] = [&self.gens, &self.sums].map(|loops| loops.each_ref().map(|l| &l.name));
        let [results, height, width] = self.gens.each_ref().map(|l| l.extent);
        let (wide, at) = (target.lanes, &self.at);
        let vectors = height * width / wide;
        let slices = self.sums[0].extent;
        if height * width % wide != 0 || !(1..=2).contains(&vectors) || slices.max(results) * vectors > 8 {
            return None;
        }
        let mut names = self.taken.clone();
        let [t, table] = ["t", "table"].map(|name| fresh(&mut names, name));
        let [o, p, q, r] = ["o", "p", "q", "r"].map(|name| fresh(&mut names, name));
        let [inner, outer] = [m, l].map(|sum| fresh(&mut names, &format!("sum_{sum}")));
        let mut steps = self.first_steps();
        steps.extend([
            format!("factor {m}, {n} at {at} as {t}[{l}, {j}, {k}]"),
            format!("reorder {t}/{l}, {t}/{m}, {t}/{n}, {t}/{j}, {t}/{k}"),
            format!("fission {t}/{k} as {table}"),
            format!("hoist {table}"),
            format!("reorder {t}/{m}, {t}/{n}, {t}/{l}, {t}/{j}, {t}/{k}"),
            format!("stage {t}/{m} as {inner}"),
            format!("reorder {l}, {i}, {j}, {k}"),
            format!("stage {l} as {outer}"),
            format!("fuse {inner}/{j}, {inner}/{k} as {o}"),
            format!("fuse {t}/{j}, {t}/{k} as {p}"),
            format!("fuse {outer}/{j}, {outer}/{k} as {q}"),
            format!("fuse {j}, {k} as {r}"),
        ]);
        steps.extend([&inner, &outer, &t].map(|tensor| format!("store {tensor} in register")));
        steps.extend(target.parallel.then(|| format!("parallel {at}")));
        if self.sums[1].extent * self.sums[2].extent <= WRITTEN_OUT {
            steps.push(format!("unroll {inner}/{m}, {inner}/{n}"));
        }
        steps.push(format!("unroll {inner}/{l}, {t}/{l}, {outer}/{l}, {outer}/{i}, {i}"));
        steps.push(format!("vectorize {inner}/{o}, {t}/{p}, {outer}/{q}, {r} by {wide}"));
        Some(steps)
    }
}

fn largest_divisor(of: i64, at_most: i64) -> Option<i64> {
    (1..=at_most.min(of)).rev().find(|k| of % k == 0)
}

fn gcd(a: i64, b: i64) -> Option<i64> {
    (1..=a.min(b)).rev().find(|k| a % k == 0 && b % k == 0)
}
