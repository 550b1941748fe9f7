//! How much memory a set of accesses touches while some of the loops around them run.
//!
//! **The one idea.** An access is an offset and, for each loop, a stride and a number of trips: a box of
//! addresses. Boxes of one shape in one buffer, such as the nine reads of a stencil, are taken as one larger
//! box, by writing the differences of their offsets in terms of their strides.
//!
//! Boxes of different shapes in one buffer are added up, never beyond the buffer's size. Index terms that are
//! not linear are taken as they begin.

use std::collections::BTreeMap;

/// An access to memory, inside loops.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Access {
    /// Which buffer.
    pub(crate) buffer: usize,
    /// The size of the whole buffer.
    pub(crate) buffer_bytes: f64,
    /// The size of a cell.
    pub(crate) cell_bytes: i64,
    /// Where it begins, in bytes.
    pub(crate) offset: i64,
    /// For each loop around it, the outermost first: stride in bytes, and trips.
    pub(crate) loops: Vec<(i64, i64)>,
    /// How many cells next to one another one instruction moves.
    pub(crate) lanes: i64,
    /// Does it store?
    pub(crate) writes: bool,
    /// Does it store past the caches?
    pub(crate) streams: bool,
    /// Does it combine with what memory holds that others may see, so that no register keeps it?
    pub(crate) pinned: bool,
    /// Is it to one of the variables of a tile that all fit the registers at once?
    pub(crate) resident: bool,
}

/// What is touched.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Footprint {
    /// Different units of memory.
    pub(crate) units: f64,
    /// Bytes of them.
    pub(crate) bytes: f64,
    /// Stretches of units next to one another.
    pub(crate) runs: f64,
    /// Units that are also stored to.
    pub(crate) written: f64,
    /// Units that are stored to past the caches.
    pub(crate) streamed: f64,
}

/// In which units memory is moved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Unit {
    /// Lines of this number of bytes.
    Line(i64),
    /// What one instruction moves: a vector where the access is contiguous, else a cell.
    Instruction,
}

impl Unit {
    fn bytes(self, access: &Access) -> i64 {
        match self {
            Unit::Line(bytes) => bytes,
            Unit::Instruction => access.cell_bytes.saturating_mul(access.lanes),
        }
    }
}

/// What boxes have in common that are taken together: all but where they begin.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    buffer: usize,
    unit_bytes: i64,
    /// May what lies next to one another be moved together?
    joins: bool,
    /// Strides and trips.
    sides: Vec<(i64, i64)>,
}

/// What is touched while the loops from `depth` inward run once through.
pub(crate) fn footprint(accesses: &[&Access], depth: usize, unit: Unit) -> Footprint {
    // Boxes of one shape, by buffer; the shape is what the loops from `depth` inward make of it.
    let mut shapes: BTreeMap<Shape, Vec<&Access>> = BTreeMap::new();
    for access in accesses {
        let sides = access.loops.get(depth..).unwrap_or_default().to_vec();
        let shape = Shape {
            buffer: access.buffer,
            unit_bytes: unit.bytes(access).max(1),
            joins: unit != Unit::Instruction,
            sides,
        };
        shapes.entry(shape).or_default().push(access);
    }
    let mut buffers: BTreeMap<usize, (Footprint, f64)> = BTreeMap::new();
    for (shape, members) in &shapes {
        let Some(first) = members.first() else { continue };
        let (units, runs) = boxed(members, shape, first.cell_bytes);
        let (sum, limit) = buffers.entry(shape.buffer).or_default();
        *limit = first.buffer_bytes.max(shape.unit_bytes as f64);
        sum.bytes += units * shape.unit_bytes as f64;
        sum.units += units;
        sum.runs += runs;
        if members.iter().any(|access| access.writes) {
            sum.written += units;
        }
        if members.iter().all(|access| access.streams) {
            sum.streamed += units;
        }
    }
    buffers.into_values().fold(Footprint::default(), |total, (found, limit)| {
        let kept = if found.bytes > limit { limit / found.bytes } else { 1.0 };
        Footprint {
            units: total.units + found.units * kept,
            bytes: total.bytes + found.bytes * kept,
            runs: total.runs + found.runs * kept,
            written: total.written + found.written * kept,
            streamed: total.streamed + found.streamed * kept,
        }
    })
}

