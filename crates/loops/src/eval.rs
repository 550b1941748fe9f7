//! The executable meaning of the scalar operations; [`val`](crate::val) says it in words.
//!
//! Every function gives `None` where an operation is not defined on the type, and is total otherwise.

use crate::{BinOp, CmpOp, IntOp, Literal, UnOp};
use atl_elementary::{Double, Single};
use atl_kernel::Scalar;

impl UnOp {
    /// The value of the operation.
    pub fn apply(self, a: Literal) -> Option<Literal> {
        Some(match (self, a) {
            (UnOp::Neg, Literal::F32(x)) => Literal::F32(-x),
            (UnOp::Neg, Literal::F64(x)) => Literal::F64(-x),
            (UnOp::Neg, Literal::I32(x)) => Literal::I32(x.wrapping_neg()),
            (UnOp::Neg, Literal::I64(x)) => Literal::I64(x.wrapping_neg()),
            (UnOp::Neg, Literal::U8(x)) => Literal::U8(x.wrapping_neg()),
            (UnOp::Abs, Literal::F32(x)) => Literal::F32(x.abs()),
            (UnOp::Abs, Literal::F64(x)) => Literal::F64(x.abs()),
            (UnOp::Abs, Literal::I32(x)) => Literal::I32(x.wrapping_abs()),
            (UnOp::Abs, Literal::I64(x)) => Literal::I64(x.wrapping_abs()),
            (UnOp::Abs, Literal::U8(x)) => Literal::U8(x),
            (UnOp::Floor, Literal::F32(x)) => Literal::F32(x.floor()),
            (UnOp::Floor, Literal::F64(x)) => Literal::F64(x.floor()),
            (UnOp::Sqrt, Literal::F32(x)) => Literal::F32(x.sqrt()),
            (UnOp::Sqrt, Literal::F64(x)) => Literal::F64(x.sqrt()),
            (UnOp::Exp, Literal::F32(x)) => Literal::F32(Single::exp(x)),
            (UnOp::Exp, Literal::F64(x)) => Literal::F64(Double::exp(x)),
            (UnOp::Log, Literal::F32(x)) => Literal::F32(Single::log(x)),
            (UnOp::Log, Literal::F64(x)) => Literal::F64(Double::log(x)),
            (UnOp::Not, Literal::Bool(x)) => Literal::Bool(!x),
            _ => return None,
        })
    }
}

macro_rules! float_op {
    ($op:expr, $x:expr, $y:expr) => {
        match $op {
            BinOp::Add => $x + $y,
            BinOp::Sub => $x - $y,
            BinOp::Mul => $x * $y,
            BinOp::Div => $x / $y,
            BinOp::Min => pick($y < $x, $y, $x),
            BinOp::Max => pick($x < $y, $y, $x),
            BinOp::And | BinOp::Or => return None,
        }
    };
}

macro_rules! integer_op {
    ($op:expr, $x:expr, $y:expr, $div:expr) => {
        match $op {
            BinOp::Add => $x.wrapping_add($y),
            BinOp::Sub => $x.wrapping_sub($y),
            BinOp::Mul => $x.wrapping_mul($y),
            BinOp::Div => $div,
            BinOp::Min => $x.min($y),
            BinOp::Max => $x.max($y),
            BinOp::And | BinOp::Or => return None,
        }
    };
}

fn pick<T>(first: bool, x: T, y: T) -> T {
    if first { x } else { y }
}

/// Floor division that wraps where the quotient is outside `i64`.
fn wrapping_floor_div(x: i64, y: i64) -> i64 {
    IntOp::Div.apply(x, y).unwrap_or(i64::MIN)
}

impl BinOp {
    /// The value of the operation.
    pub fn apply(self, a: Literal, b: Literal) -> Option<Literal> {
        Some(match (a, b) {
            (Literal::F32(x), Literal::F32(y)) => Literal::F32(float_op!(self, x, y)),
            (Literal::F64(x), Literal::F64(y)) => Literal::F64(float_op!(self, x, y)),
            (Literal::I32(x), Literal::I32(y)) => {
                let quotient = wrapping_floor_div(i64::from(x), i64::from(y)) as i32;
                Literal::I32(integer_op!(self, x, y, quotient))
            }
            (Literal::I64(x), Literal::I64(y)) => {
                Literal::I64(integer_op!(self, x, y, wrapping_floor_div(x, y)))
            }
            (Literal::U8(x), Literal::U8(y)) => {
                Literal::U8(integer_op!(self, x, y, x.checked_div(y).unwrap_or(0)))
            }
            (Literal::Bool(x), Literal::Bool(y)) => match self {
                BinOp::And => Literal::Bool(x && y),
                BinOp::Or => Literal::Bool(x || y),
                _ => return None,
            },
            _ => return None,
        })
    }
}

