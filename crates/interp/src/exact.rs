//! Exact numbers in place of floats: what an equation of rounding class `real` is about.
//!
//! Elements of `f32` and of `f64` are both rational numbers with the two infinities (the zeros of some
//! algebras). What has no rational value (`exp`, `1/0`, `inf - inf`) is refused, not approximated; there is
//! no NaN and no negative zero. Integers and truth values are the machine's: wrapping is their meaning, and
//! the laws of a ring hold of it.

use crate::domain::{Domain, Integral};
use crate::error::{EvalError, Result};
use crate::machine::Machine;
use crate::ratio::Ratio;
use atl_kernel::{Function, Prim, Scalar};
use atl_scalars::{CmpOp, Value};
use atl_semirings::Constant;
use std::cmp::Ordering;

/// The domain of exact numbers.
#[derive(Clone, Copy, Debug)]
pub enum Exact {}

/// An exact number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// A rational number, of a float type.
    Ratio(Ratio),
    /// Positive infinity, of a float type.
    Infinity,
    /// Negative infinity, of a float type.
    NegInfinity,
    /// An integer or truth value.
    Discrete(Value),
}

impl Number {
    /// An infinity of this sign.
    fn infinity(sign: i128) -> Number {
        if sign < 0 { Number::NegInfinity } else { Number::Infinity }
    }

    /// The sign, of a number of float type.
    fn sign(self) -> Option<i128> {
        match self {
            Number::Ratio(r) => Some(r.numerator().signum()),
            Number::Infinity => Some(1),
            Number::NegInfinity => Some(-1),
            Number::Discrete(_) => None,
        }
    }
}

impl Integral for Number {
    fn to_integer(&self) -> Option<i128> {
        if let Number::Discrete(value) = self { value.to_integer() } else { None }
    }
}

impl Domain for Exact {
    type Value = Number;

    fn has_type(value: &Number, scalar: Scalar) -> bool {
        match value {
            Number::Discrete(v) => v.scalar() == scalar,
            _ => scalar.is_float(),
        }
    }

    fn constant(scalar: Scalar, constant: Constant) -> Result<Number> {
        match constant {
            Constant::Int(n) => Exact::decimal(scalar, n, 0),
            Constant::PosInf if scalar.is_float() => Ok(Number::Infinity),
            Constant::NegInf if scalar.is_float() => Ok(Number::NegInfinity),
            _ => Err(EvalError::NotRepresentable(scalar)),
        }
    }

    fn decimal(scalar: Scalar, mantissa: i128, exponent: i32) -> Result<Number> {
        if scalar.is_float() {
            Ratio::decimal(mantissa, exponent).map(Number::Ratio).ok_or(EvalError::Overflow)
        } else {
            Machine::decimal(scalar, mantissa, exponent).map(Number::Discrete)
        }
    }

    fn index(scalar: Scalar, value: i64) -> Result<Number> {
        if scalar.is_float() {
            Ok(Number::Ratio(Ratio::integer(value)))
        } else {
            Machine::index(scalar, value).map(Number::Discrete)
        }
    }

