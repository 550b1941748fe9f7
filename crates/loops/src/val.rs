//! Scalar expressions: what is computed and stored, over the machine scalars.
//!
//! The arithmetic is total and the same on every back end:
//!
//! * **Integers** (`i32`, `i64`, `u8`) wrap. `/` is floor division, as for index terms; `x / 0 = 0`, and the
//!   most negative number divided by `-1` wraps to itself, as do its negation and its absolute value.
//! * **Floats** are IEEE 754, each operation rounded by itself. `min(a, b)` is `b < a ? b : a` and `max(a, b)`
//!   is `a < b ? b : a`: where an operand is NaN, or the two are zeros of either sign, the result is `a`. So the
//!   operation's neutral element on the right changes no accumulator, whatever that holds, and may be left out. The
//!   sign and payload of a NaN that an operation produces are unspecified.
//! * **`exp`, `log`** are those of [`elementary`](crate::elementary): sequences of such operations and fused ones, in an
//!   order that is said there, with less than one unit of error in the last place. `sqrt` is correctly rounded.
//! * **Conversions**: float to integer truncates toward zero and saturates, NaN becomes 0 (as Rust's `as`);
//!   integer to integer wraps; to a narrower float rounds to nearest even; a Boolean is 0 or 1; anything
//!   becomes the Boolean `x != 0`.
//! * `&&`, `||` on scalars evaluate both sides. The two selections evaluate only the branch they take, so
//!   `(0 <= i ? a[i] : 0.0f32)` reads nothing where `i` is negative.

use crate::{Bool, CmpOp, Int, Name};
use atl_kernel::Scalar;
use std::collections::BTreeMap;

/// A typed literal. Two literals are equal if their bits are.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// Of type `f32`.
    F32(f32),
    /// Of type `f64`.
    F64(f64),
    /// Of type `i32`.
    I32(i32),
    /// Of type `i64`.
    I64(i64),
    /// Of type `u8`.
    U8(u8),
    /// Of type `bool`.
    Bool(bool),
}

impl Literal {
    /// The type.
    pub fn scalar(self) -> Scalar {
        match self {
            Literal::F32(_) => Scalar::F32,
            Literal::F64(_) => Scalar::F64,
            Literal::I32(_) => Scalar::I32,
            Literal::I64(_) => Scalar::I64,
            Literal::U8(_) => Scalar::U8,
            Literal::Bool(_) => Scalar::Bool,
        }
    }

    /// The bits, zero-extended.
    pub fn bits(self) -> u64 {
        match self {
            Literal::F32(x) => u64::from(x.to_bits()),
            Literal::F64(x) => x.to_bits(),
            Literal::I32(x) => u64::from(x.cast_unsigned()),
            Literal::I64(x) => x.cast_unsigned(),
            Literal::U8(x) => u64::from(x),
            Literal::Bool(x) => u64::from(x),
        }
    }

    /// The integer, as which a truth value is 0 or 1.
    pub fn integer(self) -> Option<i64> {
        match self {
            Literal::F32(_) | Literal::F64(_) => None,
            Literal::I32(x) => Some(i64::from(x)),
            Literal::I64(x) => Some(x),
            Literal::U8(x) => Some(i64::from(x)),
            Literal::Bool(x) => Some(i64::from(x)),
        }
    }

    /// The number 0, or `false`, of a type.
    pub fn zero(scalar: Scalar) -> Literal {
        match scalar {
            Scalar::F32 => Literal::F32(0.0),
            Scalar::F64 => Literal::F64(0.0),
            Scalar::I32 => Literal::I32(0),
            Scalar::I64 => Literal::I64(0),
            Scalar::U8 => Literal::U8(0),
            Scalar::Bool => Literal::Bool(false),
        }
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        self.scalar() == other.scalar() && self.bits() == other.bits()
    }
}

impl Eq for Literal {}

/// A unary operation; the result has the type of the operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Negation of a number.
    Neg,
    /// Absolute value of a number.
    Abs,
    /// Largest integral float not above.
    Floor,
    /// Square root of a float.
    Sqrt,
    /// Exponential of a float.
    Exp,
    /// Natural logarithm of a float.
    Log,
    /// Negation of a Boolean.
    Not,
}

impl UnOp {
    /// Is the operation defined on this type?
    pub fn accepts(self, scalar: Scalar) -> bool {
        match self {
            UnOp::Neg | UnOp::Abs => scalar != Scalar::Bool,
            UnOp::Floor | UnOp::Sqrt | UnOp::Exp | UnOp::Log => scalar.is_float(),
            UnOp::Not => scalar == Scalar::Bool,
        }
    }
}

/// A binary operation; both operands and the result have one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// Sum of numbers.
    Add,
    /// Difference of numbers.
    Sub,
    /// Product of numbers.
    Mul,
    /// Quotient of numbers; floor division on integers.
    Div,
    /// The smaller number.
    Min,
    /// The larger number.
    Max,
    /// Conjunction of Booleans.
    And,
    /// Disjunction of Booleans.
    Or,
}

impl BinOp {
    /// Is the operation defined on this type?
    pub fn accepts(self, scalar: Scalar) -> bool {
        match self {
            BinOp::And | BinOp::Or => scalar == Scalar::Bool,
            _ => scalar != Scalar::Bool,
        }
    }
}

