//! Sparse tensors as arrays, and arrays as sparse tensors.
//!
//! One idea: what has no entry is zero. A file of a few bytes can name a shape of any size, so the array that is made of it
//! is bounded. On the way back a negative zero is an entry: an array is had back bit for bit.

use super::{Coordinates, CoordinatesError, Order, Parts};
use crate::Buffer;
use crate::DType;
use crate::convert::{Number, Scalar};
use crate::dtype::with_element;
use crate::shape::element_count;

/// The greatest number of bytes of an array that is made of a sparse tensor.
pub const DENSE_LIMIT: usize = 4 << 30;

impl Coordinates {
    /// The array with these entries, and zero where there is none.
    ///
    /// # Errors
    /// Two entries at one place, or an array of more than [`DENSE_LIMIT`] bytes.
    pub fn to_dense(&self) -> Result<Buffer, CoordinatesError> {
        self.to_dense_of(0.0)
    }

    /// The array with these entries, and this number where there is none; zero if the element type does not have it.
    ///
    /// # Errors
    /// As for [`Coordinates::to_dense`].
    pub fn to_dense_of(&self, absent: f64) -> Result<Buffer, CoordinatesError> {
        if self.order != Order::Strict {
            return self.clone().arranged(Default::default())?.coordinates.to_dense_of(absent);
        }
        let (shape, dtype) = (self.shape.clone(), self.dtype());
        let bytes = element_count(dtype, &shape).ok().and_then(|count| count.checked_mul(dtype.size()));
        if bytes.is_none_or(|bytes| bytes > DENSE_LIMIT) {
            return Err(CoordinatesError::TooLarge { shape, dtype });
        }
        let mut dense = Buffer::zeros(dtype, &shape)?;
        let mut positions = vec![0; self.len()];
        for (dimension, (column, &extent)) in self.columns.iter().zip(&self.shape).enumerate() {
            for (entry, (position, &crd)) in positions.iter_mut().zip(column).enumerate() {
                // Coordinates may have been believed rather than checked.
                if crd >= extent {
                    return Err(CoordinatesError::OutOfRange { entry, dimension, found: crd, extent });
                }
                *position = *position * extent + crd;
            }
        }
        with_element!(dtype, T => {
            let cells = dense.as_mut_slice::<T>()?;
            if absent != 0.0 {
                // The greatest integer of 64 bits is rounded up as a float, and back by the conversion.
                let whole = if dtype == DType::U64 { (absent as u64).into() } else { (absent as i64).into() };
                let whole = Number::Int(whole);
                cells.fill(T::from_number(Number::Float(absent)).or(T::from_number(whole)).unwrap_or_default());
            }
            for (&position, value) in positions.iter().zip(self.values.as_slice::<T>()?) {
                cells[position] = *value;
            }
        });
        Ok(dense)
    }

    /// The elements of an array that are not zero, and its negative zeros, in lexicographic order.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn from_dense(dense: &Buffer) -> Result<Coordinates, CoordinatesError> {
        let shape = dense.shape().to_vec();
        let mut columns = vec![Vec::new(); shape.len()];
        let values = with_element!(dense.dtype(), T => {
            let mut values = Vec::new();
            for (position, &value) in dense.as_slice::<T>()?.iter().enumerate() {
                if !value.is_same(T::default()) {
                    values.push(value);
                    let mut rest = position;
                    for (column, &extent) in columns.iter_mut().zip(&shape).rev() {
                        column.push(rest % extent);
                        rest /= extent;
                    }
                }
            }
            Buffer::from_slice(&values, &[values.len()])?
        });
        Coordinates::trusted(Parts { shape, columns, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates(shape: &[usize], columns: Vec<Vec<usize>>, values: &[f32]) -> Coordinates {
        let values = Buffer::from_slice(values, &[values.len()]).expect("small");
        Coordinates::trusted(Parts { shape: shape.to_vec(), columns, values }).expect("the lengths agree")
    }

    #[test]
    fn arrays_come_back_bit_for_bit() {
        let elements = [0.0f32, -0.0, f32::NAN, 3.0, 0.0, f32::INFINITY];
        let array = Buffer::from_slice(&elements, &[3, 2]).expect("small");
        let sparse = Coordinates::from_dense(&array).expect("small");
        assert_eq!(sparse.columns(), [vec![0, 1, 1, 2], vec![1, 0, 1, 1]]);
        let bits = |buffer: &Buffer| buffer.as_bytes().to_vec();
        assert_eq!(bits(&sparse.to_dense().expect("small")), bits(&array));
        for shape in [&[][..], &[0, 3], &[1, 1, 1, 1]] {
            let array = Buffer::zeros(crate::DType::Bool, shape).expect("small");
            assert_eq!(Coordinates::from_dense(&array).expect("small").to_dense().expect("small"), array);
        }
    }

    /// These entries become no array.
    fn check_refused(sparse: &Coordinates, needle: &str) {
        let error = sparse.to_dense().expect_err(needle).to_string();
        assert!(error.contains(needle), "{error}");
    }

    #[test]
    fn what_is_no_array_is_refused() {
        check_refused(&coordinates(&[1 << 16, 1 << 15], vec![vec![], vec![]], &[]), "more than 4 GiB");
        check_refused(&coordinates(&[usize::MAX, 7], vec![vec![], vec![]], &[]), "more than 4 GiB");
        check_refused(&coordinates(&[2, 2], vec![vec![0], vec![2]], &[1.0]), "the coordinate 2 of entry 0");
        check_refused(&coordinates(&[0, 2], vec![vec![0], vec![1]], &[1.0]), "extent 0");
        let twice = Parts {
            shape: vec![2],
            columns: vec![vec![1, 1]],
            values: Buffer::from_slice(&[1u8, 1], &[2]).expect("small"),
        };
        check_refused(&Coordinates::try_new(twice).expect("in range"), "both at [1]");
    }
}
