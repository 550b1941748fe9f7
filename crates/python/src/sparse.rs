//! SciPy's sparse arrays as arguments: their entries, which the driver packs into the parameter's
//! format.
//!
//! Their arrays are read where they are if they are stored as the format stores them, or copied, and
//! checked at each call; or once, as a [`Packed`]. What SciPy allows and no format stores, duplicate
//! entries, is refused, never mended.

use crate::data::{
    Operand as Array, Refusal, dtype, is_aligned, numpy_function, numpy_name, truth_values, view, with_type,
};
use crate::errors;
use atl_diag::err;
use atl_driver::signature::Operand;
use atl_driver::{Arguments, Signature};
use atl_runtime::{Buffer, Coordinates, DType, Parts, Tensor, Wish};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PySlice;
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
    /// Are these arrays of this tensor?
    pub(crate) fn has(&self, arrays: &Arc<Arguments>) -> bool {
        let known = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().any(|(_, _, found)| Arc::ptr_eq(found, arrays))
    }

    /// The arrays for the parameter in a format at this place, if its extents are sizes, each by
    /// itself.
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

/// The arrays of an operand, as a format stores them, and the shape of the tensor.
type Stored<'py> = (Vec<Array<'py>>, Vec<usize>);

/// The arrays of a value of `scipy.sparse` that is stored as the parameter's format stores a tensor:
/// its entries where they are, and what differs in the type of its integers alone, copied. Whether
/// their contents are those of the format, the call checks.
pub(crate) fn in_place<'py>(
    value: &Bound<'py, PyAny>,
    signature: &Signature,
    param: &Operand,
) -> PyResult<Option<Stored<'py>>> {
    let py = value.py();
    if value.cast::<Packed>().is_ok() {
        return Ok(None);
    }
    let Ok(format) = value.getattr(intern!(py, "format")) else { return Ok(None) };
    let Ok(format) = format.extract::<String>() else { return Ok(None) };
    let stored = param.format.to_string();
    let parts = match (format.as_str(), stored.as_str()) {
        ("csr", "[dense, compressed]") | ("csc", "[dense of j, compressed of i]") => compressed(value)?,
        ("coo", "[compressed of (i, j)]") => entries(value)?,
        ("bsr", blocks) => {
            let (rows, columns): (usize, usize) = value.getattr("blocksize")?.extract()?;
            let levels = format!("dense of i / {rows}, compressed of j / {columns}");
            if blocks != format!("[{levels}, dense of i % {rows}, dense of j % {columns}]") {
                return Ok(None);
            }
            compressed(value)?
        }
        _ => return Ok(None),
    };
    let wanted = &signature.arrays[param.arrays.clone()];
    if parts.len() != wanted.len() {
        return Ok(None);
    }
    let (mut arrays, last) = (Vec::with_capacity(parts.len()), parts.len() - 1);
    for (k, (part, array)) in parts.into_iter().zip(wanted).enumerate() {
        let Ok(found) = part.cast_into::<PyUntypedArray>() else { return Ok(None) };
        let Some(kind) = dtype(&found).filter(|kind| is_aligned(&found, *kind)) else {
            return Ok(None);
        };
        if found.ndim() != 1 || !found.is_c_contiguous() || kind == DType::Bool {
            return Ok(None);
        }
        let is_integer = |kind| matches!(kind, DType::I32 | DType::I64);
        match kind == array.dtype {
            true => arrays.push(Array { array: found, copied: false, source: None }),
            false if k != last && is_integer(kind) && is_integer(array.dtype) => {
                let Some(array) = integers(&found, kind) else { return Ok(None) };
                arrays.push(Array { array, copied: true, source: None });
            }
            false => return Ok(None),
        }
    }
    // All entries are in segments.
    let pointers = view(&arrays[0].array, wanted[0].dtype);
    let ends = pointers.as_slice::<i64>().ok().and_then(|all| Some((*all.first()?, *all.last()?)));
    if ends != Some((0, i64::try_from(arrays[1].array.len()).unwrap_or(i64::MAX))) {
        return Ok(None);
    }
    let shape = value.getattr(intern!(py, "shape"))?.extract()?;
    Ok(Some((arrays, shape)))
}

