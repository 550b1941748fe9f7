//! Buffers as arguments of a call.

use atl_loops::Scalar;
use std::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is the type of a cell.
pub trait Element: sealed::Sealed + Copy {
    /// The scalar.
    const SCALAR: Scalar;
}

macro_rules! element {
    ($($ty:ty => $scalar:ident),*) => {
        $(
            impl sealed::Sealed for $ty {}
            impl Element for $ty {
                const SCALAR: Scalar = Scalar::$scalar;
            }
        )*
    };
}

element!(f32 => F32, f64 => F64, i32 => I32, i64 => I64, u8 => U8, bool => Bool);

/// A borrowed buffer: shared for an input, exclusive for an output.
#[derive(Debug)]
pub struct Arg<'a> {
    scalar: Scalar,
    length: usize,
    pointer: *mut u8,
    is_output: bool,
    borrow: PhantomData<&'a mut ()>,
}

impl<'a> Arg<'a> {
    /// An input.
    pub fn input<T: Element>(cells: &'a [T]) -> Arg<'a> {
        let pointer = cells.as_ptr().cast_mut().cast();
        Arg { scalar: T::SCALAR, length: cells.len(), pointer, is_output: false, borrow: PhantomData }
    }

    /// An output.
    pub fn output<T: Element>(cells: &'a mut [T]) -> Arg<'a> {
        let pointer = cells.as_mut_ptr().cast();
        Arg { scalar: T::SCALAR, length: cells.len(), pointer, is_output: true, borrow: PhantomData }
    }

    pub(crate) fn scalar(&self) -> Scalar {
        self.scalar
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn is_output(&self) -> bool {
        self.is_output
    }

    pub(crate) fn pointer(&mut self) -> *mut u8 {
        self.pointer
    }
}
