//! A vector type of C, by its lanes.

use crate::scalars::c_type;
use atl_loops::Scalar;
use atl_loops::lanes::Vectors;

/// Helpers on vectors are inlined, whatever a compiler thinks of their size: a copy of one would be a function, and how it is passed
/// vectors depends on the target.
pub(crate) const ALWAYS: &str = "__attribute__((always_inline))";

/// A vector type: this many lanes of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Vector {
    pub(crate) scalar: Scalar,
    pub(crate) count: u32,
}

impl Vector {
    /// That of a loop over vectors.
    pub(crate) fn of(vectors: &Vectors) -> Vector {
        Vector { scalar: vectors.scalar, count: vectors.lanes }
    }

    /// The C type: `atl_f32x16`.
    pub(crate) fn c_type(self) -> String {
        format!("atl_{}x{}", self.scalar, self.count)
    }

    /// The C type of a value: of the scalar, where there is one lane.
    pub(crate) fn value_type(self) -> String {
        if self.count == 1 { c_type(self.scalar).to_owned() } else { self.c_type() }
    }

    /// A helper on such vectors: `atl_min_f32x16`.
    pub(crate) fn helper(self, name: &str) -> String {
        format!("atl_{name}_{}x{}", self.scalar, self.count)
    }

    pub(crate) fn bytes(self) -> usize {
        self.scalar.size() * self.count as usize
    }
}