impl CmpOp {
    /// The comparison of two literals of one type.
    pub fn apply_literals(self, a: Literal, b: Literal) -> Option<bool> {
        Some(match (a, b) {
            (Literal::F32(x), Literal::F32(y)) => self.apply(&x, &y),
            (Literal::F64(x), Literal::F64(y)) => self.apply(&x, &y),
            (Literal::I32(x), Literal::I32(y)) => self.apply(&x, &y),
            (Literal::I64(x), Literal::I64(y)) => self.apply(&x, &y),
            (Literal::U8(x), Literal::U8(y)) => self.apply(&x, &y),
            (Literal::Bool(x), Literal::Bool(y)) => self.apply(&x, &y),
            _ => return None,
        })
    }
}

macro_rules! convert_number {
    ($x:expr, $to:expr) => {
        match $to {
            Scalar::F32 => Literal::F32($x as f32),
            Scalar::F64 => Literal::F64($x as f64),
            Scalar::I32 => Literal::I32($x as i32),
            Scalar::I64 => Literal::I64($x as i64),
            Scalar::U8 => Literal::U8($x as u8),
            Scalar::Bool => Literal::Bool($x as f64 != 0.0),
        }
    };
}

impl Literal {
    /// The conversion to a type.
    pub fn convert(self, to: Scalar) -> Literal {
        match self {
            Literal::F32(x) => convert_number!(x, to),
            Literal::F64(x) => convert_number!(x, to),
            Literal::I32(x) => convert_number!(x, to),
            Literal::I64(x) => convert_number!(x, to),
            Literal::U8(x) => convert_number!(x, to),
            Literal::Bool(x) => Literal::U8(u8::from(x)).convert(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: Option<Literal>, expected: Literal) {
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn integers_wrap_and_division_floors() {
        check(BinOp::Div.apply(Literal::I32(-7), Literal::I32(2)), Literal::I32(-4));
        check(BinOp::Div.apply(Literal::I32(7), Literal::I32(0)), Literal::I32(0));
        check(BinOp::Div.apply(Literal::I32(i32::MIN), Literal::I32(-1)), Literal::I32(i32::MIN));
        check(BinOp::Div.apply(Literal::I64(i64::MIN), Literal::I64(-1)), Literal::I64(i64::MIN));
        check(BinOp::Mul.apply(Literal::U8(16), Literal::U8(17)), Literal::U8(16));
        check(UnOp::Abs.apply(Literal::I64(i64::MIN)), Literal::I64(i64::MIN));
    }

    #[test]
    fn the_first_operand_wins_ties_and_nans() {
        check(BinOp::Min.apply(Literal::F32(f32::NAN), Literal::F32(1.0)), Literal::F32(f32::NAN));
        check(BinOp::Min.apply(Literal::F32(1.0), Literal::F32(f32::NAN)), Literal::F32(1.0));
        check(BinOp::Max.apply(Literal::F64(0.0), Literal::F64(-0.0)), Literal::F64(0.0));
        check(BinOp::Max.apply(Literal::F64(2.0), Literal::F64(-1.0)), Literal::F64(2.0));
    }

    #[test]
    fn conversions_saturate_from_floats_and_wrap_from_integers() {
        check(Some(Literal::F32(300.0).convert(Scalar::U8)), Literal::U8(255));
        check(Some(Literal::F64(f64::NAN).convert(Scalar::I32)), Literal::I32(0));
        check(Some(Literal::I32(300).convert(Scalar::U8)), Literal::U8(44));
        check(Some(Literal::F64(f64::NAN).convert(Scalar::Bool)), Literal::Bool(true));
        check(Some(Literal::Bool(true).convert(Scalar::F32)), Literal::F32(1.0));
    }

    #[test]
    fn operations_refuse_other_types() {
        assert_eq!(BinOp::Add.apply(Literal::Bool(true), Literal::Bool(true)), None);
        assert_eq!(BinOp::Add.apply(Literal::I32(1), Literal::I64(1)), None);
        assert_eq!(UnOp::Exp.apply(Literal::I32(1)), None);
    }
}
