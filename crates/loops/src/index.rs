//! Index terms and predicates: the integers that drive loops, addresses and conditions.
//!
//! An [`Int`] is an exact integer term over sizes, loop variables and cells of integer buffers. `/` and `%` are floor
//! division and its remainder, made total as in Rocq: `x / 0 = 0` and `x % 0 = x`. A program is only meaningful
//! for arguments at which no index operation leaves the range of `i64`: the interpreter traps there, the
//! back ends do not look.
//!
//! A cell is read where its term stands, each time that the term is evaluated, and it must be there: so a term that
//! [reads](Int::reads) is not evaluated where it was not before, nor on the other side of a store to its buffer.

use crate::{CmpOp, Name};
use atl_kernel::Scalar;

/// A binary operation on index terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Floor division; `x / 0 = 0`.
    Div,
    /// Remainder of floor division, with the sign of the divisor; `x % 0 = x`.
    Mod,
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

impl IntOp {
    /// The value of the operation, or `None` where it is outside `i64`.
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            IntOp::Add => a.checked_add(b),
            IntOp::Sub => a.checked_sub(b),
            IntOp::Mul => a.checked_mul(b),
            IntOp::Div if b == 0 => Some(0),
            IntOp::Div => {
                let quotient = a.checked_div(b)?;
                Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
            }
            IntOp::Mod if b == 0 => Some(a),
            IntOp::Mod => {
                let remainder = a.checked_rem(b).unwrap_or(0);
                Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
            }
            IntOp::Min => Some(a.min(b)),
            IntOp::Max => Some(a.max(b)),
        }
    }
}

/// An index term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Int {
    /// A literal.
    Lit(i64),
    /// A size or a loop variable.
    Var(Name),
    /// A binary operation.
    Bin(IntOp, Box<Int>, Box<Int>),
    /// The integer in a cell of a buffer, counted in row-major order; a truth value is 0 or 1.
    Load(Name, Box<Int>),
}

/// Is no value of this type negative?
pub fn is_unsigned(scalar: Scalar) -> bool {
    scalar.range().is_some_and(|(least, _)| least == 0)
}

/// Is it a type of floats of 16 bits, which are computed in `f32`?
pub fn is_half(scalar: Scalar) -> bool {
    scalar.is_float() && scalar.bits() == 16
}

impl Int {
    /// The variable or size of this name.
    pub fn var(name: impl Into<Name>) -> Int {
        Int::Var(name.into())
    }

    /// A binary operation, unsimplified.
    pub fn bin(op: IntOp, a: Int, b: Int) -> Int {
        Int::Bin(op, Box::new(a), Box::new(b))
    }

    /// The integer in a cell.
    pub fn load(buf: impl Into<Name>, cell: Int) -> Int {
        Int::Load(buf.into(), Box::new(cell))
    }

    /// Floor division.
    pub fn floor_div(self, divisor: Int) -> Int {
        Int::bin(IntOp::Div, self, divisor)
    }

    /// Remainder of floor division.
    pub fn floor_mod(self, divisor: Int) -> Int {
        Int::bin(IntOp::Mod, self, divisor)
    }

    /// The smaller of two.
    pub fn min(self, other: Int) -> Int {
        Int::bin(IntOp::Min, self, other)
    }

    /// The larger of two.
    pub fn max(self, other: Int) -> Int {
        Int::bin(IntOp::Max, self, other)
    }

    /// The product of extents: how many cells a buffer has. One, if there are none.
    pub fn product(extents: &[Int]) -> Int {
        extents.iter().cloned().reduce(|a, b| a * b).unwrap_or(Int::Lit(1))
    }

