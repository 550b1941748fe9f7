//! Scalar expressions: what is computed and stored, over the machine scalars.
//!
//! The arithmetic is that of [`atl_scalars`]: total, and the same on every back end.
//!
//! `&&`, `||` on scalars evaluate both sides. The two selections evaluate only the branch they take, so
//! `(0 <= i ? a[i] : 0.0f32)` reads nothing where `i` is negative.

use crate::{BinOp, Bool, CmpOp, Int, Literal, Name, UnOp};
use atl_kernel::{Function, Scalar};
use std::collections::BTreeMap;

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
    /// A function of floats of one type, with as many operands as it takes.
    Call(Function, Vec<Val>),
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

    /// A function of floats.
    pub fn call(function: Function, operands: Vec<Val>) -> Val {
        Val::Call(function, operands)
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
            Val::Call(_, operands) => operands.iter().for_each(|a| a.for_each(f)),
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
            Val::Call(_, operands) => operands.first()?.scalar_type(buffers),
            Val::Cmp(..) => Some(Scalar::Bool),
            Val::Select { then, .. } | Val::Choose { then, .. } => then.scalar_type(buffers),
            Val::Convert { to, .. } => Some(*to),
        }
    }
}
