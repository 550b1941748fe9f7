//! `rankmask`: a flag for every coordinate, and positions only for the set flags.
//!
//! **Stores.** `bits` as `bitmask`, and `rank[i]`: how many of the first `i` flags are set. The position of a
//! set flag is its rank.
//! **Well formed.** There are P * N flags, each 0 or 1, and P * N + 1 ranks, which are the running totals of
//! the flags.
//! **Parameters.** None.

use super::bitmask::flags;
use super::prelude::*;

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[Array::Entries("bits"), Array::Totals("rank")],
    capabilities: Capabilities { locate: Locate::Constant, ..Capabilities::ORDERED },
    make,
    symbolic: Some(Symbolic { declare, find }),
};
const NAME: &str = "rankmask";
const BITS: usize = 0;
const RANK: usize = 1;

/// A bitmask level with ranks.
#[derive(Debug)]
pub struct Rankmask {
    common: Common,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    let n = setting.dimensions.len()?;
    Ok(Box::new(Rankmask { common: setting.common(&KIND, n) }))
}

fn declare(level: &symbolic::Level) -> Declared {
    let flags = level.parents.clone() * level.size();
    let bits = ("bits".to_owned(), Scalar::Bool, flags.clone());
    let rank = ("rank".to_owned(), Scalar::I64, flags + Ix::ONE);
    Declared { arrays: vec![bits, rank], facts, positions: level.length(0), counted: &["len"] }
}

fn facts(level: &symbolic::Level) -> Vec<Fact> {
    let flags = level.parents.clone() * level.size();
    vec![Fact::below("p", flags, |p| {
        let (bit, rank) = (level.read(BITS, p.clone()), level.read(RANK, p));
        Pred::and(Pred::le(Ix::ZERO, rank.clone()), Pred::le(rank + bit, level.length(0)))
    })]
}

fn find(level: &symbolic::Level, goal: &Goal<'_>) -> Found {
    let flag = goal.parent.clone() * level.size() + level.flatten(goal.coordinates);
    Found::At(Pred::eq(level.read(BITS, flag.clone()), Ix::ONE), level.read(RANK, flag))
}

impl Level for Rankmask {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let bits: Vec<i64> = slices.iter().map(|slice| i64::from(*slice != ZERO)).collect();
        let rank = (0..=slices.len()).map(|end| bits[..end].iter().sum()).collect();
        Ok((Metadata::new(1, vec![bits, rank]), nonzero(slices).into_iter().map(Some).collect()))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [bits, rank] = arrays(NAME, metadata)?;
        length(NAME, "bits", bits, bounded(NAME, metadata.parents, self.each())?)?;
        flags(NAME, bits)?;
        prefix::check(NAME, "rank", rank, bits.len(), None)?;
        match (0..bits.len()).find(|at| rank[at + 1] - rank[*at] != bits[*at]) {
            None => Ok(()),
            Some(at) => {
                let expected = format!("{}, as many flags as are set", rank[at] + bits[at]);
                Err(Damage::entry(NAME, "rank", at + 1, rank[at + 1], expected))
            }
        }
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.position(RANK, metadata.arrays[BITS].len())
    }

    fn pos_bounds(&self, metadata: &Metadata, parent: usize) -> Range<usize> {
        let flags = block(parent, self.each());
        metadata.position(RANK, flags.start)..metadata.position(RANK, flags.end)
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        let flag = prefix::segment_of(metadata, RANK, position);
        if self.valid(metadata, parent, position) { one(flag - parent * self.each()) } else { NOTHING }
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        let flag =
            self.common.dimensions.has(coordinate).then(|| parent * self.each() + coordinate as usize)?;
        (metadata.arrays[BITS][flag] == 1).then(|| metadata.position(RANK, flag))
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty(), set: 0 })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        if entries.at.is_empty() && positions(entries.parents, self.each())? == 0 {
            return Ok(PackedLevel {
                metadata: Metadata { parents: entries.parents, ..self.empty() },
                positions: entries.at,
            });
        }
        let all = positions(entries.parents, self.each())?;
        let mut metadata = self.empty();
        metadata.arrays.iter_mut().try_for_each(|array| reserve(array, all))?;
        fill(Writer { level: self, metadata, set: 0 }, entries)
    }
}

struct Writer<'l> {
    level: &'l Rankmask,
    metadata: Metadata,
    /// How many flags are set.
    set: i64,
}

impl Writer<'_> {
    /// Clears the flags up to this one.
    fn skip(&mut self, end: usize) -> Result<(), Refusal> {
        grow(&mut self.metadata.arrays[BITS], end, 0)?;
        grow(&mut self.metadata.arrays[RANK], end + 1, self.set)
    }
}

impl Builder for Writer<'_> {
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let parent = self.metadata.parents;
        let flag = self.level.dimensions().number(crd).map(|c| parent * self.level.each() + c);
        let Some(flag) = flag.filter(|flag| *flag >= self.metadata.arrays[BITS].len()) else {
            return Err(misplaced(NAME, parent, crd));
        };
        self.skip(flag)?;
        self.set += 1;
        self.metadata.arrays[BITS].push(1);
        self.metadata.arrays[RANK].push(self.set);
        Ok(self.set as usize - 1)
    }

    fn finish(&mut self) -> Result<(), Refusal> {
        self.metadata.parents += 1;
        self.skip(positions(self.metadata.parents, self.level.each())?)
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
