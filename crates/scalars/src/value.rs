//! A value of a machine scalar type.

use atl_halves::{bf16, f16};
use atl_kernel::{Kind, Scalar};
use std::fmt;

/// A machine scalar. Two are equal if their types and bits are, or if both are NaNs of one type: the sign and
/// payload of a NaN are unspecified. So `0.0` and `-0.0` differ.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Of type `f16`.
    F16(f16),
    /// Of type `bf16`.
    BF16(bf16),
    /// Of type `f32`.
    F32(f32),
    /// Of type `f64`.
    F64(f64),
    /// Of one of the integer types.
    Int(Integer),
    /// Of type `bool`.
    Bool(bool),
}

/// An integer of a machine type, which holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer {
    scalar: Scalar,
    /// The two's complement, extended to 64 bits as the type says.
    bits: u64,
}

impl Integer {
    /// The integer modulo 2 to the width, in the type's range; of an integer type only.
    pub fn wrapping(scalar: Scalar, n: i128) -> Option<Integer> {
        let unused = 64 - scalar.bits();
        let bits = match scalar.kind() {
            Kind::Signed => (((n as i64) << unused) >> unused).cast_unsigned(),
            Kind::Unsigned => (n as u64) << unused >> unused,
            Kind::Float | Kind::Truth => return None,
        };
        Some(Integer { scalar, bits })
    }

    /// The type.
    pub fn scalar(self) -> Scalar {
        self.scalar
    }

    /// The number.
    pub fn get(self) -> i128 {
        match self.scalar.kind() {
            Kind::Signed => i128::from(self.bits.cast_signed()),
            _ => i128::from(self.bits),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (*self, *other) {
            (Value::F16(x), Value::F16(y)) => x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
            (Value::BF16(x), Value::BF16(y)) => x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
            (Value::F32(x), Value::F32(y)) => x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
            (Value::F64(x), Value::F64(y)) => x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
            (Value::Int(x), Value::Int(y)) => x == y,
            (Value::Bool(x), Value::Bool(y)) => x == y,
            _ => false,
        }
    }
}

impl Eq for Value {}

/// A Rust type whose values are those of a scalar type.
pub trait Machine: Copy + PartialEq + std::fmt::Debug {
    /// The scalar type.
    const SCALAR: Scalar;
    /// As a value.
    fn value(self) -> Value;
    /// A value converted to this type.
    fn of(value: Value) -> Self;
}

macro_rules! machine {
    ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        $(impl Machine for $ty {
            const SCALAR: Scalar = Scalar::$name;
            fn value(self) -> Value {
                machine!(@value $name $kind, self)
            }
            fn of(value: Value) -> $ty {
                machine!(@of $ty $name $kind, value.convert(Scalar::$name))
            }
        })*

        impl Value {
            $(#[doc = concat!("A value of type `", stringify!($ty), "`.")]
            pub fn $ty(x: $ty) -> Value {
                x.value()
            })*

            /// A number as it is written, rounded once where the type rounds.
            pub fn parse(scalar: Scalar, text: &str) -> Option<Value> {
                match scalar {
                    $(Scalar::$name => text.parse().ok().map(Value::$ty),)*
                }
            }
        }
    };
    (@value $name:ident Signed, $x:expr) => {
        Value::Int(Integer { scalar: Scalar::$name, bits: i64::from($x).cast_unsigned() })
    };
    (@value $name:ident Unsigned, $x:expr) => {
        Value::Int(Integer { scalar: Scalar::$name, bits: u64::from($x) })
    };
    (@value $name:ident $kind:ident, $x:expr) => { Value::$name($x) };
    (@of $ty:ident $name:ident Signed, $value:expr) => { $value.to_integer().unwrap_or_default() as $ty };
    (@of $ty:ident $name:ident Unsigned, $value:expr) => { $value.to_integer().unwrap_or_default() as $ty };
    (@of $ty:ident $name:ident $kind:ident, $value:expr) => {
        if let Value::$name(x) = $value { x } else { Default::default() }
    };
}

