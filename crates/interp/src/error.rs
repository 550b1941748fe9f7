//! Why a term has no value here.

use atl_kernel::{Elem, Pred, Prim, Scalar, Var};
use std::fmt;

/// The reason that evaluation stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum EvalError {
    /// The evaluation took more steps than it was allowed.
    OutOfSteps,
    /// A tensor would have more cells than allowed.
    TooLarge,
    /// The term nests more deeply than allowed, or than there is memory for a stack.
    TooDeep,
    /// An integer or a rational number left the range that is computed with.
    Overflow,
    /// The operation gives no rational number, such as an exponential, or no number at all, such as `1/0`.
    NotExact(Prim),
    /// The literal is no number of this type.
    NotRepresentable(Scalar),
    /// The algebra has no operations on this scalar, or is not one of the table of semirings.
    NoMeaning(Elem),
    /// A variable without a value, or with one of the other sort.
    Unbound(Var),
    /// A pointwise operation on scalars that it is not defined on.
    IllTyped(Prim),
    /// Operands that differ in shape, an access to a scalar, or a wrong number of arguments.
    Shape,
    /// The context's predicate does not hold of the sizes.
    Hypothesis(Pred),
    /// There are more or fewer sizes or tensors than the context declares, or one of another type.
    Arguments,
}

/// The interpreter's results.
pub type Result<T> = std::result::Result<T, EvalError>;

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::OutOfSteps => f.write_str("the evaluation takes too many steps"),
            EvalError::TooLarge => f.write_str("a tensor is too large"),
            EvalError::TooDeep => f.write_str("the term nests too deeply"),
            EvalError::Overflow => f.write_str("a number is too large"),
            EvalError::NotExact(prim) => write!(f, "{prim:?} gives no rational number here"),
            EvalError::NotRepresentable(scalar) => write!(f, "a literal is no {scalar}"),
            EvalError::NoMeaning(elem) => write!(f, "{elem} has no operations"),
            EvalError::Unbound(v) => write!(f, "{v:?} has no value"),
            EvalError::IllTyped(prim) => write!(f, "{prim:?} is not defined on its operands"),
            EvalError::Shape => f.write_str("shapes do not fit"),
            EvalError::Hypothesis(_) => f.write_str("what is required of sizes and arrays does not hold"),
            EvalError::Arguments => f.write_str("the arguments do not fit the context"),
        }
    }
}

impl std::error::Error for EvalError {}
