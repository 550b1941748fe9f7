//! Refusals: one line that says why a file is no proof.

use std::borrow::Cow;
use std::fmt;

/// Why a file is refused, and at which of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The line, from 1.
    pub line: u64,
    /// The reason, one line of text.
    pub why: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Refusal {}

/// A reason, before it is known to which line it belongs.
pub(crate) type Why = Cow<'static, str>;

/// A value, or the reason why there is none.
pub(crate) type Checked<T> = Result<T, Why>;

/// Refuse for a reason.
pub(crate) fn refuse<T>(why: impl Into<Why>) -> Checked<T> {
    Err(why.into())
}

/// Refuse unless a condition holds.
pub(crate) fn require(holds: bool, why: &'static str) -> Checked<()> {
    if holds { Ok(()) } else { refuse(why) }
}
