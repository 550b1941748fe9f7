//! Element types: the language's scalars and the runtime's, which are the same six.

use atl_kernel::{Elem, Scalar};
use atl_runtime::DType;
use atl_semirings::Constant;

/// The runtime's name of an element type.
pub fn dtype(scalar: Scalar) -> DType {
    match scalar {
        Scalar::F32 => DType::F32,
        Scalar::F64 => DType::F64,
        Scalar::I32 => DType::I32,
        Scalar::I64 => DType::I64,
        Scalar::U8 => DType::U8,
        Scalar::Bool => DType::Bool,
    }
}

/// The language's name of an element type.
pub fn scalar(dtype: DType) -> Scalar {
    match dtype {
        DType::F32 => Scalar::F32,
        DType::F64 => Scalar::F64,
        DType::I32 => Scalar::I32,
        DType::I64 => Scalar::I64,
        DType::U8 => Scalar::U8,
        DType::Bool => Scalar::Bool,
    }
}

/// What absent elements are, as a number of the element type; none where the semiring's zero is no number.
pub fn zero(elem: Elem) -> Option<f64> {
    let ops = atl_semirings::of(elem.algebra)?.on(elem.scalar)?;
    Some(match ops.zero {
        Constant::Int(n) => n as f64,
        Constant::PosInf if elem.scalar.is_float() => f64::INFINITY,
        Constant::NegInf if elem.scalar.is_float() => f64::NEG_INFINITY,
        Constant::PosInf | Constant::NegInf => return None,
    })
}
