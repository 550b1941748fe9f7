//! The arithmetic of elements, which is that of programs.

use crate::language::{Function, Pointwise, Reduction};
use atl_scalars::{BinOp, Machine, UnOp, Value, call};

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

impl<T: Machine> Element for T {
    fn unit(reduction: Reduction) -> T {
        T::of(match reduction {
            Reduction::Sum => Value::zero(T::SCALAR),
            Reduction::Product => Value::of_integer(T::SCALAR, 1),
            Reduction::Min => Value::greatest(T::SCALAR),
            Reduction::Max => Value::least(T::SCALAR),
        })
    }

    fn number(text: &str) -> Option<T> {
        Value::parse(T::SCALAR, text).map(T::of)
    }

    fn mul(self, other: T) -> T {
        applied(BinOp::Mul, self, other)
    }

    fn pointwise(op: Pointwise, a: T, b: T) -> T {
        let op = match op {
            Pointwise::Add => BinOp::Add,
            Pointwise::Sub => BinOp::Sub,
            Pointwise::Div => BinOp::Div,
            Pointwise::Min => BinOp::Min,
            Pointwise::Max => BinOp::Max,
        };
        applied(op, a, b)
    }

    fn apply(function: Function, a: T) -> T {
        let of_floats = |function| call(function, &[a.value()]);
        let value = match function {
            Function::Neg => UnOp::Neg.apply(a.value()),
            Function::Abs => UnOp::Abs.apply(a.value()),
            Function::Exp => of_floats(atl_scalars::Function::Exp),
            Function::Log => of_floats(atl_scalars::Function::Log),
            Function::Sqrt => of_floats(atl_scalars::Function::Sqrt),
            Function::Recip => return applied(BinOp::Div, T::unit(Reduction::Product), a),
        };
        // Typing lets no function of floats pass on integers.
        value.map_or(a, T::of)
    }
}

/// The operation on two elements; typing lets none pass that is not defined on their type.
fn applied<T: Machine>(op: BinOp, a: T, b: T) -> T {
    op.apply(a.value(), b.value()).map_or(a, T::of)
}
