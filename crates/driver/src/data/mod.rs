//! Data files: messages about refused ones, and conversion between formats.

mod convert;
mod layout;
mod refused;

pub use atl_data::{Structure, Symmetry};

pub use atl_runtime::{Duplicates, Zeros};
pub use convert::{Conversion, Converted, convert};
pub(crate) use convert::{holds_entries, save_entries};
pub use layout::Layout;
pub(crate) use refused::{Role, refused};
