//! Results: arrays of NumPy's, and the caller's own.

use crate::data::{
    Refusal, addresses, dtype, is_aligned, is_writable, numpy_function, numpy_name, numpy_type, zeros_of,
};
use atl_diag::err;
use atl_driver::signature::ResultType;
use atl_driver::{Signature, SparseResult};
use atl_runtime::DType;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A new array of zeros. Those of `bf16` need the package that has the type.
///
/// # Errors
/// `MemoryError` where there is not the memory for it.
pub(crate) fn zeros<'py>(
    py: Python<'py>,
    dtype: DType,
    shape: &[usize],
) -> PyResult<Bound<'py, PyUntypedArray>> {
    macro_rules! of {
        ($($name:ident $ty:ident)*) => {
            match dtype {
                $(DType::$name => numpy::dtype::<$ty>(py),)*
                DType::F16 | DType::BF16 => return zeros_by_name(py, dtype, shape),
            }
        };
    }
    let descr = of!(F32 f32 F64 f64 I8 i8 I16 i16 I32 i32 I64 i64 U8 u8 U16 u16 U32 u32 U64 u64 Bool bool);
    zeros_of(descr, shape).map_err(|error| out_of_memory(py, error))
}

/// An array that is too big for every machine is out of memory, too.
fn out_of_memory(py: Python<'_>, error: PyErr) -> PyErr {
    match error.is_instance_of::<PyValueError>(py) {
        true => PyMemoryError::new_err(error.value(py).to_string()),
        false => error,
    }
}

/// The same, by NumPy's function.
fn zeros_by_name<'py>(
    py: Python<'py>,
    dtype: DType,
    shape: &[usize],
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let arguments = (PyTuple::new(py, shape)?, numpy_type(py, dtype)?);
    let found = numpy_function(py, "zeros")?.call1(arguments);
    Ok(found.map_err(|error| out_of_memory(py, error))?.cast_into()?)
}

/// A result as NumPy gives them: without dimensions it is a number.
pub(crate) fn given<'py>(array: Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyAny>> {
    match array.ndim() {
        0 => array.get_item(PyTuple::empty(array.py())),
        _ => Ok(array.into_any()),
    }
}

/// New arrays of zeros for several results.
pub(crate) fn all_zeros<'py>(
    py: Python<'py>,
    f: &Signature,
    bound: &atl_driver::Bound<'_>,
) -> PyResult<Vec<Bound<'py, PyUntypedArray>>> {
    f.results().zip(bound.shapes()).map(|(result, shape)| zeros(py, result.dtype, shape)).collect()
}

/// Several results as a tuple, each as NumPy gives it.
pub(crate) fn all_given<'py>(
    py: Python<'py>,
    arrays: Vec<Bound<'py, PyUntypedArray>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arrays = arrays.into_iter().map(given).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, arrays)?.into_any())
}

/// The caller's arrays for several results: a tuple or a list of as many.
///
/// # Errors
/// Another number of them, or one that cannot be written as its result.
pub(crate) fn targets<'py>(
    f: &Signature,
    out: &Bound<'py, PyAny>,
    bound: &atl_driver::Bound<'_>,
) -> Result<Vec<Bound<'py, PyUntypedArray>>, Refusal> {
    let given: Vec<Bound<'py, PyAny>> = match out.try_iter() {
        Ok(items) if !out.is_instance_of::<PyUntypedArray>() => items.filter_map(Result::ok).collect(),
        _ => vec![out.clone()],
    };
    let count = f.results().count();
    if given.len() != count {
        return Err(Box::new(
            err!(E0552, f.span, "`{}` has {count} results, and `out` is {} arrays", f.name, given.len())
                .label("this function")
                .help("give an array for each, in a tuple: `out=(a, b)`"),
        ));
    }
    let results = f.results().zip(bound.shapes());
    let targets = given.iter().zip(results).map(|(out, (result, shape))| target(f, result, out, shape));
    let targets = targets.collect::<Result<Vec<_>, _>>()?;
    for (k, one) in targets.iter().enumerate() {
        if targets[..k].iter().any(|other| overlap(one, other)) {
            return Err(Box::new(
                err!(E0504, f.span, "two arrays of `out` overlap, and each is to hold a result of its own")
                    .label("this function")
                    .help("give an array for each result that shares no memory with the others"),
            ));
        }
    }
    Ok(targets)
}

