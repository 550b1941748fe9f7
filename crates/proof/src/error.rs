//! Why a file is refused.

use atl_kernel::Error;
use std::fmt;

/// A text that is no proof file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for ReadError {}

/// A proof file that does not prove its claim.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckError {
    /// The kernel refuses this inference.
    Kernel {
        /// The number of its `s` line.
        inference: u32,
        /// Why.
        error: Box<Error>,
    },
    /// The inference was given more certificates than it asks for.
    Leftover(u32),
    /// The context is not well-formed at this level.
    Context(u32),
    /// What is proved is not what is claimed.
    OtherClaim(&'static str),
    /// A limit of the format, named, was reached.
    TooLarge(&'static str),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Kernel { inference, error } => write!(f, "inference s{inference}: {error}"),
            CheckError::Leftover(s) => write!(f, "inference s{s} leaves certificates over"),
            CheckError::Context(level) => {
                write!(f, "the context's entry x{level} is about variables that are not before it")
            }
            CheckError::OtherClaim(what) => write!(f, "what is proved has {what} than the file claims"),
            CheckError::TooLarge(what) => write!(f, "it exceeds the format's limit on {what}"),
        }
    }
}

impl std::error::Error for CheckError {}

/// A theorem that cannot be written out.
#[derive(Clone, PartialEq, Debug)]
pub enum WriteError {
    /// Its text exceeds a limit of the format, or could not be read back.
    Unreadable(ReadError),
    /// Its proof exceeds a limit of the format, or could not be replayed.
    Unchecked(CheckError),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Unreadable(why) => write!(f, "{why}"),
            WriteError::Unchecked(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for WriteError {}
