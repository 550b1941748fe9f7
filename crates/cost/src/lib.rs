//! What a kernel will cost on a machine, computed from its loops at concrete sizes.
//!
//! **The one idea.** Memory is levels, from the registers outward, and each level moves units across its
//! border. If what one iteration of a loop touches fits a level, then what the next iteration touches too
//! is still there, and the loop moves no more than the different units that it touches in all. If it does
//! not fit, each iteration moves its own. This one rule, applied from the inside out, gives the traffic of
//! every level: reuse in registers by a block that is written out (of what does not move from iteration to
//! iteration), in a cache by a tile, of rows by a stencil, and of a producer's window by its consumer.
//!
//! To the cycles of traffic are added those of computing:
//!
//! * operations, divided by the lanes of a vector loop whose accesses are contiguous or invariant; a sum of a few products of
//!   narrow integers is one;
//! * the latency of a sum that each iteration adds to, unless the block inside has enough of its own to do;
//! * what stands under a guard, by how often the guard holds, at least for one iteration;
//! * a charge for each loop that is entered, more for one of which an array says how often it runs; for each
//!   iteration that is not written out, each allocation, and each start of the threads.
//!
//! A parallel loop divides everything inside by the threads, rounded up to whole iterations.
//!
//! **Limits.** Caches are fully associative and hold what was used last; nothing is known of conflicts, of
//! prefetching beyond a charge for each stretch of lines, or of what bandwidth threads share. Traffic and
//! computing are added up, as if nothing overlapped. An unmarked loop counts as scalar, whatever a C
//! compiler makes of it. So a cost is for comparing schedules of one function, and has no unit worth
//! printing: `atl tune` measures the best.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod dots;
mod footprint;
mod machine;
mod region;
mod sample;

use atl_loops::{Kernel, LoopKind, Stmt};
use footprint::{Access, Footprint, Unit, footprint};
pub use machine::{Cache, Machine};
use region::{Leaf, Loop, Region, region};
use sample::reads;

/// How many cycles an operation takes where operations are independent: two units work side by side.
const OPERATION: f64 = 0.5;
/// Cycles until the result of an addition can be added to.
const LATENCY: f64 = 4.0;
/// Cycles of a load, and of a store, from the nearest cache.
const LOAD: f64 = 0.5;
const STORE: f64 = 1.0;
/// Cycles of counting an iteration, and of entering a loop.
const ITERATION: f64 = 1.0;
const ENTRY: f64 = 8.0;
/// Cycles until the processor is on its way again after it took a branch wrongly.
const MISTAKEN: f64 = 15.0;
/// Lines that a stretch of memory costs before it is read ahead.
const RUN: f64 = 1.0;
/// Bytes of a page, how many are found at once, and the cycles of finding another.
const PAGE: i64 = 4096;
const PAGES: f64 = 64.0;
const PAGE_CYCLES: f64 = 8.0;
/// Cycles of the allocator.
const ALLOCATION: f64 = 200.0;
/// Cycles of starting threads and of waiting for the last of them: tens of microseconds.
pub const THREADS: f64 = 60_000.0;
/// The registers, the caches, and the pages whose places are known.
const LEVELS: usize = 5;

/// What a kernel is estimated to cost.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    /// Cycles of computing.
    pub compute: f64,
    /// Cycles of moving data into the registers, into each cache, and of finding pages.
    pub traffic: [f64; LEVELS],
}

impl Estimate {
    /// All cycles.
    pub fn cycles(&self) -> f64 {
        self.compute + self.traffic.iter().sum::<f64>()
    }
}

/// The estimate for a kernel at these sizes; none if its index arithmetic leaves 64 bits.
pub fn estimate(kernel: &Kernel, sizes: &[i64], machine: &Machine) -> Option<Estimate> {
    let region = region(kernel, sizes, machine)?;
    let mut traffic = [0.0; LEVELS];
    traffic[0] = Level::registers(machine).traffic(&region, 0);
    let levels = machine.caches.iter().map(|cache| Level::cache(machine, cache));
    for (slot, level) in traffic[1..].iter_mut().zip(levels.chain([Level::pages(machine)])) {
        *slot = level.traffic(&region, 0);
    }
    Some(Estimate { compute: compute(&region, 0, machine), traffic })
}

