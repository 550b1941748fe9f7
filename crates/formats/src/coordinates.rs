//! Tensors as lists of entries: for each dimension a column of coordinates, and the values.

use crate::Refusal;
use crate::value::{Dense, Value, indices};

/// A tensor as a list of entries, in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinates<V> {
    /// The extents.
    pub shape: Vec<usize>,
    /// A column for each dimension.
    pub columns: Vec<Vec<i64>>,
    /// The values.
    pub values: Vec<V>,
}

impl<V: Value> Coordinates<V> {
    /// Refuses columns of unequal length, and coordinates outside of the shape.
    pub fn validate(&self) -> Result<(), Refusal> {
        if self.columns.len() != self.shape.len() {
            let expected = format!("rank {}", self.columns.len());
            return Err(Refusal::Rank { format: "coordinates".into(), expected, found: self.shape.len() });
        }
        for (dimension, (column, &extent)) in self.columns.iter().zip(&self.shape).enumerate() {
            if column.len() != self.values.len() {
                let (values, found) = (self.values.len(), column.len());
                return Err(Refusal::Lengths { values, dimension, found });
            }
            // A negative coordinate is a large number here.
            if let Some(entry) = column.iter().position(|c| *c as u64 >= extent as u64) {
                return Err(Refusal::OutOfRange { entry, dimension, found: column[entry], extent });
            }
        }
        Ok(())
    }

    /// The entries of a dense tensor that are not zero, in order.
    pub fn of_dense(tensor: &Dense<V>, zero: V) -> Coordinates<V> {
        let mut columns = vec![Vec::new(); tensor.shape.len()];
        let mut values = Vec::new();
        for (index, value) in indices(&tensor.shape).zip(&tensor.data).filter(|(_, v)| !v.same(zero)) {
            columns.iter_mut().zip(index).for_each(|(column, x)| column.push(x));
            values.push(*value);
        }
        Coordinates { shape: tensor.shape.clone(), columns, values }
    }

    /// The coordinates of an entry.
    pub fn coordinate(&self, entry: usize) -> Vec<i64> {
        self.columns.iter().map(|column| column[entry]).collect()
    }

    /// Keeps the entries for which this holds.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Coordinates<V>, usize) -> bool) {
        let kept: Vec<bool> = (0..self.values.len()).map(|entry| keep(self, entry)).collect();
        if kept.iter().all(|keep| *keep) {
            return;
        }
        let mut flags = kept.iter();
        self.values.retain(|_| *flags.next().expect("a flag for each value"));
        // Columns that were taken are empty.
        for column in self.columns.iter_mut().filter(|column| !column.is_empty()) {
            let mut flags = kept.iter();
            column.retain(|_| *flags.next().expect("a flag for each coordinate"));
        }
    }
}
