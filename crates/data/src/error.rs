//! Why a data file was not read or written; every error names the path.
//!
//! One idea: formats know reasons, not paths. They return a `Reason`; the module above adds the path once.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use super::refusal::{Fault, Place, Refusal};
use atl_runtime::shape::show_shape;
use atl_runtime::{BufferError, ConvertError, CoordinatesError, DENSE_LIMIT};

/// Why a data file was not read or written.
#[derive(Debug)]
pub enum DataError {
    /// The operating system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// The path's extension names no known format.
    UnknownFormat {
        /// The path.
        path: PathBuf,
    },
    /// The file is damaged, or not of the format that its name says.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was expected and what was found.
        reason: String,
    },
    /// The file is well-formed but holds something that a buffer does not, or the other way round.
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it is and what to do instead.
        reason: String,
    },
    /// The file holds complex numbers, which are not read from it or have no place here.
    Complex {
        /// The file.
        path: PathBuf,
        /// Where it says so.
        reason: String,
    },
    /// The array does not have the wanted number of dimensions.
    WrongRank {
        /// The file.
        path: PathBuf,
        /// Dimensions wanted.
        expected: usize,
        /// The shape found.
        shape: Vec<usize>,
        /// What to do about it.
        hint: Option<&'static str>,
    },
    /// A part of the file is not as it must be.
    Refused {
        /// The file.
        path: PathBuf,
        /// The part, what was found and what was expected.
        refusal: Box<Refusal>,
    },
    /// A value of the file is not one of the wanted type.
    Convert {
        /// The file.
        path: PathBuf,
        /// The value, its place and the type.
        source: ConvertError,
    },
}

impl DataError {
    /// Why the entries of a file are refused.
    pub fn of_entries(path: &Path, error: CoordinatesError) -> DataError {
        Reason::from(error).at(path)
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            DataError::UnknownFormat { path } => {
                let names: Vec<String> =
                    super::EXTENSIONS.iter().map(|(name, _)| format!(".{name}")).collect();
                write!(f, "{}: unknown kind of file; known are {}", path.display(), names.join(", "))
            }
            DataError::Corrupt { path, reason }
            | DataError::Unsupported { path, reason }
            | DataError::Complex { path, reason } => {
                write!(f, "{}: {reason}", path.display())
            }
            DataError::WrongRank { path, expected, shape, hint } => {
                let shape = show_shape(shape);
                write!(f, "{}: expected an array of rank {expected}, found shape {shape}", path.display())?;
                hint.map_or(Ok(()), |hint| write!(f, "; {hint}"))
            }
            DataError::Refused { path, refusal } => write!(f, "{}: {refusal}", path.display()),
            DataError::Convert { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl Error for DataError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            DataError::Io { source, .. } => Some(source),
            DataError::Convert { source, .. } => Some(source),
            DataError::UnknownFormat { .. }
            | DataError::Corrupt { .. }
            | DataError::Unsupported { .. }
            | DataError::Complex { .. }
            | DataError::Refused { .. }
            | DataError::WrongRank { .. } => None,
        }
    }
}

/// A [`DataError`] that does not know its path yet.
#[derive(Debug)]
pub(super) enum Reason {
    Io(io::Error),
    Corrupt(String),
    Unsupported(String),
    Complex(String),
    WrongRank { expected: usize, shape: Vec<usize>, hint: Option<&'static str> },
    Refused(Box<Refusal>),
    Convert(ConvertError),
}

impl Reason {
    pub(super) fn at(self, path: &Path) -> DataError {
        let path = path.to_owned();
        match self {
            Reason::Io(source) => DataError::Io { path, source },
            Reason::Refused(refusal) => DataError::Refused { path, refusal },
            Reason::Corrupt(reason) => DataError::Corrupt { path, reason },
            Reason::Unsupported(reason) => DataError::Unsupported { path, reason },
            Reason::Complex(reason) => DataError::Complex { path, reason },
            Reason::WrongRank { expected, shape, hint } => {
                DataError::WrongRank { path, expected, shape, hint }
            }
            Reason::Convert(source) => DataError::Convert { path, source },
        }
    }
}

impl From<ConvertError> for Reason {
    fn from(error: ConvertError) -> Reason {
        Reason::Convert(error)
    }
}

impl From<BufferError> for Reason {
    fn from(error: BufferError) -> Reason {
        Reason::Convert(ConvertError::Buffer(error))
    }
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Reason {
        Reason::Refused(Box::new(refusal))
    }
}

impl From<CoordinatesError> for Reason {
    fn from(error: CoordinatesError) -> Reason {
        let (fault, found, expected) = match &error {
            CoordinatesError::Buffer(error) => return error.clone().into(),
            CoordinatesError::TooLarge { shape, dtype } => {
                let limit = format!("an array of at most {} GiB", DENSE_LIMIT >> 30);
                (Fault::TooLarge, format!("the shape {} of elements {dtype}", show_shape(shape)), limit)
            }
            CoordinatesError::OutOfRange { found, extent, .. } => {
                (Fault::Range, format!("the coordinate {found}"), format!("one below the extent {extent}"))
            }
            CoordinatesError::Duplicate { .. } => {
                (Fault::Duplicate, error.to_string(), "one entry".to_owned())
            }
            CoordinatesError::Overflow { dtype, .. } => {
                (Fault::Value, error.to_string(), format!("a sum of type {dtype}"))
            }
            _ => (Fault::Structure, error.to_string(), "as many coordinates as values".to_owned()),
        };
        Refusal::new(fault, Place::File, found, expected).into()
    }
}
