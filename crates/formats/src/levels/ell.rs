//! `ell`: at most `w` coordinates for each parent, in `w` positions.
//!
//! **Stores.** `crd[p * w + k]`: coordinate `k` of parent `p`, or -1. The coordinates increase; empty
//! positions come last and have zero slices.
//! **Well formed.** There are P * w positions; coordinates are inside the extent and increase, and none
//! follows an empty position.
//! **Parameters.** `ell(w)`: the width.

use super::prelude::*;
use crate::padded_rows::{self, NONE};

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::Longest,
    arrays: &[Array::Entries("crd")],
    capabilities: Capabilities { compact: false, ..Capabilities::ORDERED },
    make,
    symbolic: Some(Symbolic { declare, find: padded_rows::find }),
};
const NAME: &str = "ell";
const CRD: usize = 0;

/// A level of rows of one width.
#[derive(Debug)]
pub struct Ell {
    common: Common,
    n: usize,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    let width = setting.width(NAME)?;
    if setting.parameters.len() > 1 {
        return Err(Refusal::Format { why: "`ell` takes a width only".to_owned() });
    }
    Ok(Box::new(Ell { n: setting.dimensions.len()?, common: setting.common(&KIND, width) }))
}

impl Ell {
    fn full(&self, parent: usize, coordinate: Vec<i64>) -> Refusal {
        Refusal::NoSpace { level: NAME, parent, coordinate, why: format!("it has {} places", self.each()) }
    }
}

fn declare(level: &symbolic::Level) -> Declared {
    padded_rows::declare(level, "crd", Scalar::I32)
}

impl Level for Ell {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let stored = nonzero(slices);
        if let Some(&over) = stored.get(self.each()) {
            return Err(self.full(0, self.dimensions().unflatten(over as i128)));
        }
        let mut crd: Vec<i64> = stored.iter().map(|c| *c as i64).collect();
        grow(&mut crd, self.each(), NONE)?;
        let mut slices: Vec<Option<usize>> = stored.into_iter().map(Some).collect();
        grow(&mut slices, self.each(), None)?;
        Ok((Metadata::new(1, vec![crd]), slices))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [crd] = arrays(NAME, metadata)?;
        length(NAME, "crd", crd, bounded(NAME, metadata.parents, self.each())?)?;
        for at in (0..crd.len()).filter(|at| crd[*at] != NONE) {
            inside(NAME, "crd", crd, at, self.n)?;
            if at % self.each() > 0 {
                if crd[at - 1] == NONE {
                    return Err(Damage::entry(NAME, "crd", at, crd[at], "-1, as in the place before it"));
                }
                above(NAME, "crd", crd, at)?;
            }
        }
        Ok(())
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.arrays[CRD].len()
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        if self.valid(metadata, parent, position) { one(metadata.arrays[CRD][position]) } else { NOTHING }
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        let places = self.pos_bounds(metadata, parent);
        let row = &metadata.arrays[CRD][places.clone()];
        let place = row.partition_point(|c| *c != NONE && i128::from(*c) < coordinate);
        let found =
            self.dimensions().has(coordinate) && row.get(place).is_some_and(|c| i128::from(*c) == coordinate);
        found.then_some(places.start + place)
    }

    fn valid(&self, metadata: &Metadata, parent: usize, position: usize) -> bool {
        self.pos_bounds(metadata, parent).contains(&position) && metadata.arrays[CRD][position] != NONE
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
        let all = positions(entries.parents, self.each())?;
        reserve(&mut metadata.arrays[CRD], all)?;
        fill(Writer { level: self, metadata }, entries)
    }

    fn expand(&self, metadata: Metadata, parents: &EntryPositions) -> Result<Expansion, Refusal> {
        Ok(padded_rows::expand(metadata, self.each(), self.dimensions(), parents))
    }
}

struct Writer<'l> {
    level: &'l Ell,
    metadata: Metadata,
}

impl Builder for Writer<'_> {
    #[inline]
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let Metadata { parents, arrays } = &mut self.metadata;
        let (row, stored) = (*parents * self.level.each(), &mut arrays[CRD]);
        let position = stored.len();
        let number = self.level.dimensions().number(crd).map(|c| c as i64);
        let Some(c) = number.filter(|c| position == row || stored[position - 1] < *c) else {
            return Err(misplaced(NAME, *parents, crd));
        };
        if position - row == self.level.each() {
            return Err(self.level.full(*parents, crd.to_vec()));
        }
        stored.push(c);
        Ok(position)
    }

    #[inline]
    fn finish(&mut self) -> Result<(), Refusal> {
        self.metadata.parents += 1;
        let end = positions(self.metadata.parents, self.level.each())?;
        grow(&mut self.metadata.arrays[CRD], end, NONE)
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
