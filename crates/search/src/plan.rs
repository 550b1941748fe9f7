//! A plan: every decision about a program, and the script that carries them out.
//!
//! **The one idea.** A plan is data, so that a neighbour of it is one decision changed; its script is a
//! function of it. Whether the script means anything is not asked here: the kernel refuses what does not.

use crate::extent::assumptions;
use crate::names::fresh;
use crate::shape::{Shape, Shaped};
use crate::structure::{Nest, Structure};
use std::collections::BTreeSet;

/// What becomes of a producer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is stored whole.
    Keep,
    /// It is recomputed where it is read.
    Inline,
    /// Its window is computed in the outermost loop of the result.
    AtFirst,
    /// Its window is computed in the innermost loop over tiles.
    AtLast,
}

/// Every decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    /// For each producer.
    pub(crate) fates: Vec<Fate>,
    /// The loops of the result.
    pub(crate) result: Shape,
    /// The loops of each producer.
    pub(crate) stored: Vec<Shape>,
    /// Are the iterations that keep guards alive split off?
    pub(crate) peel: bool,
    /// Is a tile of sums, or a window, in memory of its own that is as near as can be?
    pub(crate) own_results: bool,
    /// Are the loops of a tile written out?
    pub(crate) unroll: bool,
    /// Are the outermost loops run by threads?
    pub(crate) parallel: bool,
    /// The lanes of the innermost loops.
    pub(crate) lanes: Option<u32>,
    /// May products and sums be fused?
    pub(crate) fused: bool,
    /// Is the result stored past the caches?
    pub(crate) streams: bool,
}

/// The names of the memory in which a tile is summed up, of a copy of an operand, and of a table of another.
const RESULTS: &str = "acc";
const COPY: &str = "panel";
const TABLE: &str = "table";

/// Loops of a tile with more iterations than this are not written out.
const UNROLLED: i64 = 16;

/// A nest of a plan.
struct Planned<'p> {
    shaped: Shaped<'p>,
    /// Is it a window in a loop of the result?
    window: Option<Fate>,
    /// The memory in which its sums are summed up.
    results: Option<String>,
    /// The copied strip.
    copy: Option<String>,
}

impl Plan {
    /// Nothing but threads and lanes, for a program and what it is after inlining.
    pub(crate) fn plain(
        fates: Vec<Fate>,
        source: &Structure,
        inlined: &Structure,
        lanes: Option<u32>,
    ) -> Plan {
        let stored = source.producers.iter().map(|p| Shape::plain(inlined.nest_of(&p.name))).collect();
        let result = Shape::plain(&inlined.nest);
        Plan {
            fates,
            result,
            stored,
            peel: false,
            own_results: false,
            unroll: false,
            parallel: true,
            lanes,
            fused: false,
            streams: false,
        }
    }

    /// Changes what becomes of a producer; a window begins as it was written.
    pub(crate) fn set_fate(&mut self, k: usize, fate: Fate, nest: &Nest) {
        self.fates[k] = fate;
        self.stored[k] = Shape::plain(nest);
    }

    /// The steps that inline; what they leave is what the rest is planned for.
    pub(crate) fn inlining(fates: &[Fate], source: &Structure) -> Vec<String> {
        let inlined = source.producers.iter().zip(fates).filter(|(_, fate)| **fate == Fate::Inline);
        let mut steps: Vec<String> = inlined.map(|(p, _)| format!("inline {}", p.name)).collect();
        if !steps.is_empty() {
            steps.push("simplify".to_owned());
        }
        steps
    }

