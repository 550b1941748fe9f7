//! `hash`: a hash table of `w` slots for each parent, with linear probing.
//!
//! **Stores.** `tab[p * w + s]`: the coordinate in slot `s` of parent `p`, or -1. A search for coordinate `c`
//! probes the slots `(h(c) + k) mod w`, `k = 0, 1, …`, until it finds `c` or an empty slot; there are no
//! deletions. Empty slots have zero slices.
//! **Well formed.** There are P * w slots; each is -1 or a coordinate that a search finds there; no
//! coordinate occurs twice.
//! **Parameters.** `hash(w, a, b)`: the width, and `h(c) = a * c + b`. Without `a` and `b`, `h(c) = c`.
//!
//! A full table is allowed: a search ends after `w` slots. Packing more than `w` coordinates is refused.

use super::prelude::*;
use crate::padded_rows::{self, NONE};

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::Twice,
    arrays: &[Array::Entries("tab")],
    capabilities: Capabilities {
        ordered: false,
        compact: false,
        locate: Locate::Expected,
        append: false,
        insert: true,
        ..Capabilities::ORDERED
    },
    make,
    symbolic: Some(Symbolic { declare, find: padded_rows::find }),
};
const NAME: &str = "hash";
const TAB: usize = 0;
/// Buckets of at most so many slots are checked by searching them.
const SMALL: usize = 64;

/// A hash level.
#[derive(Debug)]
pub struct Hash {
    common: Common,
    n: usize,
    /// The factor and the shift, as remainders that are not negative.
    factor: u64,
    shift: u64,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    let width = setting.width(NAME)?;
    let (factor, shift) = match setting.parameters[1..] {
        [] => (1, 0),
        [factor] => (factor, 0),
        [factor, shift] => (factor, shift),
        _ => return Err(Refusal::Format { why: "`hash` takes a width, a factor and a shift".to_owned() }),
    };
    let remainder = |number: i64| i128::from(number).rem_euclid(width.max(1) as i128) as u64;
    let (factor, shift) = (remainder(factor), remainder(shift));
    Ok(Box::new(Hash { n: setting.dimensions.len()?, common: setting.common(&KIND, width), factor, shift }))
}

impl Hash {
    /// The slot of a bucket in which a search begins. The width is not 0.
    #[inline]
    fn home(&self, coordinate: i64) -> usize {
        if self.each().is_power_of_two() {
            // What wraps is a multiple of it.
            let slot = self.factor.wrapping_mul(coordinate as u64).wrapping_add(self.shift);
            return slot as usize & (self.each() - 1);
        }
        // Remainders multiply to the same remainder, without overflow where they have 32 bits.
        let (c, w) = (coordinate as u64, self.each() as u64);
        let slot = match u32::try_from(w) {
            Ok(_) => (self.factor * (c % w) + self.shift) % w,
            Err(_) => {
                let [factor, c, shift] = [self.factor, c, self.shift].map(u128::from);
                ((factor * c + shift) % u128::from(w)) as u64
            }
        };
        slot as usize
    }

    /// Where a coordinate stands in a bucket, or the empty slot where its search ends, or `None` if there is
    /// neither.
    #[inline]
    fn probe(&self, bucket: &[i64], coordinate: i64) -> Option<usize> {
        let home = if bucket.is_empty() { 0 } else { self.home(coordinate) };
        let ends = |c: &i64| *c == NONE || *c == coordinate;
        let (before, after) = bucket.split_at(home);
        match after.iter().position(ends) {
            Some(slot) => Some(home + slot),
            None => before.iter().position(ends),
        }
    }

    /// The refusal of one coordinate more than a table has slots.
    #[cold]
    fn full(&self, parent: usize, crd: &[i64]) -> Refusal {
        let why = format!("its {} slots are taken", self.each());
        Refusal::NoSpace { level: NAME, parent, coordinate: crd.to_vec(), why }
    }

    /// Fills tables with entries, which have these parents and flattened coordinates, and puts their
    /// positions in place of parents. A table is made when its parent's turn comes, and is in a near cache
    /// while it is filled.
    fn fill(
        &self,
        tab: &mut Vec<i64>,
        parents: usize,
        at: &mut [usize],
        crd: &[Vec<i64>],
        number: impl Fn(usize) -> Option<usize>,
    ) -> Result<(), Refusal> {
        let point = |entry: usize| crd.iter().map(|column| column[entry]).collect::<Vec<i64>>();
        let mut entry = 0;
        for parent in 0..parents {
            let start = tab.len();
            tab.resize(start + self.each(), NONE);
            let table = &mut tab[start..];
            while at.get(entry) == Some(&parent) {
                let Some(c) = number(entry) else { return Err(misplaced(NAME, parent, &point(entry))) };
                let Some(slot) = self.probe(table, c as i64) else {
                    return Err(self.full(parent, &point(entry)));
                };
                table[slot] = c as i64;
                at[entry] = start + slot;
                entry += 1;
            }
        }
        // What is left stands behind a later parent's, or its parent is none.
        if entry < at.len() { Err(Refusal::Unsorted { entry }) } else { Ok(()) }
    }

    /// Is every coordinate of a bucket found where it stands? Then it stands once, too. Only small buckets
    /// are looked at, for it may take as many steps for each as there are slots.
    fn is_probed(&self, slots: &[i64]) -> bool {
        let found = |(slot, c): (usize, &i64)| *c == NONE || self.probe(slots, *c) == Some(slot);
        slots.len() <= SMALL && slots.iter().enumerate().all(found)
    }

