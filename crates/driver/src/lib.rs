//! The public library of `atl`: from source and schedule to a theorem, loops, and a kernel that runs.
//!
//! ```
//! use atl_driver::{Program, backends};
//! use ndarray::array;
//!
//! let program = Program::parse("double.atl", "fn double(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }")?;
//! let kernel = program.scheduled("double", None)?.lower()?.compile(&backends::cranelift::BACKEND, Default::default())?;
//! let x = array![1.0f32, 2.5];
//! let input = atl_driver::BufferView::from_array("x", x.view())?;
//! let doubled = kernel.call(&[("x", input)], &[]).dense()?;
//! assert_eq!(doubled.as_slice::<f32>()?, [2.0, 5.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Program`] is elaborated text. [`Program::scheduled`] derives a schedule as a theorem, [`Scheduled::lower`] proves
//! what lowering relies on and makes loops, [`Ready::compile`] hands them to a back end ([`backends`]), and
//! [`Compiled::call`] checks arguments against everything the proofs assumed ([`Signature`]) and runs. Every refusal is a [`Failure`].
//!
//! It never prints; the command line does.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

mod arguments;
mod assembly;
pub mod backends;
pub mod bench;
pub mod build;
pub mod builder;
mod call;
pub mod catalogue;
pub mod certify;
pub mod count;
pub mod data;
mod declared_semiring;
mod display;
pub mod doctor;
pub mod elements;
pub mod explain;
mod failure;
mod format;
mod guarded_reductions;
mod index_overflow;
pub mod interactive;
mod kept;
mod laws;
pub mod layout;
mod made_up;
mod not_sparsified;
mod one_entry;
pub mod order;
pub mod pads;
mod partial_derivation;
mod performance_warnings;
mod program;
pub mod proof;
mod ready;
pub mod roofline;
mod safety_errors;
mod scheduled;
pub mod show;
pub mod signature;
mod source_file;
pub mod sparse;
mod sparse_result;
mod stack;
pub mod teil;
pub mod tensor;
pub mod tune;
pub mod validate;

pub use arguments::{Arguments, Guessed, check_target, save_result, save_sparse};
pub use atl_kernel::Rounding;
pub use atl_runtime::cc::{cache_note, remove_own_cache};
pub use atl_runtime::{
    Buffer, BufferView, BufferViewMut, Coordinates, DType, Growing, check_place, replace_file, to_text,
    wait_passively,
};
pub use backends::CallError;
pub use call::{
    Bound, Call, Change, Compiled, End, FixpointResult, Memory, Named, Next, Norm, Output, Step,
    StopCondition, Watch, Work,
};
pub use failure::Failure;
pub use format::format;
pub use partial_derivation::PartialDerivation;
pub use program::Program;
pub use ready::Ready;
pub use scheduled::{Lowered, Scheduled};
pub use signature::Signature;
pub use source_file::{read_program, read_proof};
pub use sparse_result::SparseResult;
