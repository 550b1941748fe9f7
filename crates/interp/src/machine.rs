//! Scalars as compiled code computes them: those of [`atl_scalars`].

use crate::domain::{Domain, Integral};
use crate::error::{EvalError, Result};
use atl_kernel::{Prim, Scalar};
use atl_scalars::{Value, pointwise};
use atl_semirings::Constant;

/// The domain of machine scalars.
#[derive(Clone, Copy, Debug)]
pub enum Machine {}

impl Integral for Value {
    fn to_integer(&self) -> Option<i128> {
        Value::to_integer(*self)
    }
}

impl Domain for Machine {
    type Value = Value;

    fn has_type(value: &Value, scalar: Scalar) -> bool {
        value.scalar() == scalar
    }

    fn constant(scalar: Scalar, constant: Constant) -> Result<Value> {
        match constant {
            Constant::Int(n) => Machine::decimal(scalar, n, 0),
            Constant::PosInf if scalar.is_float() => Ok(Value::greatest(scalar)),
            Constant::NegInf if scalar.is_float() => Ok(Value::least(scalar)),
            Constant::PosInf | Constant::NegInf => Err(EvalError::NotRepresentable(scalar)),
        }
    }

    fn decimal(scalar: Scalar, mantissa: i128, exponent: i32) -> Result<Value> {
        Value::decimal(scalar, mantissa, exponent).ok_or(EvalError::NotRepresentable(scalar))
    }

    fn index(scalar: Scalar, value: i64) -> Result<Value> {
        Ok(Value::of_integer(scalar, i128::from(value)))
    }

    fn prim(prim: Prim, args: &[Value]) -> Result<Value> {
        pointwise(prim, args).ok_or(EvalError::IllTyped(prim))
    }
}
