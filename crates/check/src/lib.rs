//! What must hold before a term is lowered: obligations with certificates, and violations.
//!
//! The denotation is total, machine code is not. [`check_term`] walks a term once and shows, at every place,
//! what lowering relies on: reads in range, operators applied as they require, extents at least 0,
//! truncations that remove only padding, concurrent loops whose iterations touch different cells, scratch
//! memory that can be had. Each is a predicate with a certificate that the kernel checks ([`Obligation`]), or
//! else a [`Violation`] with a counterexample where one is found.
//!
//! **The one idea.** Where a leaf is stored, the [`Reindexer`] says at which index; below a truncation that
//! index must lie in the result's box, given the loops and guards around the leaf. So the check types no
//! pads; [`pads`] types them, and shows which cells are padding.
//!
//! It renders nothing: turning violations into messages is for whoever knows the source. Lowering runs the
//! same check on the normal form, which is what it prints; on a source term it is for the sake of the
//! message.
#![forbid(unsafe_code)]

pub mod pads;
mod reads;
mod reindex;
mod report;
mod storage;
mod walk;

pub use reads::{reads, reads_index, reads_of_index, reads_of_predicate};
pub use reindex::{MAX_INDEX, Reindexer, shortened};
pub use report::{Kind, Obligation, Report, Violation};
pub use storage::{ALIVE_BYTES, AUTO_STACK_BYTES, LOCAL_BYTES, StorageError, storage};
pub use walk::check_term;