/// A scalar expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Val {
    /// A literal.
    Lit(Literal),
    /// The value of a cell; a scalar variable is a buffer of rank 0, read at index 0.
    Load {
        /// The buffer.
        buf: Name,
        /// The cell, counted in row-major order.
        index: Int,
    },
    /// An index term as an `i64`.
    OfInt(Int),
    /// A unary operation.
    Un(UnOp, Box<Val>),
    /// A binary operation.
    Bin(BinOp, Box<Val>, Box<Val>),
    /// A comparison of two values of one type, giving a `bool`; on Booleans, `false < true`.
    Cmp(CmpOp, Box<Val>, Box<Val>),
    /// `cond ? then : otherwise`, by a predicate over indices.
    Select {
        /// The predicate.
        cond: Box<Bool>,
        /// The value where it holds.
        then: Box<Val>,
        /// The value where it does not.
        otherwise: Box<Val>,
    },
    /// `cond ? then : otherwise`, by a Boolean value.
    Choose {
        /// The Boolean.
        cond: Box<Val>,
        /// The value where it is true.
        then: Box<Val>,
        /// The value where it is false.
        otherwise: Box<Val>,
    },
    /// A conversion.
    Convert {
        /// The type of the result.
        to: Scalar,
        /// The operand.
        val: Box<Val>,
    },
}

impl Val {
    /// The value of a cell.
    pub fn load(buf: impl Into<Name>, index: Int) -> Val {
        Val::Load { buf: buf.into(), index }
    }

    /// The value of a scalar variable (a buffer of rank 0).
    pub fn scalar(buf: impl Into<Name>) -> Val {
        Val::load(buf, Int::Lit(0))
    }

    /// A unary operation.
    pub fn un(op: UnOp, a: Val) -> Val {
        Val::Un(op, Box::new(a))
    }

    /// A binary operation.
    pub fn bin(op: BinOp, a: Val, b: Val) -> Val {
        Val::Bin(op, Box::new(a), Box::new(b))
    }

    /// A comparison.
    pub fn cmp(op: CmpOp, a: Val, b: Val) -> Val {
        Val::Cmp(op, Box::new(a), Box::new(b))
    }

    /// A selection by a predicate over indices.
    pub fn select(cond: Bool, then: Val, otherwise: Val) -> Val {
        Val::Select { cond: Box::new(cond), then: Box::new(then), otherwise: Box::new(otherwise) }
    }

    /// A selection by a Boolean value.
    pub fn select_val(cond: Val, then: Val, otherwise: Val) -> Val {
        Val::Choose { cond: Box::new(cond), then: Box::new(then), otherwise: Box::new(otherwise) }
    }

    /// A conversion.
    pub fn convert(to: Scalar, val: Val) -> Val {
        Val::Convert { to, val: Box::new(val) }
    }
}

impl From<Literal> for Val {
    fn from(literal: Literal) -> Val {
        Val::Lit(literal)
    }
}

impl Val {
    /// Calls `f` on this value and on every value inside it, outer ones first.
    pub fn for_each<'a>(&'a self, f: &mut impl FnMut(&'a Val)) {
        f(self);
        match self {
            Val::Lit(_) | Val::Load { .. } | Val::OfInt(_) => {}
            Val::Un(_, a) | Val::Convert { val: a, .. } => a.for_each(f),
            Val::Bin(_, a, b) | Val::Cmp(_, a, b) => {
                a.for_each(f);
                b.for_each(f);
            }
            Val::Select { then, otherwise, .. } => {
                then.for_each(f);
                otherwise.for_each(f);
            }
            Val::Choose { cond, then, otherwise } => {
                cond.for_each(f);
                then.for_each(f);
                otherwise.for_each(f);
            }
        }
    }
}

impl Val {
    /// Calls `f` on each buffer that an index term or a predicate of the value reads, with the cell.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        self.for_each(&mut |part| match part {
            Val::Load { index: int, .. } | Val::OfInt(int) => int.for_each_read(f),
            Val::Select { cond, .. } => cond.for_each_read(f),
            _ => {}
        });
    }

    /// Is a buffer read, as a value or by an index term?
    pub fn touches_memory(&self) -> bool {
        let mut found = false;
        self.for_each(&mut |part| found |= matches!(part, Val::Load { .. }));
        self.for_each_read(&mut |_, _| found = true);
        found
    }

    /// The type of a well-typed value, given the types of the buffers.
    pub fn scalar_type(&self, buffers: &BTreeMap<Name, Scalar>) -> Option<Scalar> {
        match self {
            Val::Lit(literal) => Some(literal.scalar()),
            Val::Load { buf, .. } => buffers.get(buf).copied(),
            Val::OfInt(_) => Some(Scalar::I64),
            Val::Un(_, a) | Val::Bin(_, a, _) => a.scalar_type(buffers),
            Val::Cmp(..) => Some(Scalar::Bool),
            Val::Select { then, .. } | Val::Choose { then, .. } => then.scalar_type(buffers),
            Val::Convert { to, .. } => Some(*to),
        }
    }
}
