//! A tensor as it is at hand: all elements, or entries.

use crate::Buffer;
use crate::coordinates::Arranged;

/// A tensor, dense or sparse.
#[derive(Clone, Debug, PartialEq)]
pub enum Tensor {
    /// All elements.
    Dense(Buffer),
    /// Entries in strict order, and what became of the others.
    Sparse(Arranged),
}

impl Tensor {
    /// The extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        match self {
            Tensor::Dense(dense) => dense.shape(),
            Tensor::Sparse(sparse) => sparse.coordinates.shape(),
        }
    }
}
