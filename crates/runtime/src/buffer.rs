//! An owned array: element type, shape, and row-major elements in memory aligned for vector loads.
//!
//! One idea: storage is a vector of 64-byte chunks, so alignment holds by type and everything that allocates is safe
//! code. The element type is a run-time value; typed views are checked against it. A rank-0 buffer holds one element.
//! The invariant on which the views rest: the bytes of a `bool` buffer are 0 or 1. Safe code writes bytes only through
//! typed views, and a kernel's author promises the same (see [`crate::LoadedKernel`]).
//!
//! Borrowed arrays are in [`crate::BufferView`]; conversion between element types is in `convert`.

use std::fmt;

use ndarray::{ArrayD, ArrayView, ArrayViewD, ArrayViewMutD, Dimension, IxDyn};

use crate::dtype::{Element, with_element};
use crate::pages::{ask_for_huge_pages, gather_into_huge_pages};
use crate::shape::{MAX_RANK, element_count, show_shape};
use crate::{BufferView, BufferViewMut, DType};

/// The alignment of a buffer's first element, in bytes.
pub const ALIGNMENT: usize = 64;

/// The unit of storage; its only purpose is its alignment.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Chunk([u8; ALIGNMENT]);

/// Why a buffer or a view could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferError {
    /// The number of bytes of the shape does not fit the machine's or C's signed integers.
    TooLarge {
        /// The element type.
        dtype: DType,
        /// The refused shape.
        shape: Vec<usize>,
    },
    /// The shape has more than [`MAX_RANK`](crate::MAX_RANK) dimensions.
    TooManyDimensions {
        /// The number of dimensions.
        rank: usize,
    },
    /// The memory for this many bytes is not to be had.
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// The data do not have as many elements as the shape.
    LengthMismatch {
        /// The shape.
        shape: Vec<usize>,
        /// Elements given.
        found: usize,
    },
    /// A typed view was asked for with another element type.
    DTypeMismatch {
        /// The type asked for.
        expected: DType,
        /// The type of the buffer.
        found: DType,
    },
    /// A borrowed array is not row-major and contiguous.
    NotContiguous {
        /// The argument's name.
        argument: String,
        /// Its strides, in elements.
        strides: Vec<isize>,
    },
}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BufferError::TooLarge { dtype, shape } => {
                write!(f, "a {dtype} array of shape {} is larger than the address space", show_shape(shape))
            }
            BufferError::TooManyDimensions { rank } => {
                write!(f, "an array of {rank} dimensions exceeds the limit of {MAX_RANK}")
            }
            BufferError::OutOfMemory { bytes } => write!(f, "no memory for an array of {bytes} bytes"),
            BufferError::LengthMismatch { shape, found } => {
                write!(f, "shape {} does not hold {found} elements", show_shape(shape))
            }
            BufferError::DTypeMismatch { expected, found } => {
                write!(f, "expected elements of type {expected}, found {found}")
            }
            BufferError::NotContiguous { argument, strides } => write!(
                f,
                "argument `{argument}` is not contiguous in row-major order (strides {strides:?}); copy it first"
            ),
        }
    }
}

impl std::error::Error for BufferError {}

/// An owned, row-major array whose element type is known at run time.
#[derive(Clone)]
pub struct Buffer {
    dtype: DType,
    shape: Vec<usize>,
    len: usize,
    storage: Vec<Chunk>,
}

impl Buffer {
    /// An array of zeros (`false` for `bool`).
    pub fn zeros(dtype: DType, shape: &[usize]) -> Result<Buffer, BufferError> {
        let len = element_count(dtype, shape)?;
        let chunks = (len * dtype.size()).div_ceil(ALIGNMENT);
        let mut storage = Vec::new();
        storage
            .try_reserve_exact(chunks)
            .map_err(|_| BufferError::OutOfMemory { bytes: len * dtype.size() })?;
        ask_for_huge_pages(storage.spare_capacity_mut());
        storage.resize(chunks, Chunk([0; ALIGNMENT]));
        gather_into_huge_pages(&mut storage);
        Ok(Buffer { dtype, shape: shape.to_vec(), len, storage })
    }