atl_kernel::scalars!(machine);

impl Value {
    /// The type.
    pub fn scalar(self) -> Scalar {
        match self {
            Value::F16(_) => Scalar::F16,
            Value::BF16(_) => Scalar::BF16,
            Value::F32(_) => Scalar::F32,
            Value::F64(_) => Scalar::F64,
            Value::Int(x) => x.scalar,
            Value::Bool(_) => Scalar::Bool,
        }
    }

    /// The bits, zero-extended.
    pub fn bits(self) -> u64 {
        match self {
            Value::F16(x) => u64::from(x.to_bits()),
            Value::BF16(x) => u64::from(x.to_bits()),
            Value::F32(x) => u64::from(x.to_bits()),
            Value::F64(x) => x.to_bits(),
            Value::Int(x) => x.bits & (u64::MAX >> (64 - x.scalar.bits())),
            Value::Bool(x) => u64::from(x),
        }
    }

    /// The value with these bits, of which the last as many count as the type has.
    pub fn of_bits(scalar: Scalar, bits: u64) -> Value {
        match scalar {
            Scalar::F16 => Value::F16(f16::from_bits(bits as u16)),
            Scalar::BF16 => Value::BF16(bf16::from_bits(bits as u16)),
            Scalar::F32 => Value::F32(f32::from_bits(bits as u32)),
            Scalar::F64 => Value::F64(f64::from_bits(bits)),
            Scalar::Bool => Value::Bool(bits & 1 == 1),
            _ => Value::of_integer(scalar, bits.into()),
        }
    }

    /// The number, if the type is not a float; truth values are 0 and 1.
    pub fn to_integer(self) -> Option<i128> {
        match self {
            Value::F16(_) | Value::BF16(_) | Value::F32(_) | Value::F64(_) => None,
            Value::Int(x) => Some(x.get()),
            Value::Bool(x) => Some(i128::from(x)),
        }
    }

    /// The number, if the type may be read in index terms; truth values are 0 and 1.
    pub fn integer(self) -> Option<i64> {
        self.to_integer().filter(|_| self.scalar().is_index())?.try_into().ok()
    }

    /// The number, rounded where an integer is too large for `f64`; truth values are 0 and 1.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::F16(x) => f64::from(x),
            Value::BF16(x) => f64::from(x),
            Value::F32(x) => f64::from(x),
            Value::F64(x) => x,
            Value::Int(x) => x.get() as f64,
            Value::Bool(x) => f64::from(u8::from(x)),
        }
    }

    /// The integer in a type: wrapped, rounded once to a float, or `n != 0`.
    pub fn of_integer(scalar: Scalar, n: i128) -> Value {
        match scalar {
            Scalar::F16 => Value::F16(f16::from_integer(n)),
            Scalar::BF16 => Value::BF16(bf16::from_integer(n)),
            Scalar::F32 => Value::F32(n as f32),
            Scalar::F64 => Value::F64(n as f64),
            _ => Integer::wrapping(scalar, n).map_or(Value::Bool(n != 0), Value::Int),
        }
    }

    /// The number 0, or `false`, of a type.
    pub fn zero(scalar: Scalar) -> Value {
        Value::of_integer(scalar, 0)
    }

    /// The least value of a type: negative infinity if it has one.
    pub fn least(scalar: Scalar) -> Value {
        match scalar.range() {
            Some((least, _)) => Value::of_integer(scalar, least),
            None => Value::F64(f64::NEG_INFINITY).convert(scalar),
        }
    }

    /// The greatest value of a type: infinity if it has one.
    pub fn greatest(scalar: Scalar) -> Value {
        match scalar.range() {
            Some((_, greatest)) => Value::of_integer(scalar, greatest),
            None => Value::F64(f64::INFINITY).convert(scalar),
        }
    }

    /// `mantissa * 10^exponent`, rounded once; of the integer types and `bool`, only if they have it.
    pub fn decimal(scalar: Scalar, mantissa: i128, exponent: i32) -> Option<Value> {
        if scalar.is_float() {
            // Each conversion from text rounds once, to nearest even.
            return Value::parse(scalar, &format!("{mantissa}e{exponent}"));
        }
        let n = integral_decimal(mantissa, exponent)?;
        scalar.range().filter(|(least, greatest)| (*least..=*greatest).contains(&n))?;
        Some(Value::of_integer(scalar, n))
    }

    /// Is it NaN?
    pub fn is_nan(self) -> bool {
        self.to_f64().is_nan()
    }
}

