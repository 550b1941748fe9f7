//! A tensor in a format: the metadata of each level, and the values. It is always well formed.

use crate::coordinates::Coordinates;
use crate::value::Value;
use crate::{Axis, Format, Instance, Metadata, Places, Refusal, Zeros, pack, validate};

/// A tensor in a format.
#[derive(Clone, Debug)]
pub struct Sparse<V> {
    pub(crate) instance: Instance,
    pub(crate) metadata: Vec<Metadata>,
    pub(crate) values: Vec<V>,
    pub(crate) zero: V,
}

impl<V: Value> Sparse<V> {
    /// A tensor of arrays from outside, which are [validated](validate()).
    pub fn try_new(
        instance: Instance,
        metadata: Vec<Metadata>,
        values: Vec<V>,
        zero: V,
    ) -> Result<Sparse<V>, Refusal> {
        validate(&instance, &metadata, values.len())?;
        Ok(Sparse { instance, metadata, values, zero })
    }

    /// The format and shape.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The metadata of the levels, outermost first.
    pub fn metadata(&self) -> &[Metadata] {
        &self.metadata
    }

    /// The values, one for each position of the last level.
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// What absent elements are.
    pub fn zero(&self) -> V {
        self.zero
    }

    /// The entries, in the order in which they are stored. Zeros that are stored, also as padding, are kept or dropped.
    pub fn unpack(self, zeros: Zeros) -> Result<Coordinates<V>, Refusal> {
        let Sparse { instance, metadata, values, zero } = self;
        let (format, shape) = (instance.format(), instance.shape());
        if values.is_empty() {
            // Its levels may have any number of parents.
            let columns = vec![Vec::new(); shape.len()];
            return Ok(Coordinates { shape: shape.to_vec(), columns, values: Vec::new() });
        }
        let mut positions = Places::Root(1);
        let mut along: Vec<Vec<i64>> = Vec::new();
        for (level, metadata) in instance.levels().iter().zip(metadata) {
            let found = level.expand(metadata, &positions)?;
            for column in &mut along {
                *column = repeated(column, &found.counts, found.positions.len());
            }
            along.extend(found.crd);
            positions = found.positions;
        }
        let values = positions.take(values);
        drop(positions);
        let reshape = format.reshape();
        let padded = !reshape.axes().iter().all(|axis| matches!(axis, Axis::Dimension(_)));
        let columns = (0..reshape.rank()).map(|d| reshape.dimension(d, &mut along, shape)).collect();
        let mut found = Coordinates { shape: shape.to_vec(), columns, values };
        if padded || zeros == Zeros::Drop {
            let inside = |found: &Coordinates<V>, entry: usize| {
                found.columns.iter().zip(shape).all(|(column, n)| (column[entry] as u64) < *n as u64)
            };
            let stored = |value: V| zeros == Zeros::Keep || !value.same(zero);
            found.retain(|all, entry| stored(all.values[entry]) && inside(all, entry));
        }
        Ok(found)
    }

    /// The same tensor in another format. Zeros that are stored are kept or dropped; a format with padding stores many.
    pub fn convert(self, format: &Format, zeros: Zeros) -> Result<Sparse<V>, Refusal> {
        let zero = self.zero;
        pack::repack(format, self.unpack(zeros)?, zero)
    }
}

/// Each entry of a column, so many times.
fn repeated(column: &[i64], counts: &[usize], total: usize) -> Vec<i64> {
    let mut found = Vec::with_capacity(total);
    column.iter().zip(counts).for_each(|(c, count)| found.resize(found.len() + count, *c));
    found
}