    /// Copies row-major elements into a new array.
    pub fn from_slice<T: Element>(elements: &[T], shape: &[usize]) -> Result<Buffer, BufferError> {
        if element_count(T::DTYPE, shape)? != elements.len() {
            return Err(BufferError::LengthMismatch { shape: shape.to_vec(), found: elements.len() });
        }
        let mut buffer = Buffer::zeros(T::DTYPE, shape)?;
        buffer.as_mut_slice::<T>()?.copy_from_slice(elements);
        Ok(buffer)
    }

    /// Like [`Buffer::from_slice`]; the elements are copied, for the sake of alignment.
    pub fn from_vec<T: Element>(elements: Vec<T>, shape: &[usize]) -> Result<Buffer, BufferError> {
        Buffer::from_slice(&elements, shape)
    }

    /// Copies an array of any strides into row-major order.
    pub fn from_array<T: Element, D: Dimension>(array: ArrayView<'_, T, D>) -> Result<Buffer, BufferError> {
        let mut buffer = Buffer::zeros(T::DTYPE, array.shape())?;
        for (to, from) in buffer.as_mut_slice::<T>()?.iter_mut().zip(array.iter()) {
            *to = *from;
        }
        Ok(buffer)
    }

    /// A copy of an array.
    pub fn from_view(view: &BufferView<'_>) -> Result<Buffer, BufferError> {
        with_element!(view.dtype(), T => Buffer::from_slice(view.as_slice::<T>()?, view.shape()))
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The same elements under another shape of the same size.
    pub fn with_shape(mut self, shape: &[usize]) -> Result<Buffer, BufferError> {
        if element_count(self.dtype, shape)? != self.len {
            return Err(BufferError::LengthMismatch { shape: shape.to_vec(), found: self.len });
        }
        self.shape = shape.to_vec();
        Ok(self)
    }

    /// The elements, in row-major order.
    pub fn as_slice<T: Element>(&self) -> Result<&[T], BufferError> {
        self.expect_dtype(T::DTYPE)?;
        // SAFETY: `storage` holds at least `len * size_of::<T>()` initialised bytes, aligned to 64, which is a multiple
        // of every element's alignment; every bit pattern is a value of the numeric types, and the bytes of a `bool`
        // buffer are 0 or 1 by the module's invariant. An empty vector's pointer is aligned and not null.
        Ok(unsafe { std::slice::from_raw_parts(self.storage.as_ptr().cast::<T>(), self.len) })
    }

    /// The elements, to be written, in row-major order.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], BufferError> {
        self.expect_dtype(T::DTYPE)?;
        // SAFETY: as in `as_slice`; `&mut self` makes the borrow unique, and values of `T` are valid bytes.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.storage.as_mut_ptr().cast::<T>(), self.len) })
    }

