//! A tensor in a format: the metadata of each level, and the values. It is always well formed.

use crate::coordinates::Coordinates;
use crate::value::Value;
use crate::{Format, Instance, Metadata, Refusal, Zeros, pack, unpack, validate};

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

    /// The entries, in the order in which they are stored. Zeros that are stored, also as padding, are kept
    /// or dropped.
    pub fn unpack(self, zeros: Zeros) -> Result<Coordinates<V>, Refusal> {
        unpack::unpack(self, zeros)
    }

    /// The same tensor in another format. Zeros that are stored are kept or dropped; a format with padding
    /// stores many.
    pub fn convert(self, format: &Format, zeros: Zeros) -> Result<Sparse<V>, Refusal> {
        let zero = self.zero;
        pack::repack(format, self.unpack(zeros)?, zero)
    }
}
