//! `dense`: every coordinate is stored.
//!
//! **Stores.** Only the number of parents P. Position `p * N + c` is coordinate `c` of parent `p`.
//! **Well formed.** P * N fits the integers of positions.
//! **Parameters.** None.

use super::prelude::*;

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[],
    capabilities: Capabilities { full: true, ..Capabilities::EVERYWHERE },
    make,
    symbolic: Some(Symbolic { declare, find }),
};
const NAME: &str = "dense";

/// A dense level.
#[derive(Debug)]
pub struct Dense {
    common: Common,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    let n = setting.dimensions.len()?;
    Ok(Box::new(Dense { common: setting.common(&KIND, n) }))
}

fn declare(level: &symbolic::Level) -> Declared {
    let positions = level.parents.clone() * level.size();
    Declared { arrays: vec![], facts: |_| vec![], positions, counted: &[] }
}

fn find(level: &symbolic::Level, goal: &Goal<'_>) -> Found {
    Found::At(Pred::True, goal.parent.clone() * level.size() + level.flatten(goal.coordinates))
}

impl Level for Dense {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        Ok((Metadata::new(1, Vec::new()), (0..slices.len()).map(Some).collect()))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [] = arrays(NAME, metadata)?;
        bounded(NAME, metadata.parents, self.each()).map(|_| ())
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        if self.valid(metadata, parent, position) { one(position - parent * self.each()) } else { NOTHING }
    }

    fn crd_pos(&self, _: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        self.dimensions().has(coordinate).then(|| parent * self.each() + coordinate as usize)
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, parents: 0 })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        let SortedEntries { parents, crd, at } = entries;
        positions(parents, self.each())?;
        let inside = |(column, n): (&Vec<i64>, &usize)| column.iter().position(|c| *c as u64 >= *n as u64);
        if let Some(entry) = crd.iter().zip(self.dimensions().extents()).find_map(inside) {
            let point: Vec<i64> = crd.iter().map(|column| column[entry]).collect();
            return Err(misplaced(NAME, at.of(entry), &point));
        }
        // Row by row: each dimension's coordinate is added to its extent times the position so far.
        let mut columns = crd.into_iter().zip(self.dimensions().extents());
        let first = match (at, columns.next()) {
            (EntryPositions::Root(_), Some((column, _))) => column.into_iter().map(|c| c as usize).collect(),
            (at, None) => at.into_list(),
            (at, Some((column, n))) => rows(at.into_list(), &column, *n),
        };
        let list = columns.fold(first, |list, (column, n)| rows(list, &column, *n));
        Ok(PackedLevel {
            metadata: Metadata::new(parents, Vec::new()),
            positions: EntryPositions::List(list),
        })
    }

    fn expand(&self, metadata: Metadata, parents: &EntryPositions) -> Result<Expansion, Refusal> {
        positions(parents.len(), self.each())?;
        let counts = vec![self.each(); parents.len()];
        let all = matches!(parents, EntryPositions::Each(_)) || (parents.len() == 1 && metadata.parents == 1);
        let starts = (0..parents.len()).map(|entry| parents.of(entry));
        let positions = match all {
            true => EntryPositions::Each(self.npos(&metadata)),
            false => EntryPositions::List(starts.flat_map(|parent| block(parent, self.each())).collect()),
        };
        let mut repeat = self.each();
        let crd = self.dimensions().extents().iter().map(|&extent| {
            repeat /= extent.max(1);
            let once = (0..self.each()).map(|c| (c / repeat.max(1) % extent.max(1)) as i64);
            once.collect::<Vec<i64>>().repeat(parents.len())
        });
        let crd = crd.collect();
        Ok(Expansion { counts, positions, crd })
    }
}

/// Positions in the rows at these positions.
fn rows(mut at: Vec<usize>, column: &[i64], n: usize) -> Vec<usize> {
    at.iter_mut().zip(column).for_each(|(at, c)| *at = *at * n + *c as usize);
    at
}

struct Writer<'l> {
    level: &'l Dense,
    parents: usize,
}

impl Builder for Writer<'_> {
    #[inline]
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let c = self.level.common.number(self.parents, crd)?;
        Ok(self.parents * self.level.each() + c)
    }

    #[inline]
    fn finish(&mut self) -> Result<(), Refusal> {
        self.parents += 1;
        positions(self.parents, self.level.each()).map(|_| ())
    }

    fn close(self: Box<Self>) -> Metadata {
        Metadata::new(self.parents, Vec::new())
    }
}
