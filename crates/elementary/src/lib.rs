//! The elementary functions, each written once as a sequence of exact and correctly rounded operations.
//!
//! What a C library computes differs from machine to machine, and is a call for each element. Here a function is a
//! program over [`Arithmetic`]: additions, multiplications, divisions, square roots and fused operations of IEEE 754,
//! comparisons, choices, and operations on the bits of floats. [`Single`] and [`Double`] carry it out; the back ends
//! implement the trait by printing or emitting each operation, on scalars or on all lanes of a vector. As no operation leaves
//! room for a difference, every back end computes the same bits, lane by lane.
//!
//! There are no branches and no tables: a choice computes both sides. One exception is [`Arithmetic::huge_turn`], for arguments
//! of the circular functions that are huge. [`TABLE`] says what each function promises; `tests/accuracy.rs` measures it.
//! `coefficients.py` finds the polynomials.
//!
//! **Fused operations.** Where a product is added to something, both are one operation, rounded once ([`Arithmetic::mul_add`]).
//! That is quick and close, and it leaves nothing for a compiler to fuse: the result of a product is a factor, the added
//! part of a fused operation, compared, or exact. Any other product is itself a fused operation, with -0 added, which has the same
//! bits. So the bits are the same also where the kernel around may be contracted.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod arithmetic;
mod circular;
mod coefficients;
mod exact;
mod exponential;
mod gauss;
mod hyperbolic;
mod inverse;
mod logarithm;
mod machine;
mod pairs;
mod pow;
mod roots;
mod table;
mod turn;
mod values;

pub use arithmetic::{Arithmetic, Format, RoundTo, Turned};
pub use atl_kernel::Function;
pub use coefficients::TWO_OVER_PI_BITS;
pub use machine::{Double, Single};
pub use table::{Error, Row, TABLE, row};
pub use turn::turn;

use values::Real;

/// The function's operations on as many operands as it takes; `None` for another number of them.
pub fn call<A: Arithmetic>(on: &A, function: Function, operands: &[A::Float]) -> Option<A::Float> {
    let real = |value: A::Float| Real { on, value };
    let result = match *operands {
        [x] => unary::<A>(function)?(real(x)),
        [x, y] => binary::<A>(function)?(real(x), real(y)),
        [x, y, z] if function == Function::Fma => exact::fma(real(x), real(y), real(z)),
        _ => return None,
    };
    Some(result.value)
}

type Unary<A> = for<'a> fn(Real<'a, A>) -> Real<'a, A>;
type Binary<A> = for<'a> fn(Real<'a, A>, Real<'a, A>) -> Real<'a, A>;

fn unary<A: Arithmetic>(function: Function) -> Option<Unary<A>> {
    Some(match function {
        Function::Acos => inverse::acos,
        Function::Asin => inverse::asin,
        Function::Atan => inverse::atan,
        Function::Cbrt => roots::cbrt,
        Function::Ceil => exact::ceil,
        Function::Cos => circular::cos,
        Function::Cosh => hyperbolic::cosh,
        Function::Erf => gauss::erf,
        Function::Erfc => gauss::erfc,
        Function::Exp => exponential::exp,
        Function::Exp10 => exponential::exp10,
        Function::Exp2 => exponential::exp2,
        Function::Expm1 => exponential::expm1,
        Function::Floor => exact::floor,
        Function::Log => logarithm::log,
        Function::Log10 => logarithm::log10,
        Function::Log1p => logarithm::log1p,
        Function::Log2 => logarithm::log2,
        Function::Round => exact::round,
        Function::Rsqrt => roots::rsqrt,
        Function::Sign => exact::sign,
        Function::Sin => circular::sin,
        Function::Sinh => hyperbolic::sinh,
        Function::Sqrt => roots::sqrt,
        Function::Tan => circular::tan,
        Function::Tanh => hyperbolic::tanh,
        Function::Trunc => exact::trunc,
        Function::Atan2 | Function::Copysign | Function::Fma | Function::Fmod => return None,
        Function::Hypot | Function::Pow => return None,
    })
}

fn binary<A: Arithmetic>(function: Function) -> Option<Binary<A>> {
    Some(match function {
        Function::Atan2 => inverse::atan2,
        Function::Copysign => exact::copysign,
        Function::Fmod => exact::fmod,
        Function::Hypot => roots::hypot,
        Function::Pow => pow::pow,
        _ => return None,
    })
}
