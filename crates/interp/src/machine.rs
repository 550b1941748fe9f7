//! Scalars as compiled code computes them; the loop IR's `val` module states the same operations.
//!
//! Integers wrap: an operation's exact result, modulo 2 to the width. `/` is floor division, `x / 0 = 0`.
//! Floats are IEEE 754, each operation rounded by itself. `min(a, b)` is `a < b ? a : b` and `max(a, b)` is
//! `b < a ? a : b`. `exp` and `log` are those of `atl_elementary`. Conversion from float to integer truncates and saturates, NaN to 0; to a
//! narrower integer it wraps; to `bool` it is `x != 0`.

use crate::domain::Domain;
use crate::error::{EvalError, Result};
use crate::value::{Integral, Value};
use atl_elementary::{Double, Single};
use atl_kernel::{IxOp, Prim, Scalar, eval_op};
use atl_semirings::Constant;
use std::cmp::Ordering;

/// The domain of machine scalars.
#[derive(Clone, Copy, Debug)]
pub enum Machine {}

macro_rules! float_unary {
    ($prim:expr, $functions:ident, $x:expr) => {
        match $prim {
            Prim::Neg => Some(-$x),
            Prim::Abs => Some($x.abs()),
            Prim::Exp => Some($functions::exp($x)),
            Prim::Log => Some($functions::log($x)),
            Prim::Sqrt => Some($x.sqrt()),
            Prim::Floor => Some($x.floor()),
            _ => None,
        }
    };
}

macro_rules! float_binary {
    ($prim:expr, $x:expr, $y:expr) => {
        match $prim {
            Prim::Add => Some($x + $y),
            Prim::Sub => Some($x - $y),
            Prim::Mul => Some($x * $y),
            Prim::Div => Some($x / $y),
            Prim::Min => Some(if $y < $x { $y } else { $x }),
            Prim::Max => Some(if $x < $y { $y } else { $x }),
            _ => None,
        }
    };
}

impl Domain for Machine {
    type Value = Value;

    fn has_type(value: &Value, scalar: Scalar) -> bool {
        value.scalar() == scalar
    }

    fn constant(scalar: Scalar, constant: Constant) -> Result<Value> {
        match (scalar, constant) {
            (_, Constant::Int(n)) => Machine::decimal(scalar, n, 0),
            (Scalar::F32, Constant::PosInf) => Ok(Value::F32(f32::INFINITY)),
            (Scalar::F32, Constant::NegInf) => Ok(Value::F32(f32::NEG_INFINITY)),
            (Scalar::F64, Constant::PosInf) => Ok(Value::F64(f64::INFINITY)),
            (Scalar::F64, Constant::NegInf) => Ok(Value::F64(f64::NEG_INFINITY)),
            _ => Err(EvalError::NotRepresentable(scalar)),
        }
    }

    fn decimal(scalar: Scalar, mantissa: i64, exponent: i32) -> Result<Value> {
        let no = || EvalError::NotRepresentable(scalar);
        let text = || format!("{mantissa}e{exponent}");
        match scalar {
            // Rust's conversion from text rounds once, to nearest even.
            Scalar::F32 => text().parse().map(Value::F32).map_err(|_| no()),
            Scalar::F64 => text().parse().map(Value::F64).map_err(|_| no()),
            _ => {
                let n = integral_decimal(mantissa, exponent).ok_or_else(no)?;
                let value = Value::of_integer(scalar, n);
                if value.to_integer() == Some(n) { Ok(value) } else { Err(no()) }
            }
        }
    }

    fn index(scalar: Scalar, value: i64) -> Result<Value> {
        Ok(Value::of_integer(scalar, i128::from(value)))
    }

