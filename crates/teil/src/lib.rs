//! TeIL, a language of tensor expressions, and the language of fluid dynamics that becomes it: front ends
//! that become programs.
//!
//! The one idea: a program here becomes the *text* of one in this compiler's language, which anybody can
//! read, keep and change; a checker ([`typing`]) and a meaning ([`evaluate`]) of its own say what that text
//! must compute.
//!
//! Reading order: [`language`], [`typing`], [`evaluate`], [`mod@core`] and [`elaborate`]; then [`fluids`] and
//! [`operators`], which become TeIL.

pub mod core;
pub mod elaborate;
pub mod evaluate;
pub mod fluids;
pub mod language;
pub mod operators;
mod spacing;
pub mod tokens;
pub mod typing;

use atl_diag::Diagnostic;

/// A refusal, boxed since it is large.
pub type Refusal = Box<Diagnostic>;

#[cfg(test)]
mod tests;
