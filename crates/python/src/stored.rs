//! An operand of `scipy.sparse` that is read where it is, in a call like the one before.
//!
//! The one idea: what was found out of its class, its shape and the types of its arrays holds of the next
//! value with the same ones. What the arrays contain the call checks ([`Shaped`](atl_driver::Shaped)).

use crate::data::{addresses, addresses_of, dtype, like, plain_array, view_of};
use atl_driver::BufferView;
use atl_runtime::DType;
use numpy::npyffi::flags::NPY_ARRAY_ALIGNED;
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::ops::Range;

/// The type of pointers in formats.
const POINTERS: DType = DType::I64;

/// What is known of such an operand.
pub(crate) struct Stored {
    class: Py<PyType>,
    shape: Py<PyTuple>,
    /// The elements of pointers, coordinates and values.
    descrs: [Py<PyArrayDescr>; 3],
    /// The type of pointers in the value, `i32` or `i64`, and how many bytes the arrays have.
    pointers: DType,
    bytes: [usize; 3],
    /// The position of the pointers among the kernel's arrays.
    first: usize,
}

/// The arrays of a value, and its pointers as the format has them, if those are of another type.
pub(crate) struct Parts<'py> {
    arrays: [Bound<'py, PyUntypedArray>; 3],
    pointers: Option<Vec<i64>>,
}

impl Stored {
    /// What is known of a value that was read where it is, by the arrays of these types from this position
    /// on: of a compressed one whose pointers alone may have been copied.
    pub(crate) fn of(value: &Bound<'_, PyAny>, first: usize, dtypes: [DType; 3]) -> Option<Stored> {
        let py = value.py();
        let format: String = value.getattr(intern!(py, "format")).ok()?.extract().ok()?;
        if !matches!(format.as_str(), "csr" | "csc") {
            return None;
        }
        let arrays = arrays(value)?;
        let is_as_wanted = |k: usize| dtype(&arrays[k]) == Some(dtypes[k]);
        let pointers = dtype(&arrays[0]).filter(|found| matches!(found, DType::I32 | DType::I64))?;
        if !is_as_wanted(1) || !is_as_wanted(2) {
            return None;
        }
        let bytes = [0, 1, 2].map(|k| addresses(&arrays[k]).len());
        let descrs = arrays.map(|array| array.dtype().unbind());
        let shape = value.getattr(intern!(py, "shape")).ok()?.cast_into::<PyTuple>().ok()?.unbind();
        Some(Stored { class: value.get_type().unbind(), shape, descrs, pointers, bytes, first })
    }

    /// The arrays of another value like that one.
    pub(crate) fn parts<'py>(&self, value: &Bound<'py, PyAny>, shapes: &[Vec<usize>]) -> Option<Parts<'py>> {
        let py = value.py();
        if value.get_type_ptr().cast() != self.class.as_ptr() {
            return None;
        }
        let shape = value.getattr(intern!(py, "shape")).ok()?;
        if !shape.is(&self.shape) && !shape.eq(self.shape.bind(py)).ok()? {
            return None;
        }
        let arrays = arrays(value)?;
        for ((array, descr), shape) in arrays.iter().zip(&self.descrs).zip(&shapes[self.first..]) {
            like(array, descr, shape, NPY_ARRAY_ALIGNED)?;
        }
        let shape = &shapes[self.first];
        let narrow = (self.pointers == DType::I32).then(|| view_of(&arrays[0], DType::I32, shape));
        let pointers = match narrow {
            Some(narrow) => Some(narrow.as_slice::<i32>().ok()?.iter().map(|at| i64::from(*at)).collect()),
            None => None,
        };
        let parts = Parts { arrays, pointers };
        let entries = i64::try_from(parts.arrays[1].len()).ok()?;
        // All entries are in segments.
        (parts.ends(shape)? == (0, entries)).then_some(parts)
    }

    /// The views of such arrays for the kernel, by position.
    pub(crate) fn views<'a>(
        &self,
        parts: &'a Parts<'_>,
        dtypes: [DType; 3],
        shapes: &'a [Vec<usize>],
    ) -> Option<[(usize, BufferView<'a>); 3]> {
        let view = |k: usize| view_of(&parts.arrays[k], dtypes[k], &shapes[self.first + k]);
        let pointers = parts.wide(&shapes[self.first])?;
        Some([(self.first, pointers), (self.first + 1, view(1)), (self.first + 2, view(2))])
    }

    /// The position of the pointers among the kernel's arrays.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The addresses of such arrays.
    pub(crate) fn addresses(&self, parts: &Parts<'_>) -> [Range<usize>; 3] {
        [0, 1, 2].map(|k| addresses_of(&parts.arrays[k], self.bytes[k]))
    }
}

impl Parts<'_> {
    /// The pointers, as the format has them.
    fn wide<'a>(&'a self, shape: &'a [usize]) -> Option<BufferView<'a>> {
        match &self.pointers {
            Some(wide) => BufferView::from_parts(wide, shape).ok(),
            None => Some(view_of(&self.arrays[0], POINTERS, shape)),
        }
    }

    /// The first and the last pointer.
    fn ends(&self, shape: &[usize]) -> Option<(i64, i64)> {
        let wide = match &self.pointers {
            Some(wide) => wide,
            None => view_of(&self.arrays[0], POINTERS, shape).as_slice::<i64>().ok()?,
        };
        Some((*wide.first()?, *wide.last()?))
    }
}

/// Pointers, coordinates and values, if they are plain arrays.
fn arrays<'py>(value: &Bound<'py, PyAny>) -> Option<[Bound<'py, PyUntypedArray>; 3]> {
    let py = value.py();
    let part = |name| {
        let found = value.getattr(name).ok()?;
        plain_array(py, &found)?;
        found.cast_into::<PyUntypedArray>().ok()
    };
    Some([part(intern!(py, "indptr"))?, part(intern!(py, "indices"))?, part(intern!(py, "data"))?])
}
