//! The levels, one file each. To add one: its file, and its line here.
//!
//! A file states what its level **stores**, when that is **well formed**, and its **parameters**. The laws of
//! [`laws`](crate::laws) are tested for every line of the table.

use crate::level::misplaced;
use crate::symbolic::Symbolic;
use crate::{Capabilities, Dimensions, Level, Refusal};

pub mod band;
pub mod bitmask;
pub mod blocklist;
pub mod compressed;
pub mod dense;
pub mod ell;
pub mod hash;
pub mod rankmask;
pub mod rle;
pub mod singleton;
pub mod sparse_runs;

/// Every level, sorted by file name.
pub static TABLE: &[&Kind] = &[
    &band::KIND,
    &bitmask::KIND,
    &blocklist::KIND,
    &compressed::KIND,
    &dense::KIND,
    &ell::KIND,
    &hash::KIND,
    &rankmask::KIND,
    &rle::KIND,
    &singleton::KIND,
    &sparse_runs::KIND,
];

/// The level with this name.
pub fn by_name(name: &str) -> Option<&'static Kind> {
    TABLE.iter().copied().find(|kind| kind.name == name)
}

/// A kind of level: a level before its extents and parameters are known.
#[derive(Debug)]
pub struct Kind {
    /// The name in formats.
    pub name: &'static str,
    /// Whether its first parameter is the number of positions of a parent, and how to choose it.
    pub width: Width,
    /// Its arrays, in order.
    pub arrays: &'static [Array],
    /// What it can do.
    pub capabilities: Capabilities,
    /// Makes the level, or refuses the parameters.
    pub make: fn(Setting<'_>) -> Result<Box<dyn Level>, Refusal>,
    /// How it is written in programs, if it is.
    pub symbolic: Option<Symbolic>,
}

/// An array of a level's metadata, with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// Entries that mean the same wherever they stand.
    Entries(&'static str),
    /// Running totals, from 0 on: see [`prefix`](crate::prefix).
    Totals(&'static str),
}

impl Array {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Array::Entries(name) | Array::Totals(name) => name,
        }
    }

    /// What it is for no parents.
    pub fn empty(self) -> Vec<i64> {
        match self {
            Array::Entries(_) => Vec::new(),
            Array::Totals(_) => vec![0],
        }
    }
}

/// The number of positions that a level gives to each parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// It is not a parameter.
    None,
    /// The first parameter; chosen so that the longest row fits if the format does not give it.
    Longest,
    /// The first parameter; chosen so that half of the longest row's places stay empty if the format does not
    /// give it.
    Twice,
}

impl Width {
    /// The width for rows of at most `longest` entries.
    pub fn fit(self, longest: usize) -> Option<i64> {
        match self {
            Width::None => None,
            Width::Longest => i64::try_from(longest).ok(),
            Width::Twice => i64::try_from(longest.checked_mul(2)?.checked_next_power_of_two()?).ok(),
        }
    }
}

/// What a level is made of.
#[derive(Debug)]
pub struct Setting<'p> {
    /// Its coordinates.
    pub dimensions: Dimensions,
    /// What is subtracted from a coordinate before it is stored, where the level stores coordinates as they
    /// are.
    pub offset: i64,
    /// The numbers in parentheses.
    pub parameters: &'p [i64],
}

impl Setting<'_> {
    /// Refuses parameters.
    fn no_parameters(&self, name: &str) -> Result<(), Refusal> {
        if self.parameters.is_empty() {
            return Ok(());
        }
        Err(Refusal::Format { why: format!("`{name}` takes no parameters") })
    }

    /// What a level of this kind has, with this number of positions for each parent.
    fn common(self, kind: &'static Kind, each: usize) -> Common {
        Common { kind, dimensions: self.dimensions, each }
    }

    /// The width that is the first parameter.
    fn width(&self, name: &str) -> Result<usize, Refusal> {
        let width = self.parameters.first().and_then(|w| usize::try_from(*w).ok());
        width.ok_or_else(|| Refusal::Format {
            why: format!("`{name}` needs a width that is at least 0, as in `{name}(8)`"),
        })
    }
}