    /// The steps, for a program and what it is after inlining.
    pub(crate) fn steps(&self, source: &Structure, inlined: &Structure) -> Vec<String> {
        let mut nests = self.nests(source, inlined);
        let mut steps = self.promises(&nests);
        steps.extend(self.fused.then(|| "rounding real".to_owned()));
        steps.extend(Plan::inlining(&self.fates, source));
        let mut taken: BTreeSet<String> = inlined.lets.iter().cloned().collect();
        let result = Shaped { nest: &inlined.nest, shape: &self.result };
        for nest in nests.iter_mut().filter(|nest| nest.window.is_none()) {
            nest.arrange(&mut steps);
            nest.stage_sums(self.own_results, &mut taken, &mut steps);
            nest.copy_strip(&mut taken, &mut steps);
            nest.tabulate(&mut taken, &mut steps);
        }
        let (loops, outer) = (result.loops(), result.outer());
        // A producer's readers have their windows before it has its own.
        for nest in &mut nests {
            let target = match nest.window {
                None => continue,
                Some(Fate::AtFirst) => loops.first(),
                Some(_) => loops.iter().rfind(|name| outer.contains(name)),
            };
            let (Some(target), Some(name)) = (target, &nest.shaped.nest.within) else { continue };
            steps.push(format!("compute {name} at {target}"));
            nest.arrange(&mut steps);
            if self.own_results {
                steps.push(format!("store {name} in {}", if self.unroll { "register" } else { "stack" }));
            }
        }
        if self.peel {
            steps.push("peel".to_owned());
        }
        for nest in nests.iter().filter(|nest| self.parallel && nest.window.is_none()) {
            if let (Some(first), false) = (nest.shaped.loops().first(), nest.shaped.nest.gens.is_empty()) {
                steps.push(format!("parallel {}", nest.shaped.qualified(first)));
            }
        }
        for nest in nests.iter().filter(|_| self.unroll) {
            nest.unroll(&mut steps);
        }
        if let Some(lanes) = self.lanes {
            self.vectorize(&nests, inlined, lanes, &mut steps);
        }
        if self.streams {
            steps.push("stream".to_owned());
        }
        steps
    }

