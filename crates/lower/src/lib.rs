//! From kernel terms to loops: the normal form, reindexers, and a short syntax-directed translation.
//!
//! [`lower()`] proves that the term equals its normal form ([`normal`]), checks what the translation relies
//! on (`atl-check`), and translates: loops for binders, stores for scalars, and for reshape operators nothing
//! but an index mapping. The translation is plain on purpose. What makes code fast is a rewrite of the term.
//!
//! A result in a format ([`Assembly`]) is the same term with another destination: arrays that grow.
//!
//! **What a caller must check.** [`Kernel::requires`](atl_loops::Kernel::requires) has every hypothesis of
//! the context, besides those that the loop IR checks of itself (sizes and extents are at least 0). Index
//! arithmetic is exact in the proofs and 64-bit in machine code: the number of cells of each parameter and of
//! each scratch buffer must fit `i64`, and inputs and output must not overlap.
#![forbid(unsafe_code)]

mod annotations;
mod cx;
mod definitely_initialised;
mod destination;
mod emit;
mod error;
mod in_place;
mod joint;
mod kernel;
mod lets;
mod loop_around;
pub mod machine;
mod names;
pub mod normal;
mod notes;
mod requires;
mod results;
mod rounds;
mod scalar;
mod search;
mod sparse_output;
pub mod updates;

pub use error::{LowerError, MAX_WORK, NotCarried};
pub use kernel::{LowerInput, Lowered, lower, lower_within};
pub use names::sanitise;
pub use notes::{Carried, Marked, NeverLeft, Places, Scanned};
pub use sparse_output::assemble::{Assembly, Writer};
pub use sparse_output::same_pattern::SamePattern;
