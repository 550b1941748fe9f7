//! The archives that SciPy's `save_npz` writes: `format`, `shape`, `data`, and the arrays of the format.
//!
//! | `format` | arrays | what `data` is |
//! |---|---|---|
//! | `coo` | `row`, `col`; or `coords`, of any rank | the values |
//! | `csr`, `csc` | `indptr`, `indices` | the values, row by row or column by column |
//! | `bsr` | `indptr`, `indices` | the blocks, of shape `[R, C]` each; their zeros are entries |
//! | `dia` | `offsets` | for each diagonal a row, by columns; zeros are no entries, as they also pad |
//!
//! One idea: the arrays say in which order entries stand, so reading is to write every entry's coordinates
//! out. What an array indexes is checked before it is indexed.

mod arrays;
mod read;
mod write;

use super::super::npz;

pub(super) use read::read;
pub use write::Archive;
pub(super) use write::{write, write_coordinates};

/// Whether an archive is of this kind.
pub(super) fn is_sparse(archive: &npz::Archive<'_>) -> bool {
    archive.has("format")
}
