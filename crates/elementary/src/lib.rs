//! The elementary functions, `exp` and `log`, each written once as a sequence of exact and correctly rounded operations.
//!
//! What a C library computes differs from machine to machine, and is a call for each element. Here a function is a
//! program over [`Arithmetic`]: additions, multiplications, divisions and fused operations of IEEE 754, comparisons, choices, and operations on
//! the bits of floats. [`Single`] and [`Double`] carry it out; the back ends implement the trait by printing
//! or emitting each operation, on scalars or on all lanes of a vector. As no operation leaves room for a
//! difference, every back end computes the same bits, lane by lane.
//!
//! There are no branches and no tables: a choice computes both sides. The error is below one unit in the last place,
//! for every `f32` and on millions of samples of `f64`; `tests/accuracy.rs` measures it. `minimax.py` finds the polynomials.
//!
//! **Fused operations.** Where a product is added to something, both are one operation, rounded once ([`Arithmetic::mul_add`]).
//! That is quick and close, and it leaves nothing for a compiler to fuse: what takes a product otherwise is a product
//! or the added part of a fused operation. So the bits are the same also where the kernel around may be contracted.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod exp;
mod log;
mod machine;

pub use exp::exp;
pub use log::log;
pub use machine::{Double, Single};

/// A format of floats, as far as the functions look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Format {
    /// How many bits of a float are its fraction.
    fn fraction(self) -> u32 {
        match self {
            Format::F32 => 23,
            Format::F64 => 52,
        }
    }

    /// What is added to an exponent.
    fn bias(self) -> i64 {
        match self {
            Format::F32 => 127,
            Format::F64 => 1023,
        }
    }

    /// The bits of a number of the format.
    fn bits(self, value: f64) -> i64 {
        match self {
            Format::F32 => i64::from((value as f32).to_bits().cast_signed()),
            Format::F64 => value.to_bits().cast_signed(),
        }
    }

    /// Added to a small number it leaves no bit of a fraction: the sum's last bits are the nearest integer.
    fn rounder(self) -> f64 {
        1.5 * 2f64.powi(self.fraction().cast_signed())
    }
}

/// The operations. All are total; a float is of the format, an integer a machine word as wide, in two's complement.
pub trait Arithmetic {
    /// Floats.
    type Float: Copy;
    /// Integers.
    type Int: Copy;
    /// Truth values.
    type Mask: Copy;

    /// The format of the floats.
    fn format(&self) -> Format;
    /// A number of the format.
    fn float(&mut self, value: f64) -> Self::Float;
    /// The sum, rounded.
    fn add(&mut self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// The difference, rounded.
    fn sub(&mut self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// The product, rounded.
    fn mul(&mut self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a b + c`, rounded once.
    fn mul_add(&mut self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// The quotient, rounded.
    fn div(&mut self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// Is the first less than the second? Not if one is NaN.
    fn less(&mut self, a: Self::Float, b: Self::Float) -> Self::Mask;
    /// The first where the mask is true, else the second.
    fn choose(&mut self, mask: Self::Mask, a: Self::Float, b: Self::Float) -> Self::Float;

    /// The bits of a float.
    fn bits(&mut self, a: Self::Float) -> Self::Int;
    /// The float of these bits.
    fn of_bits(&mut self, a: Self::Int) -> Self::Float;
    /// The sum, wrapping.
    fn add_int(&mut self, a: Self::Int, b: i64) -> Self::Int;
    /// The difference, wrapping.
    fn sub_int(&mut self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The bits that both have.
    fn and_int(&mut self, a: Self::Int, b: i64) -> Self::Int;
    /// The bits moved up.
    fn shift_left(&mut self, a: Self::Int, by: u32) -> Self::Int;
    /// The bits moved down, the sign kept.
    fn shift_right(&mut self, a: Self::Int, by: u32) -> Self::Int;
}

/// `c[0] + x * (c[1] + x * (c[2] + ..))`.
fn polynomial<A: Arithmetic>(a: &mut A, x: A::Float, coefficients: &[f64]) -> A::Float {
    let mut rest = coefficients.iter().rev();
    let mut value = a.float(rest.next().copied().unwrap_or(0.0));
    for coefficient in rest {
        let coefficient = a.float(*coefficient);
        value = a.mul_add(x, value, coefficient);
    }
    value
}

/// `2^k` for an exponent of a normal number.
fn power_of_two<A: Arithmetic>(a: &mut A, k: A::Int) -> A::Float {
    let format = a.format();
    let biased = a.add_int(k, format.bias());
    let bits = a.shift_left(biased, format.fraction());
    a.of_bits(bits)
}
