//! `rle`: runs of equal slices, one slice a run; together the runs cover all coordinates.
//!
//! **Stores.** `pos` as `compressed`; `right[p]`: the coordinate after the run of position `p`. A run starts
//! where the previous one ends.
//! **Well formed.** `pos` starts at 0, never decreases, and ends at the number of runs; `right` strictly
//! increases within each segment, and ends at the extent. If the extent is 0 there are no runs.
//! **Parameters.** None.

use super::prelude::*;
use crate::run_length::{RunWriter, Runs};

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[Array::Totals("pos"), Array::Entries("right")],
    capabilities: Capabilities { full: true, ..Capabilities::ORDERED },
    make,
    symbolic: None,
};
const NAME: &str = "rle";
const POS: usize = 0;
const RIGHT: usize = 1;

/// A run-length level.
#[derive(Debug)]
pub struct Rle {
    common: Common,
    n: usize,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    Ok(Box::new(Rle { n: setting.dimensions.len()?, common: setting.common(&KIND, 0) }))
}

impl Level for Rle {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let runs = runs(slices, |slice| slice);
        let right = runs.iter().map(|run| run.end as i64).collect();
        let stored = runs.iter().map(|run| Some(run.start)).collect();
        Ok((Metadata::new(1, vec![vec![0, runs.len() as i64], right]), stored))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [pos, right] = arrays(NAME, metadata)?;
        prefix::check(NAME, "pos", pos, metadata.parents, Some(right.len()))?;
        for (parent, segment) in pos.windows(2).enumerate() {
            let mut covered = 0;
            let from = segment[0] as usize;
            for (run, &end) in right[from..segment[1] as usize].iter().enumerate() {
                if end <= covered || end > self.n as i64 {
                    let expected = format!("a coordinate in {}..={}", covered + 1, self.n);
                    return Err(Damage::entry(NAME, "right", from + run, end, expected));
                }
                covered = end;
            }
            if covered != self.n as i64 {
                let expected = format!("the end of a run that ends at the extent, {}", self.n);
                return Err(Damage::entry(NAME, "pos", parent + 1, segment[1], expected));
            }
        }
        Ok(())
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.arrays[RIGHT].len()
    }

    fn pos_bounds(&self, metadata: &Metadata, parent: usize) -> Range<usize> {
        metadata.segment(POS, parent)
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        if !self.valid(metadata, parent, position) {
            return NOTHING;
        }
        let right = &metadata.arrays[RIGHT];
        let first = self.pos_bounds(metadata, parent).start == position;
        let left = if first { 0 } else { right[position - 1] };
        i128::from(left)..i128::from(right[position])
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        let bounds = self.pos_bounds(metadata, parent);
        let runs = &metadata.arrays[RIGHT][bounds.clone()];
        let run = runs.partition_point(|right| i128::from(*right) <= coordinate);
        self.dimensions().has(coordinate).then_some(bounds.start + run)
    }

    fn in_runs(&self) -> bool {
        true
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty(), covered: 0 })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        let mut metadata = self.empty();
        reserve(&mut metadata.arrays[POS], entries.parents)?;
        fill(Runs(Writer { level: self, metadata, covered: 0 }), entries)
    }
}

struct Writer<'l> {
    level: &'l Rle,
    metadata: Metadata,
    /// The end of the current parent's last run.
    covered: usize,
}

impl Writer<'_> {
    /// A run of zeros up to a coordinate.
    fn gap(&mut self, end: usize) {
        if self.covered < end {
            self.metadata.arrays[RIGHT].push(end as i64);
        }
    }
}

impl RunWriter for Writer<'_> {
    fn run(&mut self, left: usize, right: usize) -> Result<usize, Refusal> {
        if left < self.covered || right <= left || right > self.level.n {
            return Err(misplaced(NAME, self.metadata.parents, &[left as i64, right as i64]));
        }
        self.gap(left);
        self.covered = right;
        self.metadata.arrays[RIGHT].push(right as i64);
        Ok(self.metadata.arrays[RIGHT].len() - 1)
    }
}

/// It does not see slices, so each coordinate gets a run, and each gap between them one run of zeros.
impl Builder for Writer<'_> {
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let c = self.level.common.number(self.metadata.parents, crd)?;
        self.run(c, c + 1)
    }

    fn finish(&mut self) -> Result<(), Refusal> {
        self.gap(self.level.n);
        self.covered = 0;
        self.metadata.parents += 1;
        let runs = self.metadata.arrays[RIGHT].len() as i64;
        self.metadata.arrays[POS].push(runs);
        Ok(())
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
