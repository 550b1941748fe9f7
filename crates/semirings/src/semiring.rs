//! What an instance consists of.
//!
//! The one idea: an algebra's operations are a choice of two machine operations and two constants for each
//! scalar ([`Ops`]), so whoever interprets or compiles a term needs no case for any particular algebra.
//!
//! **Truth values.** Comparisons of `min_plus<f32>` elements are `min_plus<bool>` elements, so every algebra
//! has a meaning on `bool`: a lattice, with conjunction or disjunction for its addition.

use crate::formula::Multiplication;
use atl_kernel::{Algebra, Function, Prim, Scalar};
use std::fmt;

/// An operation that is some algebra's addition or multiplication: of the machine, but for the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Sum of numbers; wrapping on integers.
    Add,
    /// Product of numbers; wrapping on integers.
    Mul,
    /// `a < b ? a : b`.
    Min,
    /// `b < a ? a : b`.
    Max,
    /// Disjunction of truth values.
    Or,
    /// Conjunction of truth values.
    And,
    /// A formula of a program's own semiring, for a multiplication only.
    Own(&'static Multiplication),
}

/// A number that a scalar type has exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// An integer; of `bool`, 0 or 1.
    Int(i128),
    /// Positive infinity.
    PosInf,
    /// Negative infinity.
    NegInf,
}

impl Constant {
    /// The largest number of a type: infinity if it has one.
    pub const fn greatest(scalar: Scalar) -> Constant {
        match scalar.range() {
            Some((_, greatest)) => Constant::Int(greatest),
            None => Constant::PosInf,
        }
    }

    /// The number; an integer beyond 53 bits, rounded.
    pub fn to_f64(self) -> f64 {
        match self {
            Constant::Int(n) => n as f64,
            Constant::PosInf => f64::INFINITY,
            Constant::NegInf => f64::NEG_INFINITY,
        }
    }

    /// The smallest number of a type: negative infinity if it has one.
    pub const fn least(scalar: Scalar) -> Constant {
        match scalar.range() {
            Some((least, _)) => Constant::Int(least),
            None => Constant::NegInf,
        }
    }
}

/// The operations of an algebra on one scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ops {
    /// The addition, which `sum` folds.
    pub add: Op,
    /// Its neutral element: a false guard, an empty sum, a read out of range.
    pub zero: Constant,
    /// The multiplication.
    pub mul: Op,
    /// Its neutral element.
    pub one: Constant,
}

impl Ops {
    /// Truth values with disjunction and conjunction.
    pub const OR_AND: Ops = Ops { add: Op::Or, zero: Constant::Int(0), mul: Op::And, one: Constant::Int(1) };
    /// Truth values with conjunction and disjunction.
    pub const AND_OR: Ops = Ops { add: Op::And, zero: Constant::Int(1), mul: Op::Or, one: Constant::Int(0) };
}

/// The numbers over which an algebra's laws hold.
///
/// A theorem about a term says nothing where the term computes with other numbers. Infinities and NaN apart,
/// which its rounding class covers, this is prevented where a number enters: a call and a literal are checked
/// with [`Carrier::accepts`], an operation with [`Carrier::closed_under`], a view with [`Carrier::includes`].
/// The kernel checks none of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Carrier {
    /// The real numbers. Arguments may be infinite or NaN all the same: there a theorem's rounding class
    /// says what holds.
    Real,
    /// The real numbers from 0 up.
    NonNegative,
    /// The real numbers and positive infinity.
    RealOrInfinity,
    /// The real numbers and negative infinity.
    RealOrNegInfinity,
    /// The real numbers and both infinities.
    Extended,
    /// The numbers from one to another, both included.
    Between(Constant, Constant),
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Carrier::Real => f.write_str("the real numbers"),
            Carrier::NonNegative => f.write_str("the real numbers from 0 up"),
            Carrier::RealOrInfinity => f.write_str("the real numbers and inf"),
            Carrier::RealOrNegInfinity => f.write_str("the real numbers and -inf"),
            Carrier::Extended => f.write_str("the real numbers, inf and -inf"),
            Carrier::Between(least, greatest) => {
                write!(f, "the numbers from {} to {}", least.to_f64(), greatest.to_f64())
            }
        }
    }
}

impl Carrier {
    /// The least number and the greatest one: over all between them, and no others, do the laws hold.
    pub fn ends(self) -> (f64, f64) {
        match self {
            Carrier::Real => (f64::MIN, f64::MAX),
            Carrier::NonNegative => (0.0, f64::MAX),
            Carrier::RealOrInfinity => (f64::MIN, f64::INFINITY),
            Carrier::RealOrNegInfinity => (f64::NEG_INFINITY, f64::MAX),
            Carrier::Extended => (f64::NEG_INFINITY, f64::INFINITY),
            Carrier::Between(least, greatest) => (least.to_f64(), greatest.to_f64()),
        }
    }

    /// Do the laws hold over this number?
    pub fn contains(self, x: f64) -> bool {
        let (least, greatest) = self.ends();
        least <= x && x <= greatest
    }

    /// May any number be an element of an argument?
    pub fn accepts_all(self) -> bool {
        self == Carrier::Real
    }

    /// May this number be an element of an argument?
    pub fn accepts(self, x: f64) -> bool {
        self.accepts_all() || self.contains(x)
    }

    /// Are the operation's finite results in the carrier, if its operands are? The algebra's own addition
    /// and multiplication are.
    pub fn closed_under(self, prim: Prim) -> bool {
        match self {
            Carrier::NonNegative => match prim {
                Prim::Sub | Prim::Neg => false,
                Prim::Call(function) => !matches!(
                    function,
                    Function::Log
                        | Function::Log2
                        | Function::Log10
                        | Function::Sin
                        | Function::Cos
                        | Function::Tan
                ),
                _ => true,
            },
            Carrier::Between(..) => matches!(
                prim,
                Prim::Add | Prim::Mul | Prim::Min | Prim::Max | Prim::Where | Prim::Eq | Prim::Lt | Prim::Le
            ),
            _ => true,
        }
    }

    /// Are the finite numbers of another carrier numbers of this one?
    pub fn includes(self, other: Carrier) -> bool {
        !matches!(self, Carrier::NonNegative | Carrier::Between(..)) || self == other
    }
}

/// How the operations depend on the type of the numbers.
#[derive(Clone, Copy, Debug)]
pub enum Numbers {
    /// By a rule.
    By(fn(Scalar) -> Ops),
    /// They do not: there is one type.
    Of(Ops),
}

impl Numbers {
    /// The operations on numbers of a type.
    pub fn on(self, scalar: Scalar) -> Ops {
        match self {
            Numbers::By(rule) => rule(scalar),
            Numbers::Of(ops) => ops,
        }
    }
}

/// An instance: an algebra, and what it means.
#[derive(Debug)]
pub struct Semiring {
    /// The name, the scalars, the laws.
    pub algebra: &'static Algebra,
    /// Which of their values the laws are about.
    pub carrier: Carrier,
    /// The operations on numbers.
    pub numbers: Numbers,
    /// The operations on truth values.
    pub truth: Ops,
}

impl Semiring {
    /// May an element type of the surface language combine the algebra with this scalar?
    pub fn admits(&self, scalar: Scalar) -> bool {
        self.algebra.scalars.contains(&scalar)
    }

    /// The operations on a scalar type: of those that the algebra admits, and of `bool`, which its
    /// comparisons yield.
    pub fn on(&self, scalar: Scalar) -> Option<Ops> {
        match scalar {
            Scalar::Bool => Some(self.truth),
            number => self.admits(number).then(|| self.numbers.on(number)),
        }
    }
}
