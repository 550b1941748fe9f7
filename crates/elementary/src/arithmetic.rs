//! The operations that functions are made of.

/// A format of floats, as far as the functions look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Format {
    /// How many bits a float has.
    pub(crate) fn width(self) -> u32 {
        match self {
            Format::F32 => 32,
            Format::F64 => 64,
        }
    }

    /// How many bits of a float are its fraction.
    pub(crate) fn fraction(self) -> u32 {
        match self {
            Format::F32 => 23,
            Format::F64 => 52,
        }
    }

    /// What is added to an exponent.
    pub(crate) fn bias(self) -> i64 {
        match self {
            Format::F32 => 127,
            Format::F64 => 1023,
        }
    }

    /// The bit of the sign.
    pub(crate) fn sign(self) -> i64 {
        self.bits(-0.0)
    }

    /// The bits of a number of the format.
    pub(crate) fn bits(self, value: f64) -> i64 {
        match self {
            Format::F32 => i64::from((value as f32).to_bits().cast_signed()),
            Format::F64 => value.to_bits().cast_signed(),
        }
    }

    /// Added to a small number it leaves no bit of a fraction: the sum's last bits are the nearest integer.
    pub(crate) fn rounder(self) -> f64 {
        1.5 * 2f64.powi(self.fraction().cast_signed())
    }
}

/// Where an integral number beside a float is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundTo {
    /// Not above.
    Down,
    /// Not below.
    Up,
    /// Toward zero.
    Zero,
    /// Nearest; of two the even one.
    Even,
}

/// An argument of a circular function: `x = high + low` and multiples of `pi/2`, as many as `quarters` up to a multiple of 4.
#[derive(Clone, Copy, Debug)]
pub struct Turned<F, I> {
    /// From `-pi/4` to `pi/4`.
    pub high: F,
    /// Less than a unit of the former.
    pub low: F,
    /// Modulo 4.
    pub quarters: I,
}

/// The operations. All are total; a float is of the format, an integer a machine word as wide, in two's complement.
pub trait Arithmetic {
    /// Floats.
    type Float: Copy;
    /// Integers.
    type Int: Copy;
    /// Truth values.
    type Mask: Copy;
    /// Floats of the wider format, which is `f64`.
    type WideFloat: Copy;
    /// The arithmetic of those.
    type Wide: Arithmetic<Float = Self::WideFloat>;

    /// The format of the floats.
    fn format(&self) -> Format;
    /// The arithmetic of the wider format.
    fn wide(&self) -> Self::Wide;
    /// The same number in the wider format.
    fn widen(&self, a: Self::Float) -> Self::WideFloat;
    /// The nearest float.
    fn narrow(&self, a: Self::WideFloat) -> Self::Float;

    /// A number of the format.
    fn float(&self, value: f64) -> Self::Float;
    /// The sum, rounded.
    fn add(&self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// The difference, rounded.
    fn sub(&self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// The product, rounded.
    fn mul(&self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a b + c`, rounded once.
    fn mul_add(&self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// The quotient, rounded.
    fn div(&self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// The square root, rounded.
    fn sqrt(&self, a: Self::Float) -> Self::Float;
    /// The number with the other sign.
    fn neg(&self, a: Self::Float) -> Self::Float;
    /// The number without its sign.
    fn abs(&self, a: Self::Float) -> Self::Float;
    /// An integral number beside it.
    fn rounded(&self, to: RoundTo, a: Self::Float) -> Self::Float;
    /// `a` less the multiple of `b` whose quotient is cut: exact.
    fn remainder(&self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// Is the first less than the second? Not if one is NaN.
    fn less(&self, a: Self::Float, b: Self::Float) -> Self::Mask;
    /// Are they the same number? Not if one is NaN.
    fn equal(&self, a: Self::Float, b: Self::Float) -> Self::Mask;
    /// The first where the mask is true, else the second.
    fn choose(&self, mask: Self::Mask, a: Self::Float, b: Self::Float) -> Self::Float;
    /// Do both hold?
    fn both(&self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Does one hold?
    fn either(&self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Does it not hold?
    fn not(&self, a: Self::Mask) -> Self::Mask;
    /// [`turn`](crate::turn) of `x` where the mask is true, else what is given. It is seldom true, so this may be a branch.
    fn huge_turn(
        &self,
        mask: Self::Mask,
        x: Self::Float,
        given: Turned<Self::Float, Self::Int>,
    ) -> Turned<Self::Float, Self::Int>;

    /// The bits of a float.
    fn bits(&self, a: Self::Float) -> Self::Int;
    /// The float of these bits.
    fn of_bits(&self, a: Self::Int) -> Self::Float;
    /// The sum, wrapping.
    fn add_int(&self, a: Self::Int, b: i64) -> Self::Int;
    /// The difference, wrapping.
    fn sub_int(&self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The product, wrapping.
    fn mul_int(&self, a: Self::Int, b: i64) -> Self::Int;
    /// The bits that both have.
    fn and_int(&self, a: Self::Int, b: i64) -> Self::Int;
    /// The bits that one of them has.
    fn xor_int(&self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The bits moved up.
    fn shift_left(&self, a: Self::Int, by: u32) -> Self::Int;
    /// The bits moved down, the sign kept.
    fn shift_right(&self, a: Self::Int, by: u32) -> Self::Int;
    /// Is it other than 0?
    fn is_set(&self, a: Self::Int) -> Self::Mask;
}
