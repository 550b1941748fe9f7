//! `singleton`: at most one coordinate for each parent.
//!
//! **Stores.** `crd[p]`: the coordinate of parent `p`, or -1. The position is that of the parent; without a
//! coordinate its slice is zero.
//! **Well formed.** There are P coordinates, each -1 or inside the extent.
//! **Parameters.** None.

use super::prelude::*;

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[Array::Entries("crd")],
    capabilities: Capabilities {
        branchless: true,
        compact: false,
        locate: Locate::Constant,
        ..Capabilities::ORDERED
    },
    make,
    symbolic: Some(Symbolic { declare, find }),
};
const NAME: &str = "singleton";
const CRD: usize = 0;
const NONE: i64 = -1;

/// A singleton level.
#[derive(Debug)]
pub struct Singleton {
    common: Common,
    n: usize,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    Ok(Box::new(Singleton { n: setting.dimensions.len()?, common: setting.common(&KIND, 1) }))
}

fn second(parent: usize, coordinate: Vec<i64>) -> Refusal {
    Refusal::NoSpace { level: NAME, parent, coordinate, why: "a parent has one coordinate".to_owned() }
}

fn declare(level: &symbolic::Level) -> Declared {
    let crd = ("crd".to_owned(), Scalar::I32, level.parents.clone());
    Declared { arrays: vec![crd], facts, positions: level.parents.clone(), counted: &[] }
}

fn facts(level: &symbolic::Level) -> Vec<Fact> {
    vec![Fact::below("p", level.parents.clone(), |p| {
        let crd = level.read(CRD, p);
        Pred::and(Pred::le(Ix::Lit(NONE), crd.clone()), Pred::lt(crd, level.size()))
    })]
}

fn find(level: &symbolic::Level, goal: &Goal<'_>) -> Found {
    let here = Pred::eq(level.flatten(goal.coordinates), level.read(CRD, goal.parent.clone()));
    Found::At(here, goal.parent.clone())
}

impl Level for Singleton {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let stored = nonzero(slices);
        if let Some(&over) = stored.get(1) {
            return Err(second(0, self.dimensions().unflatten(over as i128)));
        }
        let only = stored.first().copied();
        Ok((Metadata::new(1, vec![vec![only.map_or(NONE, |c| c as i64)]]), vec![only]))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [crd] = arrays(NAME, metadata)?;
        length(NAME, "crd", crd, metadata.parents)?;
        (0..crd.len()).filter(|at| crd[*at] != NONE).try_for_each(|at| inside(NAME, "crd", crd, at, self.n))
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.arrays[CRD].len()
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        if self.valid(metadata, parent, position) { one(metadata.arrays[CRD][position]) } else { NOTHING }
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        let here = i128::from(metadata.arrays[CRD][parent]) == coordinate;
        (here && self.dimensions().has(coordinate)).then_some(parent)
    }

    fn valid(&self, metadata: &Metadata, parent: usize, position: usize) -> bool {
        position == parent && metadata.arrays[CRD][position] != NONE
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty() })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        let mut metadata = self.empty();
        reserve(&mut metadata.arrays[CRD], entries.parents)?;
        fill(Writer { level: self, metadata }, entries)
    }
}

struct Writer<'l> {
    level: &'l Singleton,
    metadata: Metadata,
}

impl Builder for Writer<'_> {
    #[inline]
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let parent = self.metadata.parents;
        let c = self.level.common.number(parent, crd)?;
        if self.metadata.arrays[CRD].len() > parent {
            return Err(second(parent, crd.to_vec()));
        }
        self.metadata.arrays[CRD].push(c as i64);
        Ok(parent)
    }

    #[inline]
    fn finish(&mut self) -> Result<(), Refusal> {
        self.metadata.parents += 1;
        grow(&mut self.metadata.arrays[CRD], self.metadata.parents, NONE)
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