    /// The numbers of terms of the sums that are written out.
    fn promises(&self, nests: &[Planned<'_>]) -> Vec<String> {
        let mut promises = BTreeSet::new();
        for nest in nests.iter().filter(|_| self.unroll) {
            nest.shaped.written().iter().for_each(|(_, terms)| {
                terms.promised(&mut promises);
            });
        }
        assumptions(&promises).collect()
    }

    /// The nests whose loops are planned: the producers that are stored, then the result.
    fn nests<'p>(&'p self, source: &Structure, inlined: &'p Structure) -> Vec<Planned<'p>> {
        let stored = source.producers.iter().zip(&self.fates).zip(&self.stored);
        let stored = stored.filter(|((producer, fate), _)| **fate != Fate::Inline && producer.outside);
        let stored = stored.map(|((producer, fate), shape)| Planned {
            shaped: Shaped { nest: inlined.nest_of(&producer.name), shape },
            window: (*fate != Fate::Keep).then_some(*fate),
            results: None,
            copy: None,
        });
        let result = Planned {
            shaped: Shaped { nest: &inlined.nest, shape: &self.result },
            window: None,
            results: None,
            copy: None,
        };
        stored.chain([result]).collect()
    }

    fn vectorize(&self, nests: &[Planned<'_>], inlined: &Structure, lanes: u32, steps: &mut Vec<String>) {
        // A loop that sums went around is innermost now.
        let mut names: Vec<String> = Vec::new();
        for nest in nests.iter().filter(|nest| nest.shaped.moves_sums()) {
            let Some(last) = nest.shaped.nest.gens.last() else { continue };
            let name = nest.shaped.within_tile(last);
            names.push(nest.shaped.qualified(&name));
            names.extend([&nest.results, &nest.copy].into_iter().flatten().map(|x| format!("{x}/{name}")));
        }
        for place in &inlined.innermost {
            let nest = nests.iter().find(|nest| nest.shaped.nest.within == place.within);
            let name = match (nest, &place.within) {
                (Some(nest), _) => nest.shaped.qualified(&nest.shaped.within_tile(&place.name)),
                (None, Some(within)) => format!("{within}/{}", place.name),
                (None, None) => place.name.clone(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        steps.extend(names.iter().map(|name| format!("vectorize {name} by {lanes}")));
    }
}

impl Planned<'_> {
    /// Splits and reorders.
    fn arrange(&self, steps: &mut Vec<String>) {
        let shaped = &self.shaped;
        let (cuts, loops) = (shaped.cuts(), shaped.loops());
        let splits = cuts.iter().map(|(name, size)| format!("split {} by {size}", shaped.qualified(name)));
        let now = match (cuts.as_slice(), shaped.as_tiled()) {
            ([(a, x), (b, y)], Some(tiled)) => {
                steps.push(format!("tile {}, {} by {x}, {y}", shaped.qualified(a), shaped.qualified(b)));
                tiled
            }
            _ => {
                steps.extend(splits);
                shaped.as_written()
            }
        };
        let again = shaped.cut_again();
        steps.extend(again.map(|(name, size)| format!("split {} by {size}", shaped.qualified(&name))));
        if loops != now {
            let names: Vec<String> = loops.iter().map(|name| shaped.qualified(name)).collect();
            steps.push(format!("reorder {}", names.join(", ")));
        }
    }

    /// The sums of a tile in memory of their own: where an epilogue stands between, around the tile's loops,
    /// and else where it is wanted near.
    fn stage_sums(&mut self, near: bool, taken: &mut BTreeSet<String>, steps: &mut Vec<String>) {
        let shaped = &self.shaped;
        let Some(sum) = shaped.nest.sums.first().filter(|_| shaped.moves_sums()) else { return };
        if !shaped.nest.epilogue && !near {
            return;
        }
        let name = fresh(taken, RESULTS);
        steps.push(format!("stage {} as {name}", shaped.qualified(sum)));
        if shaped.nest.epilogue {
            let place = shaped.outer().last().map_or("root".to_owned(), |name| shaped.qualified(name));
            steps.push(format!("store {name} at {place}"));
            let inside = shaped.sums().chain(shaped.inner()).map(|inner| format!("{name}/{inner}"));
            steps.push(format!("reorder {}", inside.collect::<Vec<_>>().join(", ")));
        }
        if near {
            steps.push(format!("store {name} in register"));
        }
        self.results = Some(name);
    }

    /// The operand along the last loop, a strip at a time; then tiles may be computed whole.
    fn copy_strip(&mut self, taken: &mut BTreeSet<String>, steps: &mut Vec<String>) {
        let shaped = &self.shaped;
        let Some((reuse, at)) = shaped.strip() else { return };
        if let (Some(results), false) = (&self.results, reuse.against.is_empty()) {
            steps.push(format!("pad {results} from {}", reuse.against.join(", ")));
        }
        let (name, at) = (fresh(taken, COPY), shaped.qualified(&at));
        let step = format!("stage {} at {at} as {name}", reuse.along);
        steps.push(match (&self.results, shaped.nest.gens.last()) {
            (Some(results), Some(last)) if reuse.transposed || reuse.apart => {
                let own = shaped.sums().chain([shaped.within_tile(last)]);
                let along: Vec<String> = own.map(|name| format!("{results}/{name}")).collect();
                format!("{step} along {}", along.join(", "))
            }
            _ => step,
        });
        self.copy = (!reuse.transposed).then_some(name);
    }

    /// What the tiles of rows read side by side, in the order of their loops; for all of the result at once.
    fn tabulate(&self, taken: &mut BTreeSet<String>, steps: &mut Vec<String>) {
        let shaped = &self.shaped;
        let (Some((operand, rows)), Some(results)) = (shaped.table(), &self.results) else { return };
        let (Some(first), Some(reuse)) = (shaped.loops().into_iter().next(), &shaped.nest.reuse) else {
            return;
        };
        let own = shaped.sums().chain([shaped.within_tile(&shaped.nest.gens[reuse.rows])]);
        let along: Vec<String> = own.map(|name| format!("{results}/{name}")).collect();
        let (name, first, rows) = (fresh(taken, TABLE), shaped.qualified(&first), shaped.qualified(&rows));
        steps.push(format!("stage {operand} at {first} as {name} along {rows}, {}", along.join(", ")));
        steps.push(format!("hoist {name}"));
    }

    /// Writes the loops of a tile out, and those of a window, but for the last.
    fn unroll(&self, steps: &mut Vec<String>) {
        let shaped = &self.shaped;
        let last = shaped.nest.gens.last();
        let mut names: Vec<String> = Vec::new();
        for (name, _) in shaped.tiles().filter(|(name, k)| *k <= UNROLLED && Some(*name) != last) {
            names.push(shaped.qualified(&format!("{name}.i")));
            names.extend(self.results.as_ref().map(|results| format!("{results}/{name}.i")));
        }
        for (sum, _) in shaped.written() {
            names.push(match &self.results {
                Some(results) => format!("{results}/{sum}"),
                None => shaped.qualified(sum),
            });
        }
        if self.window.is_some() {
            let rows = shaped.nest.gens.iter().filter(|name| Some(*name) != last);
            names.extend(rows.map(|name| shaped.qualified(name)));
        }
        if !names.is_empty() {
            steps.push(format!("unroll {}", names.join(", ")));
        }
    }
}
