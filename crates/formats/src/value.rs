//! Values of tensors, and dense tensors.
//!
//! What is absent is zero, so a value that is not *exactly* zero must be kept: negative zero of floating
//! point is not, and NaN is equal to itself. [`Value::same`] is that equality. Which value is zero is the
//! algebra's affair: positive infinity, where sums are minima.

use crate::Refusal;
use atl_halves::{bf16, f16};
use std::fmt::Debug;

/// A value of a tensor.
pub trait Value: Copy + Debug {
    /// Whether both are the same value, with the same bits.
    fn same(self, other: Self) -> bool;
}

macro_rules! exact {
    ($($ty:ty),*) => { $(impl Value for $ty {
        #[inline]
        fn same(self, other: $ty) -> bool {
            self == other
        }
    })* };
}
exact!(bool, i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($ty:ty),*) => { $(impl Value for $ty {
        #[inline]
        fn same(self, other: $ty) -> bool {
            self.to_bits() == other.to_bits()
        }
    })* };
}
floats!(f16, bf16, f32, f64);

/// A dense tensor, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense<V> {
    /// The extents.
    pub shape: Vec<usize>,
    /// The elements, as many as the product of the extents.
    pub data: Vec<V>,
}

impl<V: Value> Dense<V> {
    /// A tensor of one value.
    pub fn filled(shape: &[usize], with: V) -> Result<Dense<V>, Refusal> {
        let mut data = Vec::new();
        crate::level::grow(&mut data, elements(shape)?, with)?;
        Ok(Dense { shape: shape.to_vec(), data })
    }

    /// Where an index stands in the data.
    pub fn place(&self, index: &[i64]) -> usize {
        index.iter().zip(&self.shape).fold(0, |place, (x, n)| place * n + *x as usize)
    }
}

/// The number of elements of a shape, if memory can number them.
pub(crate) fn elements(shape: &[usize]) -> Result<usize, Refusal> {
    let size = crate::Dimensions::try_new(shape.to_vec())?.size();
    usize::try_from(size)
        .ok()
        .filter(|size| i64::try_from(*size).is_ok())
        .ok_or_else(|| Refusal::TooLarge { what: format!("a dense tensor of shape {shape:?}") })
}

/// All indices of a shape, in order.
pub(crate) fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<i64>> + use<> {
    let dimensions = crate::Dimensions::try_new(shape.to_vec());
    let size = dimensions.as_ref().map_or(0, crate::Dimensions::size);
    (0..size).filter_map(move |flat| dimensions.as_ref().ok().map(|dimensions| dimensions.unflatten(flat)))
}
