//! The arithmetic in which theorems of the class `finite` are equalities (see `atl_kernel::Rounding`): the machine's, but that
//! zero times anything is zero, and a zero has no sign. Where a sum is a minimum or a maximum, NaN is not an
//! element: such a term has no value.

use crate::array::Array;
use atl_interp::{
    Domain, Env, EvalError, Evaluate, Limits, Machine, Result, Tensor, Value, eval_here, operation,
};
use atl_kernel::{Expr, Prim, Scalar};
use atl_semirings::{Constant, Op};

/// The domain of machine scalars in which a zero has no sign and annihilates.
#[derive(Clone, Copy, Debug)]
pub enum Quotient {}

/// The array with positive zeros.
pub(crate) fn settled(array: &Array) -> Array {
    Array { data: array.data.iter().map(|value| settle(*value)).collect(), ..array.clone() }
}

fn settle(value: Value) -> Value {
    match value {
        other if is_zero(&other) => Value::zero(other.scalar()),
        other => other,
    }
}

fn is_zero(value: &Value) -> bool {
    value.scalar().is_float() && value.to_f64() == 0.0
}

impl Evaluate for Quotient {
    fn eval_here(env: &Env<Value>, e: &Expr, limits: Limits) -> Result<Vec<Tensor<Value>>> {
        eval_here::<Quotient>(env, e, limits)
    }
}

impl Domain for Quotient {
    type Value = Value;

    fn has_type(value: &Value, scalar: Scalar) -> bool {
        Machine::has_type(value, scalar)
    }

    fn constant(scalar: Scalar, constant: Constant) -> Result<Value> {
        Machine::constant(scalar, constant).map(settle)
    }

    fn decimal(scalar: Scalar, mantissa: i128, exponent: i32) -> Result<Value> {
        Machine::decimal(scalar, mantissa, exponent).map(settle)
    }

    fn index(scalar: Scalar, value: i64) -> Result<Value> {
        Machine::index(scalar, value).map(settle)
    }

    fn op(op: Op, a: Value, b: Value) -> Result<Value> {
        match op {
            Op::Min | Op::Max if a.is_nan() || b.is_nan() => Err(EvalError::NotExact(Prim::Min)),
            _ => operation::<Quotient>(op, a, b),
        }
    }

    fn prim(prim: Prim, args: &[Value]) -> Result<Value> {
        match args.iter().find(|x| prim == Prim::Mul && is_zero(x)) {
            Some(zero) => Ok(settle(*zero)),
            None => Machine::prim(prim, args).map(settle),
        }
    }
}