/// How many operations on numbers the kernel makes at these sizes; none if its index arithmetic leaves 64
/// bits, or what arrays hold decides what is done. Exact where neither bounds nor conditions depend on loops.
pub fn flops(kernel: &Kernel, sizes: &[i64]) -> Option<f64> {
    counted(kernel, sizes, 0.0)
}

/// How many operations on numbers and iterations of loops a call makes; none as of [`flops`]. A loop
/// nest of which the innermost loop is
/// empty makes no operation, and takes time all the same.
pub fn steps(kernel: &Kernel, sizes: &[i64]) -> Option<f64> {
    counted(kernel, sizes, 1.0)
}

/// The operations, and what each iteration of a loop counts.
fn counted(kernel: &Kernel, sizes: &[i64], iteration: f64) -> Option<f64> {
    fn of(region: &Region, iteration: f64) -> f64 {
        match region {
            Region::Allocation => 0.0,
            Region::Leaf(leaf) => leaf.flops,
            Region::Seq(parts) => total(parts.iter().map(|part| of(part, iteration))),
            Region::Loop(shape, body) => shape.trips as f64 * (iteration + of(body, iteration)),
            Region::Branch(part, body) => part * of(body, iteration),
        }
    }
    let mut read = false;
    kernel.body.for_each(&mut |stmt| match stmt {
        Stmt::If { cond, .. } => read |= reads(cond),
        Stmt::For { lo, hi, .. } => read |= lo.reads() || hi.reads(),
        Stmt::Search { search, .. } => read |= reads(&search.cond()),
        Stmt::Intersection { intersection, .. } => {
            read |= intersection.searches().iter().any(|search| reads(&search.cond()));
        }
        _ => {}
    });
    if read {
        return None;
    }
    Some(of(&region(kernel, sizes, &Machine::default())?, iteration))
}

/// The sum; of nothing 0, where `sum` gives -0.
fn total(parts: impl Iterator<Item = f64>) -> f64 {
    parts.fold(0.0, |sum, part| sum + part)
}

/// A level of memory.
struct Level<'m> {
    machine: &'m Machine,
    unit: Unit,
    /// How much it holds.
    bytes: f64,
    /// Cycles of bringing a unit in, and of putting a changed one back.
    load: f64,
    store: f64,
}

