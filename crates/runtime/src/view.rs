//! Arrays borrowed from somebody else's memory: a slice, an `ndarray` view, or a [`Buffer`].
//!
//! One idea: kernels read and write the caller's own memory, so nothing is copied behind the caller's back. An array
//! that is not contiguous in row-major order is refused with the argument's name; who wants a copy makes one with
//! [`Buffer::from_array`]. Views carry their lifetime, so the memory outlives every call that uses them.

use std::borrow::Cow;
use std::marker::PhantomData;

use ndarray::{ArrayView, ArrayViewMut, Dimension};

use crate::dtype::{Element, with_element};
use crate::shape::element_count;
use crate::{Buffer, BufferError, DType};

/// A borrowed, row-major array that may be read.
#[derive(Clone, Debug)]
pub struct BufferView<'a> {
    dtype: DType,
    shape: Cow<'a, [usize]>,
    base: *const u8,
    borrow: PhantomData<&'a [u8]>,
}

/// A borrowed, row-major array that may be read and written.
#[derive(Debug)]
pub struct BufferViewMut<'a> {
    dtype: DType,
    shape: Cow<'a, [usize]>,
    base: *mut u8,
    borrow: PhantomData<&'a mut [u8]>,
}

// SAFETY: a `BufferView` is a shared borrow of elements, all of which are `Sync`.
unsafe impl Send for BufferView<'_> {}
// SAFETY: as above.
unsafe impl Sync for BufferView<'_> {}
// SAFETY: a `BufferViewMut` is a unique borrow of elements, all of which are `Send`.
unsafe impl Send for BufferViewMut<'_> {}

impl<'a> BufferView<'a> {
    /// Borrows row-major elements.
    pub fn from_slice<T: Element>(elements: &'a [T], shape: &[usize]) -> Result<BufferView<'a>, BufferError> {
        expect_len::<T>(elements.len(), shape)?;
        Ok(BufferView {
            dtype: T::DTYPE,
            shape: Cow::Owned(shape.to_vec()),
            base: elements.as_ptr().cast(),
            borrow: PhantomData,
        })
    }

    /// Borrows row-major elements together with their shape, and allocates nothing.
    pub fn from_parts<T: Element>(
        elements: &'a [T],
        shape: &'a [usize],
    ) -> Result<BufferView<'a>, BufferError> {
        expect_len::<T>(elements.len(), shape)?;
        let base = elements.as_ptr().cast();
        Ok(BufferView { dtype: T::DTYPE, shape: Cow::Borrowed(shape), base, borrow: PhantomData })
    }

    /// An array without elements, of one dimension.
    pub fn empty(dtype: DType) -> BufferView<'static> {
        let base = std::ptr::NonNull::<u64>::dangling().as_ptr().cast_const().cast();
        BufferView { dtype, shape: Cow::Borrowed(&[0]), base, borrow: PhantomData }
    }

    /// Borrows an `ndarray` view in standard layout; `argument` names it in the error.
    pub fn from_array<T: Element, D: Dimension>(
        argument: &str,
        array: ArrayView<'a, T, D>,
    ) -> Result<BufferView<'a>, BufferError> {
        let shape = array.shape().to_vec();
        let strides = array.strides().to_vec();
        match array.to_slice() {
            Some(elements) => BufferView::from_slice(elements, &shape),
            None => Err(BufferError::NotContiguous { argument: argument.to_owned(), strides }),
        }
    }

    pub(crate) fn of_buffer(buffer: &'a Buffer) -> BufferView<'a> {
        BufferView {
            dtype: buffer.dtype(),
            shape: Cow::Borrowed(buffer.shape()),
            base: buffer.base(),
            borrow: PhantomData,
        }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The address of the first element.
    pub fn base(&self) -> *const u8 {
        self.base
    }

    /// The elements, in row-major order.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T], BufferError> {
        expect_dtype::<T>(self.dtype)?;
        let len = element_count(self.dtype, &self.shape)?;
        // SAFETY: `base` and `shape` were taken from a borrow of this many `T`, which lives for `'a`.
        Ok(unsafe { std::slice::from_raw_parts(self.base.cast(), len) })
    }
}

