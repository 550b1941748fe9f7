//! Scripts for windows that move in two directions: rows of results are joined, so that tiles run on from one
//! row to the next.
//!
//! **The one idea.** A row of results that is no whole number of tiles leaves lanes idle at its end, in every
//! row. Where windows are read from rows that are somewhat longer, rows of results that are computed just as
//! long are one row: result `t` of it reads `t + r * W + s` of the operand as one row. A few results at the
//! end of each row mean nothing, and are dropped when the others are copied to where they belong.
//!
//! What is needed of a program is that its result has two last loops, that an operand is read at the first
//! plus something and the second plus something, and that another loop of the result uses these reads again,
//! with an operand that knows nothing of the two. The length of a row has to be promised. What the numbers
//! are follows from the registers and the caches.

use crate::extent::{Extent, assumptions};
use crate::names::fresh;
use crate::reuse::Reuse;
use crate::shape::WRITTEN;
use crate::structure::{Known, Nest};
use std::collections::BTreeSet;

/// Such a nest.
pub(crate) struct Joined<'n> {
    nest: &'n Nest,
    reuse: &'n Reuse,
    /// The loops of the result other than that of the rows that use reads again, and the last two.
    others: Vec<&'n String>,
    row: &'n String,
    last: [&'n String; 2],
    /// How many results there are in either direction, and rows of tiles.
    results: [i64; 2],
    /// The operand's extents.
    shape: Vec<Extent>,
    length: i64,
}

/// What scripts are written for.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// How many cells a vector register holds.
    pub(crate) lanes: i64,
    /// How many threads.
    pub(crate) threads: i64,
    /// How many cells of the operand may be at hand at once.
    pub(crate) cells: i64,
}

