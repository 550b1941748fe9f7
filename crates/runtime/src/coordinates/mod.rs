//! A sparse tensor as a list of entries: for each its coordinates and its value.
//!
//! One idea: this is what sparse data files hold and what every level format is packed from, so it is the one value
//! between them. There is one array of coordinates per dimension, all as long as the values; a coordinate is below its
//! dimension's extent, which is checked where the value is made. In which order the entries stand is known, not assumed:
//! [`Order`]. Entries that are zero are entries; nothing is dropped or added up unless somebody asks.
//!
//! The number of elements of the shape is never formed: it may be larger than any number of the machine. `order` sorts,
//! adds up and drops; `dense` goes to arrays and back. What positions and levels are is no matter of this crate.

mod dense;
mod error;
mod order;

pub use dense::DENSE_LIMIT;
pub use error::CoordinatesError;
pub use order::{Arranged, Duplicates, Order, Wish, Zeros};

use crate::dtype::with_element;
use crate::shape::MAX_RANK;
use crate::{Buffer, DType};

/// The entries of a sparse tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinates {
    shape: Vec<usize>,
    columns: Vec<Vec<usize>>,
    values: Buffer,
    order: Order,
}

/// The arrays of a [`Coordinates`], for those that build something else of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// The extents, outermost first.
    pub shape: Vec<usize>,
    /// For each dimension the coordinates of all entries.
    pub columns: Vec<Vec<usize>>,
    /// The values of all entries, an array of rank 1.
    pub values: Buffer,
}

impl Coordinates {
    /// Entries whose coordinates are checked, in the order given.
    ///
    /// # Errors
    /// Arrays of different lengths, a coordinate at or beyond its extent, or too many dimensions.
    pub fn try_new(parts: Parts) -> Result<Coordinates, CoordinatesError> {
        for (dimension, (column, &extent)) in parts.columns.iter().zip(&parts.shape).enumerate() {
            if let Some(entry) = column.iter().position(|&crd| crd >= extent) {
                return Err(CoordinatesError::OutOfRange { entry, dimension, found: column[entry], extent });
            }
        }
        Coordinates::in_range(parts)
    }

    /// The same for coordinates that were compared with their extents before.
    pub fn in_range(parts: Parts) -> Result<Coordinates, CoordinatesError> {
        let mut new = Coordinates::trusted(parts)?;
        new.order = order::of(&new.columns, new.len());
        Ok(new)
    }

    /// Entries that are believed to be in range, in lexicographic order and each at a place of its own. If they are not,
    /// what is made of them is wrong or refused, and nothing worse.
    ///
    /// # Errors
    /// Arrays of different lengths, or too many dimensions.
    pub fn trusted(parts: Parts) -> Result<Coordinates, CoordinatesError> {
        let Parts { shape, columns, values } = parts;
        if shape.len() > MAX_RANK {
            return Err(CoordinatesError::TooManyDimensions { rank: shape.len() });
        }
        if columns.len() != shape.len() {
            return Err(CoordinatesError::Columns { found: columns.len(), rank: shape.len() });
        }
        let len = values.len();
        if values.rank() != 1 {
            return Err(CoordinatesError::Values { shape: values.shape().to_vec() });
        }
        match columns.iter().position(|column| column.len() != len) {
            Some(dimension) => {
                Err(CoordinatesError::Lengths { dimension, found: columns[dimension].len(), values: len })
            }
            None => Ok(Coordinates { shape, columns, values, order: Order::Strict }),
        }
    }

    /// The extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of entries, zeros included.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The type of the values.
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// For each dimension the coordinates of all entries.
    pub fn columns(&self) -> &[Vec<usize>] {
        &self.columns
    }

    /// The values of all entries, an array of rank 1.
    pub fn values(&self) -> &Buffer {
        &self.values
    }

    /// How many entries are zero.
    pub fn zeros(&self) -> usize {
        with_element!(self.dtype(), T => {
            self.values.as_slice::<T>().map_or(0, |values| values.iter().filter(|&&v| v == T::default()).count())
        })
    }