impl<'a> BufferViewMut<'a> {
    /// Borrows row-major elements for writing.
    pub fn from_slice<T: Element>(
        elements: &'a mut [T],
        shape: &[usize],
    ) -> Result<BufferViewMut<'a>, BufferError> {
        expect_len::<T>(elements.len(), shape)?;
        Ok(BufferViewMut {
            dtype: T::DTYPE,
            shape: Cow::Owned(shape.to_vec()),
            base: elements.as_mut_ptr().cast(),
            borrow: PhantomData,
        })
    }

    /// Borrows row-major elements together with their shape, for writing, and allocates nothing.
    pub fn from_parts<T: Element>(
        elements: &'a mut [T],
        shape: &'a [usize],
    ) -> Result<BufferViewMut<'a>, BufferError> {
        expect_len::<T>(elements.len(), shape)?;
        let base = elements.as_mut_ptr().cast();
        Ok(BufferViewMut { dtype: T::DTYPE, shape: Cow::Borrowed(shape), base, borrow: PhantomData })
    }

    /// Borrows an `ndarray` view in standard layout for writing; `argument` names it in the error.
    pub fn from_array<T: Element, D: Dimension>(
        argument: &str,
        array: ArrayViewMut<'a, T, D>,
    ) -> Result<BufferViewMut<'a>, BufferError> {
        let shape = array.shape().to_vec();
        let strides = array.strides().to_vec();
        match array.into_slice() {
            Some(elements) => BufferViewMut::from_slice(elements, &shape),
            None => Err(BufferError::NotContiguous { argument: argument.to_owned(), strides }),
        }
    }

    pub(crate) fn of_buffer(buffer: &'a mut Buffer) -> BufferViewMut<'a> {
        // The elements are apart from what says their shape.
        let (dtype, base) = (buffer.dtype(), buffer.base_mut());
        BufferViewMut { dtype, shape: Cow::Borrowed(buffer.shape()), base, borrow: PhantomData }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The address of the first element.
    pub fn base(&mut self) -> *mut u8 {
        self.base
    }

    /// The same array, to be read for a while.
    pub fn view(&self) -> BufferView<'_> {
        let shape = Cow::Borrowed(&*self.shape);
        BufferView { dtype: self.dtype, shape, base: self.base, borrow: PhantomData }
    }

    /// The same array, to be written for a while.
    pub fn reborrow(&mut self) -> BufferViewMut<'_> {
        let shape = Cow::Borrowed(&*self.shape);
        BufferViewMut { dtype: self.dtype, shape, base: self.base, borrow: PhantomData }
    }

    /// Copies an array of this type and shape.
    ///
    /// # Errors
    /// It is of another type or length.
    pub fn copy_from(&mut self, from: &Buffer) -> Result<(), BufferError> {
        if *self.shape != *from.shape() {
            return Err(BufferError::LengthMismatch { shape: self.shape.to_vec(), found: from.len() });
        }
        with_element!(from.dtype(), T => self.as_mut_slice::<T>()?.copy_from_slice(from.as_slice::<T>()?));
        Ok(())
    }

    /// The elements, to be written, in row-major order.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], BufferError> {
        expect_dtype::<T>(self.dtype)?;
        let len = element_count(self.dtype, &self.shape)?;
        // SAFETY: `base` and `shape` were taken from a unique borrow of this many `T`, which outlives `&mut self`.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.base.cast(), len) })
    }
}

fn expect_len<T: Element>(found: usize, shape: &[usize]) -> Result<(), BufferError> {
    if element_count(T::DTYPE, shape)? == found {
        Ok(())
    } else {
        Err(BufferError::LengthMismatch { shape: shape.to_vec(), found })
    }
}

fn expect_dtype<T: Element>(found: DType) -> Result<(), BufferError> {
    if T::DTYPE == found { Ok(()) } else { Err(BufferError::DTypeMismatch { expected: T::DTYPE, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array, s};

    /// A view of `array` starts at the array's own memory, or is refused with the argument's name.
    fn check(array: ArrayView<'_, f32, ndarray::Ix2>, zero_copy: bool) {
        let first = array.as_ptr().cast::<u8>();
        match BufferView::from_array("img", array) {
            Ok(view) => {
                assert!(zero_copy);
                assert_eq!(view.base(), first);
            }
            Err(error) => {
                assert!(!zero_copy, "{error}");
                assert!(error.to_string().contains("`img`"), "{error}");
            }
        }
    }

    #[test]
    fn contiguous_arrays_are_borrowed_and_strided_ones_refused() {
        let array = Array2::<f32>::zeros((4, 6));
        check(array.view(), true);
        check(array.slice(s![1..3, ..]), true);
        check(array.slice(s![.., 1..3]), false);
        check(array.t(), false);
    }

    #[test]
    fn writes_reach_the_callers_memory() {
        let mut array = array![[1i32, 2], [3, 4]];
        let mut view = BufferViewMut::from_array("out", array.view_mut()).expect("contiguous");
        view.as_mut_slice::<i32>().expect("i32")[3] = 9;
        assert!(view.as_mut_slice::<f32>().is_err());
        assert_eq!(array, array![[1, 2], [3, 9]]);
        let mut transposed = array.view_mut().reversed_axes();
        assert!(BufferViewMut::from_array("out", transposed.view_mut()).is_err());
    }

    #[test]
    fn a_buffer_is_viewed_in_place() {
        let mut buffer = Buffer::from_slice(&[1u8, 2, 3], &[3]).expect("small");
        buffer.view_mut().as_mut_slice::<u8>().expect("u8")[0] = 7;
        assert_eq!(buffer.view().as_slice::<u8>().expect("u8"), [7, 2, 3]);
        assert_eq!(buffer.view().base(), buffer.base());
    }
}
