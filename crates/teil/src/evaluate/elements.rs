//! The arithmetic of elements, which is that of programs.

use crate::language::{Function, Pointwise, Reduction};
use atl_elementary::{Double, Single};

/// A type of elements.
pub trait Element: Copy + PartialEq + std::fmt::Debug {
    /// What a reduction begins with.
    fn unit(reduction: Reduction) -> Self;
    /// A number as it is written; typing lets no others pass.
    fn number(text: &str) -> Option<Self>;
    /// `a * b`
    fn mul(self, other: Self) -> Self;
    /// An operation on two elements.
    fn pointwise(op: Pointwise, a: Self, b: Self) -> Self;
    /// A function of an element.
    fn apply(function: Function, a: Self) -> Self;

    /// A reduction's next value.
    fn reduce(reduction: Reduction, so_far: Self, next: Self) -> Self {
        match reduction {
            Reduction::Sum => Self::pointwise(Pointwise::Add, so_far, next),
            Reduction::Product => so_far.mul(next),
            Reduction::Min => Self::pointwise(Pointwise::Min, so_far, next),
            Reduction::Max => Self::pointwise(Pointwise::Max, so_far, next),
        }
    }
}

macro_rules! floats {
    ($($ty:ident $exp:path, $log:path;)*) => { $(
        impl Element for $ty {
            fn unit(reduction: Reduction) -> $ty {
                match reduction {
                    Reduction::Sum => 0.0,
                    Reduction::Product => 1.0,
                    Reduction::Min => $ty::INFINITY,
                    Reduction::Max => $ty::NEG_INFINITY,
                }
            }

            fn number(text: &str) -> Option<$ty> {
                text.parse().ok()
            }

            fn mul(self, other: $ty) -> $ty {
                self * other
            }

            fn pointwise(op: Pointwise, a: $ty, b: $ty) -> $ty {
                match op {
                    Pointwise::Add => a + b,
                    Pointwise::Sub => a - b,
                    Pointwise::Div => a / b,
                    Pointwise::Min => if b < a { b } else { a },
                    Pointwise::Max => if b > a { b } else { a },
                }
            }

            fn apply(function: Function, a: $ty) -> $ty {
                match function {
                    Function::Neg => -a,
                    Function::Exp => $exp(a),
                    Function::Log => $log(a),
                    Function::Sqrt => a.sqrt(),
                    Function::Abs => a.abs(),
                    Function::Recip => 1.0 / a,
                }
            }
        }
    )* };
}

floats! {
    f32 Single::exp, Single::log;
    f64 Double::exp, Double::log;
}

macro_rules! integers {
    ($($ty:ident)*) => { $(
        impl Element for $ty {
            fn unit(reduction: Reduction) -> $ty {
                match reduction {
                    Reduction::Sum => 0,
                    Reduction::Product => 1,
                    Reduction::Min => $ty::MAX,
                    Reduction::Max => $ty::MIN,
                }
            }

            fn number(text: &str) -> Option<$ty> {
                text.parse().ok()
            }

            fn mul(self, other: $ty) -> $ty {
                self.wrapping_mul(other)
            }

            fn pointwise(op: Pointwise, a: $ty, b: $ty) -> $ty {
                match op {
                    Pointwise::Add => a.wrapping_add(b),
                    Pointwise::Sub => a.wrapping_sub(b),
                    Pointwise::Div => divided(a.into(), b.into()) as $ty,
                    Pointwise::Min => if b < a { b } else { a },
                    Pointwise::Max => if b > a { b } else { a },
                }
            }

            fn apply(function: Function, a: $ty) -> $ty {
                match function {
                    Function::Neg => a.wrapping_neg(),
                    Function::Abs => a.wrapping_abs(),
                    // Typing lets no others pass.
                    Function::Exp | Function::Log | Function::Sqrt | Function::Recip => a,
                }
            }
        }
    )* };
}

integers! { i32 i64 }

/// The quotient rounded down; 0 if divided by 0.
fn divided(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    let (quotient, remainder) = (a / b, a % b);
    quotient - i128::from(remainder != 0 && (remainder < 0) != (b < 0))
}
