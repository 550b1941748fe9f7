//! `band`: for each parent, the slices from the first nonzero one to the last.
//!
//! **Stores.** `pos` as `compressed`; `start[p]`: the coordinate of the first position of parent `p`. The
//! others follow without gaps.
//! **Well formed.** `pos` starts at 0 and never decreases; there are P starts; every band is inside the
//! extent.
//! **Parameters.** None.

use super::prelude::*;

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[Array::Totals("pos"), Array::Entries("start")],
    capabilities: Capabilities { locate: Locate::Constant, ..Capabilities::ORDERED },
    make,
    symbolic: Some(Symbolic { declare, find }),
};
const NAME: &str = "band";
const POS: usize = 0;
const START: usize = 1;

/// A band level.
#[derive(Debug)]
pub struct Band {
    common: Common,
    n: usize,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    Ok(Box::new(Band { n: setting.dimensions.len()?, common: setting.common(&KIND, 0) }))
}

fn declare(level: &symbolic::Level) -> Declared {
    let pos = ("pos".to_owned(), Scalar::I64, level.parents.clone() + Ix::ONE);
    let start = ("start".to_owned(), Scalar::I32, level.parents.clone());
    Declared { arrays: vec![pos, start], facts, positions: level.length(0), counted: &["len"] }
}

fn facts(level: &symbolic::Level) -> Vec<Fact> {
    let mut facts = pos_array::facts(level, POS, &level.parents, &level.length(0));
    facts.push(Fact::below("q", level.parents.clone(), |q| {
        let (start, (lo, hi)) = (level.read(START, q.clone()), pos_array::bounds(level, POS, &q));
        Pred::and(Pred::le(Ix::ZERO, start.clone()), Pred::le(start + (hi - lo), level.size()))
    }));
    facts
}

fn find(level: &symbolic::Level, goal: &Goal<'_>) -> Found {
    let (lo, hi) = pos_array::bounds(level, POS, goal.parent);
    let (start, wanted) = (level.read(START, goal.parent.clone()), level.flatten(goal.coordinates));
    let first = lo.clone();
    let is = move |p: &Ix| Pred::eq(wanted.clone(), start.clone() + (p.clone() - first.clone()));
    Found::Among(lo.clone(), hi - lo, Box::new(is))
}

impl Level for Band {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let stored = nonzero(slices);
        let band = match (stored.first(), stored.last()) {
            (Some(&first), Some(&last)) => first..last + 1,
            _ => 0..0,
        };
        let arrays = vec![vec![0, band.len() as i64], vec![band.start as i64]];
        Ok((Metadata::new(1, arrays), band.map(Some).collect()))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [pos, start] = arrays(NAME, metadata)?;
        prefix::check(NAME, "pos", pos, metadata.parents, None)?;
        length(NAME, "start", start, metadata.parents)?;
        for (parent, bounds) in pos.windows(2).enumerate() {
            let last = self.n as i64 - (bounds[1] - bounds[0]);
            if last < 0 {
                let most = i128::from(bounds[0]) + self.n as i128;
                let expected = format!("at most {most}, for a band inside the extent");
                return Err(Damage::entry(NAME, "pos", parent + 1, bounds[1], expected));
            }
            if !(0..=last).contains(&start[parent]) {
                let expected = format!("0 to {last}, for a band inside the extent");
                return Err(Damage::entry(NAME, "start", parent, start[parent], expected));
            }
        }
        Ok(())
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.position(POS, metadata.parents)
    }

    fn pos_bounds(&self, metadata: &Metadata, parent: usize) -> Range<usize> {
        metadata.segment(POS, parent)
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        let from = self.pos_bounds(metadata, parent).start;
        if self.valid(metadata, parent, position) {
            one(metadata.position(START, parent) + (position - from))
        } else {
            NOTHING
        }
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        let bounds = self.pos_bounds(metadata, parent);
        let step = coordinate - i128::from(metadata.arrays[START][parent]);
        (0..bounds.len() as i128).contains(&step).then(|| bounds.start + step as usize)
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty(), end: 0 })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        let mut metadata = self.empty();
        reserve(&mut metadata.arrays[POS], entries.parents)?;
        fill(Writer { level: self, metadata, end: 0 }, entries)
    }
}

struct Writer<'l> {
    level: &'l Band,
    metadata: Metadata,
    /// How many positions there are.
    end: usize,
}

impl Builder for Writer<'_> {
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let Metadata { parents, arrays } = &mut self.metadata;
        let c = self.level.common.number(*parents, crd)?;
        let from = arrays[POS][*parents] as usize;
        if arrays[START].len() == *parents {
            arrays[START].push(c as i64);
        }
        let position = c.checked_sub(arrays[START][*parents] as usize).map(|step| from + step);
        let Some(position) = position.filter(|position| *position >= self.end) else {
            return Err(misplaced(NAME, *parents, crd));
        };
        self.end = positions(position + 1, 1)?;
        Ok(position)
    }

    fn finish(&mut self) -> Result<(), Refusal> {
        self.metadata.parents += 1;
        grow(&mut self.metadata.arrays[START], self.metadata.parents, 0)?;
        self.metadata.arrays[POS].push(self.end as i64);
        Ok(())
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
