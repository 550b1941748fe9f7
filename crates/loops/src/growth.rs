//! How index terms grow: with a variable, and one beyond another. What is not visible in a term is unknown.

use crate::{Int, IntOp, Name};

/// The index where the variable is zero, if it grows by one with the variable.
pub(crate) fn first(index: &Int, var: &Name) -> Option<Int> {
    match index {
        Int::Var(name) if name == var => Some(Int::Lit(0)),
        Int::Bin(IntOp::Add, a, b) if !b.mentions(var) => Some(sum(first(a, var)?, (**b).clone())),
        Int::Bin(IntOp::Add, a, b) if !a.mentions(var) => Some(sum((**a).clone(), first(b, var)?)),
        Int::Bin(IntOp::Sub, a, b) if !b.mentions(var) => Some(first(a, var)? - (**b).clone()),
        _ => None,
    }
}

pub(crate) fn sum(a: Int, b: Int) -> Int {
    match (a, b) {
        (Int::Lit(0), other) | (other, Int::Lit(0)) => other,
        (a, b) => a + b,
    }
}

/// `a - b`, if it is visible.
pub(crate) fn difference(a: &Int, b: &Int) -> Option<Int> {
    if let Int::Bin(IntOp::Add, first, more) = a
        && **first == *b
    {
        return Some((**more).clone());
    }
    match (literal_summand(a), literal_summand(b)) {
        ((None, x), (None, y)) => Some(Int::Lit(x.checked_sub(y)?)),
        ((Some(first), x), (Some(second), y)) if first == second => Some(Int::Lit(x.checked_sub(y)?)),
        ((Some(rest), x), (None, y)) if x == y => Some(rest.clone()),
        ((Some(rest), x), (None, y)) => Some(rest.clone() + Int::Lit(x.checked_sub(y)?)),
        _ => None,
    }
}

/// The term as a sum of a term, if there is one, and a literal.
fn literal_summand(int: &Int) -> (Option<&Int>, i64) {
    if let Some(value) = int.constant() {
        return (None, value);
    }
    match int {
        Int::Bin(IntOp::Add, rest, last) => last.constant().map(|value| (Some(&**rest), value)),
        Int::Bin(IntOp::Sub, rest, last) => {
            last.constant().and_then(i64::checked_neg).map(|value| (Some(&**rest), value))
        }
        _ => None,
    }
    .unwrap_or((Some(int), 0))
}

/// Is the term visibly a multiple of this number?
pub(crate) fn is_multiple(int: &Int, of: i64) -> bool {
    match int {
        Int::Bin(IntOp::Mul, a, b) => is_multiple(a, of) || is_multiple(b, of),
        Int::Bin(IntOp::Add | IntOp::Sub | IntOp::Max | IntOp::Min, a, b) => {
            is_multiple(a, of) && is_multiple(b, of)
        }
        int => int.constant().is_some_and(|value| value % of == 0),
    }
}

/// By how much a term grows with the variable, if always by as much.
pub(crate) fn growth(int: &Int, var: &Name) -> Option<i64> {
    match int {
        Int::Var(name) if name == var => Some(1),
        int if !int.mentions(var) => Some(0),
        Int::Bin(IntOp::Add, a, b) => growth(a, var)?.checked_add(growth(b, var)?),
        Int::Bin(IntOp::Sub, a, b) => growth(a, var)?.checked_sub(growth(b, var)?),
        Int::Bin(IntOp::Mul, a, b) => match (a.constant(), b.constant()) {
            (Some(factor), _) => growth(b, var)?.checked_mul(factor),
            (_, Some(factor)) => growth(a, var)?.checked_mul(factor),
            _ => None,
        },
        _ => None,
    }
}

/// By how much a term grows with the variable, if always by as much: a term without it.
pub(crate) fn stride(int: &Int, var: &Name) -> Option<Int> {
    match int {
        int if !int.mentions(var) => Some(Int::Lit(0)),
        Int::Var(_) => Some(Int::Lit(1)),
        Int::Bin(IntOp::Add, a, b) => Some(sum(stride(a, var)?, stride(b, var)?)),
        Int::Bin(IntOp::Sub, a, b) if !b.mentions(var) => stride(a, var),
        Int::Bin(IntOp::Mul, a, b) if !b.mentions(var) => Some(product(stride(a, var)?, (**b).clone())),
        Int::Bin(IntOp::Mul, a, b) if !a.mentions(var) => Some(product(stride(b, var)?, (**a).clone())),
        _ => None,
    }
}

fn product(a: Int, b: Int) -> Int {
    if a == Int::Lit(1) { b } else { a * b }
}
