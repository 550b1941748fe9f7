//! Arrays of integers from which indices are read, and what one pass over an array says of them.
//!
//! **The one idea.** What a call checks of its arrays is a fold over slices, which a compiler makes a loop
//! over vectors. The folds are a crate by themselves, so that a profile that compiles everything else for
//! size compiles them for speed: each is a function of slices that is not inlined, and what it is asked
//! about (requirements, formats) is known elsewhere.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod comparisons;
mod segments;

pub use comparisons::{Side, against, beside, within};
pub use segments::{Ends, Segments, rise_from_zero};

use atl_scalars::{bf16, f16};

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
#[macro_export]
macro_rules! with_integers {
    ($integers:expr, $cells:ident => $body:expr) => {
        match $integers {
            $crate::Integers::I8($cells) => $body,
            $crate::Integers::I16($cells) => $body,
            $crate::Integers::I32($cells) => $body,
            $crate::Integers::I64($cells) => $body,
            $crate::Integers::U8($cells) => $body,
            $crate::Integers::U16($cells) => $body,
            $crate::Integers::U32($cells) => $body,
            $crate::Integers::Bool($cells) => $body,
        }
    };
}

impl<'a> Integers<'a> {
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
    #[inline(never)]
    pub fn ends(&self) -> Option<(i64, i64)> {
        with_integers!(self, cells => ends(cells))
    }

    /// The least and the greatest integer of the type.
    pub fn range(&self) -> (i64, i64) {
        macro_rules! range {
            ($($name:ident $ty:ident)*) => {
                match self {
                    $(Integers::$name(_) => (wide($ty::MIN), wide($ty::MAX)),)*
                    Integers::Bool(_) => (0, 1),
                }
            };
        }
        range!(I8 i8 I16 i16 I32 i32 I64 i64 U8 u8 U16 u16 U32 u32)
    }

    /// The integer in a cell.
    pub fn at(&self, cell: i64) -> Option<i64> {
        let cell = usize::try_from(cell).ok()?;
        with_integers!(self, cells => cells.get(cell).map(|x| wide(*x)))
    }

    /// Are two arrays the same cells?
    pub fn is_same(&self, other: &Integers<'_>) -> bool {
        match (self, other) {
            (Integers::I32(a), Integers::I32(b)) => std::ptr::eq(*a, *b),
            (Integers::I64(a), Integers::I64(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }
}

fn ends<T: Copy + Ord + Into<i64>>(cells: &[T]) -> Option<(i64, i64)> {
    let first = *cells.first()?;
    let (min, max) = cells.iter().fold((first, first), |(a, b), x| (a.min(*x), b.max(*x)));
    Some((min.into(), max.into()))
}

/// A cell of any index type as an integer of 64 bits.
pub fn wide(cell: impl Into<i64>) -> i64 {
    cell.into()
}
