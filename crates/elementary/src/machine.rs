//! The operations carried out, on one float.

use crate::{Arithmetic, Format, exp, log};

/// On `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Single;

/// On `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Double;

macro_rules! machine {
    ($machine:ident, $float:ident, $int:ident) => {
        impl Arithmetic for $machine {
            type Float = $float;
            type Int = $int;
            type Mask = bool;

            fn format(&self) -> Format {
                if $int::BITS == 32 { Format::F32 } else { Format::F64 }
            }

            fn float(&mut self, value: f64) -> $float {
                value as $float
            }

            fn add(&mut self, a: $float, b: $float) -> $float {
                a + b
            }

            fn sub(&mut self, a: $float, b: $float) -> $float {
                a - b
            }

            fn mul(&mut self, a: $float, b: $float) -> $float {
                a * b
            }

            fn mul_add(&mut self, a: $float, b: $float, c: $float) -> $float {
                a.mul_add(b, c)
            }

            fn div(&mut self, a: $float, b: $float) -> $float {
                a / b
            }

            fn less(&mut self, a: $float, b: $float) -> bool {
                a < b
            }

            fn choose(&mut self, mask: bool, a: $float, b: $float) -> $float {
                if mask { a } else { b }
            }

            fn bits(&mut self, a: $float) -> $int {
                a.to_bits().cast_signed()
            }

            fn of_bits(&mut self, a: $int) -> $float {
                $float::from_bits(a.cast_unsigned())
            }

            fn add_int(&mut self, a: $int, b: i64) -> $int {
                a.wrapping_add(b as $int)
            }

            fn sub_int(&mut self, a: $int, b: $int) -> $int {
                a.wrapping_sub(b)
            }

            fn and_int(&mut self, a: $int, b: i64) -> $int {
                a & b as $int
            }

            fn shift_left(&mut self, a: $int, by: u32) -> $int {
                a << by
            }

            fn shift_right(&mut self, a: $int, by: u32) -> $int {
                a >> by
            }
        }

        impl $machine {
            /// `e` to the power of `x`.
            pub fn exp(x: $float) -> $float {
                exp(&mut $machine, x)
            }

            /// The natural logarithm of `x`.
            pub fn log(x: $float) -> $float {
                log(&mut $machine, x)
            }
        }
    };
}

machine!(Single, f32, i32);
machine!(Double, f64, i64);
