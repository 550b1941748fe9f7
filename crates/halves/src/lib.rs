//! Floats of 16 bits: [`struct@f16`] is IEEE 754 binary16, [`bf16`] the upper half of an `f32`.
//!
//! Rust has neither, so each is a word with its arithmetic. An operation is that of `f32`, rounded: of
//! `+ - * /` and square roots this is the correctly rounded result, because an `f32` has more than twice as
//! many digits and two. Every conversion to one of the types rounds once, to nearest even: from an integer
//! of any size and from decimals, too. The back ends have the same arithmetic in their own words; tests
//! compare them with this.
//!
//! What it does not do: sums in a wider type. A program that wants those converts first.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod decimal;
mod round;

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

/// How the 16 bits of a format are divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of the fraction.
    fraction: u32,
    /// What is added to an exponent.
    bias: i64,
}

impl Format {
    /// The bits of infinity: those of all exponents.
    fn infinity(self) -> u16 {
        0x7fff >> self.fraction << self.fraction
    }
}

macro_rules! half {
    ($ty:ident $fraction:literal $bias:literal $doc:literal) => {
        #[doc = $doc]
        #[allow(non_camel_case_types, reason = "a primitive type, named as such and as in programs")]
        #[derive(Clone, Copy, Default)]
        #[repr(transparent)]
        pub struct $ty(u16);

        impl $ty {
            const FORMAT: Format = Format { fraction: $fraction, bias: $bias };
            /// Infinity.
            pub const INFINITY: $ty = $ty(0x7fff >> $fraction << $fraction);
            /// A quiet NaN.
            pub const NAN: $ty = $ty(0x7fff >> $fraction << $fraction | 1 << ($fraction - 1));

            /// The number with these bits.
            pub const fn from_bits(bits: u16) -> $ty {
                $ty(bits)
            }

            /// The bits.
            pub const fn to_bits(self) -> u16 {
                self.0
            }

            /// The nearest number; of two the even one.
            pub fn from_f64(x: f64) -> $ty {
                $ty(round::narrow(Self::FORMAT, x))
            }

            /// The nearest number to an integer; beyond the largest, infinity.
            pub fn from_integer(n: i128) -> $ty {
                $ty::from_f64(round::odd_of_integer(n))
            }

            /// The same number; a NaN becomes quiet.
            pub fn to_f32(self) -> f32 {
                round::widen(Self::FORMAT, self.0)
            }

            /// `self * b + c`, rounded once.
            pub fn mul_add(self, b: $ty, c: $ty) -> $ty {
                let [a, b, c] = [self, b, c].map(f64::from);
                $ty::from_f64(round::odd_mul_add(a, b, c))
            }

            /// The number without its sign.
            pub fn abs(self) -> $ty {
                $ty(self.0 & 0x7fff)
            }

            /// Is it NaN?
            pub fn is_nan(self) -> bool {
                self.0 & 0x7fff > Self::INFINITY.0
            }

            /// Is it infinite, of either sign?
            pub fn is_infinite(self) -> bool {
                self.0 & 0x7fff == Self::INFINITY.0
            }

            /// Is it a number, and not infinite?
            pub fn is_finite(self) -> bool {
                self.0 & 0x7fff < Self::INFINITY.0
            }

            /// The order of all bit patterns that floats have: negative NaNs first, `-0` before `0`.
            pub fn total_cmp(&self, other: &$ty) -> std::cmp::Ordering {
                self.to_f32().total_cmp(&other.to_f32())
            }

            /// The shortest decimal that is rounded to this number, as the nearest `f64`.
            fn shortest(self) -> f64 {
                let x = f64::from(self);
                let texts = (0..8).map(|digits| format!("{x:.digits$e}"));
                texts
                    .filter(|text| text.parse().is_ok_and(|y: $ty| y == self))
                    .find_map(|text| text.parse().ok())
                    .unwrap_or(x)
            }
        }

        impl From<$ty> for f32 {
            fn from(x: $ty) -> f32 {
                x.to_f32()
            }
        }

        impl From<$ty> for f64 {
            fn from(x: $ty) -> f64 {
                x.to_f32().into()
            }
        }

        /// As floats: NaN is not equal to itself, and zeros of both signs are equal.
        impl PartialEq for $ty {
            fn eq(&self, other: &$ty) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl PartialOrd for $ty {
            fn partial_cmp(&self, other: &$ty) -> Option<std::cmp::Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
        }

        half!(@operator $ty Add add +);
        half!(@operator $ty Sub sub -);
        half!(@operator $ty Mul mul *);
        half!(@operator $ty Div div /);

        impl Neg for $ty {
            type Output = $ty;

            fn neg(self) -> $ty {
                $ty(self.0 ^ 0x8000)
            }
        }

        /// A decimal, rounded once.
        impl FromStr for $ty {
            type Err = std::num::ParseFloatError;

            fn from_str(text: &str) -> Result<$ty, Self::Err> {
                decimal::odd_of_text(text).map($ty::from_f64)
            }
        }

        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.shortest(), f)
            }
        }

        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.shortest(), f)
            }
        }

        impl fmt::LowerExp for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::LowerExp::fmt(&self.shortest(), f)
            }
        }
    };
    (@operator $ty:ident $operator:ident $function:ident $symbol:tt) => {
        impl $operator for $ty {
            type Output = $ty;

            fn $function(self, other: $ty) -> $ty {
                $ty::from_f64((self.to_f32() $symbol other.to_f32()).into())
            }
        }
    };
}

half!(f16 10 15 "IEEE 754 binary16: 5 bits of exponent, 10 of fraction.");
half!(bf16 7 127 "The upper half of an `f32`: 8 bits of exponent, 7 of fraction.");

#[cfg(test)]
mod tests;