/// Units and runs of boxes of one shape.
fn boxed(members: &[&Access], shape: &Shape, cell: i64) -> (f64, f64) {
    let unit = shape.unit_bytes;
    let mut sides: Vec<(i64, i64)> = shape
        .sides
        .iter()
        .filter(|(stride, trips)| *stride != 0 && *trips > 1)
        .map(|(stride, trips)| (stride.saturating_abs(), *trips))
        .collect();
    sides.sort_unstable();
    let lowest = members.iter().map(|access| access.offset).min().unwrap_or(0);
    let mut rests: Vec<i64> = members.iter().map(|access| access.offset.saturating_sub(lowest)).collect();
    // The differences in terms of the strides, the largest first.
    for (stride, trips) in sides.iter_mut().rev().filter(|(stride, _)| *stride > cell) {
        let mut steps: Vec<i64> = Vec::new();
        for rest in &mut rests {
            let step = rest.saturating_add(*stride / 2).div_euclid(*stride);
            *rest = rest.saturating_sub(step.saturating_mul(*stride));
            steps.push(step);
        }
        steps.sort_unstable();
        steps.dedup();
        let between = steps.last().zip(steps.first()).map_or(0, |(last, first)| last.saturating_sub(*first));
        let apart = trips.saturating_mul(i64::try_from(steps.len()).unwrap_or(i64::MAX));
        *trips = trips.saturating_add(between).min(apart);
    }
    let (mut span, mut count) = (cell as f64, 1.0f64);
    for (stride, trips) in &sides {
        if *stride as f64 <= span.max(unit as f64) {
            span += *stride as f64 * (*trips as f64 - 1.0);
        } else {
            count *= *trips as f64;
        }
    }
    // What is left of the differences, as stretches of the contiguous part.
    rests.sort_unstable();
    let (mut units, mut runs) = (0.0, 0.0);
    let mut start = rests.first().copied().unwrap_or(0);
    let mut end = start;
    // An instruction's cells begin where it says: those of another that overlap are moved again.
    let near = if shape.joins { span.max(unit as f64) } else { 0.0 };
    for rest in rests.iter().copied().chain([i64::MAX]) {
        if rest != i64::MAX && rest.saturating_sub(end) as f64 <= near {
            end = rest;
            continue;
        }
        // Less than a unit is moved as one.
        units += ((span + end.saturating_sub(start) as f64) / unit as f64).max(1.0);
        runs += 1.0;
        (start, end) = (rest, rest);
    }
    (units * count, runs * count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(offset: i64, loops: &[(i64, i64)]) -> Access {
        Access {
            buffer: 0,
            buffer_bytes: 1e9,
            cell_bytes: 4,
            offset,
            loops: loops.to_vec(),
            lanes: 1,
            writes: false,
            streams: false,
            pinned: false,
            resident: false,
        }
    }

    fn check(accesses: &[Access], depth: usize, bytes: f64) {
        let accesses: Vec<&Access> = accesses.iter().collect();
        assert_eq!(footprint(&accesses, depth, Unit::Line(64)).bytes, bytes, "{accesses:?}");
    }

    #[test]
    fn a_row_is_contiguous_and_a_column_is_not() {
        check(&[access(0, &[(4, 1024)])], 0, 4096.0);
        check(&[access(0, &[(4000, 1024)])], 0, 65536.0);
        check(&[access(0, &[(0, 1024)])], 0, 64.0);
        // Rows that follow one another are one stretch.
        check(&[access(0, &[(4096, 16), (4, 1024)])], 0, 65536.0);
        check(&[access(0, &[(-4096, 16), (4, 1024)])], 0, 65536.0);
    }

    #[test]
    fn the_reads_of_a_stencil_are_one_box() {
        let row = 8192;
        let reads: Vec<Access> = [-row, 0, row].map(|offset| access(offset, &[(row, 100), (4, 1024)])).into();
        // Of one row of results, three rows of 4096 bytes; of a hundred, a hundred and two.
        check(&reads, 1, 3.0 * 4096.0);
        check(&reads, 0, 102.0 * 4096.0);
    }

    #[test]
    fn no_more_than_the_buffer_is_touched() {
        let mut whole = access(0, &[(4096, 64), (4, 1024)]);
        whole.buffer_bytes = 1000.0;
        check(&[whole.clone()], 0, 1000.0);
    }

    #[test]
    fn instructions_move_vectors_where_cells_are_next_to_one_another() {
        let mut vector = access(0, &[(0, 8), (4, 32)]);
        vector.lanes = 8;
        let scalar = access(0, &[(4096, 8), (0, 32)]);
        let units = |a: &Access| footprint(&[a], 0, Unit::Instruction).units;
        assert_eq!((units(&vector), units(&scalar)), (4.0, 8.0));
    }
}
