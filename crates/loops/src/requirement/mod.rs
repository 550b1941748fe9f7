//! Requirements on what arrays hold: for all variables within ranges, a predicate holds.
//!
//! A kernel that reads its indices from arrays has a meaning only where these lie in range. It says so by [`ForAll`]s,
//! beside its requirements on sizes. They are checked in their order, and the ranges of one from left to right, so what is
//! checked first makes the later reads safe: a read that is out of range while it is checked is a requirement that does
//! not hold.
//!
//! ```text
//! requires all { pos[0] == 0 && pos[N] == Z }
//! requires all i in 0..N { pos[i] <= pos[i + 1] }
//! requires all i in 0..N, p in pos[i]..pos[i + 1] { 0 <= crd[p] && crd[p] < M }
//! ```
//! Whoever calls a kernel checks them, by [`Kernel::unmet`]; compiled code does not.

mod program;
mod required;
mod unmet;
mod usual;
mod within;

pub use atl_folds::{IndexCell, Integers};
pub use unmet::{Found, Unmet};
pub use within::within;

use crate::interp::Cells;
use crate::{Bool, Int, Kernel, Name};
use atl_scalars::{bf16, f16};
use program::Program;
use std::collections::BTreeMap;

/// For all variables within their ranges, a condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForAll {
    /// Each variable, its first value, and one past its last. A range may mention the variables before it.
    pub binders: Vec<(Name, Int, Int)>,
    /// What holds.
    pub cond: Bool,
}

impl ForAll {
    /// Calls `f` on each buffer that is read, with the cell.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        for (_, lo, hi) in &self.binders {
            lo.for_each_read(f);
            hi.for_each_read(f);
        }
        self.cond.for_each_read(f);
    }
}

/// The array of integers or truth values that cells are, if their type may be read in index terms.
pub fn integers(cells: &Cells) -> Option<Integers<'_>> {
    macro_rules! of {
        ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
            match cells {
                $(Cells::$name(cells) => <$ty>::integers(cells),)*
            }
        };
    }
    atl_kernel::scalars!(of)
}

impl Kernel {
    /// The first requirement on arrays that does not hold for these sizes and inputs, if one does not, at the first
    /// values of its variables.
    ///
    /// ```
    /// use atl_loops::requirement::Integers;
    /// let text = "kernel k(N, M) in i32 crd[N] requires all p in 0..N { 0 <= crd[p] && crd[p] < M } { }";
    /// let kernel = atl_loops::parse_kernel(text)?;
    /// let inputs = [("crd".into(), Integers::I32(&[3, 0, 4]))].into();
    /// assert_eq!(kernel.unmet(&[3, 5], &inputs), None);
    /// let unmet = kernel.unmet(&[3, 4], &inputs).unwrap();
    /// assert_eq!(unmet.to_string(), "`0 <= crd[p] && crd[p] < M` does not hold for p = 2: crd[2] = 4, M = 4");
    /// # Ok::<(), atl_loops::ParseError>(())
    /// ```
    pub fn unmet(&self, sizes: &[i64], inputs: &BTreeMap<Name, Integers<'_>>) -> Option<Unmet> {
        let sizes: Vec<(&Name, i64)> = self.sizes.iter().zip(sizes.iter().copied()).collect();
        let known = usual::known(&self.requires_all, &sizes, inputs);
        self.requires_all.iter().enumerate().find_map(|(position, requirement)| {
            if usual::holds(requirement, &sizes, inputs, &known) {
                return None;
            }
            let stray = Program::new(requirement, &sizes, inputs).run()?;
            Some(Unmet::new(position, requirement, &stray, &sizes, inputs))
        })
    }
}

#[cfg(test)]
mod tests;