    /// The elements' bytes, in the machine's byte order.
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: `storage` holds at least this many initialised bytes.
        unsafe {
            std::slice::from_raw_parts(self.storage.as_ptr().cast::<u8>(), self.len * self.dtype.size())
        }
    }

    /// A borrowed view of the whole array.
    pub fn view(&self) -> BufferView<'_> {
        BufferView::of_buffer(self)
    }

    /// A borrowed, writable view of the whole array.
    pub fn view_mut(&mut self) -> BufferViewMut<'_> {
        BufferViewMut::of_buffer(self)
    }

    /// An `ndarray` view of the elements.
    pub fn as_array<T: Element>(&self) -> Result<ArrayViewD<'_, T>, BufferError> {
        let mismatch = |_| BufferError::LengthMismatch { shape: self.shape.clone(), found: self.len };
        ArrayViewD::from_shape(IxDyn(&self.shape), self.as_slice()?).map_err(mismatch)
    }

    /// A writable `ndarray` view of the elements.
    pub fn as_array_mut<T: Element>(&mut self) -> Result<ArrayViewMutD<'_, T>, BufferError> {
        let shape = self.shape.clone();
        let found = self.len;
        ArrayViewMutD::from_shape(IxDyn(&shape), self.as_mut_slice()?)
            .map_err(|_| BufferError::LengthMismatch { shape, found })
    }

    /// A copy of the elements as an `ndarray` array.
    pub fn to_array<T: Element>(&self) -> Result<ArrayD<T>, BufferError> {
        Ok(self.as_array()?.to_owned())
    }

    /// The address of the first element. Valid until the buffer is dropped; unique only while nothing else borrows it.
    pub(crate) fn base(&self) -> *const u8 {
        self.storage.as_ptr().cast()
    }

    /// The address of the first element, for writing.
    pub(crate) fn base_mut(&mut self) -> *mut u8 {
        self.storage.as_mut_ptr().cast()
    }

    fn expect_dtype(&self, expected: DType) -> Result<(), BufferError> {
        if self.dtype == expected {
            Ok(())
        } else {
            Err(BufferError::DTypeMismatch { expected, found: self.dtype })
        }
    }
}

/// Equal element type, shape and elements; as in IEEE 754, a NaN differs from itself.
impl PartialEq for Buffer {
    fn eq(&self, other: &Buffer) -> bool {
        self.dtype == other.dtype
            && self.shape == other.shape
            && with_element!(self.dtype, T => self.as_slice::<T>() == other.as_slice::<T>())
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {}", self.dtype, show_shape(&self.shape), crate::to_text(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// A buffer of `elements` under `shape` is aligned and gives the elements back through every view.
    fn check<T: Element>(elements: &[T], shape: &[usize]) {
        let mut buffer = Buffer::from_slice(elements, shape).expect("the shape fits");
        assert_eq!(buffer.base() as usize % ALIGNMENT, 0);
        assert_eq!(buffer.as_slice::<T>().expect("same type"), elements);
        assert_eq!(buffer.as_mut_slice::<T>().expect("same type"), elements);
        assert_eq!(buffer.as_bytes().len(), size_of_val(elements));
        let array = buffer.to_array::<T>().expect("same type");
        assert_eq!(array.shape(), shape);
        assert_eq!(Buffer::from_array(array.view()).expect("same shape"), buffer);
    }

    #[test]
    fn elements_come_back() {
        check(&[1.5f32, -2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
        check(&[1u8; 200], &[200]);
        check(&[7i64], &[]);
        check(&[true, false], &[2, 1]);
        check::<f64>(&[], &[3, 0, 2]);
    }

    #[test]
    fn strided_arrays_are_copied_in_row_major_order() {
        let array = array![[1, 2, 3], [4, 5, 6]];
        let buffer = Buffer::from_array(array.t()).expect("small");
        assert_eq!(buffer.shape(), [3, 2]);
        assert_eq!(buffer.as_slice::<i32>().expect("i32"), [1, 4, 2, 5, 3, 6]);
    }

    #[test]
    fn wrong_lengths_types_and_sizes_are_errors() {
        assert_eq!(
            Buffer::from_vec(vec![1.0f32; 5], &[2, 3]),
            Err(BufferError::LengthMismatch { shape: vec![2, 3], found: 5 })
        );
        let buffer = Buffer::zeros(DType::F32, &[2]).expect("small");
        assert_eq!(
            buffer.as_slice::<i32>(),
            Err(BufferError::DTypeMismatch { expected: DType::I32, found: DType::F32 })
        );
        assert!(matches!(Buffer::zeros(DType::U8, &[1 << 61]), Err(BufferError::OutOfMemory { .. })));
        assert!(matches!(Buffer::zeros(DType::F64, &[usize::MAX, 2]), Err(BufferError::TooLarge { .. })));
    }
}
