//! Matrix Market files, `.mtx`: a banner that says what kind of matrix follows, its size, and its entries,
//! one a line.
//!
//! One idea: two layouts (coordinates with values, or all values by columns), three kinds of values, three
//! symmetries; a file is one choice of each. Of a symmetric matrix the file holds the lower triangle, and the
//! entries above are made of those below. Complex numbers, hence hermitian matrices, are refused: no format
//! stores them, and dense ones are read from NumPy's files.

mod header;
mod read;
mod write;

pub use header::Symmetry;
pub(super) use read::read;
pub(super) use write::{write_array, write_coordinates};
