//! Rounds of which each joins a term to every state by an operation of its own: the least and the greatest
//! numbers so far, or bits.
//!
//! The one idea: operations with a neutral number, which may be grouped at will, are one such operation on
//! the tuple of all states. So the rounds are a sum in a monoid that no program has to declare.

use super::added::Side;
use super::form::{OLD, Scan};
use super::summary::reads_states;
use crate::occurrences::variable;
use atl_kernel::{Elem, Error, Expr, Kind, Laws, Monoid, Node, Number, Prim, Result, Type};
use atl_semirings::instances::PLUS_TIMES;
use std::sync::Arc;

/// The operations, and what they are called.
const OPERATIONS: [(Prim, &str); 9] = [
    (Prim::Add, "add"),
    (Prim::Mul, "mul"),
    (Prim::Min, "min"),
    (Prim::Max, "max"),
    (Prim::BitAnd, "bit_and"),
    (Prim::BitOr, "bit_or"),
    (Prim::BitXor, "bit_xor"),
    (Prim::And, "and"),
    (Prim::Or, "or"),
];

/// The operation that makes a new state, and on which side of the state the term stands.
fn operation(scan: &Scan, k: usize) -> Option<(Prim, Side)> {
    let Node::Prim(f, args) = &*scan.states[k].step else { return None };
    let [a, b] = &args[..] else { return None };
    let (own, count) = (variable(OLD + k as u32), scan.states.len());
    let (term, side) = if *a == own { (b, Side::Right) } else { (a, Side::Left) };
    let is_known = OPERATIONS.iter().any(|(known, _)| known == f) && (*a == own || *b == own);
    (is_known && !reads_states(term, count)).then_some((*f, side))
}

/// Does each round join a term to every state?
pub(super) fn is_each(scan: &Scan) -> bool {
    (0..scan.states.len()).all(|k| operation(scan, k).is_some())
}

/// The monoid in which the rounds of states of these types are a sum.
pub(super) fn monoid(scan: &Scan, types: &[Type]) -> Result<Arc<Monoid>> {
    let unknown = Error::Mismatch("an operation on states that has no neutral number");
    let count = types.len() as u32;
    let (mut names, mut fields, mut zero, mut sum) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (k, ty) in types.iter().enumerate() {
        let Some((f, side)) = operation(scan, k) else { return Err(unknown) };
        let Some(number) = neutral(f, ty.elem) else { return Err(unknown) };
        let [old, term] = [variable(k as u32), variable(count + k as u32)];
        names.extend(OPERATIONS.iter().filter(|(known, _)| *known == f).map(|(_, name)| *name));
        fields.push(ty.elem);
        zero.push(Arc::new(Node::Lit(ty.elem, number)) as Expr);
        let args = if side == Side::Right { vec![old, term] } else { vec![term, old] };
        sum.push(Arc::new(Node::Prim(f, args)) as Expr);
    }
    Ok(Arc::new(Monoid::new(&names.join("_"), fields, zero, sum, Laws::ADD_ASSOC.and(Laws::ADD_0_R))?))
}

/// What changes no element of this type that it is joined to.
fn neutral(f: Prim, elem: Elem) -> Option<Number> {
    if !std::ptr::eq(elem.algebra, &PLUS_TIMES) {
        return None;
    }
    let kind = elem.scalar.kind();
    let integer = |n: i128| if n == 0 { Number::Zero } else { Number::Decimal(n, 0) };
    match (f, kind) {
        (Prim::And, Kind::Truth) => Some(Number::One),
        (Prim::Or, Kind::Truth) => Some(Number::Zero),
        (_, Kind::Truth) | (Prim::And | Prim::Or, _) => None,
        (Prim::Add, _) => Some(Number::Zero),
        (Prim::Mul, _) => Some(Number::One),
        (Prim::Min, Kind::Float) => Some(Number::Infinity),
        (Prim::Max, Kind::Float) => Some(Number::NegInfinity),
        (_, Kind::Float) => None,
        (Prim::Min, _) => elem.scalar.range().map(|(_, greatest)| integer(greatest)),
        (Prim::Max, _) => elem.scalar.range().map(|(least, _)| integer(least)),
        (Prim::BitAnd, Kind::Signed) => Some(Number::Decimal(-1, 0)),
        (Prim::BitAnd, _) => elem.scalar.range().map(|(_, greatest)| integer(greatest)),
        _ => Some(Number::Zero),
    }
}
