//! Why the kernel refuses.

use crate::ctx::Unproved;
use crate::ix::{Ix, Var};
use crate::laws::Laws;
use crate::size::{MAX_DEPTH, MAX_NODES};
use crate::term::{Expr, Prim};
use crate::ty::{Elem, Scalar};
use std::fmt;

/// A refusal. Nothing was proved, and nothing is lost: inferences have no effects.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// A side condition was not shown.
    Unproved(Box<Unproved>),
    /// The term has no type.
    IllTyped(TypeError, Expr),
    /// The rule's left side does not have the form of this term.
    NoMatch {
        /// The rule.
        rule: &'static str,
        /// What it applies to.
        wants: &'static str,
        /// What it was given.
        found: Expr,
    },
    /// The rule needs laws that the term's algebra does not claim.
    MissingLaws {
        /// The rule.
        rule: &'static str,
        /// What is missing.
        laws: Laws,
        /// The element type.
        elem: Elem,
    },
    /// Two theorems, or a theorem and a term, do not fit together.
    Mismatch(&'static str),
    /// The context's entry at this level speaks of what does not stand before it; see [`Ctx::stray`](crate::Ctx::stray).
    Stray(u32),
    /// A term, or a record of inferences, exceeds [`MAX_DEPTH`](crate::MAX_DEPTH) or [`MAX_NODES`](crate::MAX_NODES).
    TooLarge,
}

/// Why a term has no type.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeError {
    /// A variable that the context does not have, or not of this sort.
    Unbound(Var),
    /// The body's extents depend on the binder's own index or tensor.
    Jagged(Ix),
    /// Access to a scalar.
    NotATensor,
    /// The operands of a pointwise operation, or the sides of a select, differ in rank.
    Ranks(usize, usize),
    /// They differ in element type.
    Elems(Elem, Elem),
    /// The operation is not defined on this scalar type.
    Scalar(Prim, Scalar),
    /// A wrong number of operands or index arguments, or a definition that is not closed.
    Arity,
    /// Several results inside of a term, where a tensor must stand.
    Bundle,
}

/// The kernel's results.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Box<Unproved>> for Error {
    fn from(unproved: Box<Unproved>) -> Error {
        Error::Unproved(unproved)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unproved(u) => write!(f, "not proved: {:?}", u.goal),
            Error::IllTyped(why, _) => write!(f, "the term has no type: {why:?}"),
            Error::NoMatch { rule, wants, .. } => write!(f, "`{rule}` does not apply: {wants}"),
            Error::MissingLaws { rule, laws, elem } => write!(f, "`{rule}` needs {laws}, which {elem} lacks"),
            Error::Mismatch(what) => write!(f, "{what}"),
            Error::Stray(level) => {
                write!(f, "entry {level} of the context speaks of what does not stand before it")
            }
            Error::TooLarge => {
                write!(f, "a term has more than {MAX_NODES} nodes, or nests deeper than {MAX_DEPTH}")
            }
        }
    }
}

impl std::error::Error for Error {}