/// As the loop IR writes it: the number and its type.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = self.scalar();
        let float = |f: &mut fmt::Formatter<'_>, value: &dyn fmt::Debug| match self.to_f64() {
            x if x.is_nan() => write!(f, "{ty}.nan(0x{:x})", self.bits()),
            f64::INFINITY => write!(f, "{ty}.inf"),
            f64::NEG_INFINITY => write!(f, "-{ty}.inf"),
            _ => write!(f, "{value:?}{ty}"),
        };
        match self {
            Value::F16(x) => float(f, x),
            Value::BF16(x) => float(f, x),
            Value::F32(x) => float(f, x),
            Value::F64(x) => float(f, x),
            Value::Int(x) => write!(f, "{}{ty}", x.get()),
            Value::Bool(x) => write!(f, "{x}"),
        }
    }
}

/// `mantissa * 10^exponent`, if it is an integer that is not too large.
fn integral_decimal(mantissa: i128, exponent: i32) -> Option<i128> {
    if mantissa == 0 {
        return Some(0);
    }
    let power = 10i128.checked_pow(exponent.unsigned_abs())?;
    if exponent >= 0 {
        mantissa.checked_mul(power)
    } else {
        (mantissa % power == 0).then(|| mantissa / power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_into_their_type() {
        for scalar in Scalar::ALL.into_iter().filter(|s| s.is_integer()) {
            let (least, greatest) = scalar.range().expect("an integer type has a range");
            let value = |n| Value::of_integer(scalar, n).to_integer();
            assert_eq!((value(least), value(greatest)), (Some(least), Some(greatest)), "{scalar}");
            assert_eq!((value(least - 1), value(greatest + 1)), (Some(greatest), Some(least)), "{scalar}");
            assert_eq!(Value::of_integer(scalar, i128::MAX), Value::of_integer(scalar, -1), "{scalar}");
            assert_eq!(Value::of_integer(scalar, i128::MIN), Value::zero(scalar), "{scalar}");
            assert_eq!(Value::of_integer(scalar, -1).bits().count_ones(), scalar.bits(), "{scalar}");
        }
    }

    #[test]
    fn literals_round_once_or_are_refused() {
        // Rounded to f64 first, this would be a tie, and become 1.
        let half = Value::decimal(Scalar::F32, 1_000_000_059_604_644_776, -18);
        assert_eq!(half, Some(Value::F32(1.000_000_1)));
        assert_eq!(Value::decimal(Scalar::I32, 1200, -2), Some(Value::i32(12)));
        let refused =
            [(Scalar::I32, 15, -1), (Scalar::U8, 256, 0), (Scalar::Bool, 2, 0), (Scalar::U64, -1, 0)];
        for (scalar, mantissa, exponent) in refused {
            assert_eq!(Value::decimal(scalar, mantissa, exponent), None, "{scalar}");
        }
    }

    #[test]
    fn nans_of_one_type_are_equal_and_zeros_of_two_signs_are_not() {
        assert_eq!(Value::F32(f32::NAN), Value::F32(-f32::NAN));
        assert_ne!(Value::F64(0.0), Value::F64(-0.0));
        assert_ne!(Value::i32(1), Value::i64(1));
    }
}
