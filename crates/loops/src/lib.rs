//! The loop IR: what a program is after lowering and before any back end.
//!
//! A [`Kernel`] is loops over flat buffers. Three kinds of term appear in it: [`Int`] and [`Bool`] drive
//! loops, addresses and conditions; [`Val`] is what is computed. Everything a back end needs to know is
//! in the kernel, and everything that a kernel means is in [`index`], [`val`] and [`stmt`].
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod cases;
pub mod changes;
pub mod dot;
mod early_exit;
mod growth;
pub mod index;
pub mod interp;
pub mod intersection;
pub mod lanes;
pub mod merge;
mod name;
mod numbers_in_lanes;
pub mod passes;
pub mod places;
pub mod prefetch;
pub mod requirement;
pub mod search;
pub mod stmt;
mod strided;
pub mod text;
pub mod val;
pub mod validate;
pub mod vector_operations;
mod visit;

pub use atl_annotations::{Axis, Swizzle};
pub use atl_elementary as elementary;
pub use atl_kernel::{Function, Kind, Scalar, scalars};
pub use atl_scalars::{BinOp, CmpOp, Integer, Machine, UnOp, Value as Literal, bf16, f16};
pub use index::{Bool, Int, IntOp, is_half, is_unsigned};
pub use merge::Run;
pub use name::Name;
pub use requirement::ForAll;
pub use stmt::{Access, BufferParam, Init, Kernel, LoopKind, ReduceOp, Share, Stmt, Storage, StoreMode};
pub use text::{ParseError, parse_kernel};
pub use val::Val;

/// The words that are no names. All others of the text form are told from names by what follows them.
pub const RESERVED: &[&str] = &["true", "false"];
