//! The public library of `atl`: from source and schedule to a theorem, loops, and a kernel that runs.
//!
//! ```
//! use atl_driver::{Compile, Program, backends};
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
//! A [`Program`] is elaborated text. [`Program::scheduled`] derives a schedule as a theorem,
//! [`Scheduled::lower`] proves what lowering relies on and makes loops, [`Compile::compile`] hands them to a
//! back end ([`backends`]), and [`Compiled::call`] checks arguments against everything the proofs assumed
//! ([`Signature`]) and runs. Every refusal is a [`Failure`].
//!
//! It never prints; the command line does.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod axis_order;
pub mod bounds_check;
pub mod builder;
pub mod data;
mod files;
mod format;
pub mod layout;
pub mod teil;
pub mod tensor;

pub use atl_artifact::proof::read_proof;
pub use atl_artifact::{build, certify, claims, evidence, proof};
pub use atl_call::{
    Arguments, Bound, Call, CallError, Change, Compile, Compiled, End, FixpointResult, Guessed, Memory,
    Named, Next, Norm, Output, Shaped, SparseResult, Step, StopCondition, Watch, Work, backends, copied,
    sparse, validate,
};
pub use atl_kernel::Rounding;
pub use atl_lang::{Complex, Function};
pub use atl_report::{catalogue, count, explain, interactive, order, show};
pub use atl_report::{check, performance_warnings};
pub use atl_runtime::cc::{cache_note, remove_own_cache};
pub use atl_runtime::{
    Buffer, BufferView, BufferViewMut, Coordinates, DType, Growing, check_place, replace_file, to_text,
    to_text_complex, wait_passively,
};
pub use atl_session::{
    Failure, Lowered, PartialDerivation, Program, Ready, Scheduled, Signature, auto, elements, pads,
    read_program, signature,
};
pub use atl_tune::{bench, doctor, roofline, tune};
pub use files::{check_target, read as read_arguments, save_complex_result, save_result, save_sparse};
pub use format::format;

use std::path::Path;

/// Reads and elaborates a program's file: its own language, or one of [`teil::LANGUAGES`].
///
/// # Errors
/// Every mistake in it that was found.
pub fn load(path: impl AsRef<Path>) -> Result<Program, Failure> {
    Program::load(teil::LANGUAGES, path.as_ref())
}

/// Elaborates a text, which is in the language that the ending of its name says.
///
/// # Errors
/// Every mistake in it that was found.
pub fn parse(name: &str, text: &str) -> Result<Program, Failure> {
    Program::parse_in(teil::LANGUAGES, name, text)
}

/// Elaborates a text as if it were the one in a file: what it imports is found beside that.
///
/// # Errors
/// Every mistake in it that was found.
pub fn parse_at(path: &Path, text: &str) -> Result<Program, Failure> {
    Program::parse_at(teil::LANGUAGES, path, text)
}

/// The loops of a function under a schedule, to be run by a back end: those that an earlier run kept, or else
/// derived now and kept, with what is dear in them where they were chosen.
///
/// # Errors
/// A step or a check that was refused.
pub fn ready(
    program: &Program,
    function: &str,
    schedule: Option<&str>,
    backend: &backends::Backend,
) -> Result<Ready, Failure> {
    atl_call::ready(program, function, schedule, backend, &atl_report::dear)
}
