//! How many elements and bytes a shape means, without overflow.
//!
//! One idea: the product of the extents that are not zero, times the element size, must fit both `isize` and `i64`. Then
//! every extent, stride, offset and byte count that anybody derives from the shape fits too, also when an extent is
//! zero, and `ndarray` accepts the shape. The number of dimensions is bounded as well, as NumPy does, so that code may
//! recurse over them.

use crate::{BufferError, DType};

/// The greatest number of dimensions of an array.
pub const MAX_RANK: usize = 64;

/// The number of elements of `shape`, if it and its byte size fit `isize` and `i64`.
pub fn element_count(dtype: DType, shape: &[usize]) -> Result<usize, BufferError> {
    if shape.len() > MAX_RANK {
        return Err(BufferError::TooManyDimensions { rank: shape.len() });
    }
    let too_large = || BufferError::TooLarge { dtype, shape: shape.to_vec() };
    let mut bytes = dtype.size();
    for &extent in shape.iter().filter(|&&extent| extent != 0) {
        bytes = bytes.checked_mul(extent).ok_or_else(too_large)?;
    }
    if isize::try_from(bytes).is_err() || i64::try_from(bytes).is_err() {
        return Err(too_large());
    }
    Ok(if shape.contains(&0) { 0 } else { bytes / dtype.size() })
}

/// `[2, 3]`, as messages write a shape.
pub fn show_shape(shape: &[usize]) -> String {
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("[{}]", extents.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dtype: DType, shape: &[usize], expected: Option<usize>) {
        assert_eq!(element_count(dtype, shape).ok(), expected, "{dtype} {shape:?}");
    }

    #[test]
    fn counts() {
        check(DType::F32, &[], Some(1));
        check(DType::F32, &[2, 3], Some(6));
        check(DType::U8, &[4, 0, 5], Some(0));
    }

    #[test]
    fn overflow_is_refused() {
        check(DType::U8, &[usize::MAX], None);
        check(DType::F64, &[1 << 31, 1 << 31], None);
        check(DType::U8, &[1 << 31, 1 << 31], Some(1 << 62));
        check(DType::U8, &[1 << 32, 1 << 32], None);
    }

    #[test]
    fn the_rank_is_bounded() {
        check(DType::U8, &[1; MAX_RANK], Some(1));
        check(DType::U8, &[1; MAX_RANK + 1], None);
    }

    #[test]
    fn a_zero_extent_does_not_hide_overflow() {
        check(DType::U8, &[0, usize::MAX], None);
        check(DType::U8, &[1 << 40, 0, 1 << 40], None);
    }
}
