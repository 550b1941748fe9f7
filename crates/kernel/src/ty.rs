//! Element types: a machine scalar and the algebra its `+` and `*` live in.
//!
//! The kernel does not know any semiring. An [`Algebra`] is a named record of *claimed laws*; the
//! instances live in the `semirings` crate, which the trust ledger lists beside this one.

use crate::laws::Laws;
use std::fmt;

/// A machine scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// 32-bit IEEE float.
    F32,
    /// 64-bit IEEE float.
    F64,
    /// 32-bit signed integer, wrapping.
    I32,
    /// 64-bit signed integer, wrapping.
    I64,
    /// 8-bit unsigned integer, wrapping.
    U8,
    /// Truth value, one byte in memory (0 or 1).
    Bool,
}

impl Scalar {
    /// Every scalar type.
    pub const ALL: [Scalar; 6] =
        [Scalar::F32, Scalar::F64, Scalar::I32, Scalar::I64, Scalar::U8, Scalar::Bool];

    /// The surface name, `f32`.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::Bool => "bool",
        }
    }

    /// The scalar with this surface name.
    pub fn parse(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Bytes of one element in memory.
    pub fn size(self) -> usize {
        match self {
            Scalar::F32 | Scalar::I32 => 4,
            Scalar::F64 | Scalar::I64 => 8,
            Scalar::U8 | Scalar::Bool => 1,
        }
    }

    /// Is it a floating point type?
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The algebra that `+`, `*`, `sum` and the zeros of a term mean: a name and the laws claimed for it.
#[derive(Debug)]
pub struct Algebra {
    /// The surface name, such as `min_plus`; the ordinary one is `plus_times`.
    pub name: &'static str,
    /// The scalars that the laws are claimed for, besides `bool`, which comparisons yield.
    pub scalars: &'static [Scalar],
    /// The laws that hold over every carrier the algebra admits (over exact numbers; see `Rounding`).
    pub laws: Laws,
    /// Is multiplication a formula, whose steps round? Then floats have its laws up to rounding only: over
    /// `max(0, a + b - 1)`, `1 * a` is 0 where `a` is 1e-20.
    pub formula: bool,
}

/// An element type: a scalar and its algebra.
#[derive(Clone, Copy, Debug)]
pub struct Elem {
    /// The machine scalar.
    pub scalar: Scalar,
    /// The algebra.
    pub algebra: &'static Algebra,
}

impl Elem {
    /// Are the algebra's laws claimed for the scalar?
    pub fn is_admitted(self) -> bool {
        self.scalar == Scalar::Bool || self.algebra.scalars.contains(&self.scalar)
    }

    /// Does a law of multiplication move roundings?
    pub(crate) fn rounds_inside(self) -> bool {
        self.algebra.formula && self.scalar.is_float()
    }
}

impl PartialEq for Elem {
    fn eq(&self, other: &Elem) -> bool {
        self.scalar == other.scalar && std::ptr::eq(self.algebra, other.algebra)
    }
}

impl Eq for Elem {}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.algebra.name {
            "plus_times" => write!(f, "{}", self.scalar),
            name => write!(f, "{name}<{}>", self.scalar),
        }
    }
}
