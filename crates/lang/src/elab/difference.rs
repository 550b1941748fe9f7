//! Differences in a function of sparse operands: `a - b` is `a + -1 * b` there.
//!
//! A sparse operand is a sum over its stored positions, and the laws by which sums move are laws of `+` and `*`; a term `a - b` would
//! keep its operands where they are, and every element would be gone over. The numbers are the same: to multiply by -1 does not round, and
//! floats and integers that wrap have `a + (-b) = a - b`. Of `u8`, -1 is 255.

use super::{Elab, Val};
use crate::decimal;
use atl_kernel::{Node, Prim, Type};
use atl_syntax::ast::Expr;

impl Elab<'_> {
    /// `a + -1 * b`.
    pub(super) fn difference(&mut self, e: &Expr, a: &Val, b: &Val) -> Option<Val> {
        let opposite = self.opposite(e, b)?;
        self.pointwise(e, Prim::Add, a.ty.elem, &[a.clone(), opposite], "`-`")
    }

    /// `-1 * a`.
    pub(super) fn opposite(&mut self, e: &Expr, a: &Val) -> Option<Val> {
        let elem = a.ty.elem;
        // Of unsigned integers, the greatest is the opposite of 1.
        let greatest = elem.scalar.range().filter(|(least, _)| *least == 0).map(|(_, greatest)| greatest);
        let minus_one = greatest.unwrap_or(-1);
        let number = decimal::number(elem, minus_one, 0);
        let minus_one = self.build(Node::Lit(elem, number), Type { elem, shape: vec![] }, e.span, &[])?;
        self.pointwise(e, Prim::Mul, elem, &[minus_one, a.clone()], "`-`")
    }
}
