//! What the machine has for the constants and operations of an algebra: what a translation is compared with.

use crate::scalar;
use atl_kernel::{Elem, Number, Prim};
use atl_loops::{BinOp, Literal, ReduceOp, UnOp, Val};

/// The literal of a number, or of an algebra's zero or one.
pub fn literal(elem: Elem, number: Number) -> Option<Literal> {
    match scalar::number(elem, number) {
        Ok(Val::Lit(literal)) => Some(literal),
        _ => None,
    }
}

/// The operation that is this one, if it is one.
pub fn binary(prim: Prim, elem: Elem) -> Option<BinOp> {
    scalar::operation(prim, elem).ok().flatten()
}

/// The operation on one operand.
pub fn unary(prim: Prim) -> Option<UnOp> {
    UnOp::of(prim)
}

/// The reduction that a sum performs.
pub fn reduction(elem: Elem) -> Option<ReduceOp> {
    scalar::reduction(elem).ok()
}