    fn prim(prim: Prim, args: &[Number]) -> Result<Number> {
        if let Some(values) = discrete(args) {
            return match (prim, &values[..]) {
                (Prim::Cast(to), [x]) if to.scalar.is_float() => real_of(*x),
                _ => Machine::prim(prim, &values).map(Number::Discrete),
            };
        }
        match (prim, args) {
            (Prim::Where, [Number::Discrete(Value::Bool(c)), a, b]) => Ok(if *c { *a } else { *b }),
            (Prim::Cast(to), [x]) => cast(*x, to.scalar),
            (Prim::Neg, [x]) => negate(*x),
            (Prim::Abs, [x]) => {
                if x.sign() == Some(-1) {
                    negate(*x)
                } else {
                    Ok(*x)
                }
            }
            (Prim::Call(Function::Floor), [x]) => floor(*x),
            (Prim::Call(_), _) => Err(EvalError::NotExact(prim)),
            (Prim::Add, [a, b]) => add(prim, *a, *b),
            (Prim::Sub, [a, b]) => add(prim, *a, negate(*b)?),
            (Prim::Mul, [a, b]) => multiply(prim, *a, *b),
            (Prim::Div, [a, b]) => multiply(prim, *a, reciprocal(*b)?),
            (Prim::Min, [a, b]) => Ok(if order(prim, *a, *b)?.is_lt() { *a } else { *b }),
            (Prim::Max, [a, b]) => Ok(if order(prim, *a, *b)?.is_gt() { *a } else { *b }),
            (_, [a, b]) => {
                let op = CmpOp::of(prim).ok_or(EvalError::IllTyped(prim))?;
                Ok(Number::Discrete(Value::Bool(op.apply(&order(prim, *a, *b)?, &Ordering::Equal))))
            }
            _ => Err(EvalError::IllTyped(prim)),
        }
    }
}

/// The operands as machine scalars, if all are.
fn discrete(args: &[Number]) -> Option<Vec<Value>> {
    let value = |n: &Number| match n {
        Number::Discrete(v) => Some(*v),
        _ => None,
    };
    args.iter().map(value).collect()
}

/// An integer or truth value as a number of a float type.
fn real_of(x: Value) -> Result<Number> {
    let ratio = x.to_integer().and_then(|n| Ratio::try_new(n, 1));
    ratio.map(Number::Ratio).ok_or(EvalError::Overflow)
}

/// A number of float type in another type: truncated and saturated, or `x != 0`.
fn cast(x: Number, to: Scalar) -> Result<Number> {
    if to.is_float() {
        return Ok(x);
    }
    let Some((least, greatest)) = to.range().filter(|_| to.is_integer()) else {
        return Ok(Number::Discrete(Value::Bool(x.sign() != Some(0))));
    };
    let n = match x {
        Number::Ratio(r) => r.truncate().clamp(least, greatest),
        Number::NegInfinity => least,
        _ => greatest,
    };
    Ok(Number::Discrete(Value::of_integer(to, n)))
}

fn negate(x: Number) -> Result<Number> {
    match x {
        Number::Ratio(r) => r.checked_neg().map(Number::Ratio).ok_or(EvalError::Overflow),
        Number::Infinity => Ok(Number::NegInfinity),
        Number::NegInfinity => Ok(Number::Infinity),
        Number::Discrete(_) => Err(EvalError::IllTyped(Prim::Neg)),
    }
}

fn floor(x: Number) -> Result<Number> {
    match x {
        Number::Ratio(r) => Ratio::try_new(r.floor(), 1).map(Number::Ratio).ok_or(EvalError::Overflow),
        Number::Discrete(_) => Err(EvalError::IllTyped(Prim::Call(Function::Floor))),
        infinite => Ok(infinite),
    }
}

fn reciprocal(x: Number) -> Result<Number> {
    match x {
        Number::Ratio(r) if r == Ratio::ZERO => Err(EvalError::NotExact(Prim::Div)),
        Number::Ratio(r) => r.checked_recip().map(Number::Ratio).ok_or(EvalError::Overflow),
        Number::Infinity | Number::NegInfinity => Ok(Number::Ratio(Ratio::ZERO)),
        Number::Discrete(_) => Err(EvalError::IllTyped(Prim::Div)),
    }
}

fn add(prim: Prim, a: Number, b: Number) -> Result<Number> {
    match (a, b) {
        (Number::Discrete(_), _) | (_, Number::Discrete(_)) => Err(EvalError::IllTyped(prim)),
        (Number::Ratio(x), Number::Ratio(y)) => {
            x.checked_add(y).map(Number::Ratio).ok_or(EvalError::Overflow)
        }
        (Number::Ratio(_), infinite) | (infinite, Number::Ratio(_)) => Ok(infinite),
        _ if a == b => Ok(a),
        _ => Err(EvalError::NotExact(prim)),
    }
}

