//! Tensors of values.

use crate::error::{EvalError, Result};
use atl_kernel::Elem;

/// A tensor: its elements' type, its extents, its elements in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor<V> {
    elem: Elem,
    shape: Vec<usize>,
    data: Vec<V>,
}

impl<V> Tensor<V> {
    /// A tensor; refused if the number of elements is not the product of the extents.
    pub fn try_new(elem: Elem, shape: Vec<usize>, data: Vec<V>) -> Result<Tensor<V>> {
        let cells = shape.iter().try_fold(1usize, |cells, n| cells.checked_mul(*n));
        if cells == Some(data.len()) { Ok(Tensor { elem, shape, data }) } else { Err(EvalError::Shape) }
    }

    /// A scalar.
    pub fn scalar(elem: Elem, value: V) -> Tensor<V> {
        Tensor { elem, shape: vec![], data: vec![value] }
    }

    /// The type of the elements.
    pub fn elem(&self) -> Elem {
        self.elem
    }

    /// The extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements, in row-major order.
    pub fn data(&self) -> &[V] {
        &self.data
    }

    /// The elements, in row-major order.
    pub fn into_data(self) -> Vec<V> {
        self.data
    }

    /// The same elements in another type of elements.
    pub(crate) fn with_elem(self, elem: Elem) -> Tensor<V> {
        Tensor { elem, ..self }
    }
}

impl<V> Tensor<V> {
    /// The element at these indices, if they are as many as there are extents, and in range.
    pub(crate) fn element(&self, at: &[i128]) -> Option<&V> {
        let mut cell = 0;
        for (index, extent) in at.iter().zip(&self.shape) {
            let index = usize::try_from(*index).ok().filter(|index| index < extent)?;
            cell = cell * extent + index;
        }
        if at.len() == self.shape.len() { self.data.get(cell) } else { None }
    }
}

impl<V: Clone> Tensor<V> {
    /// The tensor at leading indices, which are in range.
    pub(crate) fn slice(&self, at: &[usize]) -> Tensor<V> {
        let mut data = &self.data[..];
        for (index, extent) in at.iter().zip(&self.shape) {
            let cells = data.len() / extent;
            data = &data[index * cells..][..cells];
        }
        Tensor { elem: self.elem, shape: self.shape[at.len()..].to_vec(), data: data.to_vec() }
    }
}
