//! Element types: a machine scalar and the algebra its `+` and `*` live in.
//!
//! The kernel does not know any semiring. An [`Algebra`] is a named record of *claimed laws*; the
//! instances live in the `semirings` crate, which the trust ledger lists beside this one.

use crate::laws::Laws;
use std::fmt;

/// Words of the size of the floats that Rust does not have.
#[allow(non_camel_case_types, reason = "named as in programs, for the rows below")]
type f16 = u16;
#[allow(non_camel_case_types, reason = "named as in programs, for the rows below")]
type bf16 = u16;

/// Calls a macro with a row for each scalar type: its name, the Rust type of the same values, its kind, what it is.
///
/// What depends on the type alone, here and in other crates, is made from these rows.
#[macro_export]
macro_rules! scalars {
    ($then:ident) => {
        $then! {
            F16 f16 Float "16-bit IEEE float.";
            BF16 bf16 Float "16-bit float, the upper half of an `f32`.";
            F32 f32 Float "32-bit IEEE float.";
            F64 f64 Float "64-bit IEEE float.";
            I8 i8 Signed "8-bit signed integer, wrapping.";
            I16 i16 Signed "16-bit signed integer, wrapping.";
            I32 i32 Signed "32-bit signed integer, wrapping.";
            I64 i64 Signed "64-bit signed integer, wrapping.";
            U8 u8 Unsigned "8-bit unsigned integer, wrapping.";
            U16 u16 Unsigned "16-bit unsigned integer, wrapping.";
            U32 u32 Unsigned "32-bit unsigned integer, wrapping.";
            U64 u64 Unsigned "64-bit unsigned integer, wrapping.";
            Bool bool Truth "Truth value, one byte in memory (0 or 1).";
        }
    };
}

/// What the values of a scalar type are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Floating point numbers.
    Float,
    /// Integers in two's complement.
    Signed,
    /// Integers from 0 up.
    Unsigned,
    /// True and false.
    Truth,
}

macro_rules! define {
    ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        /// A machine scalar type.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Scalar {
            $(#[doc = $doc] $name,)*
        }

        impl Scalar {
            /// Every scalar type.
            pub const ALL: [Scalar; [$(Scalar::$name),*].len()] = [$(Scalar::$name),*];

            /// The surface name, `f32`.
            pub const fn name(self) -> &'static str {
                match self { $(Scalar::$name => stringify!($ty),)* }
            }

            /// Bytes of one element in memory.
            pub const fn size(self) -> usize {
                match self { $(Scalar::$name => size_of::<$ty>(),)* }
            }

            /// What its values are.
            pub const fn kind(self) -> Kind {
                match self { $(Scalar::$name => Kind::$kind,)* }
            }
        }
    };
}

scalars!(define);

impl Scalar {
    /// The scalar with this surface name.
    pub fn parse(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Bits of one element in memory.
    pub const fn bits(self) -> u32 {
        self.size() as u32 * 8
    }

    /// Is it a floating point type?
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// Is it a type of integers?
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// The least and the greatest integer of the type; a float has none, and truth values are 0 and 1.
    pub const fn range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
        match self.kind() {
            Kind::Float => None,
            Kind::Truth => Some((0, 1)),
            Kind::Unsigned => Some((0, (1 << bits) - 1)),
            Kind::Signed => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        }
    }

    /// The range, where the values may be read in index terms, which compiled code computes in 64 bits.
    pub const fn index_range(self) -> Option<(i64, i64)> {
        match self.range() {
            Some((least, greatest)) if greatest <= i64::MAX as i128 => Some((least as i64, greatest as i64)),
            _ => None,
        }
    }

    /// May its values be read in index terms?
    pub const fn is_index(self) -> bool {
        self.index_range().is_some()
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
