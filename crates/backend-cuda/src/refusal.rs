//! Why loops are no program for a device.

use std::fmt;

/// What is in the way, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What is in the way.
    pub why: String,
    /// What to do about it.
    pub help: &'static str,
}

impl Refusal {
    pub(crate) fn new(why: impl Into<String>, help: &'static str) -> Refusal {
        Refusal { why: why.into(), help }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Refusal {}
