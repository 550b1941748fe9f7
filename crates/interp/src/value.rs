//! Machine scalars.

use atl_kernel::Scalar;

/// What may be an element of an integer tensor, and then be read in an index.
pub trait Integral {
    /// The number, if the type is not a float; truth values are 0 and 1.
    fn to_integer(&self) -> Option<i128>;
}

/// A machine scalar. Two are equal if their types and bits are, or if both are NaNs of one type: the sign and
/// payload of a NaN are unspecified. So `0.0` and `-0.0` differ.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Of type `f32`.
    F32(f32),
    /// Of type `f64`.
    F64(f64),
    /// Of type `i32`.
    I32(i32),
    /// Of type `i64`.
    I64(i64),
    /// Of type `u8`.
    U8(u8),
    /// Of type `bool`.
    Bool(bool),
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (*self, *other) {
            (Value::F32(x), Value::F32(y)) => x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
            (Value::F64(x), Value::F64(y)) => x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
            (a, b) => a.scalar() == b.scalar() && a.to_integer() == b.to_integer(),
        }
    }
}

impl Value {
    /// The type.
    pub fn scalar(self) -> Scalar {
        match self {
            Value::F32(_) => Scalar::F32,
            Value::F64(_) => Scalar::F64,
            Value::I32(_) => Scalar::I32,
            Value::I64(_) => Scalar::I64,
            Value::U8(_) => Scalar::U8,
            Value::Bool(_) => Scalar::Bool,
        }
    }

    /// The number, rounded where an `i64` is too large for `f64`; truth values are 0 and 1.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::F32(x) => f64::from(x),
            Value::F64(x) => x,
            Value::I64(x) => x as f64,
            Value::I32(x) => f64::from(x),
            Value::U8(x) => f64::from(x),
            Value::Bool(x) => f64::from(u8::from(x)),
        }
    }

    /// The integer in a type: wrapped, rounded to a float, or `n != 0`.
    pub(crate) fn of_integer(scalar: Scalar, n: i128) -> Value {
        match scalar {
            Scalar::F32 => Value::F32(n as f32),
            Scalar::F64 => Value::F64(n as f64),
            Scalar::I32 => Value::I32(n as i32),
            Scalar::I64 => Value::I64(n as i64),
            Scalar::U8 => Value::U8(n as u8),
            Scalar::Bool => Value::Bool(n != 0),
        }
    }
}

impl Integral for Value {
    fn to_integer(&self) -> Option<i128> {
        match *self {
            Value::F32(_) | Value::F64(_) => None,
            Value::I32(x) => Some(i128::from(x)),
            Value::I64(x) => Some(i128::from(x)),
            Value::U8(x) => Some(i128::from(x)),
            Value::Bool(x) => Some(i128::from(x)),
        }
    }
}
