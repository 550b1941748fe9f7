//! `sparse_runs`: runs of equal nonzero slices, one slice a run.
//!
//! **Stores.** `pos` as `compressed`; `left[p]` and `right[p]`: the first coordinate of a run, and the
//! coordinate after its last.
//! **Well formed.** `pos` starts at 0, never decreases, and ends at the number of runs; these are not empty,
//! inside the extent, increasing and disjoint within each segment.
//! **Parameters.** None.

use super::prelude::*;
use crate::run_length::{RunWriter, Runs};

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[Array::Totals("pos"), Array::Entries("left"), Array::Entries("right")],
    capabilities: Capabilities::ORDERED,
    make,
    symbolic: Some(Symbolic { declare, find }),
};
const NAME: &str = "sparse_runs";
const POS: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;

/// A level of runs with gaps.
#[derive(Debug)]
pub struct SparseRuns {
    common: Common,
    n: usize,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    Ok(Box::new(SparseRuns { n: setting.dimensions.len()?, common: setting.common(&KIND, 0) }))
}

fn declare(level: &symbolic::Level) -> Declared {
    let pos = ("pos".to_owned(), Scalar::I64, level.parents.clone() + Ix::ONE);
    let runs = |name: &str| (name.to_owned(), Scalar::I32, level.length(0));
    let arrays = vec![pos, runs("left"), runs("right")];
    Declared { arrays, facts, positions: level.length(0), counted: &["len"] }
}

fn facts(level: &symbolic::Level) -> Vec<Fact> {
    let mut facts = pos_array::facts(level, POS, &level.parents, &level.length(0));
    facts.push(Fact::below("p", level.length(0), |p| {
        let (left, right) = (level.read(LEFT, p.clone()), level.read(RIGHT, p));
        let inside = Pred::and(Pred::le(left.clone(), right.clone()), Pred::le(right, level.size()));
        Pred::and(Pred::le(Ix::ZERO, left), inside)
    }));
    facts
}

fn find(level: &symbolic::Level, goal: &Goal<'_>) -> Found {
    let array = |of: usize| {
        let array = level.arrays[of];
        move |run: &Ix| Ix::Read(array, [run.clone()].into())
    };
    let (left, right) = (array(LEFT), array(RIGHT));
    Found::Within(symbolic::Runs {
        runs: pos_array::bounds(level, POS, goal.parent),
        start: Box::new(left),
        length: Box::new(move |run| right(run) - left(run)),
        first: Box::new(Ix::clone),
        each: false,
        wanted: level.flatten(goal.coordinates),
    })
}

impl Level for SparseRuns {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let mut runs = runs(slices, |slice| slice);
        runs.retain(|run| slices[run.start] != ZERO);
        let left = runs.iter().map(|run| run.start as i64).collect();
        let right = runs.iter().map(|run| run.end as i64).collect();
        let stored = runs.iter().map(|run| Some(run.start)).collect();
        Ok((Metadata::new(1, vec![vec![0, runs.len() as i64], left, right]), stored))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [pos, left, right] = arrays(NAME, metadata)?;
        prefix::check(NAME, "pos", pos, metadata.parents, Some(left.len()))?;
        length(NAME, "right", right, left.len())?;
        for segment in pos.windows(2) {
            let mut free = 0;
            for at in segment[0] as usize..segment[1] as usize {
                if left[at] < free {
                    let expected = format!("at least {free}, the end of the run before it");
                    return Err(Damage::entry(NAME, "left", at, left[at], expected));
                }
                if right[at] <= left[at] || right[at] > self.n as i64 {
                    let expected = format!("more than {}, at most {}", left[at], self.n);
                    return Err(Damage::entry(NAME, "right", at, right[at], expected));
                }
                free = right[at];
            }
        }
        Ok(())
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.arrays[LEFT].len()
    }

    fn pos_bounds(&self, metadata: &Metadata, parent: usize) -> Range<usize> {
        metadata.segment(POS, parent)
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        if self.valid(metadata, parent, position) {
            i128::from(metadata.arrays[LEFT][position])..i128::from(metadata.arrays[RIGHT][position])
        } else {
            NOTHING
        }
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        let bounds = self.pos_bounds(metadata, parent);
        let runs = &metadata.arrays[RIGHT][bounds.clone()];
        let position = bounds.start + runs.partition_point(|right| i128::from(*right) <= coordinate);
        let here = position < bounds.end && i128::from(metadata.arrays[LEFT][position]) <= coordinate;
        here.then_some(position)
    }

    fn in_runs(&self) -> bool {
        true
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty(), free: 0 })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        let mut metadata = self.empty();
        reserve(&mut metadata.arrays[POS], entries.parents)?;
        fill(Runs(Writer { level: self, metadata, free: 0 }), entries)
    }
}

struct Writer<'l> {
    level: &'l SparseRuns,
    metadata: Metadata,
    /// The end of the current parent's last run.
    free: usize,
}

impl RunWriter for Writer<'_> {
    fn run(&mut self, left: usize, right: usize) -> Result<usize, Refusal> {
        if left < self.free || right <= left || right > self.level.n {
            return Err(misplaced(NAME, self.metadata.parents, &[left as i64, right as i64]));
        }
        self.free = right;
        self.metadata.arrays[LEFT].push(left as i64);
        self.metadata.arrays[RIGHT].push(right as i64);
        Ok(self.metadata.arrays[LEFT].len() - 1)
    }
}

/// It does not see slices, so each coordinate gets a run.
impl Builder for Writer<'_> {
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let c = self.level.common.number(self.metadata.parents, crd)?;
        self.run(c, c + 1)
    }

    fn finish(&mut self) -> Result<(), Refusal> {
        self.free = 0;
        self.metadata.parents += 1;
        let runs = self.metadata.arrays[LEFT].len() as i64;
        self.metadata.arrays[POS].push(runs);
        Ok(())
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
