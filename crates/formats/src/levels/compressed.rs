//! `compressed`: the coordinates of the nonzero slices, in increasing order.
//!
//! **Stores.** `pos`: the positions `p` of parent `q` are `pos[q] <= p < pos[q + 1]`; `crd[p]`: the
//! coordinate. A level over several dimensions stores tuples, one array for each component: `crd0`, `crd1`, …
//! Tuples are ordered lexicographically, which is the order of the flattened coordinates; these are not
//! stored. A level of diagonals stores `crd[p] - offset`.
//! **Well formed.** `pos` starts at 0, never decreases, and ends at the number of coordinates; coordinates
//! are inside the extents and strictly increase within each segment.
//! **Parameters.** None.

use super::prelude::*;
use atl_kernel::Var;
use std::cmp::Ordering;

/// The table's entry.
pub static KIND: Kind = Kind {
    name: NAME,
    width: Width::None,
    arrays: &[Array::Totals("pos")],
    capabilities: Capabilities::ORDERED,
    make,
    symbolic: Some(Symbolic { declare, find }),
};
const NAME: &str = "compressed";
const POS: usize = 0;

/// A compressed level. Its coordinate map, from a coordinate to what is stored, is `c - offset` in one
/// dimension and the tuple of coordinates in several: both are injective and strictly increasing.
#[derive(Debug)]
pub struct Compressed {
    common: Common,
    offset: i64,
}

fn make(setting: Setting<'_>) -> Result<Box<dyn Level>, Refusal> {
    setting.no_parameters(NAME)?;
    Ok(Box::new(Compressed { offset: setting.offset, common: setting.common(&KIND, 0) }))
}

impl Compressed {
    /// Compares the stored tuple of a position with another.
    fn compare(&self, metadata: &Metadata, position: usize, tuple: &[i64]) -> Ordering {
        let stored = metadata.arrays[POS + 1..].iter().map(|column| column[position]);
        stored.cmp(tuple.iter().copied())
    }

    /// What is stored for a coordinate.
    fn map(&self, coordinate: i128) -> Vec<i64> {
        let mut tuple = self.dimensions().unflatten(coordinate);
        tuple[0] -= self.offset;
        tuple
    }

    /// The running totals of entries that all have positions of their own: that stand in order, without two
    /// of the same parent and coordinate. Otherwise `None`.
    fn distinct(&self, parents: usize, crd: &[Vec<i64>], at: &EntryPositions) -> Option<Vec<i64>> {
        if crd.iter().any(|column| column.len() != at.len()) {
            return None;
        }
        let increases = |entry: usize| match crd {
            [only] => only[entry - 1] < only[entry],
            _ => crd.iter().map(|c| c[entry - 1]).lt(crd.iter().map(|c| c[entry])),
        };
        let mut pos = Vec::new();
        pos.try_reserve_exact(parents.checked_add(1)?).ok()?;
        pos.push(0);
        for entry in 0..at.len() {
            let parent = at.of(entry);
            if parent < pos.len() - 1 || parent >= parents {
                return None;
            }
            if parent == pos.len() - 1 {
                if entry as i64 > pos[parent] && !increases(entry) {
                    return None;
                }
            } else {
                pos.resize(parent + 1, entry as i64);
            }
        }
        pos.resize(parents + 1, at.len() as i64);
        let mut columns = crd.iter().zip(self.dimensions().extents());
        columns.all(|(column, n)| column.iter().all(|c| (*c as u64) < *n as u64)).then_some(pos)
    }

    fn name_of(&self, dimension: usize) -> String {
        if self.dimensions().arity() == 1 { "crd".to_owned() } else { format!("crd{dimension}") }
    }

    /// Checks that the stored coordinates of one dimension are images of coordinates.
    fn in_image(&self, dimension: usize, column: &[i64]) -> Result<(), Damage> {
        let extent = self.dimensions().extents()[dimension] as i64;
        let low = if dimension == 0 { -self.offset } else { 0 };
        match column.iter().position(|c| *c < low || *c >= low + extent) {
            None => Ok(()),
            Some(at) => {
                let expected = format!("a coordinate in {low}..{}", low + extent);
                Err(Damage::entry(NAME, self.name_of(dimension), at, column[at], expected))
            }
        }
    }

    /// Checks that tuples strictly increase within each segment.
    fn increasing(&self, metadata: &Metadata) -> Result<(), Damage> {
        let columns = &metadata.arrays[POS + 1..];
        for pair in metadata.arrays[POS].windows(2) {
            for at in pair[0] as usize + 1..pair[1] as usize {
                let before = columns.iter().map(|column| column[at - 1]);
                if before.cmp(columns.iter().map(|column| column[at])).is_ge() {
                    let last = columns.len() - 1;
                    let expected = format!("more than the coordinate before it, {}", columns[last][at - 1]);
                    return Err(Damage::entry(NAME, self.name_of(last), at, columns[last][at], expected));
                }
            }
        }
        Ok(())
    }
}

