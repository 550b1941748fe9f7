//! Why entries are no sparse tensor, or cannot become what was asked. Entries and dimensions are counted from 0.

use std::error::Error;
use std::fmt;

use super::dense::DENSE_LIMIT;
use crate::shape::{MAX_RANK, show_shape};
use crate::{BufferError, DType};

/// Why entries are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoordinatesError {
    /// More dimensions than an array may have.
    TooManyDimensions {
        /// The number of dimensions.
        rank: usize,
    },
    /// Not one array of coordinates per dimension.
    Columns {
        /// The number of arrays.
        found: usize,
        /// The number of dimensions.
        rank: usize,
    },
    /// The values are no array of rank 1.
    Values {
        /// Their shape.
        shape: Vec<usize>,
    },
    /// Not one coordinate per value.
    Lengths {
        /// The dimension.
        dimension: usize,
        /// How many coordinates it has.
        found: usize,
        /// How many values there are.
        values: usize,
    },
    /// A coordinate at or beyond its extent.
    OutOfRange {
        /// The first such entry.
        entry: usize,
        /// The dimension.
        dimension: usize,
        /// The coordinate.
        found: usize,
        /// The extent.
        extent: usize,
    },
    /// Two entries at one place.
    Duplicate {
        /// The first of them.
        first: usize,
        /// The second of them.
        second: usize,
        /// The place.
        place: Vec<usize>,
    },
    /// The sum of the entries at one place is no value of the type.
    Overflow {
        /// The place.
        place: Vec<usize>,
        /// The type.
        dtype: DType,
    },
    /// As an array it would have more bytes than the limit.
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
        /// The type of the values.
        dtype: DType,
    },
    /// An array cannot be made.
    Buffer(BufferError),
}

impl fmt::Display for CoordinatesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoordinatesError::TooManyDimensions { rank } => {
                write!(f, "a tensor of {rank} dimensions exceeds the limit of {MAX_RANK}")
            }
            CoordinatesError::Columns { found, rank } => {
                write!(f, "{found} arrays of coordinates for {rank} dimensions")
            }
            CoordinatesError::Values { shape } => {
                write!(f, "the values have the shape {}, expected one dimension", show_shape(shape))
            }
            CoordinatesError::Lengths { dimension, found, values } => {
                write!(f, "{found} coordinates in dimension {dimension} for {values} values")
            }
            CoordinatesError::OutOfRange { entry, dimension, found, extent } => write!(
                f,
                "the coordinate {found} of entry {entry} in dimension {dimension} is not below the extent {extent}"
            ),
            CoordinatesError::Duplicate { first, second, place } => {
                write!(f, "the entries {first} and {second} are both at {}", show_shape(place))
            }
            CoordinatesError::Overflow { place, dtype } => {
                write!(f, "the sum of the entries at {} is no value of type {dtype}", show_shape(place))
            }
            CoordinatesError::TooLarge { shape, dtype } => write!(
                f,
                "a {dtype} array of shape {} has more than {} GiB",
                show_shape(shape),
                DENSE_LIMIT >> 30
            ),
            CoordinatesError::Buffer(error) => error.fmt(f),
        }
    }
}

impl Error for CoordinatesError {}

impl From<BufferError> for CoordinatesError {
    fn from(error: BufferError) -> CoordinatesError {
        CoordinatesError::Buffer(error)
    }
}
