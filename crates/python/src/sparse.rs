//! SciPy's sparse arrays as arguments: their entries, which the driver packs into the parameter's format.
//!
//! They are copied and checked at each call, or once, as a [`Packed`]. What SciPy allows and no format
//! stores, duplicate entries, is refused, never mended.

use crate::data::{Refusal, dtype, numpy_function, numpy_name, truth_values, view, with_type};
use crate::errors;
use atl_diag::err;
use atl_driver::signature::Operand;
use atl_driver::{Arguments, Signature};
use atl_runtime::{Buffer, Coordinates, DType, Parts, Tensor, Wish};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// How many kernels a tensor remembers its arrays for.
const REMEMBERED: usize = 16;

/// The arrays of a tensor for a parameter in a format of a kernel.
type Remembered = (Arc<Signature>, usize, Arc<Arguments>);

/// A tensor that was read and checked once, in memory that nobody else has.
#[pyclass(subclass, frozen, module = "atl._atl")]
pub(crate) struct Packed {
    tensor: Tensor,
    /// Its arrays for parameters of kernels.
    arrays: Mutex<Vec<Remembered>>,
}

#[pymethods]
impl Packed {
    #[new]
    fn new(value: &Bound<'_, PyAny>) -> PyResult<Packed> {
        match read(value, "S")? {
            Ok(tensor) => Ok(Packed { tensor, arrays: Mutex::default() }),
            Err((why, help)) => Err(errors::plain(value.py(), &format!("the tensor {why}"), &help)),
        }
    }
}

impl Packed {
    /// The arrays for the parameter in a format at this place, if its extents are sizes, each by itself.
    pub(crate) fn arrays(
        &self,
        signature: &Arc<Signature>,
        k: usize,
    ) -> Result<Option<Arc<Arguments>>, Refusal> {
        let param = &signature.operands[k];
        let is_size = |axis: usize| signature.sizes.iter().any(|size| size.operands.contains(&(k, axis)));
        if !(0..param.extents.len()).all(is_size) || self.tensor.shape().len() != param.extents.len() {
            return Ok(None);
        }
        let lock = || self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |(of, place, _): &&Remembered| Arc::ptr_eq(of, signature) && *place == k;
        if let Some((_, _, found)) = lock().iter().find(known) {
            return Ok(Some(found.clone()));
        }
        let mut found = Arguments::default();
        of_type(&self.tensor, param)?;
        found.pack(signature, param, &self.tensor)?;
        let found = Arc::new(found);
        let mut table = lock();
        if table.len() == REMEMBERED {
            table.remove(0);
        }
        table.push((signature.clone(), k, found.clone()));
        Ok(Some(found))
    }
}

/// The tensor that a value is for a parameter in a format: one of `scipy.sparse`, a packed one, or a dense
/// array.
///
/// # Errors
/// Something else, or elements of another type.
pub(crate) fn tensor(value: &Bound<'_, PyAny>, param: &Operand) -> PyResult<Result<Tensor, Refusal>> {
    if let Ok(packed) = value.cast::<Packed>() {
        let tensor = packed.get().tensor.clone();
        return Ok(of_type(&tensor, param).map(|()| tensor));
    }
    Ok(match read(value, &param.name)? {
        Ok(tensor) => of_type(&tensor, param).map(|()| tensor),
        Err((why, help)) => Err(Box::new(
            err!(E0505, param.span, "the argument `{}` {why}", param.name).label("declared here").help(help),
        )),
    })
}

/// Refuses a tensor whose elements are not of the parameter's type.
fn of_type(tensor: &Tensor, param: &Operand) -> Result<(), Refusal> {
    let found = match tensor {
        Tensor::Dense(dense) => dense.dtype(),
        Tensor::Sparse(sparse) => sparse.coordinates.dtype(),
    };
    let (name, wanted) = (&param.name, param.dtype);
    if found == wanted {
        return Ok(());
    }
    Err(Box::new(
        err!(
            E0505,
            param.span,
            "the argument `{name}` has elements of type {found}, and the parameter {wanted}"
        )
        .label("declared here")
        .help(format!("convert it: `{name}.astype(np.{})`", numpy_name(wanted))),
    ))
}

/// A tensor; or what is wrong with it, and what to type, where it is called `name`.
fn read(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Result<Tensor, (String, String)>> {
    let refuse = |why: &str, help: String| Ok(Err((why.to_owned(), help)));
    let (values, entries) = match value.hasattr("tocoo")? {
        true => {
            // SciPy reads pointers as they are; they may point anywhere.
            if value.hasattr("check_format")?
                && let Err(why) = value.call_method1("check_format", (true,))
            {
                let help = format!("make it of entries: `scipy.sparse.coo_array(..)`, not `{name}`");
                return refuse(&format!("is malformed: {}", why.value(value.py())), help);
            }
            let entries = value.call_method0("tocoo")?;
            (entries.getattr("data")?, Some(entries))
        }
        false => (value.clone(), None),
    };
    let Ok(values) = values.cast_into::<PyUntypedArray>() else {
        let help = "give an array of `scipy.sparse`, or a dense one".to_owned();
        return refuse(&format!("is of type `{}`, which is no tensor", value.get_type().name()?), help);
    };
    let native = values.dtype().str()?.to_string();
    let Some(found) = dtype(&values).filter(|_| !native.starts_with('>')) else {
        let help = "convert it: the element types are f32, f64, i32, i64, u8 and bool".to_owned();
        return refuse(&format!("has elements of type {native}"), help);
    };
    let values = numpy_function(value.py(), "ascontiguousarray")?.call1((values,))?;
    let values = values.cast_into::<PyUntypedArray>()?;
    if found == DType::Bool && !truth_values(&values) {
        let help = format!("compare them with 0: `{name} != 0`");
        return refuse("has bytes other than 0 and 1 as truth values", help);
    }
    let values = copied(&values, found)?;
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
                return refuse(
                    "has an entry at a negative coordinate",
                    "coordinates count from 0".to_owned(),
                );
            }
        }
    }
    let coordinates = Coordinates::try_new(Parts { shape, columns, values });
    match coordinates.and_then(|coordinates| coordinates.arranged(Wish::default())) {
        Ok(arranged) => Ok(Ok(Tensor::Sparse(arranged))),
        Err(why) => refuse(
            &format!("cannot be stored: {why}"),
            format!("add up what shares a place: `{name}.sum_duplicates()`"),
        ),
    }
}

/// The elements of an array in C order, in memory of their own.
fn copied(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> PyResult<Buffer> {
    let view = view(array, dtype);
    let buffer = with_type!(dtype, T => {
        let elements: &[T] = view.as_slice().unwrap_or_default();
        Buffer::from_slice(elements, array.shape())
    });
    buffer.map_err(|why| pyo3::exceptions::PyMemoryError::new_err(why.to_string()))
}
