//! How terms of indices depend on one variable.

use crate::{Int, IntOp, Name};

/// By how much the term grows where the variable grows by one, if that is always the same.
pub(super) fn coefficient(int: &Int, var: &Name) -> Option<i64> {
    match int {
        Int::Var(name) => Some(i64::from(name == var)),
        Int::Bin(IntOp::Add, a, b) => coefficient(a, var)?.checked_add(coefficient(b, var)?),
        Int::Bin(IntOp::Sub, a, b) => coefficient(a, var)?.checked_sub(coefficient(b, var)?),
        Int::Bin(IntOp::Mul, a, b) if a.constant().is_some() => {
            coefficient(b, var)?.checked_mul(a.constant()?)
        }
        Int::Bin(IntOp::Mul, a, b) if b.constant().is_some() => {
            coefficient(a, var)?.checked_mul(b.constant()?)
        }
        int => (!int.mentions(var)).then_some(0),
    }
}
