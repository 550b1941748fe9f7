//! Conversion between element types, value by value, that rounds floats and changes no other value into another one.
//!
//! One idea: every element is an integer or a float ([`Number`]); a conversion is reading one and asking the target
//! type whether it has it. Integers must be represented exactly. Floats round to the nearest value of a narrower float
//! type, which is what writing them down in decimal does as well, but must not become infinite; a float that is not
//! whole is not an integer. `bool` is 0 and 1.
//!
//! Nothing is scaled: a `u8` pixel 255 becomes the float 255.0, not 1.0.

use std::fmt;

use crate::dtype::{Element, bf16, f16, with_element};
use crate::{Buffer, BufferError, DType};

/// One element, apart from its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A value of one of the integer types, or of `bool`.
    Int(i128),
    /// A value of one of the float types.
    Float(f64),
}

impl Number {
    /// The value of a float.
    pub fn as_float(self) -> Option<f64> {
        match self {
            Number::Float(value) => Some(value),
            Number::Int(_) => None,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Float(value) => write!(f, "{value}"),
        }
    }
}

/// An element type that can say which numbers it has.
pub trait Scalar: Element {
    /// The element as a number; exact for every type.
    fn to_number(self) -> Number;
    /// The element for this number, if the type has one.
    fn from_number(number: Number) -> Option<Self>;
    /// The sum, if the type has it; of truth values, the disjunction.
    fn checked_sum(self, other: Self) -> Option<Self>;
    /// The element with the other sign, if the type has it.
    fn checked_opposite(self) -> Option<Self>;
    /// Whether both are the same element: a negative zero is not zero, and a NaN is itself.
    fn is_same(self, other: Self) -> bool;
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Scalar for $ty {
            fn to_number(self) -> Number {
                Number::Int(i128::from(self))
            }
            fn from_number(number: Number) -> Option<$ty> {
                match number {
                    Number::Int(value) => <$ty>::try_from(value).ok(),
                    // The cast saturates, and no element type reaches the ends of `i128`.
                    Number::Float(value) if value.fract() == 0.0 => <$ty>::try_from(value as i128).ok(),
                    Number::Float(_) => None,
                }
            }
            fn checked_sum(self, other: $ty) -> Option<$ty> {
                self.checked_add(other)
            }
            fn checked_opposite(self) -> Option<$ty> {
                self.checked_neg()
            }
            fn is_same(self, other: $ty) -> bool {
                self == other
            }
        }
    )*};
}

