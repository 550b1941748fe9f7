//! Which plans there are: the shapes to begin with, and the neighbours of a plan.
//!
//! Shapes are few and differ in kind: what becomes of the producers, which loops are tiled, where the sums
//! stand. Their numbers are powers of two that the machine's vectors suggest. A neighbour differs from its
//! plan in one decision: a number doubled or halved, a choice made otherwise.

use crate::plan::{Fate, Plan};
use crate::shape::{Order, Shape};
use crate::structure::{Nest, Structure};
use atl_cost::Machine;

/// The sizes that tiles and blocks may have.
const SIZES: std::ops::RangeInclusive<i64> = 2..=2048;
/// How many tiles of the last loop a copied strip may be wide.
const WIDE: std::ops::RangeInclusive<i64> = 1..=8;
/// The lanes that may be asked for.
const LANES: std::ops::RangeInclusive<u32> = 2..=64;
/// How many fates of all producers together are begun with.
const MOST_FATES: usize = 6;

/// The fates of the producers to begin with: all stored, all inlined, one or the other.
pub(crate) fn fates(source: &Structure) -> Vec<Vec<Fate>> {
    let count = source.producers.len();
    let mut all = vec![vec![Fate::Keep; count]];
    if count > 0 {
        all.push(vec![Fate::Inline; count]);
    }
    for k in 0..if count > 1 { count } else { 0 } {
        let mut one = vec![Fate::Keep; count];
        one[k] = Fate::Inline;
        all.push(one);
    }
    all.truncate(MOST_FATES);
    all
}

/// What plans are begun for.
pub(crate) struct Setting<'s> {
    /// The program.
    pub(crate) source: &'s Structure,
    /// The program after inlining.
    pub(crate) inlined: &'s Structure,
    /// How many cells a vector register holds.
    pub(crate) lanes: u32,
    /// How many vector registers there are.
    pub(crate) registers: u32,
    /// Is there work for threads?
    pub(crate) parallel: bool,
    /// May products and sums be fused?
    pub(crate) fused: bool,
}

/// How many cells of this number of bytes a vector register holds.
pub(crate) fn lanes(machine: &Machine, cell_bytes: u32) -> u32 {
    (machine.vector_bytes / cell_bytes.max(1)).clamp(*LANES.start(), *LANES.end())
}

/// Rows and vectors of tiles of sums that the registers hold, beside what is multiplied.
pub(crate) fn tiles(registers: u32) -> [(i64, i64); 4] {
    let eighth = i64::from(registers / 8).max(1);
    [(3 * eighth, 2), (2 * eighth, 2), ((3 * eighth / 2).max(1), 4), (2 * eighth, 3)]
}

