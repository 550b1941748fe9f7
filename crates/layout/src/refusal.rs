//! Why an operation has no answer.
//!
//! A layout operation either satisfies its defining equation on the whole domain or is refused, and the refusal says what
//! fails: the divisibility, the first index, the two modes. [`Kind`] is what a caller may tell apart; the words are for people.

use std::fmt;
use std::ops::Range;

/// What an operation yields.
pub type Result<T> = std::result::Result<T, Box<Refusal>>;

/// The family of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The text is no expression.
    Text,
    /// There is no such operation, or it takes other arguments.
    Arguments,
    /// Two trees do not fit each other: shape and stride, shape and coordinate, layout and tiler.
    Trees,
    /// An extent, a size or a parameter is not in its range.
    Range,
    /// A number is too large.
    TooLarge,
    /// A composition cuts a mode of its left operand where that has no boundary.
    Divisibility,
    /// A composition's modes add up past the end of a mode of its left operand.
    Carry,
    /// A layout without a complement: two modes overlap.
    Overlap,
    /// A layout without the inverse that was asked for.
    Inverse,
    /// A function that is no layout.
    NoLayout,
    /// A line of a batch is no request.
    Line,
}

/// One refusal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The family.
    pub kind: Kind,
    /// One line: what was asked and what fails.
    pub message: String,
    /// Facts: the number that does not divide, the first index that differs.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The bytes of the expression that it is about.
    pub place: Option<Range<usize>>,
}

impl Refusal {
    /// A refusal of one line.
    pub fn new(kind: Kind, message: impl Into<String>) -> Box<Refusal> {
        Box::new(Refusal { kind, message: message.into(), notes: Vec::new(), help: None, place: None })
    }

    /// A fact.
    pub fn note(mut self: Box<Self>, note: impl Into<String>) -> Box<Refusal> {
        self.notes.push(note.into());
        self
    }

    /// Advice.
    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Refusal> {
        self.help = Some(help.into());
        self
    }

    /// Puts the refusal at a place, unless it has one.
    pub fn at(mut self: Box<Self>, place: Range<usize>) -> Box<Refusal> {
        self.place.get_or_insert(place);
        self
    }
}

/// The message and the notes on one line.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

impl std::error::Error for Refusal {}

/// The refusal of a number that does not fit.
pub(crate) fn too_large(what: &str) -> Box<Refusal> {
    Refusal::new(Kind::TooLarge, format!("{what} is too large"))
        .note("sizes, strides and values are below 2^62 in absolute value")
}
