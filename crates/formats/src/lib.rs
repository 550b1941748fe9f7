//! Level formats of sparse tensors: what they store, their laws, packing, conversion, validation.
//!
//! **The one idea.** A format is a list of [levels](Level), one for each dimension of a reshaped tensor. A
//! level is metadata with a monoid and a few maps between positions and coordinates; if these obey the
//! [laws], storing a tensor and reading it back is the identity, whatever the other levels are. One level is
//! one file of [`levels`].
//!
//! [`oracle`] has `compress` and `decompress` by their definitions. [`pack()`] and [`Sparse::unpack`] do the
//! same in linear time from and to lists of entries, and [`validate()`] refuses damaged arrays at the
//! boundary. Nothing here is trusted by proofs.
//!
//! ```
//! use atl_formats::{Coordinates, Format, Zeros, pack};
//!
//! let entries = Coordinates { shape: vec![2, 3], columns: vec![vec![0, 1], vec![2, 0]], values: vec![5.0, 7.0] };
//! let csr = pack(&Format::parse("csr", 2).unwrap(), entries, 0.0, &Default::default()).unwrap();
//! assert_eq!(csr.metadata()[1].arrays, [vec![0, 1, 2], vec![2, 0]]);
//! let csc = csr.convert(&Format::parse("csc", 2).unwrap(), Zeros::Keep).unwrap();
//! assert_eq!((&csc.metadata()[1].arrays[..], csc.values()), (&[vec![0, 1, 1, 2], vec![1, 0]][..], &[7.0, 5.0][..]));
//! ```
#![forbid(unsafe_code)]

mod bucket_sort;
mod capabilities;
mod coordinates;
mod dimensions;
mod entry_positions;
pub mod format;
pub mod laws;
pub mod level;
pub mod levels;
mod metadata;
mod numbers;
pub mod oracle;
pub mod pack;
mod padded_rows;
mod pos_array;
mod prefix;
mod refusal;
mod run_length;
mod sort;
mod sparse;
pub mod symbolic;
mod unpack;
mod validate;
mod value;

pub use capabilities::{Capabilities, Locate};
pub use coordinates::Coordinates;
pub use dimensions::Dimensions;
pub use entry_positions::EntryPositions;
pub use format::{Axis, Format, Instance};
pub use level::{Builder, Level, PackedLevel, SortedEntries};
pub use metadata::Metadata;
pub use pack::{Duplicates, Order, Rules, Zeros, pack};
pub use refusal::{Damage, Refusal};
pub use sparse::Sparse;
pub use validate::validate;
pub use value::{Dense, Value};