impl<'m> Level<'m> {
    fn registers(machine: &'m Machine) -> Level<'m> {
        let (unit, bytes) = (Unit::Instruction, machine.register_bytes());
        Level { machine, unit, bytes, load: LOAD, store: STORE }
    }

    fn cache(machine: &'m Machine, cache: &Cache) -> Level<'m> {
        let unit = Unit::Line(i64::from(machine.line_bytes));
        Level { machine, unit, bytes: cache.bytes, load: cache.line_cycles, store: cache.line_cycles }
    }

    /// A page is found again at a cost, unless it is one of the last few.
    fn pages(machine: &'m Machine) -> Level<'m> {
        let unit = Unit::Line(PAGE);
        Level { machine, unit, bytes: PAGE as f64 * PAGES, load: PAGE_CYCLES, store: 0.0 }
    }

    fn is_registers(&self) -> bool {
        self.unit == Unit::Instruction
    }

    /// What the region touches.
    fn touched(&self, region: &Region, depth: usize) -> Footprint {
        let mut accesses = Vec::new();
        collect(region, &mut |access| {
            if !(self.is_registers() && (access.pinned || access.resident)) {
                accesses.push(access);
            }
        });
        footprint(&accesses, depth, self.unit)
    }

    fn cycles(&self, moved: Footprint) -> f64 {
        let started = if self.is_registers() { 0.0 } else { moved.runs * RUN };
        let read = if self.is_registers() { moved.units } else { moved.units - moved.streamed };
        (read + started) * self.load + moved.written * self.store
    }

    /// Does the level keep what the region touches until it runs again?
    fn keeps(&self, region: &Region, depth: usize) -> bool {
        let fits = || self.touched(region, depth).bytes <= self.bytes;
        // What is added to a tile in registers is read in passing.
        if self.is_registers() { is_written_out(region) && (fills_tile(region) || fits()) } else { fits() }
    }

    /// Cycles of moving data across the border of this level while the region runs once; `depth` loops are
    /// around it.
    fn traffic(&self, region: &Region, depth: usize) -> f64 {
        match region {
            Region::Allocation => 0.0,
            Region::Leaf(leaf) => self.cycles(self.touched(region, depth)) + self.pinned(leaf),
            Region::Branch(part, body) => part * self.traffic(body, depth),
            Region::Seq(parts) => {
                if !self.is_registers() && self.keeps(region, depth) {
                    return self.cycles(self.touched(region, depth)) * self.spread(region, depth);
                }
                total(parts.iter().map(|part| self.traffic(part, depth)))
            }
            Region::Loop(shape, body) => {
                if self.is_registers() && self.keeps(body, depth + 1) && !writes_out(shape) {
                    return self.kept_in_registers(shape, body, depth) * share(shape, self.machine);
                }
                if self.keeps(body, depth + 1) {
                    let moved = self.cycles(self.touched(region, depth)) + self.all_pinned(region);
                    return moved * self.spread(region, depth);
                }
                self.repetitions(shape, body) * self.traffic(body, depth + 1) * share(shape, self.machine)
            }
        }
    }

    /// The traffic of a loop whose body is straight code: a register has a name in the code, so what each
    /// iteration finds elsewhere is moved by each, and only what all find in one place is moved once.
    fn kept_in_registers(&self, shape: &Loop, body: &Region, depth: usize) -> f64 {
        let (mut once, mut each) = (Vec::new(), Vec::new());
        collect(body, &mut |access| {
            let moves = access.loops.get(depth).is_some_and(|(stride, _)| *stride != 0);
            match (access.pinned || access.resident, moves) {
                (true, _) => {}
                (false, true) => each.push(access),
                (false, false) => once.push(access),
            }
        });
        let cycles = |accesses: &[&Access]| self.cycles(footprint(accesses, depth + 1, self.unit));
        cycles(&once) + iterations(shape, body) * (taken(body) * cycles(&each) + self.all_pinned(body))
    }

    /// The part of the region's traffic that one thread has: of parts one after the other, by what each
    /// touches.
    fn spread(&self, region: &Region, depth: usize) -> f64 {
        match region {
            Region::Allocation | Region::Leaf(_) => 1.0,
            Region::Seq(parts) => {
                let touched = parts.iter().map(|part| self.touched(part, depth).units);
                let weights: Vec<f64> = touched.collect();
                let whole: f64 = weights.iter().sum();
                let spread = parts.iter().zip(&weights).map(|(part, w)| w * self.spread(part, depth));
                if whole > 0.0 { spread.sum::<f64>() / whole } else { 1.0 }
            }
            Region::Branch(_, body) => self.spread(body, depth),
            Region::Loop(shape, _) if is_parallel(shape) => share(shape, self.machine),
            Region::Loop(_, body) => self.spread(body, depth + 1),
        }
    }

    /// How often the body moves its data: instructions are fewer than trips, in lanes, and so are the passes
    /// of the loops inside.
    fn repetitions(&self, shape: &Loop, body: &Region) -> f64 {
        let in_lanes = matches!(shape.kind, LoopKind::Vector { width: Some(_) });
        if self.is_registers() || in_lanes { iterations(shape, body) } else { shape.trips as f64 }
    }

    /// Reading and writing again what may not stay in registers, once.
    fn pinned(&self, leaf: &Leaf) -> f64 {
        let count = leaf.accesses.iter().filter(|access| access.pinned).count();
        if self.is_registers() { count as f64 * (LOAD + STORE) } else { 0.0 }
    }

    /// The same, of a region that runs once through.
    fn all_pinned(&self, region: &Region) -> f64 {
        match region {
            Region::Allocation => 0.0,
            Region::Leaf(leaf) => self.pinned(leaf),
            Region::Branch(part, body) => part * self.all_pinned(body),
            Region::Seq(parts) => total(parts.iter().map(|part| self.all_pinned(part))),
            Region::Loop(shape, body) => iterations(shape, body) * self.all_pinned(body),
        }
    }
}

/// Cycles of computing while the region runs once; `depth` loops are around it.
fn compute(region: &Region, depth: usize, machine: &Machine) -> f64 {
    match region {
        Region::Allocation => ALLOCATION,
        Region::Leaf(leaf) => leaf.operations * OPERATION,
        Region::Branch(part, body) => part * compute(body, depth, machine),
        Region::Seq(parts) => total(parts.iter().map(|part| compute(part, depth, machine))),
        Region::Loop(shape, body) => {
            let mut once = compute(body, depth + 1, machine);
            if is_written_out(body) && carries(body, depth) {
                once = once.max(LATENCY);
            }
            let all = match writes_out(shape) {
                true => iterations(shape, body) * once,
                false => iterations(shape, body) * (once + ITERATION) + ENTRY,
            };
            let all = all + if shape.unforeseen { MISTAKEN } else { 0.0 };
            all * share(shape, machine) + if is_parallel(shape) { THREADS } else { 0.0 }
        }
    }
}

/// How often the body's instructions run: fewer times than it has trips, in lanes, of which the last may be
/// idle where their number is given.
fn iterations(shape: &Loop, body: &Region) -> f64 {
    let lanes = lanes(body);
    let count = match shape.kind {
        LoopKind::Vector { width: Some(_) } => shape.trips / lanes + i64::from(shape.trips % lanes != 0),
        LoopKind::Vector { width: None } => shape.trips / lanes + shape.trips % lanes,
        _ => shape.trips,
    };
    count as f64
}

/// The lanes of all leaves; of none, one.
fn lanes(region: &Region) -> i64 {
    fn least(region: &Region) -> Option<i64> {
        match region {
            Region::Allocation => None,
            Region::Leaf(leaf) => Some(leaf.lanes.max(1)),
            Region::Branch(_, body) | Region::Loop(_, body) => least(body),
            Region::Seq(parts) => parts.iter().filter_map(least).min(),
        }
    }
    least(region).unwrap_or(1)
}

/// Is the loop's body repeated in the code, as often as it runs?
fn writes_out(shape: &Loop) -> bool {
    shape.constant && matches!(shape.kind, LoopKind::Unroll | LoopKind::Vector { .. }) && shape.trips <= 64
}

/// Is the region straight code, in which a compiler sees every access?
fn is_written_out(region: &Region) -> bool {
    match region {
        Region::Allocation => false,
        Region::Leaf(_) => true,
        Region::Branch(_, body) => is_written_out(body),
        Region::Seq(parts) => parts.iter().all(is_written_out),
        Region::Loop(shape, body) => writes_out(shape) && is_written_out(body),
    }
}

/// Is all that the region stores in a tile in registers?
fn fills_tile(region: &Region) -> bool {
    match region {
        Region::Allocation => false,
        Region::Leaf(leaf) => leaf.accesses.iter().any(|access| access.writes && access.resident),
        Region::Seq(parts) => parts.iter().all(fills_tile),
        Region::Branch(_, body) | Region::Loop(_, body) => fills_tile(body),
    }
}

/// Does every trip of the loop at this depth add to what the trip before left?
fn carries(region: &Region, depth: usize) -> bool {
    match region {
        Region::Allocation => false,
        Region::Leaf(leaf) => leaf.carried.get(depth).copied().unwrap_or(false),
        Region::Seq(parts) => parts.iter().any(|part| carries(part, depth)),
        Region::Branch(_, body) | Region::Loop(_, body) => carries(body, depth),
    }
}

/// The part of the iterations in which straight code runs, taken as one.
fn taken(region: &Region) -> f64 {
    match region {
        Region::Allocation | Region::Leaf(_) => 1.0,
        Region::Seq(parts) => parts.iter().map(taken).fold(0.0, f64::max),
        Region::Branch(part, body) => part * taken(body),
        Region::Loop(_, body) => taken(body),
    }
}

fn is_parallel(shape: &Loop) -> bool {
    matches!(shape.kind, LoopKind::Parallel(_))
}

/// The part of a loop's work that the thread with the most of it does.
fn share(shape: &Loop, machine: &Machine) -> f64 {
    if !is_parallel(shape) {
        return 1.0;
    }
    let threads = i64::from(machine.cores.max(1));
    let most = shape.trips / threads + i64::from(shape.trips % threads != 0);
    most as f64 / shape.trips as f64
}

fn collect<'r>(region: &'r Region, found: &mut impl FnMut(&'r Access)) {
    match region {
        Region::Allocation => {}
        Region::Leaf(leaf) => leaf.accesses.iter().for_each(found),
        Region::Seq(parts) => parts.iter().for_each(|part| collect(part, found)),
        Region::Branch(_, body) | Region::Loop(_, body) => collect(body, found),
    }
}

#[cfg(test)]
mod tests;
