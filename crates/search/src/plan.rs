//! A plan: every decision about a program, and the script that carries them out.
//!
//! **The one idea.** A plan is data, so that a neighbour of it is one decision changed; its script is a function of it.
//! Whether the script means anything is not asked here: the kernel refuses what does not.

use crate::structure::{Nest, Structure};

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

/// Where the sums stand among the loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Inside all loops, as written.
    Inside,
    /// Around the loops of a tile; without tiles, around the innermost loop.
    AroundTile,
    /// The same, with the last dimension's tiles and the blocks of the sums outermost: a panel stays in the cache.
    Panel,
}

/// Every decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    /// For each producer.
    pub(crate) fates: Vec<Fate>,
    /// For each `gen` of the result, the size of its tiles.
    pub(crate) tiles: Vec<Option<i64>>,
    /// For each sum, the size of its blocks.
    pub(crate) blocks: Vec<Option<i64>>,
    /// Where the sums stand.
    pub(crate) order: Order,
    /// Are the iterations that keep guards alive split off?
    pub(crate) peel: bool,
    /// Is a tile of results summed up in memory of its own?
    pub(crate) own_results: bool,
    /// Are the loops of a tile written out?
    pub(crate) unroll: bool,
    /// Is the outermost loop run by threads?
    pub(crate) parallel: bool,
    /// The lanes of the innermost loops.
    pub(crate) lanes: Option<u32>,
}

/// The name of the memory in which a tile is summed up.
const RESULTS: &str = "acc";

/// Loops of a tile with more iterations than this are not written out.
const UNROLLED: i64 = 16;

impl Plan {
    /// Nothing but threads and lanes.
    pub(crate) fn plain(fates: Vec<Fate>, nest: &Nest, lanes: Option<u32>) -> Plan {
        Plan {
            fates,
            tiles: vec![None; nest.gens.len()],
            blocks: vec![None; nest.sums.len()],
            order: Order::Inside,
            peel: false,
            own_results: false,
            unroll: false,
            parallel: true,
            lanes,
        }
    }

    /// The steps that inline; what they leave is what the rest is planned for.
    pub(crate) fn inlining(&self, source: &Structure) -> Vec<String> {
        let inlined = source.producers.iter().zip(&self.fates).filter(|(_, fate)| **fate == Fate::Inline);
        let mut steps: Vec<String> = inlined.map(|(p, _)| format!("inline {}", p.name)).collect();
        if !steps.is_empty() {
            steps.push("simplify".to_owned());
        }
        steps
    }

    /// The steps, for a program and what it is after inlining.
    pub(crate) fn steps(&self, source: &Structure, inlined: &Structure) -> Vec<String> {
        let mut steps = self.inlining(source);
        let nest = &inlined.nest;
        for (name, size) in sizes(&nest.gens, &self.tiles).chain(sizes(&nest.sums, &self.blocks)) {
            steps.push(format!("split {name} by {size}"));
        }
        let loops = self.loops(nest);
        let written = self.as_written(nest);
        if loops != written {
            steps.push(format!("reorder {}", loops.join(", ")));
        }
        let outer = self.outer(nest);
        // A producer's readers have their windows before it has its own.
        for (producer, fate) in source.producers.iter().zip(&self.fates) {
            let target = match fate {
                Fate::Keep | Fate::Inline => None,
                Fate::AtFirst => loops.first(),
                Fate::AtLast => loops.iter().rfind(|name| outer.contains(name)),
            };
            steps.extend(target.map(|target| format!("compute {} at {target}", producer.name)));
        }
        if self.peel {
            steps.push("peel".to_owned());
        }
        let results = if self.own_results { self.bind_results(nest, inlined, &mut steps) } else { None };
        if let (true, Some(first)) = (self.parallel, loops.first().filter(|_| !nest.gens.is_empty())) {
            steps.push(format!("parallel {first}"));
        }
        self.unroll_tiles(nest, results.as_deref(), &mut steps);
        self.vectorize(nest, inlined, results.as_deref(), &mut steps);
        steps
    }

    /// A tile of results in memory of its own; its name.
    fn bind_results(&self, nest: &Nest, inlined: &Structure, steps: &mut Vec<String>) -> Option<String> {
        let sum = nest.sums.first()?;
        let mut name = RESULTS.to_owned();
        while inlined.lets.contains(&name) {
            name.push('_');
        }
        steps.push(format!("rw let_bind at {sum}"));
        steps.push(format!("rename t to {name}"));
        steps.push(format!("store {name} in stack"));
        Some(name)
    }

