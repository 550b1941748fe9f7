//! Machine scalars: their values, and what every operation on them computes.
//!
//! The types are rows of the kernel's table ([`atl_kernel::scalars`]), the operations are rows of the tables in `ops`,
//! and their meaning is written once, by kind of type: floats, integers of any width, truth values. Both interpreters and
//! TeIL's evaluator compute with it; the back ends are compared with it.
//!
//! * **Integers** wrap: an operation's exact result, modulo 2 to the width. `/` is floor division, `x / 0 =
//!   0`, and the most negative number divided by `-1` wraps to itself, as do its negation and its absolute
//!   value. `x % y` is `x - (x / y) * y`, so it has the divisor's sign, and `x % 0 = x`. A shift by a count
//!   that is negative, or at least the width, loses every bit: `x << y` is 0, `x >> y` is 0 or, of a
//!   negative number, -1. `>>` of a signed number keeps the sign.
//! * **Floats** are IEEE 754, each operation rounded by itself. `min(a, b)` is `b < a ? b : a` and `max(a, b)`
//!   is `a < b ? b : a`: where an operand is NaN, or the two are zeros of either sign, the result is `a`. So the
//!   operation's neutral element on the right changes no accumulator, whatever that holds, and may be left out. The
//!   sign and payload of a NaN that an operation produces are unspecified.
//! * **Floats of 16 bits**, `f16` and `bf16`, are computed in `f32`, and each operation's result is rounded. Of `+ - * /`
//!   and square roots that is the correctly rounded result. A sum rounds after each addition.
//! * **Functions** of floats are those of `atl_elementary`: sequences of such operations and fused ones, in an
//!   order that is said there. Its table has their errors.
//! * **Conversions**: float to integer truncates toward zero and saturates, NaN becomes 0 (as Rust's `as`);
//!   integer to integer wraps; to a narrower float, and from an integer, is one rounding to nearest even; a truth value
//!   is 0 or 1; anything becomes the truth value `x != 0`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod convert;
mod ops;
mod value;

pub use atl_elementary::Function;
pub use atl_halves::{bf16, f16};
pub use ops::{BinOp, CmpOp, UnOp, call, pointwise};
pub use value::{Integer, Machine, Value};