fn declare(level: &symbolic::Level) -> Declared {
    let mut arrays = vec![("pos".to_owned(), Scalar::I64, level.parents.clone() + Ix::ONE)];
    arrays.extend((0..level.extents.len()).map(|d| {
        let name = if level.extents.len() == 1 { "crd".to_owned() } else { format!("crd{d}") };
        (name, Scalar::I32, level.length(0))
    }));
    Declared { arrays, facts, positions: level.length(0), counted: &["len"] }
}

fn facts(level: &symbolic::Level) -> Vec<Fact> {
    let mut facts = pos_array::facts(level, POS, &level.parents, &level.length(0));
    for (d, extent) in level.extents.iter().enumerate() {
        let low = if d == 0 { Ix::ZERO - level.offset.clone() } else { Ix::ZERO };
        let high = low.clone() + extent.clone();
        facts.push(Fact::below("p", level.length(0), |p| {
            let crd = level.read(POS + 1 + d, p);
            Pred::and(Pred::le(low, crd.clone()), Pred::lt(crd, high))
        }));
    }
    let crd = |at: Ix| level.read(POS + 1, at);
    if level.extents.len() == 1 {
        facts.push(neighbours(level, |p, next| Pred::lt(crd(p), crd(next))));
    } else {
        facts.push(neighbours(level, |p, next| Pred::le(crd(p), crd(next))));
        facts.extend(pairs(level));
    }
    facts
}

/// What holds of each two positions of a segment that follow each other.
fn neighbours(level: &symbolic::Level, holds: impl FnOnce(Ix, Ix) -> Pred) -> Fact {
    let (q, p) = (Ix::Var(Var::Bound(0)), Ix::Var(Var::Bound(1)));
    Fact {
        variables: vec![
            ("q", Ix::ZERO, level.parents.clone()),
            ("p", level.read(POS, q.clone()), level.read(POS, q + Ix::ONE) - Ix::ONE),
        ],
        holds: holds(p.clone(), p + Ix::ONE),
    }
}

/// Of so many places at most, each has a number of 64 bits.
const MOST_PLACES: i64 = 1 << 62;

/// Pairs increase, as `crd0 * n1 + crd1`, a number that 64 bits hold: coordinates have 31. So a pair can be
/// looked for. Tuples of three have no such number; of them it is said that the first ones never fall, and
/// the pairs of the first two do not.
fn pairs(level: &symbolic::Level) -> Vec<Fact> {
    let [height, width, rest @ ..] = &level.extents[..] else { return Vec::new() };
    let number = |at: Ix| level.read(POS + 1, at.clone()) * width.clone() + level.read(POS + 2, at);
    let few = match height.clone() * width.clone() {
        Ix::Lit(..=MOST_PLACES) => None,
        size => Some(Fact {
            variables: vec![("q", Ix::ZERO, level.parents.clone())],
            holds: Pred::le(size, Ix::Lit(MOST_PLACES)),
        }),
    };
    let grow = if rest.is_empty() { Pred::lt } else { Pred::le };
    let increase = neighbours(level, |p, next| grow(number(p), number(next)));
    few.into_iter().chain([increase]).collect()
}

fn find(level: &symbolic::Level, goal: &Goal<'_>) -> Found {
    let arrays: Vec<_> = level.arrays[POS + 1..].to_vec();
    let mut wanted = goal.coordinates.to_vec();
    wanted[0] = wanted[0].clone() - level.offset.clone();
    let is = move |p: &Ix| {
        let equal = arrays
            .iter()
            .zip(&wanted)
            .map(|(array, c)| Pred::eq(c.clone(), Ix::Read(*array, std::sync::Arc::from([p.clone()]))));
        equal.fold(Pred::True, Pred::and)
    };
    let (lo, hi) = pos_array::bounds(level, POS, goal.parent);
    Found::Among(lo.clone(), hi - lo, Box::new(is))
}

impl Level for Compressed {
    fn common(&self) -> &Common {
        &self.common
    }