macro_rules! floats {
    ($($ty:ty: $of_integer:expr, $of_float:expr;)*) => {$(
        impl Scalar for $ty {
            fn to_number(self) -> Number {
                Number::Float(f64::from(self))
            }
            fn from_number(number: Number) -> Option<$ty> {
                match number {
                    Number::Int(value) => {
                        let float: $ty = $of_integer(value);
                        (f64::from(float) as i128 == value && float.is_finite()).then_some(float)
                    }
                    Number::Float(value) => {
                        let float: $ty = $of_float(value);
                        (float.is_infinite() == value.is_infinite()).then_some(float)
                    }
                }
            }
            fn checked_sum(self, other: $ty) -> Option<$ty> {
                Some(self + other)
            }
            fn checked_opposite(self) -> Option<$ty> {
                Some(-self)
            }
            fn is_same(self, other: $ty) -> bool {
                self.to_bits() == other.to_bits()
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);
floats! {
    f16: f16::from_integer, f16::from_f64;
    bf16: bf16::from_integer, bf16::from_f64;
    f32: |n| n as f32, |x| x as f32;
    f64: |n| n as f64, |x| x;
}

impl Scalar for bool {
    fn to_number(self) -> Number {
        Number::Int(i128::from(self))
    }
    fn from_number(number: Number) -> Option<bool> {
        match number {
            Number::Int(0) => Some(false),
            Number::Int(1) => Some(true),
            Number::Float(0.0) => Some(false),
            Number::Float(1.0) => Some(true),
            Number::Int(_) | Number::Float(_) => None,
        }
    }
    fn checked_sum(self, other: bool) -> Option<bool> {
        Some(self | other)
    }
    fn checked_opposite(self) -> Option<bool> {
        (!self).then_some(self)
    }
    fn is_same(self, other: bool) -> bool {
        self == other
    }
}

/// Why a buffer was not converted.
#[derive(Clone, Debug, PartialEq)]
pub enum ConvertError {
    /// The target type does not have the value of an element.
    NotRepresentable {
        /// The type asked for.
        to: DType,
        /// The first such element's position.
        index: Vec<usize>,
        /// Its value, as text.
        value: String,
        /// Why the type does not have it, and which type does.
        why: &'static str,
    },
    /// The result could not be allocated.
    Buffer(BufferError),
}

/// Why this type does not have a number that it does not have, and which type does.
pub fn lacks(to: DType, number: Number) -> &'static str {
    match (to, number) {
        (DType::F64 | DType::F32 | DType::F16 | DType::BF16, Number::Int(value))
            if i64::try_from(value).is_err() =>
        {
            of_floats(
                to,
                [
                    "beyond 2^11 not every integer is an `f16`; `u64` has those below 2^64",
                    "beyond 2^8 not every integer is a `bf16`; `u64` has those below 2^64",
                    "beyond 2^24 not every integer is an `f32`; `u64` has those below 2^64",
                    "beyond 2^53 not every integer is an `f64`; `u64` has those below 2^64",
                ],
            )
        }
        (DType::F16, Number::Int(_)) => {
            "beyond 2^11 not every integer is an `f16`, and this one is none; `i64` has it"
        }
        (DType::BF16, Number::Int(_)) => {
            "beyond 2^8 not every integer is a `bf16`, and this one is none; `i64` has it"
        }
        (DType::F64, Number::Int(_)) => {
            "beyond 2^53 not every integer is an `f64`, and this one is none; `i64` has it"
        }
        (DType::F32, Number::Int(value)) if f64::from_number(Number::Int(value)).is_some() => {
            "beyond 2^24 not every integer is an `f32`, and this one is none; `i64` and `f64` have it"
        }
        (DType::F32, Number::Int(_)) => {
            "beyond 2^24 not every integer is an `f32`, and this one is none; `i64` has it"
        }
        // Digits that overflow every float: infinity itself is an `f32`.
        (DType::F16 | DType::BF16 | DType::F32, Number::Float(value)) if value.is_infinite() => of_floats(
            to,
            [
                "the greatest `f16` is 65504",
                "the greatest `bf16` is 3.3895314e38",
                "the greatest `f32` is 3.4028235e38",
                "",
            ],
        ),
        (DType::F16, Number::Float(_)) => "the greatest `f16` is 65504; `f64` has it",
        (DType::BF16, Number::Float(_)) => "the greatest `bf16` is 3.3895314e38; `f64` has it",
        (DType::F32, Number::Float(_)) => "the greatest `f32` is 3.4028235e38; `f64` has it",
        (DType::F64, Number::Float(_)) => "the greatest `f64` is 1.7976931348623157e308",
        (DType::Bool, Number::Int(value)) if i64::try_from(value).is_err() => {
            "of type `bool` are 0 and 1; `u64` has it"
        }
        (DType::Bool, Number::Int(_)) => "of type `bool` are 0 and 1; `i64` has it",
        (_, Number::Float(value)) if value.is_nan() => "only floats, such as `f32` and `f64`, have NaN",
        (_, Number::Float(value)) if value.is_infinite() => {
            "only floats, such as `f32` and `f64`, have infinity"
        }
        (DType::Bool, Number::Float(_)) => "of type `bool` are 0 and 1; `f64` has it",
        (_, Number::Float(value)) if value.fract() != 0.0 => {
            "integers have no fractions, and nothing is rounded to one; `f64` has it"
        }
        (to, number) => match (i64::from_number(number), u64::from_number(number)) {
            (Some(_), _) => range(to)[0],
            (_, Some(_)) => range(to)[1],
            _ => range(to)[2],
        },
    }
}

/// The text of a type of floats, of those in the order of the types.
fn of_floats(to: DType, [f16, bf16, f32, f64]: [&'static str; 4]) -> &'static str {
    match to {
        DType::F16 => f16,
        DType::BF16 => bf16,
        DType::F32 => f32,
        _ => f64,
    }
}

/// From where to where an integer type goes, and which type has a number beyond that.
fn range(to: DType) -> [&'static str; 3] {
    macro_rules! ranges {
        ($($name:ident $text:literal;)*) => {
            match to {
                $(DType::$name => [
                    concat!($text, "; `i64` has it"),
                    concat!($text, "; `u64` has it"),
                    concat!($text, "; `f64` has numbers of this size"),
                ],)*
                DType::F16 | DType::BF16 | DType::F32 | DType::F64 | DType::Bool => [""; 3],
            }
        };
    }
    ranges! {
        I8 "an `i8` is from -128 to 127";
        I16 "an `i16` is from -32768 to 32767";
        I32 "an `i32` is from -2^31 to 2^31 - 1";
        I64 "an `i64` is from -2^63 to 2^63 - 1";
        U8 "a `u8` is from 0 to 255";
        U16 "a `u16` is from 0 to 65535";
        U32 "a `u32` is from 0 to 2^32 - 1";
        U64 "a `u64` is from 0 to 2^64 - 1";
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::NotRepresentable { to, index, value, why } => {
                write!(f, "the element at {index:?} is {value}, which is not a value of type {to}: {why}")
            }
            ConvertError::Buffer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConvertError {}

impl From<BufferError> for ConvertError {
    fn from(error: BufferError) -> ConvertError {
        ConvertError::Buffer(error)
    }
}

impl Buffer {
    /// The same values as elements of type `to`; see the module's page for what that excludes.
    pub fn convert(self, to: DType) -> Result<Buffer, ConvertError> {
        if self.dtype() == to {
            return Ok(self);
        }
        with_element!(self.dtype(), T => with_element!(to, U => convert_elements::<T, U>(&self)))
    }

    /// The element at a row-major position as a number.
    pub fn number_at(&self, position: usize) -> Option<Number> {
        with_element!(self.dtype(), T => self.as_slice::<T>().ok()?.get(position).map(|value| value.to_number()))
    }
}

fn convert_elements<T: Scalar, U: Scalar>(from: &Buffer) -> Result<Buffer, ConvertError> {
    let mut to = Buffer::zeros(U::DTYPE, from.shape())?;
    let elements = to.as_mut_slice::<U>()?.iter_mut().zip(from.as_slice::<T>()?);
    for (position, (element, value)) in elements.enumerate() {
        let number = value.to_number();
        *element = U::from_number(number).ok_or_else(|| ConvertError::NotRepresentable {
            to: U::DTYPE,
            index: index_of(position, from.shape()),
            value: number.to_string(),
            why: lacks(U::DTYPE, number),
        })?;
    }
    Ok(to)
}

/// The multi-index of the row-major `position`.
pub fn index_of(mut position: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (coordinate, &extent) in index.iter_mut().zip(shape).rev() {
        *coordinate = position % extent;
        position /= extent;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Element, U: Element>(from: T, expected: Option<U>) {
        let buffer = Buffer::from_slice(&[T::default(), from], &[1, 2]).expect("small");
        match (buffer.convert(U::DTYPE), expected) {
            (Ok(converted), Some(value)) => {
                assert_eq!(converted.as_slice::<U>().expect("converted")[1], value, "{from:?}");
            }
            (Err(ConvertError::NotRepresentable { index, .. }), None) => assert_eq!(index, [0, 1]),
            (result, expected) => panic!("{from:?}: {result:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn a_type_that_is_said_to_have_a_number_has_it() {
        let largest = [i64::MAX.into(), u64::MAX.into()];
        let ints =
            [2, -1, 256, 1 << 31, (1 << 24) + 1, (1 << 53) + 1].into_iter().chain(largest).map(Number::Int);
        let floats = [0.5, -1.0, 3e9, 1e20, 1e39, f64::NAN, f64::INFINITY].map(Number::Float);
        let (mut refused, mut named) = (0, 0);
        for number in ints.chain(floats) {
            for to in DType::ALL {
                if with_element!(to, T => T::from_number(number).is_some()) {
                    continue;
                }
                refused += 1;
                let why = lacks(to, number);
                assert!(
                    why.contains(&format!("`{to}`")) || why.contains("fractions") || why.contains("only")
                );
                if let Some((_, has)) = why.strip_suffix(" has it").and_then(|why| why.rsplit_once("; ")) {
                    named += 1;
                    assert!(
                        match has {
                            "`i64`" => i64::from_number(number).is_some(),
                            "`u64`" => u64::from_number(number).is_some(),
                            has => has == "`f64`" && f64::from_number(number).is_some(),
                        },
                        "{number}: {why}"
                    );
                }
            }
        }
        assert!(refused > 40 && named > 20, "{refused}, {named}");
    }

    #[test]
    fn exact_values_convert() {
        check(255u8, Some(255.0f32));
        check(-3.0f64, Some(-3i32));
        check(true, Some(1i64));
        check(1.0f32, Some(true));
        check(1i64 << 40, Some((1i64 << 40) as f32));
        check(f64::INFINITY, Some(f32::INFINITY));
    }

    #[test]
    fn floats_round_to_nearest() {
        check(0.1f64, Some(0.1f32));
        check(0.1f64, Some(f16::from_bits(0x2e66)));
        check(2049.0f32, Some(f16::from_f64(2048.0)));
        check(bf16::from_f64(0.5), Some(0.5f32));
        check(1e-60f64, Some(0.0f32));
    }

    #[test]
    fn values_without_a_counterpart_are_refused() {
        check::<_, u8>(256i32, None);
        check::<_, u8>(-1i64, None);
        check::<_, i32>(0.5f32, None);
        check::<_, i64>(f64::NAN, None);
        check::<_, i64>(1e19f64, None);
        check::<_, f32>((1i64 << 24) + 1, None);
        check::<_, f32>(i64::MAX, None);
        check::<_, f32>(1e39f64, None);
        check::<_, f16>(2049i32, None);
        check::<_, f16>(65_520.0f32, None);
        check::<_, bf16>(257u16, None);
        check::<_, bf16>(3.4e38f64, None);
        check::<_, bool>(2u8, None);
    }
}
