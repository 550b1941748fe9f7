//! Back ends, and calls of what they compile.
//!
//! The one idea: loops become code by a [`Backend`](backends::Backend) ([`Compile::compile`]), and a [`Call`]
//! checks everything that the proofs assumed before code runs. Here are the back ends, the binding of
//! arguments by name, sparse arguments and results, made-up arguments, and the comparison of machine code
//! with the interpreter of loops ([`validate`]). No file of data is read here.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod agree;
mod arguments;
pub mod backends;
mod call;
pub mod copied;
mod index_overflow;
mod kept;
pub mod made_up;
mod mismatch;
mod one_entry;
pub mod sparse;
mod sparse_result;
pub mod validate;

pub use arguments::{Arguments, Guessed};
pub use backends::CallError;
pub use call::{
    Bound, Call, Change, Compile, Compiled, End, FixpointResult, Memory, Named, Next, Norm, Output, Shaped,
    Step, StopCondition, Watch, Work, given_once,
};
pub use kept::{dear_here, ready};
pub use sparse_result::SparseResult;
