//! What in a data file is not as it must be: where it is, what was found, and what was expected.
//!
//! One idea: the parts of such a sentence are data. So every reader words them alike, and what shows them can
//! tell one kind from another.

use std::fmt;

/// Which demand a part of a data file does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not written as its format says.
    Syntax,
    /// A coordinate is outside of the shape.
    Range,
    /// There are two entries at one place.
    Duplicate,
    /// A value is not of the element type.
    Value,
    /// Arrays do not fit together.
    Structure,
    /// The shape is another than the one that is given.
    Shape,
    /// Nothing says how many dimensions there are.
    Shapeless,
    /// One half of a matrix does not follow from the other.
    Symmetry,
    /// As an array it would be too large.
    TooLarge,
}

/// A part of a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text, counted from 1.
    Line(u64),
    /// An array of an archive.
    Array(&'static str),
    /// An element of an array of an archive, counted from 0.
    Element(&'static str, usize),
    /// All of it.
    File,
}

/// Why a part of a data file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The demand.
    pub fault: Fault,
    /// The part.
    pub place: Place,
    /// What is there.
    pub found: String,
    /// What was to be there.
    pub expected: String,
    /// What to do about it.
    pub hint: Option<&'static str>,
}

impl Refusal {
    /// A refusal without a hint.
    pub(super) fn new(
        fault: Fault,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Refusal {
        Refusal { fault, place, found: found.into(), expected: expected.into(), hint: None }
    }

    /// The same with a hint.
    pub(super) fn hint(mut self, hint: &'static str) -> Refusal {
        self.hint = Some(hint);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}: "),
            Place::Array(array) => write!(f, "array `{array}`: "),
            Place::Element(array, element) => write!(f, "`{array}[{element}]`: "),
            Place::File => Ok(()),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}found {}, expected {}", self.place, self.found, self.expected)?;
        self.hint.map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}
