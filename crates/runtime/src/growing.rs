//! An array that a kernel fills, however long it becomes.
//!
//! One idea: the first three words are what compiled C code calls an `atl_array`: an address from `malloc`, a length and a
//! capacity. The kernel makes room with `realloc`, and this value frees the memory when it is dropped; a second call uses it again.

use crate::dtype::{Element, with_element};
use crate::{Buffer, BufferError, DType};
use std::ffi::c_void;
use std::fmt;

// The allocator of the code that grows the array.
unsafe extern "C" {
    fn realloc(memory: *mut c_void, bytes: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// An array of one dimension that grows.
#[repr(C)]
pub struct Growing {
    data: *mut u8,
    len: i64,
    cap: i64,
    dtype: DType,
}

// SAFETY: the memory belongs to this value alone, and plain data is in it.
unsafe impl Send for Growing {}
// SAFETY: as above; what is shared is only read.
unsafe impl Sync for Growing {}

impl Growing {
    /// An empty array.
    pub fn new(dtype: DType) -> Growing {
        Growing { data: std::ptr::null_mut(), len: 0, cap: 0, dtype }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        usize::try_from(self.len).unwrap_or(0)
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements.
    ///
    /// # Errors
    /// They are of another type.
    pub fn as_slice<T: Element>(&self) -> Result<&[T], BufferError> {
        if T::DTYPE != self.dtype {
            return Err(BufferError::DTypeMismatch { expected: T::DTYPE, found: self.dtype });
        }
        if self.is_empty() {
            return Ok(&[]);
        }
        // SAFETY: the memory holds `len` elements of this type, which were stored by `fill` or by a kernel, whose author
        // promised it; `malloc` aligns them.
        Ok(unsafe { std::slice::from_raw_parts(self.data.cast::<T>(), self.len()) })
    }

    /// Puts these elements in place of what there is.
    ///
    /// # Errors
    /// They are of another type, or there is no memory for them.
    pub fn fill<T: Element>(&mut self, elements: &[T]) -> Result<(), BufferError> {
        if T::DTYPE != self.dtype {
            return Err(BufferError::DTypeMismatch { expected: T::DTYPE, found: self.dtype });
        }
        self.len = 0;
        let count = i64::try_from(elements.len()).unwrap_or(i64::MAX);
        if count > self.cap {
            let bytes = size_of_val(elements);
            // SAFETY: the memory came from the same allocator, or there is none.
            let data = unsafe { realloc(self.data.cast(), bytes) };
            if data.is_null() {
                return Err(BufferError::OutOfMemory { bytes });
            }
            (self.data, self.cap) = (data.cast(), count);
        }
        if count > 0 {
            // SAFETY: there is room for so many elements, in memory of this value's own.
            unsafe {
                std::ptr::copy_nonoverlapping(elements.as_ptr(), self.data.cast::<T>(), elements.len())
            };
        }
        self.len = count;
        Ok(())
    }

    /// A copy as an array of fixed length.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn to_buffer(&self) -> Result<Buffer, BufferError> {
        with_element!(self.dtype, T => Buffer::from_slice(self.as_slice::<T>()?, &[self.len()]))
    }

    /// The address of what compiled code takes for the array.
    pub(crate) fn base(&mut self) -> *mut u8 {
        std::ptr::from_mut(self).cast()
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        // SAFETY: the memory came from this allocator, or there is none.
        unsafe { free(self.data.cast()) };
    }
}

impl fmt::Debug for Growing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Growing({}, {} elements)", self.dtype, self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_replaced_and_copied() {
        let mut growing = Growing::new(DType::I64);
        assert!(growing.is_empty() && growing.to_buffer().unwrap().is_empty());
        for elements in [&[1i64, 2, 3][..], &[], &[4; 100], &[5]] {
            growing.fill(elements).unwrap();
            assert_eq!(growing.as_slice::<i64>().unwrap(), elements);
            assert_eq!(growing.to_buffer().unwrap().as_slice::<i64>().unwrap(), elements);
        }
        assert!(growing.fill(&[1.0f32]).is_err() && growing.as_slice::<u8>().is_err());
    }
}