/// Pointers, coordinates and values of a compressed array; those of blocks one after the other.
fn compressed<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = value.py();
    let data = value.getattr(intern!(py, "data"))?;
    let data = match data.getattr(intern!(py, "ndim"))?.extract::<usize>()? {
        1 => data,
        _ => data.call_method1(intern!(py, "reshape"), (-1,))?,
    };
    Ok(vec![value.getattr(intern!(py, "indptr"))?, value.getattr(intern!(py, "indices"))?, data])
}

/// The one segment of a list of entries, their coordinates and values.
fn entries<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = value.py();
    let data = value.getattr(intern!(py, "data"))?;
    let count = i64::try_from(data.len()?).unwrap_or(i64::MAX);
    let mut parts = vec![PyArray1::from_vec(py, vec![0, count]).into_any()];
    for column in value.getattr(intern!(py, "coords"))?.try_iter()? {
        parts.push(column?);
    }
    parts.push(data);
    Ok(parts)
}

/// Integers of the other one of two types; none where one is not of that type.
fn integers<'py>(array: &Bound<'py, PyUntypedArray>, kind: DType) -> Option<Bound<'py, PyUntypedArray>> {
    let (py, view) = (array.py(), view(array, kind));
    Some(match kind {
        DType::I32 => {
            let wide = view.as_slice::<i32>().ok()?.iter().map(|x| i64::from(*x)).collect();
            PyArray1::<i64>::from_vec(py, wide).as_untyped().clone()
        }
        _ => {
            let wide = view.as_slice::<i64>().ok()?;
            let narrow: Vec<i32> = wide.iter().map(|x| *x as i32).collect();
            let same = wide.iter().zip(&narrow).fold(true, |same, (x, y)| same & (*x == i64::from(*y)));
            same.then(|| PyArray1::<i32>::from_vec(py, narrow).as_untyped().clone())?
        }
    })
}

/// The tensor that a value is for a parameter in a format: one of `scipy.sparse`, a packed one, or a
/// dense array.
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

/// The refusal of an operand that is not stored as its parameter's format stores it.
pub(crate) fn to_be_copied(param: &Operand) -> Refusal {
    let name = &param.name;
    Box::new(
        err!(E0505, param.span, "the argument `{name}` would have to be copied, and `copy=False` forbids it")
            .label("declared here")
            .note(format!("its format is `{}`, with entries in order and indices of type i32", param.format))
            .help(format!("copy it once, before the calls: `{name} = atl.pack({name})`")),
    )
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
        .help(format!("convert it: `{name}.astype({})`", numpy_name(wanted))),
    ))
}

/// Do pointers begin with 0 and never fall?
fn rise_from_zero(pointers: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = pointers.py();
    let from = |start: isize, end: isize| pointers.get_item(PySlice::new(py, start, end, 1));
    let falls = numpy_function(py, "less")?.call1((from(1, isize::MAX)?, from(0, -1)?))?;
    let begins = numpy_function(py, "equal")?.call1((from(0, 1)?, 0))?;
    Ok(!falls.call_method0("any")?.is_truthy()? && begins.call_method0("all")?.is_truthy()?)
}

/// A tensor; or what is wrong with it, and what to type, where it is called `name`.
fn read(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Result<Tensor, (String, String)>> {
    let refuse = |why: &str, help: String| Ok(Err((why.to_owned(), help)));
    let (values, entries) = match value.hasattr("tocoo")? {
        true => {
            // SciPy reads pointers as they are; they may point anywhere. Where the last one says that there are
            // no entries, or fewer, it looks at nothing else.
            let falls = value.hasattr("indptr")? && !rise_from_zero(&value.getattr("indptr")?)?;
            let why = match falls {
                true => Some("its pointers do not rise from 0".to_owned()),
                false if !value.hasattr("check_format")? => None,
                false => {
                    let checked = value.call_method1("check_format", (true,));
                    checked.err().map(|why| why.value(value.py()).to_string())
                }
            };
            if let Some(why) = why {
                let help = format!("make it of entries: `scipy.sparse.coo_array(..)`, not `{name}`");
                return refuse(&format!("is malformed: {why}"), help);
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
    let Some(found) = dtype(&values) else {
        let help = format!("convert it: the element types are {}", DType::ALL.map(DType::name).join(", "));
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
