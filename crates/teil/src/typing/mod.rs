//! TeIL's typing: programs that pass cannot read or write outside of a tensor.
//!
//! The one idea: a type is a list of sizes, and each operation's rule says what the list of its operands must
//! look like and what the list of its result is. The rules T-Var to T-Proj are in `rules`, those of
//! statements and programs (OK-*) in `program`; `sizes` decides when two sizes are equal for all sizes that a
//! program may be called with, and `inference` finds what must be stated of them where a program says
//! `where ..`.
//!
//! A refusal names the rule, the operands' whole shapes, positions and sizes, and the smallest sizes for
//! which it matters.

mod inference;
mod program;
mod rules;
mod sizes;

use crate::language::{Declaration, Expr, Shape};

pub use inference::{inferred, remedy};
pub use program::{Checked, Statement, check};
pub use rules::Context;
pub use sizes::Sizes;
pub(crate) use sizes::worded;

/// An expression with its type and those of its operands.
#[derive(Clone, Debug)]
pub struct Typed<'e> {
    /// The expression.
    pub expr: &'e Expr,
    /// Its type.
    pub shape: Shape,
    /// Its operands, in order.
    pub operands: Vec<Typed<'e>>,
}

impl Typed<'_> {
    /// The number of its dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
}

/// The sizes of a declaration.
pub fn declared(declaration: &Declaration) -> Shape {
    declaration.shape.iter().map(|size| size.value.clone()).collect()
}
