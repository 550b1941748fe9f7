//! What a level can do: the properties that decide which loops over it are right and which are quick.

/// The properties of a level, each true for all its well-formed metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Every coordinate is stored.
    pub full: bool,
    /// Positions of one parent stand in increasing order of their coordinates.
    pub ordered: bool,
    /// A coordinate has at most one valid position.
    pub unique: bool,
    /// A parent has exactly one position.
    pub branchless: bool,
    /// Every position within the bounds is valid.
    pub compact: bool,
    /// What finding a coordinate costs.
    pub locate: Locate,
    /// Entries can be appended in increasing order, without knowing how many there will be.
    pub append: bool,
    /// Entries can be inserted in any order.
    pub insert: bool,
}

impl Capabilities {
    /// Those of a level that lists what is stored, in order: what most levels have, and others differ from.
    pub const ORDERED: Capabilities = Capabilities {
        full: false,
        ordered: true,
        unique: true,
        branchless: false,
        compact: true,
        locate: Locate::Logarithmic,
        append: true,
        insert: false,
    };

    /// Those of a level with a position for every coordinate, which is stored to in any order.
    pub const EVERYWHERE: Capabilities =
        Capabilities { locate: Locate::Constant, append: false, insert: true, ..Capabilities::ORDERED };
}

/// What finding the position of a coordinate costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locate {
    /// The same for every coordinate.
    Constant,
    /// The same on average; in the worst case, a walk over the bucket.
    Expected,
    /// A binary search.
    Logarithmic,
}