/// What every level has.
#[derive(Debug)]
pub struct Common {
    /// The table's entry.
    pub kind: &'static Kind,
    /// Its coordinates.
    pub dimensions: Dimensions,
    /// How many positions each parent has, or places for them, if that is the same for all; else 0.
    pub each: usize,
}

impl Common {
    /// The number of a coordinate, refused if it is outside of the extents.
    #[inline]
    fn number(&self, parent: usize, crd: &[i64]) -> Result<usize, Refusal> {
        match self.dimensions.number(crd) {
            Some(c) => Ok(c),
            None => Err(misplaced(self.kind.name, parent, crd)),
        }
    }
}

/// What every level's file uses.
mod prelude {
    pub(super) use super::{Array, Common, Kind, Setting, Width};
    pub(super) use crate::level::{
        Builder, Encoded, Expansion, Level, PackedLevel, SortedEntries, ZERO, block, fill, fits, grow,
        misplaced, positions,
    };
    pub(super) use crate::symbolic::{self, Declared, Fact, Found, Goal, Symbolic};
    pub(super) use crate::{Capabilities, Damage, EntryPositions, Locate, Metadata, Refusal};
    pub(super) use crate::{pos_array, prefix};
    pub(super) use atl_kernel::{Ix, Pred, Scalar};
    pub(super) use std::ops::Range;

    /// No coordinate.
    pub(super) const NOTHING: Range<i128> = 0..0;

    /// One coordinate.
    pub(super) fn one(coordinate: impl TryInto<i128>) -> Range<i128> {
        coordinate.try_into().map_or(NOTHING, |c| c..c + 1)
    }

    /// The arrays of metadata, if they are so many.
    pub(super) fn arrays<'m, const N: usize>(
        level: &'static str,
        metadata: &'m Metadata,
    ) -> Result<&'m [Vec<i64>; N], Damage> {
        let found = metadata.arrays.len();
        metadata.arrays[..].try_into().map_err(|_| Damage::length(level, "arrays", found, N.to_string()))
    }

    /// The number of positions `parents * each`, if positions can number so many.
    pub(super) fn bounded(level: &'static str, parents: usize, each: usize) -> Result<usize, Damage> {
        fits(parents, each).ok_or_else(|| {
            let expected = format!("so few that {each} positions each can be numbered");
            Damage::length(level, "parents", parents, expected)
        })
    }

    /// Makes room for so many more entries; refused if memory does not suffice.
    pub(super) fn reserve(array: &mut Vec<i64>, more: usize) -> Result<(), Refusal> {
        let what = || Refusal::TooLarge { what: format!("an array of {more} entries") };
        array.try_reserve_exact(more).map_err(|_| what())
    }

    /// Checks the length of an array.
    pub(super) fn length(level: &'static str, name: &str, array: &[i64], len: usize) -> Result<(), Damage> {
        if array.len() == len {
            return Ok(());
        }
        Err(Damage::length(level, name, array.len(), len.to_string()))
    }

    /// Checks that an entry is a coordinate below `extent`.
    pub(super) fn inside(
        level: &'static str,
        name: &str,
        array: &[i64],
        at: usize,
        extent: usize,
    ) -> Result<(), Damage> {
        if usize::try_from(array[at]).is_ok_and(|c| c < extent) {
            return Ok(());
        }
        Err(Damage::entry(level, name, at, array[at], format!("a coordinate in 0..{extent}")))
    }

    /// Checks that an entry is above the one before it.
    pub(super) fn above(level: &'static str, name: &str, array: &[i64], at: usize) -> Result<(), Damage> {
        if array[at - 1] < array[at] {
            return Ok(());
        }
        let expected = format!("more than {}, the coordinate before it", array[at - 1]);
        Err(Damage::entry(level, name, at, array[at], expected))
    }

    /// The nonzero slices, in order.
    pub(super) fn nonzero(slices: &[usize]) -> Vec<usize> {
        (0..slices.len()).filter(|at| slices[*at] != ZERO).collect()
    }

    /// The maximal runs for which a key stays the same.
    pub(super) fn runs<K: PartialEq>(slices: &[usize], key: impl Fn(usize) -> K) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in 0..slices.len() {
            match found.last_mut() {
                Some(run) if key(slices[run.start]) == key(slices[at]) => run.end = at + 1,
                _ => found.push(at..at + 1),
            }
        }
        found
    }
}