    /// In which order the entries stand.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The coordinates of an entry; none if there is no such entry.
    pub fn place(&self, entry: usize) -> Option<Vec<usize>> {
        self.columns.iter().map(|column| column.get(entry).copied()).collect()
    }

    /// The same entries as those of a vector, if they are of a matrix of one column or of one row; any others as they are.
    pub fn into_vector(mut self) -> Coordinates {
        let along = match *self.shape {
            [_, 1] => 0,
            [1, _] => 1,
            _ => return self,
        };
        self.shape = vec![self.shape[along]];
        self.columns = vec![self.columns.swap_remove(along)];
        self
    }

    /// The arrays.
    pub fn into_parts(self) -> Parts {
        Parts { shape: self.shape, columns: self.columns, values: self.values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of these entries, all of value 1.
    fn check(shape: &[usize], columns: &[&[usize]], expected: Result<Order, &str>) {
        let columns: Vec<Vec<usize>> = columns.iter().map(|column| column.to_vec()).collect();
        let values = vec![1.0f32; columns.first().map_or(1, Vec::len)];
        let values = Buffer::from_slice(&values, &[values.len()]).expect("small");
        match (Coordinates::try_new(Parts { shape: shape.to_vec(), columns, values }), expected) {
            (Ok(found), Ok(order)) => assert_eq!(found.order(), order),
            (Err(error), Err(needle)) => assert!(error.to_string().contains(needle), "{error}"),
            (found, expected) => panic!("{found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn the_order_is_known() {
        check(&[2, 3], &[&[0, 0, 1], &[0, 2, 1]], Ok(Order::Strict));
        check(&[2, 3], &[&[0, 0, 1], &[2, 2, 1]], Ok(Order::Repeating));
        check(&[2, 3], &[&[0, 0, 1], &[2, 0, 1]], Ok(Order::Unsorted));
        check(&[2, 3], &[&[], &[]], Ok(Order::Strict));
        check(&[], &[], Ok(Order::Strict));
        check(&[usize::MAX, usize::MAX], &[&[0], &[5]], Ok(Order::Strict));
    }

    #[test]
    fn a_matrix_of_one_column_or_row_is_a_vector() {
        let check = |shape: &[usize], columns: &[&[usize]], expected: &[usize]| {
            let columns: Vec<Vec<usize>> = columns.iter().map(|column| column.to_vec()).collect();
            let values = Buffer::from_slice(&vec![1.0f32; columns[0].len()], &[columns[0].len()]);
            let parts = Parts { shape: shape.to_vec(), columns, values: values.expect("small") };
            let matrix = Coordinates::try_new(parts).expect("in range");
            let order = matrix.order();
            let vector = matrix.into_vector();
            assert_eq!((vector.shape(), vector.order()), (expected, order));
            let again = Coordinates::try_new(vector.clone().into_parts()).expect("in range");
            assert_eq!(again, vector);
        };
        check(&[4, 1], &[&[1, 3], &[0, 0]], &[4]);
        check(&[1, 4], &[&[0, 0], &[1, 3]], &[4]);
        check(&[1, 1], &[&[0], &[0]], &[1]);
        check(&[0, 1], &[&[], &[]], &[0]);
        check(&[1, 0], &[&[], &[]], &[0]);
        check(&[2, 3], &[&[1], &[2]], &[2, 3]);
        check(&[5], &[&[4]], &[5]);
    }

    #[test]
    fn entries_that_do_not_fit_are_named() {
        check(&[2, 3], &[&[0, 0, 1], &[0, 3, 1]], Err("coordinate 3 of entry 1 in dimension 1"));
        check(&[0], &[&[0]], Err("extent 0"));
        check(&[2, 3], &[&[0, 0], &[0]], Err("1 coordinates in dimension 1"));
        check(&[2, 3], &[&[0]], Err("2 dimensions"));
        check(&[1; 65], &[&[0]], Err("65"));
    }
}
