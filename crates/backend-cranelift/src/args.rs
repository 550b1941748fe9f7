//! Buffers as arguments of a call.

use crate::appended::Appended;
use atl_loops::{Scalar, bf16, f16};
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
    ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        $(
            impl sealed::Sealed for $ty {}
            impl Element for $ty {
                const SCALAR: Scalar = Scalar::$name;
            }
        )*
    };
}

atl_loops::scalars!(element);

/// What a call does with a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Input,
    Output,
    /// The pointer is to an [`Appended`].
    Appended,
    /// The memory of the output over it.
    Over,
}

/// A borrowed buffer: shared for an input, exclusive for an output.
#[derive(Debug)]
pub struct Arg<'a> {
    scalar: Scalar,
    length: usize,
    pointer: *mut u8,
    kind: Kind,
    borrow: PhantomData<&'a mut ()>,
}

impl<'a> Arg<'a> {
    /// An input.
    pub fn input<T: Element>(cells: &'a [T]) -> Arg<'a> {
        let pointer = cells.as_ptr().cast_mut().cast();
        Arg { scalar: T::SCALAR, length: cells.len(), pointer, kind: Kind::Input, borrow: PhantomData }
    }

    /// An output.
    pub fn output<T: Element>(cells: &'a mut [T]) -> Arg<'a> {
        let pointer = cells.as_mut_ptr().cast();
        Arg { scalar: T::SCALAR, length: cells.len(), pointer, kind: Kind::Output, borrow: PhantomData }
    }

    /// An input in the memory of the output that is over it, which begins as the input then.
    pub fn over(scalar: Scalar) -> Arg<'a> {
        let pointer = std::ptr::null_mut();
        Arg { scalar, length: 0, pointer, kind: Kind::Over, borrow: PhantomData }
    }

    /// An output that grows.
    pub fn appended(to: &'a mut Appended) -> Arg<'a> {
        let scalar = to.scalar();
        let pointer = std::ptr::from_mut(to).cast();
        Arg { scalar, length: 0, pointer, kind: Kind::Appended, borrow: PhantomData }
    }

    pub(crate) fn scalar(&self) -> Scalar {
        self.scalar
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn is_output(&self) -> bool {
        matches!(self.kind, Kind::Output | Kind::Appended)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.kind == Kind::Over
    }

    pub(crate) fn is_appended(&self) -> bool {
        self.kind == Kind::Appended
    }

    /// Makes an output that grows ready to be filled; false where there is no memory.
    pub(crate) fn begin(&mut self) -> bool {
        // SAFETY: the pointer is to what `appended` borrowed, for as long as this value lives.
        !self.is_appended() || unsafe { (*self.pointer.cast::<Appended>()).begin() }
    }

    /// Is it an output that grows, and had no room?
    pub(crate) fn is_short(&self) -> bool {
        // SAFETY: as above.
        self.is_appended() && unsafe { (*self.pointer.cast::<Appended>()).is_short() }
    }

    pub(crate) fn pointer(&mut self) -> *mut u8 {
        self.pointer
    }
}
