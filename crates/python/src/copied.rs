//! Copies of arrays in C order.
//!
//! The one idea: where another axis than the last one is the closest in memory, a copy row by row reads a line of
//! memory for each element; so it goes by tiles, of which each reads and writes whole lines. NumPy copies what
//! lies otherwise.
#![allow(unsafe_code)]

use crate::data::{base, numpy_function};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Bytes of a line of memory.
const LINE: usize = 64;

/// Rows of the copy that are written side by side: as many pages as are found at once.
const ROWS: usize = 256;

/// An axis: how far elements lie from each other in the array and in the copy, in bytes.
#[derive(Clone, Copy)]
struct Axis {
    extent: usize,
    from: isize,
    to: isize,
}

/// The elements of an array in C order, in memory of their own.
///
/// # Errors
/// There is no memory for them.
pub(crate) fn in_c_order<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let shape = PyTuple::new(array.py(), array.shape())?;
    let to = numpy_function(array.py(), "empty")?.call1((shape, array.dtype()))?;
    let to = to.cast_into::<PyUntypedArray>()?;
    copy(array, &to)?;
    Ok(to)
}

/// Copies the elements of an array to one of the same shape and type, in C order and of other memory.
///
/// # Errors
/// What NumPy says.
pub(crate) fn copy(from: &Bound<'_, PyUntypedArray>, to: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    let size = from.dtype().itemsize();
    assert!(from.shape() == to.shape() && to.is_c_contiguous() && to.dtype().itemsize() == size);
    let Some((outer, rows, columns)) = tiled(from, to) else {
        return numpy_function(from.py(), "copyto")?.call1((to, from)).map(drop);
    };
    let (from, to) = (base(from).cast_const(), base(to));
    // SAFETY: the axes are those of two arrays, whose elements have these sizes; the one that is written to
    // is another array's memory.
    unsafe {
        match size {
            1 => each::<u8>(&outer, from, to, rows, columns),
            2 => each::<u16>(&outer, from, to, rows, columns),
            4 => each::<u32>(&outer, from, to, rows, columns),
            _ => each::<u64>(&outer, from, to, rows, columns),
        }
    }
    Ok(())
}

/// The axes, where tiles are worth it: the last one, the closest in memory before it, and the others.
fn tiled(
    from: &Bound<'_, PyUntypedArray>,
    to: &Bound<'_, PyUntypedArray>,
) -> Option<(Vec<Axis>, Axis, Axis)> {
    let parts = from.shape().iter().zip(from.strides()).zip(to.strides());
    let mut axes: Vec<Axis> =
        parts.map(|((extent, from), to)| Axis { extent: *extent, from: *from, to: *to }).collect();
    if !matches!(from.dtype().itemsize(), 1 | 2 | 4 | 8) || axes.iter().any(|axis| axis.extent == 0) {
        return None;
    }
    axes.retain(|axis| axis.extent > 1);
    let columns = axes.pop()?;
    // Along an axis of a broadcast array all elements are one, so each row is a row again.
    let closest =
        (0..axes.len()).filter(|k| axes[*k].from != 0).min_by_key(|k| axes[*k].from.unsigned_abs())?;
    let rows = axes.remove(closest);
    (rows.from.unsigned_abs() < columns.from.unsigned_abs()).then_some((axes, rows, columns))
}

/// Copies a matrix for each index of the outer axes.
///
/// # Safety
/// All elements of the axes lie in memory that may be read, and written.
unsafe fn each<T: Copy>(outer: &[Axis], from: *const u8, to: *mut u8, rows: Axis, columns: Axis) {
    let Some((axis, inner)) = outer.split_first() else {
        // SAFETY: as for this function.
        return unsafe { matrix::<T>(from, to, rows, columns) };
    };
    for k in 0..axis.extent as isize {
        // SAFETY: the index is below the axis's extent.
        unsafe { each::<T>(inner, from.offset(k * axis.from), to.offset(k * axis.to), rows, columns) };
    }
}

/// Copies a matrix by tiles.
///
/// # Safety
/// As for [`each`].
unsafe fn matrix<T: Copy>(from: *const u8, to: *mut u8, rows: Axis, columns: Axis) {
    let tile = LINE / size_of::<T>();
    for first in (0..rows.extent).step_by(ROWS) {
        let last = rows.extent.min(first + ROWS);
        for column in (0..columns.extent).step_by(tile) {
            let right = columns.extent.min(column + tile);
            for row in (first..last).step_by(tile) {
                for i in row..last.min(row + tile) {
                    let (i, columns_here) = (i as isize, column as isize..right as isize);
                    for j in columns_here {
                        // SAFETY: both indices are below their axes' extents.
                        unsafe {
                            let element =
                                from.offset(i * rows.from + j * columns.from).cast::<T>().read_unaligned();
                            to.offset(i * rows.to + j * columns.to).cast::<T>().write_unaligned(element);
                        }
                    }
                }
            }
        }
    }
}
