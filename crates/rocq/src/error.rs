//! Why a theorem is not exported.

use std::fmt;

/// A theorem that is not exported, and why.
#[derive(Clone, PartialEq, Debug)]
pub enum Refusal {
    /// An equality or a side condition for which no certificate is at hand, in Rocq's words.
    Unproved(String),
    /// Something that the export has no words for.
    Unknown(&'static str),
    /// The loops are in a form that the export does not follow: what they have where it looked for something
    /// else.
    Loops(String),
    /// The record of the proof does not replay.
    Replay(Box<atl_kernel::Error>),
}

/// A result, or a refusal.
pub(crate) type Result<T> = std::result::Result<T, Refusal>;

impl From<atl_kernel::Error> for Refusal {
    fn from(error: atl_kernel::Error) -> Refusal {
        Refusal::Replay(Box::new(error))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unproved(p) => {
                write!(f, "there is no certificate of a condition that Rocq asks for: {p}")
            }
            Refusal::Unknown(what) => write!(f, "the export does not know {what}"),
            Refusal::Loops(what) => {
                write!(f, "the export does not follow the loops to the term that they compute: {what}")
            }
            Refusal::Replay(why) => write!(f, "the record of the proof does not replay: {why:?}"),
        }
    }
}

impl std::error::Error for Refusal {}
