//! What the interpreter computes with.

use crate::error::Result;
use atl_kernel::{Number, Prim, Scalar};
use atl_semirings::{Constant, Op};
use std::fmt::Debug;

/// What may be an element of an integer tensor, and then be read in an index.
pub trait Integral {
    /// The number, if the type is not a float; truth values are 0 and 1.
    fn to_integer(&self) -> Option<i128>;
}

/// Scalars and the operations on them.
pub trait Domain {
    /// A scalar, which knows its type.
    type Value: Clone + PartialEq + Debug + Send + Sync + Integral;

    /// Is it a value of this type?
    fn has_type(value: &Self::Value, scalar: Scalar) -> bool;

    /// A constant of an algebra.
    fn constant(scalar: Scalar, constant: Constant) -> Result<Self::Value>;

    /// The number `mantissa * 10^exponent`, rounded once where the type rounds.
    fn decimal(scalar: Scalar, mantissa: i128, exponent: i32) -> Result<Self::Value>;

    /// An index term's value, converted.
    fn index(scalar: Scalar, value: i64) -> Result<Self::Value>;

    /// A pointwise operation; `+` and `*` are those of numbers, whatever the algebra.
    fn prim(prim: Prim, args: &[Self::Value]) -> Result<Self::Value>;

    /// A literal of this type; zero and one are those of numbers.
    fn number(scalar: Scalar, number: Number) -> Result<Self::Value> {
        match number {
            Number::Zero => Self::decimal(scalar, 0, 0),
            Number::One => Self::decimal(scalar, 1, 0),
            Number::Decimal(mantissa, exponent) => Self::decimal(scalar, mantissa, exponent),
            Number::Infinity => Self::constant(scalar, Constant::PosInf),
            Number::NegInfinity => Self::constant(scalar, Constant::NegInf),
        }
    }

    /// An operation of an algebra.
    fn op(op: Op, a: Self::Value, b: Self::Value) -> Result<Self::Value> {
        operation::<Self>(op, a, b)
    }
}

/// An operation of an algebra, by the domain's pointwise operations.
pub fn operation<D: Domain + ?Sized>(op: Op, a: D::Value, b: D::Value) -> Result<D::Value> {
    let prim = match op {
        Op::Add => Prim::Add,
        Op::Mul => Prim::Mul,
        Op::Min => Prim::Min,
        Op::Max => Prim::Max,
        Op::Or => Prim::Or,
        Op::And => Prim::And,
        Op::Own(own) => {
            let number = |n| D::number(own.scalar, n);
            let prim = |prim, args: Vec<D::Value>| D::prim(prim, &args);
            return own.formula.evaluate((&a, &b), &number, &prim, &|value: &D::Value| {
                D::has_type(value, Scalar::Bool).then(|| value.to_integer() == Some(1))
            });
        }
    };
    D::prim(prim, &[a, b])
}
