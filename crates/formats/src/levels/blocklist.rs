//! `blocklist`: the runs of neighbouring nonzero slices, each with its first coordinate.
//!
//! **Stores.** `pos`: the blocks of parent `p` are `pos[p] <= b < pos[p + 1]`; `start[b]`: the coordinate of
//! a block's first position; `ofs`: the positions of block `b` are `ofs[b]` to `ofs[b + 1]`.
//! **Well formed.** `pos` and `ofs` start at 0 and never decrease; blocks are not empty, inside the extent,
//! increasing and disjoint within a parent.
//! **Parameters.** None.

use super::prelude::*;
use atl_kernel::Var;

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[Array::Totals("pos"), Array::Entries("start"), Array::Totals("ofs")],
    capabilities: Capabilities::ORDERED,
    make,
    symbolic: Some(Symbolic { declare, find }),
};
const NAME: &str = "blocklist";
const POS: usize = 0;
const START: usize = 1;
const OFS: usize = 2;

/// A level of blocks of any length.
#[derive(Debug)]
pub struct Blocklist {
    common: Common,
    n: usize,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    Ok(Box::new(Blocklist { n: setting.dimensions.len()?, common: setting.common(&KIND, 0) }))
}

fn declare(level: &symbolic::Level) -> Declared {
    let (blocks, positions) = (level.length(0), level.length(1));
    let pos = ("pos".to_owned(), Scalar::I64, level.parents.clone() + Ix::ONE);
    let start = ("start".to_owned(), Scalar::I32, blocks.clone());
    let ofs = ("ofs".to_owned(), Scalar::I64, blocks + Ix::ONE);
    Declared { arrays: vec![pos, start, ofs], facts, positions, counted: &["blocks", "len"] }
}

fn facts(level: &symbolic::Level) -> Vec<Fact> {
    let (blocks, positions) = (level.length(0), level.length(1));
    let mut facts = pos_array::facts(level, POS, &level.parents, &blocks);
    facts.extend(pos_array::facts(level, OFS, &blocks, &positions));
    facts.push(Fact::below("b", blocks, |b| {
        let (start, (lo, hi)) = (level.read(START, b.clone()), pos_array::bounds(level, OFS, &b));
        Pred::and(Pred::le(Ix::ZERO, start.clone()), Pred::le(start + (hi - lo), level.size()))
    }));
    facts
}

fn find(level: &symbolic::Level, goal: &Goal<'_>) -> Found {
    let (start, ofs) = (level.arrays[START], level.arrays[OFS]);
    let read = |array: Var, at: Ix| Ix::Read(array, [at].into());
    Found::Within(symbolic::Runs {
        runs: pos_array::bounds(level, POS, goal.parent),
        start: Box::new(move |b| read(start, b.clone())),
        length: Box::new(move |b| read(ofs, b.clone() + Ix::ONE) - read(ofs, b.clone())),
        first: Box::new(move |b| read(ofs, b.clone())),
        each: true,
        wanted: level.flatten(goal.coordinates),
    })
}

impl Level for Blocklist {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let mut blocks = runs(slices, |slice| slice != ZERO);
        blocks.retain(|block| slices[block.start] != ZERO);
        let (mut start, mut ofs, mut stored) = (Vec::new(), vec![0], Vec::new());
        for block in &blocks {
            start.push(block.start as i64);
            stored.extend(block.clone().map(Some));
            ofs.push(stored.len() as i64);
        }
        Ok((Metadata::new(1, vec![vec![0, blocks.len() as i64], start, ofs]), stored))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [pos, start, ofs] = arrays(NAME, metadata)?;
        prefix::check(NAME, "pos", pos, metadata.parents, Some(start.len()))?;
        prefix::check(NAME, "ofs", ofs, start.len(), None)?;
        for segment in pos.windows(2) {
            let mut free = 0;
            for b in segment[0] as usize..segment[1] as usize {
                let len = ofs[b + 1] - ofs[b];
                if len == 0 {
                    let expected = format!("more than {}, for no block is empty", ofs[b]);
                    return Err(Damage::entry(NAME, "ofs", b + 1, ofs[b + 1], expected));
                }
                let last = self.n as i64 - len;
                if start[b] < free || start[b] > last {
                    let expected =
                        format!("{free} to {last}, after the block before it and inside the extent");
                    return Err(Damage::entry(NAME, "start", b, start[b], expected));
                }
                free = start[b] + len;
            }
        }
        Ok(())
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.position(OFS, metadata.arrays[START].len())
    }

    fn pos_bounds(&self, metadata: &Metadata, parent: usize) -> Range<usize> {
        let blocks = metadata.segment(POS, parent);
        metadata.position(OFS, blocks.start)..metadata.position(OFS, blocks.end)
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        if !self.valid(metadata, parent, position) {
            return NOTHING;
        }
        let block = prefix::segment_of(metadata, OFS, position);
        one(metadata.position(START, block) + (position - metadata.position(OFS, block)))
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        let blocks = metadata.segment(POS, parent);
        let starts = &metadata.arrays[START][blocks.clone()];
        let block =
            blocks.start + starts.partition_point(|start| i128::from(*start) <= coordinate).checked_sub(1)?;
        let places = metadata.segment(OFS, block);
        let step = coordinate - i128::from(metadata.arrays[START][block]);
        (step < places.len() as i128).then(|| places.start + step as usize)
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty(), free: 0 })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        let mut metadata = self.empty();
        reserve(&mut metadata.arrays[POS], entries.parents)?;
        fill(Writer { level: self, metadata, free: 0 }, entries)
    }
}

struct Writer<'l> {
    level: &'l Blocklist,
    metadata: Metadata,
    /// The coordinate after the last one of the current parent.
    free: usize,
}

impl Builder for Writer<'_> {
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let Metadata { parents, arrays } = &mut self.metadata;
        let number = self.level.dimensions().number(crd).filter(|c| *c >= self.free);
        let Some(c) = number else { return Err(misplaced(NAME, *parents, crd)) };
        let blocks = arrays[START].len();
        let position = arrays[OFS][blocks];
        if c == self.free && blocks as i64 > arrays[POS][*parents] {
            arrays[OFS][blocks] += 1;
        } else {
            arrays[START].push(c as i64);
            arrays[OFS].push(position + 1);
        }
        self.free = c + 1;
        Ok(position as usize)
    }

    fn finish(&mut self) -> Result<(), Refusal> {
        self.metadata.parents += 1;
        self.free = 0;
        let blocks = self.metadata.arrays[START].len() as i64;
        self.metadata.arrays[POS].push(blocks);
        Ok(())
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
