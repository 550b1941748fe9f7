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

pub use unmet::{Found, Unmet};
pub use within::within;

use crate::interp::Cells;
use crate::{Bool, Int, Kernel, Name};
use atl_scalars::{Machine, bf16, f16};
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

/// An array of integers or truth values, of a type that may be read in index terms.
#[derive(Clone, Copy, Debug)]
pub enum Integers<'a> {
    /// Of type `i8`.
    I8(&'a [i8]),
    /// Of type `i16`.
    I16(&'a [i16]),
    /// Of type `i32`.
    I32(&'a [i32]),
    /// Of type `i64`.
    I64(&'a [i64]),
    /// Of type `u8`.
    U8(&'a [u8]),
    /// Of type `u16`.
    U16(&'a [u16]),
    /// Of type `u32`.
    U32(&'a [u32]),
    /// Of type `bool`.
    Bool(&'a [bool]),
}

/// Cells of a Rust type that may be read in index terms.
pub trait IndexCell: Copy {
    /// An array of them.
    fn integers(cells: &[Self]) -> Option<Integers<'_>>;
}

macro_rules! index_cells {
    (none $($ty:ident)*) => { $(
        impl IndexCell for $ty {
            fn integers(_: &[$ty]) -> Option<Integers<'_>> {
                None
            }
        }
    )* };
    ($($name:ident $ty:ident)*) => { $(
        impl IndexCell for $ty {
            fn integers(cells: &[$ty]) -> Option<Integers<'_>> {
                Some(Integers::$name(cells))
            }
        }
    )* };
}

index_cells! { I8 i8 I16 i16 I32 i32 I64 i64 U8 u8 U16 u16 U32 u32 Bool bool }
index_cells! { none f16 bf16 f32 f64 u64 }

/// Runs an expression with the cells.
macro_rules! with_integers {
    ($integers:expr, $cells:ident => $body:expr) => {
        match $integers {
            Integers::I8($cells) => $body,
            Integers::I16($cells) => $body,
            Integers::I32($cells) => $body,
            Integers::I64($cells) => $body,
            Integers::U8($cells) => $body,
            Integers::U16($cells) => $body,
            Integers::U32($cells) => $body,
            Integers::Bool($cells) => $body,
        }
    };
}
use with_integers;

impl<'a> Integers<'a> {
    /// The cells, if their type may be read in index terms.
    pub fn of(cells: &'a Cells) -> Option<Integers<'a>> {
        macro_rules! of {
            ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
                match cells {
                    $(Cells::$name(cells) => <$ty>::integers(cells),)*
                }
            };
        }
        atl_kernel::scalars!(of)
    }

    /// The first cells.
    pub fn first(self, count: usize) -> Integers<'a> {
        macro_rules! first {
            ($($name:ident)*) => {
                match self { $(Integers::$name(cells) => Integers::$name(&cells[..count.min(cells.len())]),)* }
            };
        }
        first!(I8 I16 I32 I64 U8 U16 U32 Bool)
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        with_integers!(self, cells => cells.len())
    }

    /// Is there no cell?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The least and the greatest value, if there is a cell.
    pub fn ends(&self) -> Option<(i64, i64)> {
        with_integers!(self, cells => ends(cells))
    }

    /// The least and the greatest integer of the type.
    pub fn range(&self) -> (i128, i128) {
        fn of<T: Machine>(_: &[T]) -> (i128, i128) {
            T::SCALAR.range().unwrap_or((i64::MIN.into(), i64::MAX.into()))
        }
        with_integers!(self, cells => of(cells))
    }

    /// The integer in a cell.
    pub fn at(&self, cell: i64) -> Option<i64> {
        let cell = usize::try_from(cell).ok()?;
        with_integers!(self, cells => cells.get(cell).map(|x| wide(*x)))
    }
}

fn ends<T: Copy + Ord + Into<i64>>(cells: &[T]) -> Option<(i64, i64)> {
    let first = *cells.first()?;
    let (min, max) = cells.iter().fold((first, first), |(a, b), x| (a.min(*x), b.max(*x)));
    Some((min.into(), max.into()))
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
        self.requires_all.iter().enumerate().find_map(|(position, requirement)| {
            if usual::holds(requirement, &sizes, inputs) {
                return None;
            }
            let stray = Program::new(requirement, &sizes, inputs).run()?;
            Some(Unmet::new(position, requirement, &stray, &sizes, inputs))
        })
    }
}

/// A cell of any index type as an integer of 64 bits.
fn wide(cell: impl Into<i64>) -> i64 {
    cell.into()
}

#[cfg(test)]
mod tests;