    fn tuple(&self) -> Vec<String> {
        (0..self.dimensions().arity()).map(|d| self.name_of(d)).collect()
    }

    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal> {
        let stored = nonzero(slices);
        let mut arrays = vec![Vec::new(); 1 + self.dimensions().arity()];
        arrays[POS] = vec![0, stored.len() as i64];
        for &at in &stored {
            arrays[POS + 1..].iter_mut().zip(self.map(at as i128)).for_each(|(column, c)| column.push(c));
        }
        Ok((Metadata::new(1, arrays), stored.into_iter().map(Some).collect()))
    }

    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage> {
        let arity = self.dimensions().arity();
        if metadata.arrays.len() != 1 + arity {
            return Err(Damage::length(NAME, "arrays", metadata.arrays.len(), (1 + arity).to_string()));
        }
        let entries = metadata.arrays[POS + 1].len();
        prefix::check(NAME, "pos", &metadata.arrays[POS], metadata.parents, Some(entries))?;
        for (dimension, column) in metadata.arrays[POS + 1..].iter().enumerate() {
            length(NAME, &self.name_of(dimension), column, entries)?;
            self.in_image(dimension, column)?;
        }
        self.increasing(metadata)
    }

    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.arrays[POS + 1].len()
    }

    fn pos_bounds(&self, metadata: &Metadata, parent: usize) -> Range<usize> {
        metadata.segment(POS, parent)
    }

    fn pos_crd(&self, metadata: &Metadata, _: usize, position: usize) -> Range<i128> {
        let mut tuple: Vec<i64> = metadata.arrays[POS + 1..].iter().map(|column| column[position]).collect();
        tuple[0] += self.offset;
        one(self.dimensions().flatten(&tuple))
    }

    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize> {
        if !self.dimensions().has(coordinate) {
            return None;
        }
        let tuple = self.map(coordinate);
        let Range { start: mut low, end: mut high } = self.pos_bounds(metadata, parent);
        while low < high {
            let middle = low.midpoint(high);
            match self.compare(metadata, middle, &tuple) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn builder(&self) -> Box<dyn Builder + '_> {
        Box::new(Writer { level: self, metadata: self.empty() })
    }

    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
        let SortedEntries { parents, crd, at } = entries;
        if let Some(pos) = self.distinct(parents, &crd, &at) {
            let mut arrays = vec![pos];
            arrays.extend(crd);
            if self.offset != 0 {
                arrays[POS + 1].iter_mut().for_each(|c| *c -= self.offset);
            }
            let metadata = Metadata::new(parents, arrays);
            return Ok(PackedLevel { metadata, positions: EntryPositions::Each(at.len()) });
        }
        let mut metadata = self.empty();
        reserve(&mut metadata.arrays[POS], parents)?;
        fill(Writer { level: self, metadata }, SortedEntries { parents, crd, at })
    }

    fn expand(&self, metadata: Metadata, parents: &EntryPositions) -> Result<Expansion, Refusal> {
        let bounds = || (0..parents.len()).map(|entry| self.pos_bounds(&metadata, parents.of(entry)));
        let counts = bounds().map(|bounds| bounds.len()).collect();
        let all = matches!(parents, EntryPositions::Each(_)) || (parents.len() == 1 && metadata.parents == 1);
        let positions = match all {
            true => EntryPositions::Each(self.npos(&metadata)),
            false => EntryPositions::List(bounds().flatten().collect()),
        };
        let stored = metadata.arrays.into_iter().skip(POS + 1);
        let mut crd: Vec<Vec<i64>> = stored.map(|column| positions.take(column)).collect();
        if self.offset != 0 {
            crd[0].iter_mut().for_each(|c| *c += self.offset);
        }
        Ok(Expansion { counts, positions, crd })
    }
}

struct Writer<'l> {
    level: &'l Compressed,
    metadata: Metadata,
}

impl Builder for Writer<'_> {
    #[inline]
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal> {
        let Metadata { parents, arrays } = &mut self.metadata;
        let (pos, columns) = arrays.split_first_mut().expect("it has `pos`");
        let position = columns[0].len();
        let offset = self.level.offset;
        let inside =
            crd.iter().zip(self.level.dimensions().extents()).all(|(c, n)| *c >= 0 && (*c as usize) < *n);
        let follows = || {
            let before = columns.iter().map(|column| column[position - 1]);
            before.cmp(crd.iter().enumerate().map(|(d, c)| if d == 0 { c - offset } else { *c })).is_lt()
        };
        if !inside || (position as i64 > pos[*parents] && !follows()) {
            return Err(misplaced(NAME, *parents, crd));
        }
        for (d, (column, c)) in columns.iter_mut().zip(crd).enumerate() {
            column.push(if d == 0 { c - offset } else { *c });
        }
        Ok(position)
    }

    #[inline]
    fn finish(&mut self) -> Result<(), Refusal> {
        self.metadata.parents += 1;
        let end = self.metadata.arrays[POS + 1].len() as i64;
        self.metadata.arrays[POS].push(end);
        Ok(())
    }

    fn close(self: Box<Self>) -> Metadata {
        self.metadata
    }
}