    fn prim(prim: Prim, args: &[Value]) -> Result<Value> {
        let result = match (prim, args) {
            (Prim::Cast(to), [x]) => Some(cast(*x, to.scalar)),
            (Prim::Where, [Value::Bool(c), a, b]) => Some(if *c { *a } else { *b }),
            (Prim::Eq | Prim::Lt | Prim::Le, [a, b]) => {
                compare(*a, *b).map(|order| Value::Bool(decide(prim, order)))
            }
            (_, [Value::F32(x)]) => float_unary!(prim, Single, *x).map(Value::F32),
            (_, [Value::F64(x)]) => float_unary!(prim, Double, *x).map(Value::F64),
            (_, [Value::F32(x), Value::F32(y)]) => float_binary!(prim, *x, *y).map(Value::F32),
            (_, [Value::F64(x), Value::F64(y)]) => float_binary!(prim, *x, *y).map(Value::F64),
            (Prim::Not, [Value::Bool(x)]) => Some(Value::Bool(!x)),
            (Prim::And, [Value::Bool(x), Value::Bool(y)]) => Some(Value::Bool(*x && *y)),
            (Prim::Or, [Value::Bool(x), Value::Bool(y)]) => Some(Value::Bool(*x || *y)),
            (_, [x, ..]) if args.iter().all(|y| y.scalar() == x.scalar()) => integer(prim, x.scalar(), args),
            _ => None,
        };
        result.ok_or(EvalError::IllTyped(prim))
    }
}

/// `mantissa * 10^exponent`, if it is an integer that is not too large.
fn integral_decimal(mantissa: i64, exponent: i32) -> Option<i128> {
    let n = i128::from(mantissa);
    if n == 0 {
        return Some(0);
    }
    let power = 10i128.checked_pow(exponent.unsigned_abs())?;
    if exponent >= 0 { n.checked_mul(power) } else { (n % power == 0).then(|| n / power) }
}

/// An operation on integers: computed exactly, then wrapped.
fn integer(prim: Prim, scalar: Scalar, args: &[Value]) -> Option<Value> {
    if scalar == Scalar::Bool {
        return None;
    }
    let args: Vec<i128> = args.iter().map(|x| x.to_integer()).collect::<Option<_>>()?;
    let op = |op| match args[..] {
        [x, y] => eval_op(op, x, y),
        _ => None,
    };
    let exact = match (prim, &args[..]) {
        (Prim::Add, _) => op(IxOp::Add),
        (Prim::Sub, _) => op(IxOp::Sub),
        (Prim::Mul, _) => op(IxOp::Mul),
        (Prim::Div, _) => op(IxOp::Div),
        (Prim::Min, _) => op(IxOp::Min),
        (Prim::Max, _) => op(IxOp::Max),
        (Prim::Neg, [x]) => Some(-x),
        (Prim::Abs, [x]) => Some(x.abs()),
        _ => None,
    };
    exact.map(|n| Value::of_integer(scalar, n))
}

/// The order of two values of one type: `Some(None)` when one of them is NaN.
fn compare(a: Value, b: Value) -> Option<Option<Ordering>> {
    match (a, b) {
        (Value::F32(x), Value::F32(y)) => Some(x.partial_cmp(&y)),
        (Value::F64(x), Value::F64(y)) => Some(x.partial_cmp(&y)),
        _ if a.scalar() == b.scalar() => Some(Some(a.to_integer()?.cmp(&b.to_integer()?))),
        _ => None,
    }
}

/// Does the comparison hold of values in this order? With NaN, none does.
pub(crate) fn decide(prim: Prim, order: Option<Ordering>) -> bool {
    match prim {
        Prim::Eq => order == Some(Ordering::Equal),
        Prim::Lt => order == Some(Ordering::Less),
        _ => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }
}

macro_rules! cast_float {
    ($x:expr, $to:expr) => {
        match $to {
            Scalar::F32 => Value::F32($x as f32),
            Scalar::F64 => Value::F64($x as f64),
            Scalar::I32 => Value::I32($x as i32),
            Scalar::I64 => Value::I64($x as i64),
            Scalar::U8 => Value::U8($x as u8),
            Scalar::Bool => Value::Bool($x != 0.0),
        }
    };
}

