//! Element types: the language's scalars and the runtime's, which are the same.

use atl_kernel::{Elem, Scalar};
use atl_runtime::DType;
use atl_semirings::Constant;

macro_rules! names {
    ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        /// The runtime's name of an element type.
        pub fn dtype(scalar: Scalar) -> DType {
            match scalar { $(Scalar::$name => DType::$name,)* }
        }

        /// The language's name of an element type.
        pub fn scalar(dtype: DType) -> Scalar {
            match dtype { $(DType::$name => Scalar::$name,)* }
        }
    };
}

atl_kernel::scalars!(names);

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