/// Plans that differ in kind, for a program in which these producers were inlined.
pub(crate) fn shapes(fates: &[Fate], setting: &Setting<'_>) -> Vec<Plan> {
    let (source, inlined) = (setting.source, setting.inlined);
    let wide = i64::from(setting.lanes);
    let nest = &inlined.nest;
    let has_sums = |nest: &Nest| !nest.sums.is_empty() && !nest.gens.is_empty();
    let producers_sum = source.producers.iter().any(|p| has_sums(inlined.nest_of(&p.name)));
    let plain = Plan {
        parallel: setting.parallel,
        fused: setting.fused && (has_sums(nest) || producers_sum),
        ..Plan::plain(fates.to_vec(), source, inlined, Some(setting.lanes))
    };
    let peeled = Plan { peel: true, ..plain.clone() };
    let stored = |name: &str| inlined.nest_of(name);
    let mut plans = vec![plain.clone(), peeled.clone()];
    if nest.gens.is_empty() {
        return plans;
    }
    if has_sums(nest) || producers_sum {
        // Every nest with sums, the result's and those of its producers, in one way.
        let each = |plan: &Plan, shape: &dyn Fn(Shape, &Nest) -> Shape| {
            let mut plan = plan.clone();
            let nests = source.producers.iter().map(|p| stored(&p.name)).chain([nest]);
            for (slot, nest) in plan.stored.iter_mut().chain([&mut plan.result]).zip(nests) {
                if has_sums(nest) {
                    *slot = shape(slot.clone(), nest);
                }
            }
            plan
        };
        let around = |shape: Shape, _: &Nest| Shape { order: Order::AroundTile, ..shape };
        let rows = each(&plain, &around);
        plans.push(rows.clone());
        // A block of results that the registers hold, and its sums around it.
        let block =
            each(&Plan { peel: true, unroll: true, ..rows.clone() }, &|shape, _| shape.tiled(&[8, 2 * wide]));
        let own = Plan { own_results: true, ..block.clone() };
        plans.push(own.clone());
        for (rows, vectors) in tiles(setting.registers) {
            let strips = each(&own, &|shape, nest| match &nest.reuse {
                Some(reuse) => Shape { copied: true, ..shape.strips(reuse.rows, (rows, vectors * wide)) },
                None => shape,
            });
            if strips == own {
                continue;
            }
            // Windows: a few terms for each of many, and the same taps for all results.
            let taps = each(&strips, &|shape, nest| match &nest.reuse {
                Some(reuse) if nest.has_few_terms() => {
                    Shape { table: reuse.table.is_some(), written: true, ..shape }
                }
                _ => shape,
            });
            if taps != strips {
                plans.push(Plan { streams: true, ..taps });
            }
            plans.push(strips);
        }
        plans.push(each(&Plan { peel: true, ..rows }, &|shape, _| shape.tiled(&[2 * wide])));
        if nest.gens.len() > 1 {
            plans.push(block);
        }
        if nest.gens.len() > 1 && !nest.epilogue {
            let panel = |blocked: bool| {
                move |shape: Shape, nest: &Nest| {
                    let first = |k: usize| (blocked && k == 0).then_some(256);
                    let blocks = (0..nest.sums.len()).map(first).collect();
                    Shape { order: Order::Panel, blocks, ..shape }
                }
            };
            plans.push(each(&own, &panel(false)));
            plans.push(Plan { own_results: false, ..each(&own, &panel(true)) });
        }
    } else if nest.gens.len() > 1 {
        plans.push(Plan { result: peeled.result.clone().tiled(&[64, 64]), ..peeled.clone() });
        let streamed = peeled.result.clone().tiled(&[8, wide]);
        plans.push(Plan { result: streamed, streams: true, unroll: true, ..peeled.clone() });
    } else {
        let streamed = peeled.result.clone().tiled(&[4096]);
        plans.push(Plan { result: streamed, streams: true, ..peeled.clone() });
    }
    // A window of each producer that is stored, in a loop of the result.
    let windows = |plan: &Plan, fate: Fate, order: Order| {
        let mut plan = plan.clone();
        for (k, producer) in source.producers.iter().enumerate() {
            if fates[k] == Fate::Keep && producer.outside {
                let nest = stored(&producer.name);
                plan.set_fate(k, fate, nest);
                plan.stored[k].order = if has_sums(nest) { order } else { Order::Inside };
            }
        }
        plan
    };
    let rows = windows(&plain, Fate::AtFirst, Order::Inside);
    if rows.fates != fates {
        plans.push(rows);
        let mut strips = windows(&peeled, Fate::AtFirst, Order::AroundTile);
        strips.result.tiles[0] = Some(32);
        plans.push(strips);
        if nest.gens.len() > 1 {
            let mut tiles = windows(&peeled, Fate::AtLast, Order::AroundAll);
            tiles.result = tiles.result.tiled(&[64, 64]);
            plans.push(tiles.clone());
            if !producers_sum && !has_sums(nest) {
                // The window of a few rows, as wide as a register, in registers.
                let mut rows = tiles.clone();
                rows.result = rows.result.tiled(&[8, wide]);
                plans.push(Plan { own_results: true, unroll: true, streams: true, ..rows });
            }
            if producers_sum {
                tiles.result = tiles.result.tiled(&[8, 2 * wide]);
                plans.push(Plan { own_results: true, unroll: true, ..tiles });
            }
        }
    }
    plans
}

