//! Names of sizes, loop variables and buffers: cheap to clone, compared by spelling.

use std::fmt;
use std::sync::Arc;

/// A name: an ASCII letter or `_`, then letters, digits, `_` and `'`; not one of [`RESERVED`](crate::RESERVED).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(Arc<str>);

impl Name {
    /// The name with this spelling.
    pub fn new(spelling: &str) -> Name {
        Name(Arc::from(spelling))
    }

    /// The spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of which this is that of a copy, by the number at its end; the name itself, if it has none.
    pub fn original(&self) -> &str {
        match self.0.rsplit_once('_') {
            Some((before, number)) if number.bytes().all(|c| c.is_ascii_digit()) => before,
            _ => &self.0,
        }
    }

    /// Can the name be written in the text form?
    pub fn is_well_formed(&self) -> bool {
        let mut chars = self.0.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
            && !crate::RESERVED.contains(&self.as_str())
    }
}

impl From<&str> for Name {
    fn from(spelling: &str) -> Name {
        Name::new(spelling)
    }
}

impl From<String> for Name {
    fn from(spelling: String) -> Name {
        Name(Arc::from(spelling))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