impl<'n> Joined<'n> {
    /// That of a result, if its rows are no whole vectors.
    pub(crate) fn of(nest: &'n Nest, known: Known<'_>, lanes: i64) -> Option<Joined<'n>> {
        let reuse = nest.reuse.as_ref().filter(|reuse| !reuse.transposed && reuse.table.is_some())?;
        let (before, last) = nest.gens.split_last_chunk::<2>()?;
        let row = before.get(reuse.rows)?;
        let others = before.iter().filter(|name| *name != row).collect();
        let count = |k: usize| nest.counts.get(nest.gens.len() - k)?.value();
        let results = [count(2)?, count(1)?];
        let shape: Vec<Extent> =
            known.shapes.get(&reuse.along)?.iter().map(|ix| Extent::of(ix, known.sizes)).collect();
        let length = shape.last()?.number()?;
        // Reads that move with the two loops, one in either of the last two indices.
        let moves = |index: usize, name: &String| {
            reuse.indices.len() >= 2 && reuse.indices[reuse.indices.len() - index].contains(name)
        };
        let windows = moves(2, &last[0]) && moves(1, &last[1]) && !moves(2, &last[1]) && !moves(1, &last[0]);
        let idle = results[1] % lanes != 0 && results[1] < length && results[0] > 1;
        let plain = nest.within.is_none() && !nest.epilogue && (2..=4).contains(&shape.len());
        let last = last.each_ref();
        (windows && idle && plain).then_some(Joined {
            nest,
            reuse,
            others,
            row,
            last,
            results,
            shape,
            length,
        })
    }

    /// The script with tiles of these rows and cells; none where there are fewer.
    pub(crate) fn script(
        &self,
        taken: &[String],
        target: Target,
        (height, width): (i64, i64),
    ) -> Option<Vec<String>> {
        let ([p, q], k, x, w) = (self.last, self.row, &self.reuse.along, self.reuse.table.as_ref()?);
        let Target { lanes, threads, cells } = target;
        let (length, slab) = (self.length, self.slab(threads, cells)?);
        if slab * length < width {
            return None;
        }
        let mut taken: BTreeSet<String> =
            taken.iter().chain(&self.nest.gens).chain(&self.nest.sums).cloned().collect();
        let names = ["flat", "rows", "acc", "window", "table", "t", "u"];
        let [flat, rows, acc, window, table, t, u] = names.map(|name| fresh(&mut taken, name));
        let (mut promises, mut all) = (BTreeSet::new(), 1);
        let short = self.nest.sums.iter().zip(&self.nest.terms).rev().take_while(|(_, terms)| {
            all = terms.number().filter(|n| *n > 0).map_or(i64::MAX, |n| n.saturating_mul(all));
            all <= WRITTEN
        });
        let written: Vec<String> = short
            .map(|(sum, terms)| {
                terms.promised(&mut promises);
                format!("{acc}/{sum}")
            })
            .collect();
        self.shape.last()?.promised(&mut promises)?;
        let sums = |of: &String| {
            self.nest.sums.iter().map(|sum| format!("{of}/{sum}")).collect::<Vec<_>>().join(", ")
        };
        let others: String = self.others.iter().map(|name| format!("{name}, ")).collect();
        let place = self.others.first().map_or_else(|| format!("{p}.o"), ToString::to_string);
        let sum = self.nest.sums.first()?;
        let around = match self.others.first().and_then(|first| self.count_of(first)) {
            Some(count) if count >= threads => place.clone(),
            _ => format!("{p}.o"),
        };
        let mut steps: Vec<String> = assumptions(&promises).collect();
        steps.extend([
            "rounding real".to_owned(),
            format!("pack {x} at root as {flat} by {}", joining(self.shape.len())),
            format!("split {q} by {length}"),
            format!("split {p} by {slab}"),
            format!("reorder {others}{p}.o, {q}.o, {k}, {p}.i, {q}.i"),
            format!("fuse {p}.i, {q}.i as {t}"),
            format!("stage {t} as {rows}"),
            format!("pad {rows} from {w}"),
            format!("hoist {rows} at {q}.o"),
            format!("rename {t} to {u}"),
            "rw split_of_gen".to_owned(),
            format!("split {rows}/{k} by {height}"),
            format!("split {rows}/{t} by {width}"),
            format!("reorder {rows}/{k}.o, {rows}/{t}.o, {}, {rows}/{k}.i, {rows}/{t}.i", sums(&rows)),
            format!("stage {rows}/{sum} as {acc}"),
            format!("pad {acc} from {w}"),
            "simplify".to_owned(),
            format!("stage {flat} at {q}.o as {window}"),
            format!("inline {flat}"),
            format!("stage {w} at {place} as {table} along {rows}/{k}.o, {}, {acc}/{k}.i", sums(&acc)),
            format!("hoist {table}"),
            "simplify".to_owned(),
            format!("store {acc} in register"),
        ]);
        steps.extend((threads > 1).then(|| format!("parallel {around}")));
        steps.extend([
            format!(
                "unroll {}",
                [written, vec![format!("{acc}/{k}.i"), format!("{rows}/{k}.i")]].concat().join(", ")
            ),
            format!("vectorize {acc}/{t}.i, {rows}/{t}.i, {window}/{t}.i, {u}.i by {lanes}"),
        ]);
        Some(steps)
    }

    /// How many rows are joined: as many as leave the operand's part at hand and each thread something to do,
    /// and divide all, if some number does.
    fn slab(&self, threads: i64, cells: i64) -> Option<i64> {
        let [height, _] = self.results;
        // What the sums go along, but for the window itself, is at hand for each cell of a row.
        let depth: i64 = self.shape.iter().rev().skip(2).map(|n| n.value().unwrap_or(1)).next().unwrap_or(1);
        let most = (cells / self.length.saturating_mul(depth).max(1)).min(height.div_euclid(threads)).max(2);
        let divisor = (2..=most).rev().find(|rows| height % rows == 0);
        divisor.or((most <= height).then_some(most))
    }

    fn count_of(&self, name: &String) -> Option<i64> {
        self.nest.gens.iter().zip(&self.nest.counts).find(|(gen_name, _)| *gen_name == name)?.1.value()
    }
}

/// The operators that make the last two dimensions one.
fn joining(rank: usize) -> String {
    let front = |rank: usize| match rank {
        2 => "transpose".to_owned(),
        _ => format!("rotate_{rank}"),
    };
    let mut steps = Vec::new();
    if rank > 2 {
        steps.extend([front(rank), front(rank)]);
    }
    steps.push("flatten".to_owned());
    steps.extend((2..rank).map(|_| front(rank - 1)));
    steps.join(", ")
}
