//! SciPy's sparse arrays as arguments: their entries, which the driver packs into the parameter's format.
//!
//! They are copied and checked at each call. What SciPy allows and no format stores, duplicate entries, is refused, never mended.

use crate::data::{Refusal, dtype, numpy_function, numpy_name, view, with_type};
use atl_diag::err;
use atl_driver::signature::Operand;
use atl_runtime::{Buffer, Coordinates, DType, Parts, Tensor, Wish};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// The tensor that a value is for a parameter in a format: one of `scipy.sparse`, or a dense array.
///
/// # Errors
/// Something else, or elements of another type.
pub(crate) fn tensor(
    value: &Bound<'_, PyAny>,
    param: &Operand,
) -> PyResult<Result<Tensor, Refusal>> {
    let wanted = param.dtype;
    let name = &param.name;
    let refuse = |why: String, help: String| {
        Ok(Err(Box::new(
            err!(E0505, param.span, "the argument `{name}` {why}").label("declared here").help(help),
        )))
    };
    let convert = format!("convert it: `{name}.astype(np.{})`", numpy_name(wanted));
    let (values, entries) = match value.hasattr("tocoo")? {
        true => {
            // SciPy reads pointers as they are; they may point anywhere.
            if value.hasattr("check_format")?
                && let Err(why) = value.call_method1("check_format", (true,))
            {
                let help = format!("make it of entries: `scipy.sparse.coo_array(..)`, not `{name}`");
                return refuse(format!("is malformed: {}", why.value(value.py())), help);
            }
            let entries = value.call_method0("tocoo")?;
            (entries.getattr("data")?, Some(entries))
        }
        false => (value.clone(), None),
    };
    let Ok(values) = values.cast_into::<PyUntypedArray>() else {
        let help = "give an array of `scipy.sparse`, or a dense one".to_owned();
        return refuse(format!("is of type `{}`, which is no tensor", value.get_type().name()?), help);
    };
    if dtype(&values) != Some(wanted) || values.dtype().str()?.to_string().starts_with('>') {
        return refuse(
            format!("has elements of type {}, and the parameter {wanted}", values.dtype().str()?),
            convert,
        );
    }
    let values = copied(&values, wanted)?;
    let Some(entries) = entries else { return Ok(Ok(Tensor::Dense(values))) };
    let shape: Vec<usize> = entries.getattr("shape")?.extract()?;
    let mut columns = Vec::new();
    for column in entries.getattr("coords")?.try_iter()? {
        let wide = numpy_function(value.py(), "ascontiguousarray")?.call1((column?, "int64"))?;
        let wide = wide.cast_into::<PyUntypedArray>()?;
        let indices = view(&wide, DType::I64);
        let indices = indices.as_slice::<i64>().unwrap_or_default();
        let indices: Option<Vec<usize>> = indices.iter().map(|at| usize::try_from(*at).ok()).collect();
        match indices {
            Some(indices) => columns.push(indices),
            None => {
                let help = "coordinates count from 0".to_owned();
                return refuse("has an entry at a negative coordinate".to_owned(), help);
            }
        }
    }
    let coordinates = Coordinates::try_new(Parts { shape, columns, values });
    match coordinates.and_then(|coordinates| coordinates.arranged(Wish::default())) {
        Ok(arranged) => Ok(Ok(Tensor::Sparse(arranged))),
        Err(why) => refuse(
            format!("cannot be stored: {why}"),
            format!("add up what shares a place: `{name}.sum_duplicates()`"),
        ),
    }
}

/// The elements of an array, in memory of their own.
fn copied(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> PyResult<Buffer> {
    let array = numpy_function(array.py(), "ascontiguousarray")?.call1((array,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    let view = view(&array, dtype);
    let buffer = with_type!(dtype, T => {
        let elements: &[T] = view.as_slice().unwrap_or_default();
        Buffer::from_slice(elements, array.shape())
    });
    buffer.map_err(|why| pyo3::exceptions::PyMemoryError::new_err(why.to_string()))
}
