//! Names, shapes and types: from syntax to kernel terms, and back.
//!
//! [`elaborate`] turns a parsed file into functions over kernel terms, with a source span for every part of
//! them; what is wrong it says in diagnostics of the `E02xx` pages. Nothing here is trusted to be *correct*
//! about optimisation, but it decides what the user believes was proved: so printing and elaborating again is
//! the identity, and a property test says so.
//!
//! What it does not do: prove bounds (`atl-check` does), run schedules, or touch files. Extents and the
//! requirements of operators and calls are proved by the caller's [`Prover`](atl_kernel::Prover).
//!
//! ```
//! use atl_arith::Arith;
//! use atl_diag::FileId;
//! use atl_lang::{NoImports, elaborate, print};
//!
//! let parse = atl_syntax::parse_file(FileId(0), "fn twice(x: f32[N]) -> f32[N] { 2 * x }");
//! let (module, diagnostics) = elaborate(&parse.tree, &mut NoImports, &mut Arith::new());
//! assert!(diagnostics.is_empty());
//! let twice = module.function("twice").unwrap();
//! let body = print::print(&twice.ctx, &twice.body, Some(twice.result.elem), print::Options::default());
//! assert_eq!(body, "gen i < N { 2 * x[i] }");
//! ```
#![forbid(unsafe_code)]

mod algebra;
mod builtins;
pub mod counterexample;
mod decimal;
mod elab;
pub mod extents;
mod forall;
mod foreign;
pub mod library;
mod module;
pub mod print;
mod refusal;
mod show;
mod sizes;
mod spans;
mod stack;
mod synth;
pub mod unknown_numbers;

pub use algebra::{is_ordinary, is_variable};
pub use builtins::is_function;
pub use elab::{
    Declared, DeclaredMonoid, Loader, Messages, NoImports, Statement, elaborate, expression_in, index_in,
    layout_in, modes_in, predicate_in, statement,
};
pub use forall::{ForAll, Variable, instance};
pub use module::{
    Argument, Complex, Function, Module, OperandCopy, Param, ResultPart, SizeParam, SizeSource, SparseParam,
    Stored,
};
pub use refusal::{certificate, kernel_error, kernel_error_at, read_at, unproved_notes};
pub use sizes::{Combination, solved};
pub use spans::SpanTable;