/// The conversion to a type.
fn cast(x: Value, to: Scalar) -> Value {
    match x {
        Value::F32(x) => cast_float!(x, to),
        Value::F64(x) => cast_float!(x, to),
        _ => Value::of_integer(to, x.to_integer().unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prim: Prim, args: &[Value], expected: Value) {
        assert_eq!(Machine::prim(prim, args), Ok(expected), "{prim:?} {args:?}");
    }

    fn cast_to(scalar: Scalar) -> Prim {
        Prim::Cast(atl_kernel::Elem { scalar, algebra: &atl_semirings::instances::PLUS_TIMES })
    }

    #[test]
    fn integers_wrap_and_division_floors() {
        use Value::{I32, I64, U8};
        check(Prim::Add, &[I32(i32::MAX), I32(1)], I32(i32::MIN));
        check(Prim::Mul, &[I64(i64::MIN), I64(-1)], I64(i64::MIN));
        check(Prim::Sub, &[U8(3), U8(5)], U8(254));
        check(Prim::Div, &[I32(-7), I32(2)], I32(-4));
        check(Prim::Div, &[I32(7), I32(0)], I32(0));
        check(Prim::Div, &[I64(i64::MIN), I64(-1)], I64(i64::MIN));
        check(Prim::Neg, &[I32(i32::MIN)], I32(i32::MIN));
        check(Prim::Abs, &[I64(i64::MIN)], I64(i64::MIN));
        check(Prim::Min, &[I32(-1), I32(2)], I32(-1));
    }

    #[test]
    fn floats_round_once_and_the_first_operand_wins_ties() {
        use Value::{Bool, F32, F64};
        check(Prim::Add, &[F32(16_777_216.0), F32(1.0)], F32(16_777_216.0));
        check(Prim::Min, &[F32(f32::NAN), F32(1.0)], F32(f32::NAN));
        check(Prim::Min, &[F32(1.0), F32(f32::NAN)], F32(1.0));
        check(Prim::Max, &[F64(0.0), F64(-0.0)], F64(0.0));
        check(Prim::Max, &[F64(-0.0), F64(0.0)], F64(-0.0));
        check(Prim::Le, &[F64(f64::NAN), F64(f64::NAN)], Bool(false));
        check(Prim::Eq, &[F64(0.0), F64(-0.0)], Bool(true));
        check(Prim::Floor, &[F64(-0.5)], F64(-1.0));
    }

    #[test]
    fn conversions_saturate_from_floats_and_wrap_from_integers() {
        use Value::{Bool, F32, F64, I32, I64, U8};
        check(cast_to(Scalar::U8), &[F32(300.5)], U8(255));
        check(cast_to(Scalar::I32), &[F64(f64::NAN)], I32(0));
        check(cast_to(Scalar::I32), &[F64(-2.9)], I32(-2));
        check(cast_to(Scalar::U8), &[I32(300)], U8(44));
        check(cast_to(Scalar::Bool), &[F64(f64::NAN)], Bool(true));
        check(cast_to(Scalar::F32), &[Bool(true)], F32(1.0));
        check(cast_to(Scalar::F32), &[I64(16_777_217)], F32(16_777_216.0));
    }

    #[test]
    fn literals_round_once_or_are_refused() {
        // Rounded to f64 first, this would be a tie, and become 1.
        let half = Machine::decimal(Scalar::F32, 1_000_000_059_604_644_776, -18);
        assert_eq!(half, Ok(Value::F32(1.000_000_1)));
        assert_eq!(Machine::decimal(Scalar::I32, 1200, -2), Ok(Value::I32(12)));
        let refused =
            [(Scalar::I32, 15, -1), (Scalar::U8, 256, 0), (Scalar::Bool, 2, 0), (Scalar::I64, 1, 40)];
        for (scalar, mantissa, exponent) in refused {
            let found = Machine::decimal(scalar, mantissa, exponent);
            assert_eq!(found, Err(EvalError::NotRepresentable(scalar)));
        }
    }

    #[test]
    fn operations_refuse_other_types() {
        use Value::{Bool, I32, I64};
        let cases: [(Prim, &[Value]); 5] = [
            (Prim::Add, &[Bool(true), Bool(true)]),
            (Prim::Add, &[I32(1), I64(1)]),
            (Prim::Exp, &[I32(1)]),
            (Prim::Neg, &[Bool(true)]),
            (Prim::Neg, &[]),
        ];
        for (prim, args) in cases {
            assert_eq!(Machine::prim(prim, args), Err(EvalError::IllTyped(prim)));
        }
    }
}