/// The plans that differ from this one in one decision.
pub(crate) fn neighbours(plan: &Plan, source: &Structure, inlined: &Structure) -> Vec<Plan> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Plan)| {
        let mut changed = plan.clone();
        change(&mut changed);
        if changed != *plan {
            found.push(changed);
        }
    };
    for shape in resized(&plan.result) {
        with(&|plan| plan.result = shape.clone());
    }
    for (k, shape) in plan.stored.iter().enumerate() {
        for shape in resized(shape) {
            with(&|plan| plan.stored[k] = shape.clone());
        }
    }
    // Plans begin with as many lanes as a register has.
    with(&|plan| plan.lanes = plan.lanes.map(|lanes| (lanes / 2).max(*LANES.start())));
    with(&|plan| plan.lanes = None);
    with(&|plan| plan.parallel = !plan.parallel);
    with(&|plan| plan.peel = !plan.peel);
    if inlined.nest.sums.is_empty() || plan.own_results {
        with(&|plan| plan.streams = !plan.streams);
    }
    let shapes = || plan.stored.iter().chain([&plan.result]);
    if shapes().any(|shape| shape.tiles.iter().any(Option::is_some)) {
        with(&|plan| plan.unroll = !plan.unroll);
    }
    if shapes().any(|shape| shape.order != Order::Inside) {
        with(&|plan| plan.own_results = !plan.own_results);
    }
    for shape in rearranged(&plan.result, &inlined.nest) {
        with(&|plan| plan.result = shape.clone());
    }
    // What is inlined decides the loops, so it stays.
    for (k, producer) in source.producers.iter().enumerate() {
        if plan.fates[k] != Fate::Inline && producer.outside {
            for fate in [Fate::Keep, Fate::AtFirst, Fate::AtLast] {
                with(&|plan| {
                    if plan.fates[k] != fate {
                        plan.set_fate(k, fate, inlined.nest_of(&producer.name));
                    }
                });
            }
        }
        let nest = inlined.nest_of(&producer.name);
        if plan.fates[k] == Fate::Keep && producer.outside {
            for shape in rearranged(&plan.stored[k], nest) {
                with(&|plan| plan.stored[k] = shape.clone());
            }
        }
    }
    found
}

/// The shapes with one number doubled or halved.
fn resized(shape: &Shape) -> Vec<Shape> {
    let mut found = Vec::new();
    for k in 0..shape.tiles.len() + shape.blocks.len() {
        for factor in [Scale::Double, Scale::Halve] {
            let mut changed = shape.clone();
            let slot = changed.tiles.iter_mut().chain(&mut changed.blocks).nth(k);
            if let Some(Some(size)) = slot {
                *size = factor.apply(*size);
                found.push(changed);
            }
        }
    }
    found
}

/// The shapes with the sums elsewhere, or with one more loop tiled, or one less.
fn rearranged(shape: &Shape, nest: &Nest) -> Vec<Shape> {
    let orders: &[Order] = match (nest.sums.is_empty(), nest.epilogue) {
        (true, _) => &[],
        (false, true) => &[Order::Inside, Order::AroundTile],
        (false, false) => &[Order::AroundTile, Order::Panel],
    };
    let mut found: Vec<Shape> = orders.iter().map(|order| Shape { order: *order, ..shape.clone() }).collect();
    if let (Order::Strip, Some(reuse)) = (shape.order, &nest.reuse) {
        found.push(Shape { copied: !shape.copied, ..shape.clone() });
        if reuse.table.is_some() {
            found.push(Shape { table: !shape.table, ..shape.clone() });
        }
        if nest.has_few_terms() {
            found.push(Shape { written: !shape.written, ..shape.clone() });
        }
        for wide in [shape.wide * 2, shape.wide / 2] {
            if WIDE.contains(&wide) {
                found.push(Shape { wide, ..shape.clone() });
            }
        }
    }
    for k in 0..shape.tiles.len() {
        let mut changed = shape.clone();
        changed.tiles[k] = if changed.tiles[k].is_some() { None } else { Some(16) };
        found.push(changed);
    }
    found
}

/// How a number is changed.
#[derive(Clone, Copy)]
enum Scale {
    Double,
    Halve,
}

impl Scale {
    fn apply(self, size: i64) -> i64 {
        let scaled = match self {
            Scale::Double => size.saturating_mul(2),
            Scale::Halve => size / 2,
        };
        scaled.clamp(*SIZES.start(), *SIZES.end())
    }
}