    /// Checks that every coordinate of a bucket is found where it stands. In one round: a search ends before
    /// its slot if there is an empty one in between.
    fn reachable(&self, tab: &[i64], bucket: Range<usize>) -> Result<(), Damage> {
        let slots = &tab[bucket.clone()];
        let Some(empty) = slots.iter().position(|c| *c == NONE) else { return Ok(()) };
        let mut taken = 0;
        for slot in (empty..self.each()).chain(0..empty) {
            if slots[slot] == NONE {
                taken = 0;
                continue;
            }
            let steps = (slot + self.each() - self.home(slots[slot])) % self.each();
            if steps > taken {
                let expected = "a coordinate that is found there: an empty slot ends its search before";
                return Err(Damage::entry(NAME, "tab", bucket.start + slot, slots[slot], expected));
            }
            taken += 1;
        }
        Ok(())
    }
}

fn declare(level: &symbolic::Level) -> Declared {
    padded_rows::declare(level, "tab", Scalar::I64)
}

impl Level for Hash {
    fn common(&self) -> &Common {
        &self.common
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let mut stored = Vec::new();
        grow(&mut stored, self.each(), None)?;
        let mut writer = Writer { level: self, metadata: self.empty() };
        for at in nonzero(slices) {
            let position = writer.push(&self.dimensions().unflatten(at as i128))?;
            stored[position] = Some(at);
        }
        writer.finish()?;
        Ok((writer.metadata, stored))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let [tab] = arrays(NAME, metadata)?;
        length(NAME, "tab", tab, bounded(NAME, metadata.parents, self.each())?)?;
        for at in (0..tab.len()).filter(|at| tab[*at] != NONE) {
            inside(NAME, "tab", tab, at, self.n)?;
        }
        // A level without slots has no tables, however many parents it has.
        for start in (0..tab.len()).step_by(self.each().max(1)) {
            let bucket = start..start + self.each();
            if self.is_probed(&tab[bucket.clone()]) {
                continue;
            }
            let mut taken: Vec<usize> = bucket.clone().filter(|at| tab[*at] != NONE).collect();
            taken.sort_by_key(|at| (tab[*at], *at));
            if let Some(pair) = taken.windows(2).find(|pair| tab[pair[0]] == tab[pair[1]]) {
                let expected = format!("another coordinate than tab[{}]", pair[0]);
                return Err(Damage::entry(NAME, "tab", pair[1], tab[pair[1]], expected));
            }
            self.reachable(tab, bucket)?;
        }
        Ok(())
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.arrays[TAB].len()
    }

    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128> {
        if self.valid(metadata, parent, position) { one(metadata.arrays[TAB][position]) } else { NOTHING }
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        if !self.dimensions().has(coordinate) {
            return None;
        }
        let bucket = self.pos_bounds(metadata, parent);
        let slots = &metadata.arrays[TAB][bucket.clone()];
        let slot = self.probe(slots, coordinate as i64)?;
        (slots[slot] != NONE).then_some(bucket.start + slot)
    }

    fn valid(&self, metadata: &Metadata, parent: usize, position: usize) -> bool {
        self.pos_bounds(metadata, parent).contains(&position) && metadata.arrays[TAB][position] != NONE
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty() })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        let SortedEntries { parents, crd, at } = entries;
        if at.is_empty() && positions(parents, self.each())? == 0 {
            return Ok(PackedLevel { metadata: Metadata { parents, ..self.empty() }, positions: at });
        }
        let (mut tab, mut at) = (Vec::new(), at.into_list());
        reserve(&mut tab, positions(parents, self.each())?)?;
        match &crd[..] {
            [only] => {
                self.fill(&mut tab, parents, &mut at, &crd, |entry| self.dimensions().number(&[only[entry]]))?
            }
            _ => self.fill(&mut tab, parents, &mut at, &crd, |entry| {
                self.dimensions().number(&crd.iter().map(|column| column[entry]).collect::<Vec<i64>>())
            })?,
        }
        Ok(PackedLevel { metadata: Metadata::new(parents, vec![tab]), positions: EntryPositions::List(at) })
    }

    fn expand(&self, metadata: Metadata, parents: &EntryPositions) -> Result<Expansion, Refusal> {
        Ok(padded_rows::expand(metadata, self.each(), self.dimensions(), parents))
    }
}

struct Writer<'l> {
    level: &'l Hash,
    metadata: Metadata,
}

impl Writer<'_> {
    /// Makes the current parent's table, if it is not there yet.
    fn open(&mut self) -> Result<Range<usize>, Refusal> {
        let (parent, width) = (self.metadata.parents, self.level.each());
        let there = self.metadata.arrays[TAB].len();
        // A table that is there has a number for its end.
        if there / width.max(1) <= parent {
            grow(&mut self.metadata.arrays[TAB], positions(parent + 1, width)?, NONE)?;
        }
        Ok(block(parent, width))
    }
}

impl Builder for Writer<'_> {
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let parent = self.metadata.parents;
        let c = self.level.common.number(parent, crd)?;
        let bucket = self.open()?;
        let table = &mut self.metadata.arrays[TAB][bucket.clone()];
        let Some(slot) = self.level.probe(table, c as i64) else {
            return Err(self.level.full(parent, crd));
        };
        table[slot] = c as i64;
        Ok(bucket.start + slot)
    }

    fn finish(&mut self) -> Result<(), Refusal> {
        self.open()?;
        self.metadata.parents += 1;
        Ok(())
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