    fn unroll_tiles(&self, nest: &Nest, results: Option<&str>, steps: &mut Vec<String>) {
        let within_tile = sizes(&nest.gens, &self.tiles);
        let last = nest.gens.last();
        for (name, _) in within_tile.filter(|(name, k)| self.unroll && *k <= UNROLLED && Some(*name) != last)
        {
            steps.push(format!("unroll {name}.i"));
            steps.extend(results.map(|results| format!("unroll {results}/{name}.i")));
        }
    }

    fn vectorize(&self, nest: &Nest, inlined: &Structure, results: Option<&str>, steps: &mut Vec<String>) {
        let Some(lanes) = self.lanes else { return };
        let tiled = |name: &String| {
            let tile = nest.gens.iter().zip(&self.tiles).find(|(gen_name, _)| *gen_name == name);
            if tile.is_some_and(|(_, tile)| tile.is_some()) { format!("{name}.i") } else { name.clone() }
        };
        // The loop that the sums went around is innermost now.
        let moved = match (self.order, nest.gens.last()) {
            (Order::AroundTile | Order::Panel, Some(last)) if !nest.sums.is_empty() => Some(tiled(last)),
            _ => None,
        };
        if let Some(name) = &moved {
            steps.push(format!("vectorize {name} by {lanes}"));
            steps.extend(results.map(|results| format!("vectorize {results}/{name} by {lanes}")));
        }
        for place in &inlined.innermost {
            let name = match &place.within {
                Some(within) => format!("{within}/{}", place.name),
                None => tiled(&place.name),
            };
            if moved.as_ref() != Some(&name) {
                steps.push(format!("vectorize {name} by {lanes}"));
            }
        }
    }

    /// The loops as splitting leaves them.
    fn as_written(&self, nest: &Nest) -> Vec<String> {
        let parts = |names: &[String], cuts: &[Option<i64>]| {
            let both = names.iter().zip(cuts).flat_map(|(name, cut)| match cut {
                Some(_) => vec![format!("{name}.o"), format!("{name}.i")],
                None => vec![name.clone()],
            });
            both.collect::<Vec<_>>()
        };
        let mut loops = parts(&nest.gens, &self.tiles);
        loops.extend(parts(&nest.sums, &self.blocks));
        loops
    }

    /// The loops of the result outside a tile.
    fn outer(&self, nest: &Nest) -> Vec<String> {
        let outer =
            nest.gens.iter().zip(&self.tiles).enumerate().filter_map(|(k, (name, tile))| match tile {
                Some(_) => Some(format!("{name}.o")),
                None if self.is_inside(k, nest) => None,
                None => Some(name.clone()),
            });
        outer.collect()
    }

    /// The loops of the result inside a tile.
    fn inner(&self, nest: &Nest) -> Vec<String> {
        let inner =
            nest.gens.iter().zip(&self.tiles).enumerate().filter_map(|(k, (name, tile))| match tile {
                Some(_) => Some(format!("{name}.i")),
                None if self.is_inside(k, nest) => Some(name.clone()),
                None => None,
            });
        inner.collect()
    }

    /// Does a `gen` without tiles run inside a tile: because one around it is tiled, or because the sums go around it?
    fn is_inside(&self, k: usize, nest: &Nest) -> bool {
        let sums_around = self.order != Order::Inside && !nest.sums.is_empty() && k + 1 == nest.gens.len();
        sums_around || self.tiles[..k].iter().any(Option::is_some)
    }

    /// The loops in the order that is planned.
    fn loops(&self, nest: &Nest) -> Vec<String> {
        let mut outer = self.outer(nest);
        let inner = self.inner(nest);
        let blocks = sizes(&nest.sums, &self.blocks).map(|(name, _)| format!("{name}.o"));
        let within = nest.sums.iter().zip(&self.blocks).map(|(name, block)| match block {
            Some(_) => format!("{name}.i"),
            None => name.clone(),
        });
        match self.order {
            Order::Inside => {
                outer.extend(inner);
                outer.extend(blocks);
                outer.extend(within);
                outer
            }
            Order::AroundTile => {
                outer.extend(blocks);
                outer.extend(within);
                outer.extend(inner);
                outer
            }
            Order::Panel => {
                let mut loops: Vec<String> = outer.pop().into_iter().collect();
                loops.extend(blocks);
                loops.extend(outer);
                loops.extend(within);
                loops.extend(inner);
                loops
            }
        }
    }
}

/// The loops that are cut, with their sizes.
fn sizes<'n>(names: &'n [String], cuts: &'n [Option<i64>]) -> impl Iterator<Item = (&'n String, i64)> {
    names.iter().zip(cuts).filter_map(|(name, cut)| Some((name, (*cut)?)))
}