    /// The value of a term without variables that reads nothing, if it is within `i64`.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Int::Lit(value) => Some(*value),
            Int::Var(_) | Int::Load(..) => None,
            Int::Bin(op, a, b) => op.apply(a.constant()?, b.constant()?),
        }
    }

    /// Is it known to be at least 0, where these variables and the elements of these buffers are?
    pub fn is_nonnegative(&self, var: &dyn Fn(&Name) -> bool, element: &dyn Fn(&Name) -> bool) -> bool {
        match self {
            Int::Lit(value) => *value >= 0,
            Int::Var(name) => var(name),
            Int::Bin(op, a, b) => {
                let (first, second) = (a.is_nonnegative(var, element), b.is_nonnegative(var, element));
                match op {
                    IntOp::Add | IntOp::Mul | IntOp::Min | IntOp::Div => first && second,
                    IntOp::Max => first || second,
                    IntOp::Mod => second && (first || b.constant().is_some_and(|divisor| divisor > 0)),
                    IntOp::Sub => false,
                }
            }
            Int::Load(buf, _) => element(buf),
        }
    }

    /// Calls `f` on each variable occurrence.
    pub fn for_each_var(&self, f: &mut impl FnMut(&Name)) {
        match self {
            Int::Lit(_) => {}
            Int::Var(name) => f(name),
            Int::Bin(_, a, b) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
            Int::Load(_, cell) => cell.for_each_var(f),
        }
    }

    /// Calls `f` on each buffer that is read, with the cell, outer reads first.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        match self {
            Int::Lit(_) | Int::Var(_) => {}
            Int::Bin(_, a, b) => {
                a.for_each_read(f);
                b.for_each_read(f);
            }
            Int::Load(buf, cell) => {
                f(buf, cell);
                cell.for_each_read(f);
            }
        }
    }

    /// Is a buffer read?
    pub fn reads(&self) -> bool {
        let mut found = false;
        self.for_each_read(&mut |_, _| found = true);
        found
    }

    /// Does the variable occur?
    pub fn mentions(&self, name: &Name) -> bool {
        let mut found = false;
        self.for_each_var(&mut |v| found |= v == name);
        found
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Int {
        Int::Lit(value)
    }
}

impl std::ops::Add for Int {
    type Output = Int;
    fn add(self, other: Int) -> Int {
        Int::bin(IntOp::Add, self, other)
    }
}

impl std::ops::Sub for Int {
    type Output = Int;
    fn sub(self, other: Int) -> Int {
        Int::bin(IntOp::Sub, self, other)
    }
}

impl std::ops::Mul for Int {
    type Output = Int;
    fn mul(self, other: Int) -> Int {
        Int::bin(IntOp::Mul, self, other)
    }
}

/// A predicate over index terms. `&&` and `||` evaluate their right operand only where it decides.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Bool {
    /// `true` or `false`.
    Lit(bool),
    /// A comparison.
    Cmp(CmpOp, Int, Int),
    /// Conjunction.
    And(Box<Bool>, Box<Bool>),
    /// Disjunction.
    Or(Box<Bool>, Box<Bool>),
    /// Negation.
    Not(Box<Bool>),
}

impl Bool {
    /// `a == b`.
    pub fn eq(a: Int, b: Int) -> Bool {
        Bool::Cmp(CmpOp::Eq, a, b)
    }

    /// `a != b`.
    pub fn ne(a: Int, b: Int) -> Bool {
        Bool::Cmp(CmpOp::Ne, a, b)
    }

    /// `a < b`.
    pub fn lt(a: Int, b: Int) -> Bool {
        Bool::Cmp(CmpOp::Lt, a, b)
    }

    /// `a <= b`.
    pub fn le(a: Int, b: Int) -> Bool {
        Bool::Cmp(CmpOp::Le, a, b)
    }

    /// `self && other`.
    pub fn and(self, other: Bool) -> Bool {
        Bool::And(Box::new(self), Box::new(other))
    }

    /// `self || other`.
    pub fn or(self, other: Bool) -> Bool {
        Bool::Or(Box::new(self), Box::new(other))
    }

    /// `!self`.
    pub fn negate(self) -> Bool {
        Bool::Not(Box::new(self))
    }

    /// Calls `f` on each variable occurrence.
    pub fn for_each_var(&self, f: &mut impl FnMut(&Name)) {
        match self {
            Bool::Lit(_) => {}
            Bool::Cmp(_, a, b) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
            Bool::And(a, b) | Bool::Or(a, b) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
            Bool::Not(a) => a.for_each_var(f),
        }
    }

    /// Calls `f` on each buffer that is read, with the cell.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        match self {
            Bool::Lit(_) => {}
            Bool::Cmp(_, a, b) => {
                a.for_each_read(f);
                b.for_each_read(f);
            }
            Bool::And(a, b) | Bool::Or(a, b) => {
                a.for_each_read(f);
                b.for_each_read(f);
            }
            Bool::Not(a) => a.for_each_read(f),
        }
    }

    /// Is a buffer read?
    pub fn reads(&self) -> bool {
        let mut found = false;
        self.for_each_read(&mut |_, _| found = true);
        found
    }
}
