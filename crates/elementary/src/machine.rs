//! The operations carried out, on one float.

use crate::{Arithmetic, Format, Function, RoundTo, Turned, call, turn};

/// On `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Single;

/// On `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Double;

macro_rules! machine {
    ($machine:ident, $float:ident, $int:ident, |$x:ident| $turned:expr) => {
        impl Arithmetic for $machine {
            type Float = $float;
            type Int = $int;
            type Mask = bool;
            type WideFloat = f64;
            type Wide = Double;

            fn format(&self) -> Format {
                if $int::BITS == 32 { Format::F32 } else { Format::F64 }
            }

            fn wide(&self) -> Double {
                Double
            }

            fn widen(&self, a: $float) -> f64 {
                f64::from(a)
            }

            fn narrow(&self, a: f64) -> $float {
                a as $float
            }

            fn float(&self, value: f64) -> $float {
                value as $float
            }

            fn add(&self, a: $float, b: $float) -> $float {
                a + b
            }

            fn sub(&self, a: $float, b: $float) -> $float {
                a - b
            }

            fn mul(&self, a: $float, b: $float) -> $float {
                a * b
            }

            fn mul_add(&self, a: $float, b: $float, c: $float) -> $float {
                a.mul_add(b, c)
            }

            fn div(&self, a: $float, b: $float) -> $float {
                a / b
            }

            fn sqrt(&self, a: $float) -> $float {
                a.sqrt()
            }

            fn neg(&self, a: $float) -> $float {
                -a
            }

            fn abs(&self, a: $float) -> $float {
                a.abs()
            }

            fn rounded(&self, to: RoundTo, a: $float) -> $float {
                match to {
                    RoundTo::Down => a.floor(),
                    RoundTo::Up => a.ceil(),
                    RoundTo::Zero => a.trunc(),
                    RoundTo::Even => a.round_ties_even(),
                }
            }

            fn remainder(&self, a: $float, b: $float) -> $float {
                a % b
            }

            fn less(&self, a: $float, b: $float) -> bool {
                a < b
            }

            fn equal(&self, a: $float, b: $float) -> bool {
                a == b
            }

            fn choose(&self, mask: bool, a: $float, b: $float) -> $float {
                if mask { a } else { b }
            }

            fn both(&self, a: bool, b: bool) -> bool {
                a & b
            }

            fn either(&self, a: bool, b: bool) -> bool {
                a | b
            }

            fn not(&self, a: bool) -> bool {
                !a
            }

            fn huge_turn(&self, mask: bool, $x: $float, given: Turned<$float, $int>) -> Turned<$float, $int> {
                if mask { $turned } else { given }
            }

            fn bits(&self, a: $float) -> $int {
                a.to_bits().cast_signed()
            }

            fn of_bits(&self, a: $int) -> $float {
                $float::from_bits(a.cast_unsigned())
            }

            fn add_int(&self, a: $int, b: i64) -> $int {
                a.wrapping_add(b as $int)
            }

            fn sub_int(&self, a: $int, b: $int) -> $int {
                a.wrapping_sub(b)
            }

            fn mul_int(&self, a: $int, b: i64) -> $int {
                a.wrapping_mul(b as $int)
            }

            fn and_int(&self, a: $int, b: i64) -> $int {
                a & b as $int
            }

            fn xor_int(&self, a: $int, b: $int) -> $int {
                a ^ b
            }

            fn shift_left(&self, a: $int, by: u32) -> $int {
                a << by
            }

            fn shift_right(&self, a: $int, by: u32) -> $int {
                a >> by
            }

            fn is_set(&self, a: $int) -> bool {
                a != 0
            }
        }

        impl $machine {
            /// The function's value; `None` for another number of operands.
            pub fn call(function: Function, operands: &[$float]) -> Option<$float> {
                call(&$machine, function, operands)
            }
        }
    };
}

machine!(Single, f32, i32, |x| {
    let (high, _, quarters) = turn(f64::from(x));
    let first = high as f32;
    Turned { high: first, low: (high - f64::from(first)) as f32, quarters: quarters as i32 }
});
machine!(Double, f64, i64, |x| {
    let (high, low, quarters) = turn(x);
    Turned { high, low, quarters }
});
