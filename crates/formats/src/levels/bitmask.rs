//! `bitmask`: a position for every coordinate, with a flag that marks the stored ones.
//!
//! **Stores.** `bits[p * N + c]`: 1 where coordinate `c` of parent `p` has a slice. Unmarked positions have
//! zero slices.
//! **Well formed.** There are P * N flags, each 0 or 1.
//! **Parameters.** None.

use super::prelude::*;

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[Array::Entries("bits")],
    capabilities: Capabilities { compact: false, ..Capabilities::EVERYWHERE },
    make,
    symbolic: Some(Symbolic { declare, find }),
};
const NAME: &str = "bitmask";
const BITS: usize = 0;

/// A bitmask level.
#[derive(Debug)]
pub struct Bitmask {
    common: Common,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    let n = setting.dimensions.len()?;
    Ok(Box::new(Bitmask { common: setting.common(&KIND, n) }))
}

fn declare(level: &symbolic::Level) -> Declared {
    let positions = level.parents.clone() * level.size();
    let bits = ("bits".to_owned(), Scalar::Bool, positions.clone());
    Declared { arrays: vec![bits], facts: |_| vec![], positions, counted: &[] }
}

fn find(level: &symbolic::Level, goal: &Goal<'_>) -> Found {
    let position = goal.parent.clone() * level.size() + level.flatten(goal.coordinates);
    Found::At(Pred::eq(level.read(BITS, position.clone()), Ix::ONE), position)
}

impl Level for Bitmask {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let bits = slices.iter().map(|slice| i64::from(*slice != ZERO)).collect();
        Ok((Metadata::new(1, vec![bits]), (0..slices.len()).map(Some).collect()))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [bits] = arrays(NAME, metadata)?;
        length(NAME, "bits", bits, bounded(NAME, metadata.parents, self.each())?)?;
        flags(NAME, bits)
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        if self.valid(metadata, parent, position) { one(position - parent * self.each()) } else { NOTHING }
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        let position =
            self.common.dimensions.has(coordinate).then(|| parent * self.each() + coordinate as usize)?;
        (metadata.arrays[BITS][position] == 1).then_some(position)
    }

    fn valid(&self, metadata: &Metadata, parent: usize, position: usize) -> bool {
        self.pos_bounds(metadata, parent).contains(&position) && metadata.arrays[BITS][position] == 1
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty() })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        if entries.at.is_empty() && positions(entries.parents, self.each())? == 0 {
            return Ok(PackedLevel {
                metadata: Metadata { parents: entries.parents, ..self.empty() },
                positions: entries.at,
            });
        }
        let mut metadata = self.empty();
        grow(&mut metadata.arrays[BITS], positions(entries.parents, self.each())?, 0)?;
        fill(Writer { level: self, metadata }, entries)
    }
}

/// Checks that entries are 0 or 1.
pub(super) fn flags(level: &'static str, bits: &[i64]) -> Result<(), Damage> {
    match bits.iter().position(|bit| !(0..=1).contains(bit)) {
        None => Ok(()),
        Some(at) => Err(Damage::entry(level, "bits", at, bits[at], "0 or 1")),
    }
}

struct Writer<'l> {
    level: &'l Bitmask,
    metadata: Metadata,
}

impl Writer<'_> {
    /// Makes places for the current parent.
    fn open(&mut self) -> Result<(), Refusal> {
        let end = positions(self.metadata.parents + 1, self.level.each())?;
        grow(&mut self.metadata.arrays[BITS], end, 0)
    }
}

impl Builder for Writer<'_> {
    #[inline]
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let parent = self.metadata.parents;
        let c = self.level.common.number(parent, crd)?;
        let position = parent * self.level.each() + c;
        if self.metadata.arrays[BITS].len() <= position {
            self.open()?;
        }
        self.metadata.arrays[BITS][position] = 1;
        Ok(position)
    }

    #[inline]
    fn finish(&mut self) -> Result<(), Refusal> {
        if self.metadata.arrays[BITS].len() < (self.metadata.parents + 1) * self.level.each() {
            self.open()?;
        }
        self.metadata.parents += 1;
        Ok(())
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
