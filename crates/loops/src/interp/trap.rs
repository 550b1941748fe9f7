//! Why a run did not finish.

use crate::requirement::Unmet;
use crate::validate::Violation;
use crate::{Bool, Int, Name};
use std::fmt;

/// Why a run gave no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// The kernel breaks rules of the validator.
    IllFormed(Vec<Violation>),
    /// The arguments do not fit the parameters.
    Arguments(String),
    /// The sizes do not satisfy a requirement.
    Refused(Bool),
    /// The inputs do not satisfy a requirement.
    Unmet(Unmet),
    /// The program did what it must not.
    Trap(Trap),
}

/// What a program did, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// What it did.
    pub kind: TrapKind,
    /// The loop variables around it, outermost first.
    pub at: Vec<(Name, i64)>,
}

/// What a program must not do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrapKind {
    /// Touched a cell that the buffer does not have.
    OutOfBounds {
        /// The buffer.
        buf: Name,
        /// The cell.
        index: i64,
        /// How many cells there are.
        cells: usize,
    },
    /// Read, or combined with, a cell that holds no value.
    Unwritten {
        /// The buffer.
        buf: Name,
        /// The cell.
        index: usize,
    },
    /// Stored with `=` twice to one cell in one lifetime.
    SetTwice {
        /// The buffer.
        buf: Name,
        /// The cell.
        index: usize,
    },
    /// Read a cell of an input whose memory holds the cell of an output by then.
    StoredOver {
        /// The input.
        buf: Name,
        /// The cell.
        index: usize,
    },
    /// Touched a cell in two iterations of a concurrent loop, and wrote it in one of them.
    Race {
        /// The buffer.
        buf: Name,
        /// The cell.
        index: usize,
        /// The variable of the loop.
        var: Name,
        /// The two iterations.
        iterations: (i64, i64),
    },
    /// Searched among keys that do not increase.
    NotIncreasing {
        /// The variable of the search.
        var: Name,
        /// The place whose key is not above the one before.
        place: i64,
    },
    /// Merged a run whose keys do not increase.
    Unordered {
        /// The variable of the run's places.
        place: Name,
        /// The place whose key is not above the one before.
        at: i64,
    },
    /// Sought less, in a search along a loop, than before in that loop.
    Fallen {
        /// The variable of the search.
        var: Name,
        /// What was sought before.
        before: i64,
        /// What is sought now.
        sought: i64,
    },
    /// Computed an index outside `i64`.
    Overflow(Int),
    /// Ended with an output cell that holds no value.
    OutputUnwritten {
        /// The output.
        buf: Name,
        /// The cell.
        index: usize,
    },
    /// Allocated more cells than the options allow.
    TooLarge(Name),
    /// Ran for more steps than the options allow.
    OutOfSteps,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::IllFormed(violations) => {
                f.write_str("the kernel is ill-formed")?;
                violations.iter().try_for_each(|violation| write!(f, "; {violation}"))
            }
            RunError::Arguments(message) => f.write_str(message),
            RunError::Refused(requirement) => write!(f, "the sizes do not satisfy `{requirement}`"),
            RunError::Unmet(unmet) => write!(f, "{unmet}"),
            RunError::Trap(trap) => write!(f, "{trap}"),
        }
    }
}

impl std::error::Error for RunError {}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (var, value)) in self.at.iter().enumerate() {
            write!(f, "{}{var} = {value}", if k == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.at.is_empty() { "" } else { ": " })?;
        match &self.kind {
            TrapKind::OutOfBounds { buf, index, cells } => {
                write!(f, "`{buf}[{index}]` is out of bounds, there are {cells} cells")
            }
            TrapKind::Unwritten { buf, index } => write!(f, "`{buf}[{index}]` is read but holds no value"),
            TrapKind::SetTwice { buf, index } => write!(f, "`{buf}[{index}]` is set a second time"),
            TrapKind::StoredOver { buf, index } => {
                write!(f, "`{buf}[{index}]` is read after an output was stored over it")
            }
            TrapKind::Race { buf, index, var, iterations: (a, b) } => {
                write!(f, "`{buf}[{index}]` is touched by the iterations {var} = {a} and {var} = {b}")
            }
            TrapKind::NotIncreasing { var, place } => {
                write!(f, "the keys of the search over `{var}` do not increase at {place}")
            }
            TrapKind::Unordered { place, at } => {
                write!(f, "the keys of the run of `{place}` do not increase at {at}")
            }
            TrapKind::Fallen { var, before, sought } => {
                write!(f, "the search over `{var}` is for {sought} after {before}")
            }
            TrapKind::Overflow(int) => write!(f, "`{int}` is outside 64 bits"),
            TrapKind::OutputUnwritten { buf, index } => {
                write!(f, "the output cell `{buf}[{index}]` holds no value")
            }
            TrapKind::TooLarge(buf) => write!(f, "`{buf}` has more cells than the interpreter allocates"),
            TrapKind::OutOfSteps => f.write_str("the step budget is spent"),
        }
    }
}
