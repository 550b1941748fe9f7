//! Layouts: shapes with strides as functions of an index, and their algebra, exact or refused.
//!
//! ```
//! use atl_layout::evaluate;
//!
//! let result = evaluate("(6,2):(8,2) o (4,3):(3,1)")?;
//! assert_eq!(result.value.to_string(), "((2,2),3):((24,2),8)");
//!
//! // Every divisibility holds here, and yet no layout takes the modes one by one.
//! let refusal = evaluate("(6,2):(1,10) o (2,3):(3,2)").expect_err("it carries");
//! assert_eq!(
//!     refusal.notes.last().map(String::as_str),
//!     Some("at index 5, B is 7 and A(7) = 11; mode by mode it would be 7")
//! );
//! # Ok::<(), Box<atl_layout::Refusal>>(())
//! ```
//!
//! The notation is that of CuTe; the conditions are exact: an operation satisfies its defining equation on the whole domain, or is
//! refused with the divisibility or the index that fails. Numbers are checked, and nothing is trusted. Extents and strides may be names of
//! sizes, where the conditions are proved for all of them.
//!
//! * [`tree`], [`stride`], [`layout`], [`mod@swizzle`], [`shifted`]: the objects. [`functions`]: the operations, one file each.
//! * `walk` is the rule of composition, `zip` sorts modes, `coordinate` slices, `access` counts banks and sectors.
//! * [`text`] reads expressions, [`batch`] lines of JSON. [`picture`] draws.
//! * [`symbolic`] is the part of the algebra in which sizes have names.

#![forbid(unsafe_code)]

mod access;
pub mod batch;
mod coordinate;
mod cute;
pub mod functions;
mod json;
pub mod layout;
pub mod picture;
pub mod refusal;
pub mod shifted;
pub mod stride;
pub mod swizzle;
pub mod symbolic;
pub mod text;
pub mod tree;
pub mod value;
mod walk;
mod zip;

#[cfg(test)]
mod tests;

pub use functions::composition::{compose, compose_tiler};
pub use layout::Layout;
pub use refusal::{Kind, Refusal, Result};
pub use shifted::Shifted;
pub use stride::{Stride, Vector};
pub use swizzle::{Composed, Swizzle, swizzle};
pub use text::{Evaluation, evaluate};
pub use tree::{Shape, Tree};
pub use value::{Item, Tiler, Value};
