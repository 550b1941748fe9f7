//! Execution support: arrays in memory, C compilers, loaded kernels, timing.
//!
//! One idea: everything that touches the world outside the proofs (memory that code writes, files, compilers, libraries)
//! meets it here, behind types that check. A [`Buffer`] is an aligned row-major array whose element type is known at run
//! time; files of data are `atl-data`'s; [`cc`] makes artefacts of C source; a [`LoadedKernel`] runs them
//! on buffers or on the caller's own arrays.
//!
//! This crate knows no language, no terms and no loops, and depends on no other crate of the workspace. It is
//! execution-trusted: tested, not proved. All of its `unsafe` code is in `buffer`, `floats`, `growing`, `pages`, `view`, `kernel` and `threads`.
//!
//! ```
//! use atl_runtime::{Buffer, DType, to_text};
//! let buffer = Buffer::from_vec(vec![1u8, 2, 3, 4], &[2, 2])?.convert(DType::F32)?;
//! assert_eq!(to_text(&buffer), "[[1. 2.]\n [3. 4.]]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cc;

#[allow(unsafe_code)]
mod buffer;
pub mod convert;
mod coordinates;
mod dtype;
#[allow(unsafe_code)]
mod floats;
#[allow(unsafe_code)]
mod growing;
#[allow(unsafe_code)]
mod kernel;
#[allow(unsafe_code)]
mod pages;
mod replace;
pub mod shape;
mod tensor;
mod text;
#[allow(unsafe_code)]
mod threads;
mod timing;
#[allow(unsafe_code)]
mod view;

#[cfg(test)]
mod testing;

/// The Rust types of elements, by their names.
#[doc(hidden)]
pub mod elements {
    pub use atl_halves::{bf16, f16};
    pub use std::primitive::{bool, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64};
}

pub use buffer::{ALIGNMENT, Buffer, BufferError};
pub use convert::ConvertError;
pub use coordinates::{
    Arranged, Coordinates, CoordinatesError, DENSE_LIMIT, Duplicates, Order, Parts, Wish, Zeros,
};
pub use dtype::{DType, Element, Kind, bf16, f16};
pub use growing::Growing;
pub use kernel::{
    Access, Argument, Entry, Functions, KernelAt, KernelError, LoadedKernel, Parameter, ShapeRule, Signature,
};
pub use replace::{check_place, replace_file};
pub use shape::MAX_RANK;
pub use tensor::Tensor;
pub use text::{to_text, to_text_complex};
pub use threads::{wait_passively, waits_passively};
pub use timing::{Repeats, Timing};
pub use view::{BufferView, BufferViewMut};
