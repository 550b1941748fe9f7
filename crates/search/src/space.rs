//! Which plans there are: the shapes to begin with, and the neighbours of a plan.
//!
//! Shapes are few and differ in kind: what becomes of the producers, which loops are tiled, where the sums stand. Their
//! numbers are powers of two that the machine's vectors suggest. A neighbour differs from its plan in one decision: a
//! number doubled or halved, a choice made otherwise.

use crate::machine::Machine;
use crate::plan::{Fate, Order, Plan};
use crate::structure::Structure;

/// The sizes that tiles and blocks may have.
const SIZES: std::ops::RangeInclusive<i64> = 2..=2048;
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

/// Plans that differ in kind, for a program in which these producers were inlined.
pub(crate) fn shapes(
    fates: &[Fate],
    source: &Structure,
    inlined: &Structure,
    machine: &Machine,
    cell_bytes: u32,
) -> Vec<Plan> {
    let lanes = (machine.vector_bytes / cell_bytes.max(1)).clamp(*LANES.start(), *LANES.end());
    let wide = i64::from(lanes);
    let nest = &inlined.nest;
    let plain = Plan { parallel: machine.cores > 1, ..Plan::plain(fates.to_vec(), nest, Some(lanes)) };
    let peeled = Plan { peel: true, ..plain.clone() };
    let (gens, sums) = (nest.gens.len(), nest.sums.len());
    let mut plans = vec![plain.clone(), peeled.clone()];
    if gens == 0 {
        return plans;
    }
    if sums > 0 {
        let rows = Plan { order: Order::AroundTile, ..plain.clone() };
        plans.push(rows.clone());
        plans.push(tiled(Plan { peel: true, ..rows.clone() }, &[2 * wide]));
        if gens > 1 {
            // A block of results that the registers hold, and its sums around it.
            let block = tiled(Plan { peel: true, unroll: true, ..rows }, &[8, 2 * wide]);
            plans.push(block.clone());
            plans.push(Plan { own_results: true, ..block.clone() });
            let panel = Plan { order: Order::Panel, ..block };
            plans.push(Plan { own_results: true, ..panel.clone() });
            let blocks = (0..sums).map(|k| (k == 0).then_some(256)).collect();
            plans.push(Plan { blocks, ..panel });
        }
    } else if gens > 1 {
        plans.push(tiled(peeled.clone(), &[64, 64]));
    }
    // A window of each producer that is stored, in a loop of the result.
    let windows = |fate: Fate| -> Vec<Fate> {
        let each = fates.iter().zip(&source.producers);
        each.map(|(f, p)| if *f == Fate::Keep && p.outside { fate } else { *f }).collect()
    };
    if windows(Fate::AtFirst) != fates {
        let rows = tiled(Plan { fates: windows(Fate::AtFirst), ..plain.clone() }, &[]);
        plans.push(rows);
        let mut strips = Plan { fates: windows(Fate::AtFirst), ..peeled.clone() };
        strips.tiles[0] = Some(32);
        plans.push(strips);
        if gens > 1 {
            plans.push(tiled(Plan { fates: windows(Fate::AtLast), ..peeled }, &[64, 64]));
        }
    }
    plans
}

/// The plan with its last loops tiled by these sizes.
fn tiled(mut plan: Plan, sizes: &[i64]) -> Plan {
    let skipped = plan.tiles.len().saturating_sub(sizes.len());
    for (tile, size) in plan.tiles[skipped..].iter_mut().zip(sizes) {
        *tile = Some(*size);
    }
    plan
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
    for k in 0..plan.tiles.len() {
        for factor in [Scale::Double, Scale::Halve] {
            with(&|plan| plan.tiles[k] = plan.tiles[k].map(|size| factor.apply(size)));
        }
    }
    for k in 0..plan.blocks.len() {
        for factor in [Scale::Double, Scale::Halve] {
            with(&|plan| plan.blocks[k] = plan.blocks[k].map(|size| factor.apply(size)));
        }
    }
    // Plans begin with as many lanes as a register has.
    with(&|plan| plan.lanes = plan.lanes.map(|lanes| (lanes / 2).max(*LANES.start())));
    with(&|plan| plan.lanes = None);
    with(&|plan| plan.parallel = false);
    with(&|plan| plan.peel = !plan.peel);
    let has_tiles = plan.tiles.iter().any(Option::is_some);
    if has_tiles {
        with(&|plan| plan.unroll = !plan.unroll);
    }
    if has_tiles && !inlined.nest.sums.is_empty() {
        with(&|plan| plan.own_results = !plan.own_results);
        for order in [Order::AroundTile, Order::Panel] {
            with(&|plan| plan.order = order);
        }
    }
    for k in 0..plan.tiles.len() {
        with(&|plan| plan.tiles[k] = if plan.tiles[k].is_some() { None } else { Some(16) });
    }
    // What is inlined decides the loops, so it stays.
    for (k, producer) in source.producers.iter().enumerate() {
        if plan.fates[k] != Fate::Inline && producer.outside {
            for fate in [Fate::Keep, Fate::AtFirst, Fate::AtLast] {
                with(&|plan| plan.fates[k] = fate);
            }
        }
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
