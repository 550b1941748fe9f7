//! Reshape operators: definitions over core terms, one file each in [`ops`], listed in [`TABLE`].
//!
//! **The one idea.** An operator has two views of the same index mapping. Its *gather* view says where an
//! element of the result comes from (`cond` and `rho`); that is its definition, what the kernel unfolds, and
//! what an access goes through. Its *scatter* view `theta` says where an element of an operand goes; that is
//! its reindexer, what lowering composes. One law joins them, on the boxes of operand and result:
//!
//! ```text
//! theta(w) = l   <=>   cond(l) and rho(l) = w
//! ```
//!
//! It makes a reindexer injective, and right. A property test checks it for every operator over all small shapes.
//!
//! Nothing here is trusted: a definition is conservative, and equations about operators are theorems.
#![forbid(unsafe_code)]

mod build;
mod child;
pub mod elements;
mod operator;
pub mod ops;
pub mod reflect;
pub mod relayout;

pub use build::{
    app, concat, flatten, one_hot, pad_l, pad_r, rotate, shear, split, transpose, trunc_l, trunc_r, unrotate,
    unshear,
};
pub use child::as_it_stands;
pub use operator::{Gather, Mapping, Operator};
pub use ops::{TABLE, by_name, of};
pub use relayout::Link;

#[cfg(test)]
mod tests;
