//! Why something is refused: damaged arrays, entries that do not fit, formats that cannot be.
//!
//! Every refusal is a value that names the place and says what was found and what was expected; nothing here
//! panics, and nothing is repaired in passing.

use std::fmt;

/// Arrays that are not what the level stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Which level of the format, from 0.
    pub depth: usize,
    /// The level's name.
    pub level: &'static str,
    /// The array; `parents` for the number of parents, `values` for the values below the last level.
    pub array: String,
    /// The entry, or `None` if the length is wrong.
    pub entry: Option<usize>,
    /// The entry's value, or the length.
    pub found: i128,
    /// What would have been right.
    pub expected: String,
}

impl Damage {
    /// An entry that is wrong.
    pub(crate) fn entry(
        level: &'static str,
        array: impl Into<String>,
        entry: usize,
        found: i64,
        expected: impl Into<String>,
    ) -> Damage {
        let (array, expected) = (array.into(), expected.into());
        Damage { depth: 0, level, array, entry: Some(entry), found: i128::from(found), expected }
    }

    /// A length, or a number of parents, that is wrong.
    pub(crate) fn length(
        level: &'static str,
        array: impl Into<String>,
        found: usize,
        expected: impl Into<String>,
    ) -> Damage {
        let (array, expected) = (array.into(), expected.into());
        Damage { depth: 0, level, array, entry: None, found: found as i128, expected }
    }

    /// The same, of the level at this depth.
    pub(crate) fn at_depth(self, depth: usize) -> Damage {
        Damage { depth, ..self }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage { depth, level, array, entry, found, expected } = self;
        write!(f, "level {depth} ({level}): ")?;
        match entry {
            Some(entry) => write!(f, "{array}[{entry}] is {found}, expected {expected}"),
            None if array == "parents" => write!(f, "it has {found} parents, expected {expected}"),
            None => write!(f, "`{array}` has {found} entries, expected {expected}"),
        }
    }
}

/// Why a format, a packing or a conversion is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Arrays from outside are damaged.
    Damaged(Damage),
    /// A size does not fit the machine's integers, or its memory.
    TooLarge {
        /// The size, in words.
        what: String,
    },
    /// A level has no room for an entry.
    NoSpace {
        /// The level's name.
        level: &'static str,
        /// The parent whose entries do not fit.
        parent: usize,
        /// The first coordinate that does not.
        coordinate: Vec<i64>,
        /// Why not.
        why: String,
    },
    /// A coordinate is not inside the tensor.
    OutOfRange {
        /// Which entry.
        entry: usize,
        /// Which dimension.
        dimension: usize,
        /// The coordinate.
        found: i64,
        /// The dimension's extent.
        extent: usize,
    },
    /// Entries are not in the format's order.
    Unsorted {
        /// The first entry that stands before an earlier one.
        entry: usize,
    },
    /// Two entries have the same coordinates.
    Duplicate {
        /// The coordinates.
        coordinate: Vec<i64>,
    },
    /// Coordinates and values are not equally many.
    Lengths {
        /// How many values there are.
        values: usize,
        /// The dimension whose coordinates differ in number.
        dimension: usize,
        /// How many coordinates it has.
        found: usize,
    },
    /// A format of another rank than the tensor.
    Rank {
        /// The format.
        format: String,
        /// The ranks it is for, in words.
        expected: String,
        /// The tensor's rank.
        found: usize,
    },
    /// A format that cannot be, or that does not exist.
    Format {
        /// What is wrong with it.
        why: String,
    },
}

impl From<Damage> for Refusal {
    fn from(damage: Damage) -> Refusal {
        Refusal::Damaged(damage)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Damaged(damage) => damage.fmt(f),
            Refusal::TooLarge { what } => write!(f, "{what} is too large"),
            Refusal::NoSpace { level, parent, coordinate, why } => {
                write!(f, "{level} has no space for coordinate {coordinate:?} of parent {parent}: {why}")
            }
            Refusal::OutOfRange { entry, dimension, found, extent } => {
                write!(f, "entry {entry}: coordinate {found} of dimension {dimension} is not in 0..{extent}")
            }
            Refusal::Unsorted { entry } => {
                write!(f, "entry {entry} should stand before the one it follows; ask for sorting")
            }
            Refusal::Duplicate { coordinate } => {
                write!(f, "there are two entries at {coordinate:?}; ask for adding")
            }
            Refusal::Lengths { values, dimension, found } => {
                write!(f, "dimension {dimension} has {found} coordinates, for {values} values")
            }
            Refusal::Rank { format, expected, found } => {
                write!(f, "`{format}` is for tensors of {expected}, not of rank {found}")
            }
            Refusal::Format { why } => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}
impl std::error::Error for Damage {}