/// The caller's array for a result, if it can be written as such.
///
/// # Errors
/// Another type or shape, strides, read-only memory.
pub(crate) fn target<'py>(
    f: &Signature,
    result: &ResultType,
    out: &Bound<'py, PyAny>,
    shape: &[usize],
) -> Result<Bound<'py, PyUntypedArray>, Refusal> {
    let wanted = result.dtype;
    let allocate = format!("allocate it with `np.empty({shape:?}, dtype={})`", numpy_name(wanted));
    let refuse = |why: String| {
        Err(Box::new(
            err!(E0504, f.span, "`{}` cannot store its result in `out`: {why}", f.name)
                .label("this function")
                .help(allocate.replace('[', "(").replace(']', ")")),
        ))
    };
    let Ok(out) = out.cast::<PyUntypedArray>() else {
        return refuse(format!("it is of type `{}`", out.get_type()));
    };
    if dtype(out) != Some(wanted) || out.shape() != shape {
        let found = dtype(out).map_or_else(|| "another type".to_owned(), |found| found.to_string());
        return refuse(format!("it is {found}{:?}, and the result {wanted}{shape:?}", out.shape()));
    }
    if !out.is_c_contiguous() || !is_aligned(out, wanted) {
        return refuse("its elements are not in C order, one beside the other".to_owned());
    }
    if !is_writable(out) {
        return refuse("it is read-only".to_owned());
    }
    Ok(out.clone())
}

/// Do the arrays share memory?
fn overlap(one: &Bound<'_, PyUntypedArray>, other: &Bound<'_, PyUntypedArray>) -> bool {
    let (a, b) = (addresses(one), addresses(other));
    !a.is_empty() && !b.is_empty() && a.start < b.end && b.start < a.end
}

/// A refusal of a result that would be stored over an argument.
pub(crate) fn apart(
    f: &Signature,
    out: &Bound<'_, PyUntypedArray>,
    name: &str,
    argument: &Bound<'_, PyUntypedArray>,
) -> Result<(), Refusal> {
    if !overlap(out, argument) {
        return Ok(());
    }
    Err(Box::new(
        err!(E0504, f.span, "`out` overlaps the argument `{name}`, which is read while the result is stored")
            .label("this function")
            .help(format!("give another array as `out`, or add `reuse {name}` to the schedule and give that array itself")),
    ))
}

/// A result in a format, as SciPy has it: canonical, with the zeros that are stored.
pub(crate) fn sparse<'py>(
    py: Python<'py>,
    found: &SparseResult,
) -> PyResult<Result<Bound<'py, PyAny>, String>> {
    let entries = match found.entries() {
        Ok(entries) => entries,
        Err(why) => return Ok(Err(why)),
    };
    let columns = entries.columns().iter().map(|column| {
        let column: Vec<i64> = column.iter().map(|at| i64::try_from(*at).unwrap_or(i64::MAX)).collect();
        numpy::PyArray1::from_vec(py, column).into_any()
    });
    let columns = PyTuple::new(py, columns.collect::<Vec<_>>())?;
    let values = entries.values();
    let data = zeros(py, values.dtype(), &[values.len()])?;
    let mut to = crate::data::view_mut(&data, values.dtype());
    if let Err(why) = to.copy_from(values) {
        return Ok(Err(why.to_string()));
    }
    let shape = PyTuple::new(py, entries.shape())?;
    let module = py.import("scipy.sparse")?;
    let coo = module.getattr("coo_array")?.call1(((data, columns), shape))?;
    Ok(Ok(match found.format.to_string().as_str() {
        "[dense, compressed]" => coo.call_method0("tocsr")?,
        "[dense of j, compressed of i]" => coo.call_method0("tocsc")?,
        _ => coo,
    }))
}
