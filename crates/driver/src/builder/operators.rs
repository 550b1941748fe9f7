//! `+ - * / %` on indices, values and literals, owned or borrowed; on values also `& | ^ << >> !`, where `!`
//! writes `~`.

use super::{Index, Value, expr};
use atl_syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

/// An operator between a handle, owned or borrowed, and everything that converts to one.
macro_rules! operator {
    ($ty:ident, $trait:ident, $method:ident, $op:ident, [$($literal:ty),*]) => {
        operator!(@one $ty, $trait, $method, $op, $ty, $ty);
        operator!(@one $ty, $trait, $method, $op, $ty, &$ty);
        operator!(@one $ty, $trait, $method, $op, &$ty, $ty);
        operator!(@one $ty, $trait, $method, $op, &$ty, &$ty);
        $(operator!(@one $ty, $trait, $method, $op, $ty, $literal);
        operator!(@one $ty, $trait, $method, $op, &$ty, $literal);
        operator!(@one $ty, $trait, $method, $op, $literal, $ty);
        operator!(@one $ty, $trait, $method, $op, $literal, &$ty);)*
    };
    (@one $ty:ident, $trait:ident, $method:ident, $op:ident, $lhs:ty, $rhs:ty) => {
        impl $trait<$rhs> for $lhs {
            type Output = $ty;

            fn $method(self, rhs: $rhs) -> $ty {
                $ty(binary(BinaryOp::$op, $ty::from(self).0, $ty::from(rhs).0))
            }
        }
    };
}

operator!(Index, Add, add, Add, [i64]);
operator!(Index, Sub, sub, Sub, [i64]);
operator!(Index, Mul, mul, Mul, [i64]);
operator!(Index, Div, div, Div, [i64]);
operator!(Index, Rem, rem, Rem, [i64]);
operator!(Value, Add, add, Add, [i64, f64]);
operator!(Value, Sub, sub, Sub, [i64, f64]);
operator!(Value, Mul, mul, Mul, [i64, f64]);
operator!(Value, Div, div, Div, [i64, f64]);
operator!(Value, Rem, rem, Rem, [i64]);
operator!(Value, BitAnd, bitand, BitAnd, [i64]);
operator!(Value, BitOr, bitor, BitOr, [i64]);
operator!(Value, BitXor, bitxor, BitXor, [i64]);
operator!(Value, Shl, shl, Shl, [i64]);
operator!(Value, Shr, shr, Shr, [i64]);

macro_rules! prefix {
    ($trait:ident $method:ident $op:ident, $($ty:ident: $operand:ty),*) => {$(
        impl $trait for $operand {
            type Output = $ty;

            fn $method(self) -> $ty {
                $ty(expr(ExprKind::Unary(UnaryOp::$op, Box::new($ty::from(self).0))))
            }
        }
    )*};
}

prefix!(Neg neg Neg, Index: Index, Index: &Index, Value: Value, Value: &Value);
prefix!(Not not BitNot, Value: Value, Value: &Value);
