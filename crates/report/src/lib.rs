//! Derivations, programs and rules as people read them.
//!
//! The one idea: text and pages are made of values that others derived, so nothing here can change what is
//! computed. [`explain`] keeps a derivation in words and as a page, [`show`] has a program at each stage of
//! its life, [`order`] observes a run of the loops, [`catalogue`] lists rules and operators, [`interactive`]
//! is the state of a prompt, [`count`] counts operations. [`performance_warnings`] says what a schedule marks
//! and C does not carry out.
#![deny(missing_docs)]

pub mod catalogue;
pub mod count;
pub mod explain;
mod guarded_reductions;
pub mod interactive;
mod not_sparsified;
pub mod order;
mod performance_warnings;
pub mod show;

pub use performance_warnings::{check, dear, performance_warnings};
