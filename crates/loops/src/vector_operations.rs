//! The operations that there are on vectors, by type.
//!
//! One idea: an operation is here if compilers have it for whole vectors, with the bits that it has for one
//! number. The others leave a loop to the C compiler.

use crate::{BinOp, Literal, Scalar, UnOp, Val, is_half};

/// Are there vectors of this type?
pub(crate) fn is_computed(scalar: Scalar) -> bool {
    scalar.is_integer() || scalar.is_float() && !is_half(scalar)
}

/// Is an integer in memory converted on the way, by a type that is at least as wide?
pub(crate) fn is_widened(from: Scalar, to: Scalar) -> bool {
    from.is_integer() && (from.bits() < 32 && !to.is_integer() || to.is_integer() && from.bits() <= to.bits())
}

/// Is there a conversion of vectors? Of floats to integers there is none: beyond the ends of a type its end
/// is meant.
pub(crate) fn is_converted(from: Option<Scalar>, to: Scalar) -> bool {
    from.is_some_and(|from| is_computed(from) && is_computed(to) && (from.is_integer() || to.is_float()))
}

pub(crate) fn has_unary(op: UnOp, scalar: Scalar) -> bool {
    match op {
        UnOp::Neg | UnOp::Abs => true,
        UnOp::BitNot => scalar.is_integer(),
        UnOp::Popcount | UnOp::Clz | UnOp::Ctz | UnOp::Not => false,
    }
}

pub(crate) fn has_binary(op: BinOp, scalar: Scalar, second: &Val) -> bool {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => true,
        BinOp::Div => scalar.is_float() || divisor(second, scalar).is_some(),
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => scalar.is_integer(),
        BinOp::Shl | BinOp::Shr => shifted(second, scalar).is_some(),
        BinOp::Rem | BinOp::MulHi | BinOp::And | BinOp::Or => false,
    }
}

/// The literal by which an integer without sign is divided, if vectors do that: by the high half of a
/// product.
pub fn divisor(by: &Val, scalar: Scalar) -> Option<i64> {
    let Val::Lit(Literal::Int(by)) = by else { return None };
    let by = i64::try_from(by.get()).ok().filter(|by| *by > 0)?;
    matches!(scalar, Scalar::U16 | Scalar::U32).then_some(by)
}

/// By how many bits a literal moves an integer, if by fewer than it has.
pub fn shifted(by: &Val, scalar: Scalar) -> Option<i64> {
    let Val::Lit(Literal::Int(by)) = by else { return None };
    let by = i64::try_from(by.get()).ok()?;
    (0..i64::from(scalar.bits())).contains(&by).then_some(by)
}
