//! Refusals: one line that says why a file is no proof.

use std::borrow::Cow;
use std::fmt;

/// Why a file is refused, and at which of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The line, from 1; 0 while it is not known.
    pub line: u64,
    /// The reason, one line of text.
    pub why: Cow<'static, str>,
}

impl Refusal {
    /// The refusal, at this line if it has none yet.
    pub(crate) fn at(self, line: u64) -> Refusal {
        Refusal { line: if self.line == 0 { line } else { self.line }, ..self }
    }
}

impl<W: Into<Cow<'static, str>>> From<W> for Refusal {
    fn from(why: W) -> Refusal {
        Refusal { line: 0, why: why.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Refusal {}

/// A value, or the reason why there is none.
pub(crate) type Checked<T> = Result<T, Refusal>;

/// Refuse for a reason.
pub(crate) fn refuse<T>(why: impl Into<Refusal>) -> Checked<T> {
    Err(why.into())
}

/// Refuse unless a condition holds.
pub(crate) fn require(holds: bool, why: &'static str) -> Checked<()> {
    if holds { Ok(()) } else { refuse(why) }
}