fn multiply(prim: Prim, a: Number, b: Number) -> Result<Number> {
    match (a, b) {
        (Number::Ratio(x), Number::Ratio(y)) => {
            x.checked_mul(y).map(Number::Ratio).ok_or(EvalError::Overflow)
        }
        _ => match (a.sign(), b.sign()) {
            (Some(s), Some(t)) if s * t != 0 => Ok(Number::infinity(s * t)),
            (Some(_), Some(_)) => Err(EvalError::NotExact(prim)),
            _ => Err(EvalError::IllTyped(prim)),
        },
    }
}

fn order(prim: Prim, a: Number, b: Number) -> Result<Ordering> {
    match (a, b) {
        (Number::Ratio(x), Number::Ratio(y)) => x.checked_cmp(y).ok_or(EvalError::Overflow),
        (Number::Discrete(_), _) | (_, Number::Discrete(_)) => Err(EvalError::IllTyped(prim)),
        _ if a == b => Ok(Ordering::Equal),
        (Number::NegInfinity, _) | (_, Number::Infinity) => Ok(Ordering::Less),
        _ => Ok(Ordering::Greater),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: i128, d: i128) -> Number {
        Number::Ratio(Ratio::try_new(n, d).expect("a small number"))
    }

    fn check(prim: Prim, args: &[Number], expected: Result<Number>) {
        assert_eq!(Exact::prim(prim, args), expected, "{prim:?} {args:?}");
    }

    #[test]
    fn arithmetic_is_exact_or_refused() {
        check(Prim::Div, &[ratio(1, 1), ratio(3, 1)], Ok(ratio(1, 3)));
        check(Prim::Sub, &[ratio(1, 2), ratio(1, 3)], Ok(ratio(1, 6)));
        check(Prim::Call(Function::Floor), &[ratio(-1, 2)], Ok(ratio(-1, 1)));
        check(Prim::Max, &[ratio(1, 2), ratio(1, 3)], Ok(ratio(1, 2)));
        check(Prim::Div, &[ratio(1, 1), ratio(0, 1)], Err(EvalError::NotExact(Prim::Div)));
        let sqrt = Prim::Call(Function::Sqrt);
        check(sqrt, &[ratio(4, 1)], Err(EvalError::NotExact(sqrt)));
        check(Prim::Add, &[ratio(i128::MAX, 1), ratio(1, 1)], Err(EvalError::Overflow));
    }

    #[test]
    fn infinities_absorb_what_is_finite() {
        check(Prim::Add, &[Number::Infinity, ratio(1, 2)], Ok(Number::Infinity));
        check(Prim::Mul, &[Number::Infinity, ratio(-1, 2)], Ok(Number::NegInfinity));
        check(Prim::Min, &[Number::Infinity, ratio(1, 2)], Ok(ratio(1, 2)));
        check(Prim::Lt, &[Number::NegInfinity, ratio(0, 1)], Ok(Number::Discrete(Value::Bool(true))));
        check(Prim::Add, &[Number::Infinity, Number::NegInfinity], Err(EvalError::NotExact(Prim::Add)));
        check(Prim::Mul, &[Number::Infinity, ratio(0, 1)], Err(EvalError::NotExact(Prim::Mul)));
    }

    #[test]
    fn integers_are_the_machine_s() {
        let int = |n| Number::Discrete(Value::i32(n));
        check(Prim::Add, &[int(i32::MAX), int(1)], Ok(int(i32::MIN)));
        check(Prim::Add, &[int(1), ratio(1, 1)], Err(EvalError::IllTyped(Prim::Add)));
        assert_eq!(cast(ratio(-5, 2), Scalar::I32), Ok(int(-2)));
        assert_eq!(cast(Number::Infinity, Scalar::U8), Ok(Number::Discrete(Value::u8(255))));
        assert_eq!(real_of(Value::Bool(true)), Ok(ratio(1, 1)));
    }
}
