//! NumPy's arrays as the runtime's views, in place.
//!
//! An array of the right type, aligned and in C order is read where it is; one that lies otherwise is
//! copied, if the caller allows that; one of another type is refused. Nothing is ever cast.
//!
//! This is one of the files with `unsafe`: it makes slices of the memory that a NumPy array says it has.
//! The array is alive as long as the view. As with every extension of NumPy, nobody may write to it
//! meanwhile from another thread.
#![allow(unsafe_code)]

use crate::copied::in_c_order;
use crate::errors;
use atl_diag::{Diagnostic, err};
use atl_driver::elements::scalar;
use atl_driver::signature::Array;
use atl_runtime::{BufferView, BufferViewMut, DType, Element, Kind, bf16, f16};
use numpy::npyffi::flags::{NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::npyffi::{NpyTypes, PY_ARRAY_API, get_type_object, npy_intp};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use std::ops::Range;

/// From so many bytes on a copy is told of.
pub(crate) const LARGE: usize = 1 << 20;

/// A refusal of an argument.
pub(crate) type Refusal = Box<Diagnostic>;

/// Whether an argument that lies otherwise in memory may be copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copies {
    /// Where it must be.
    Allowed,
    /// Never.
    Refused,
}

/// An array for a parameter, and whether it is a copy of what was given.
pub(crate) struct Operand<'py> {
    pub(crate) array: Bound<'py, PyUntypedArray>,
    pub(crate) copied: bool,
    /// What it is a copy of, where that is an array that lies otherwise.
    pub(crate) source: Option<Bound<'py, PyUntypedArray>>,
}

/// The array that a value is for a parameter.
///
/// # Errors
/// It is no array, has other elements, or would have to be copied.
pub(crate) fn operand<'py>(
    value: &Bound<'py, PyAny>,
    param: &Array,
    copies: Copies,
) -> PyResult<Result<Operand<'py>, Refusal>> {
    let wanted = param.dtype;
    let (array, was_array) = match value.cast::<PyUntypedArray>() {
        Ok(array) => (array.clone(), true),
        Err(_) => match array_of(value, param, wanted)? {
            Ok(array) => (array, false),
            Err(refusal) => return Ok(Err(refusal)),
        },
    };
    if let Some(refusal) = elements(&array, param, wanted)? {
        return Ok(Err(refusal));
    }
    let name = &param.name;
    if was_array && value.hasattr("filled")? {
        return Ok(Err(Box::new(
            err!(
                E0505,
                param.span,
                "the argument `{name}` is a masked array, and a kernel reads every element"
            )
            .label("declared here")
            .help(format!("give it the values to compute with: `{name}.filled(0)`")),
        )));
    }
    if array.is_c_contiguous() && is_aligned(&array, wanted) {
        return Ok(valid(Operand { array, copied: false, source: None }, param, wanted));
    }
    if copies == Copies::Refused {
        return Ok(Err(Box::new(
            err!(
                E0505,
                param.span,
                "the argument `{name}` would have to be copied, and `copy=False` forbids it"
            )
            .label("declared here")
            .note(format!("its shape is {:?}, its strides are {:?} bytes", array.shape(), array.strides()))
            .help(format!("give an array in C order: `np.ascontiguousarray({name})`")),
        )));
    }
    let bytes = array.len() * wanted.size();
    if bytes >= LARGE {
        errors::copied(array.py(), name, bytes)?;
    }
    let copied = in_c_order(&array)?;
    Ok(valid(Operand { array: copied, copied: true, source: Some(array) }, param, wanted))
}

/// The operand, if its bytes are values of the type: of truth values, 0 and 1 are.
fn valid<'py>(operand: Operand<'py>, param: &Array, wanted: DType) -> Result<Operand<'py>, Refusal> {
    if wanted != DType::Bool || truth_values(&operand.array) {
        return Ok(operand);
    }
    Err(no_truth_values(param))
}

/// The refusal of other bytes as truth values.
pub(crate) fn no_truth_values(param: &Array) -> Refusal {
    let name = &param.name;
    Box::new(
        err!(E0505, param.span, "the argument `{name}` has bytes other than 0 and 1 as truth values")
            .label("declared here")
            .help(format!("compare them with 0: `{name}.view(np.uint8) != 0`")),
    )
}

/// A value that is not an array of NumPy's: a number, or what gives an array.
fn array_of<'py>(
    value: &Bound<'py, PyAny>,
    param: &Array,
    wanted: DType,
) -> PyResult<Result<Bound<'py, PyUntypedArray>, Refusal>> {
    let (py, name) = (value.py(), &param.name);
    let refuse = |found: String, help: String| {
        Ok(Err(Box::new(
            err!(
                E0505,
                param.span,
                "the argument `{name}` is {found}, and the parameter an array of {wanted}"
            )
            .label("declared here")
            .help(help),
        )))
    };
    if is_number(value) {
        return match exactly(value, wanted)? {
            true => {
                let number = numpy_function(py, "array")?.call1((value, numpy_type(py, wanted)?))?;
                Ok(Ok(number.cast_into()?))
            }
            false => Ok(Err(Box::new(
                err!(
                    E0505,
                    param.span,
                    "the argument `{name}` is {}, which is not a value of {wanted}",
                    value.repr()?
                )
                .label("declared here")
                .help("give a number of that type"),
            ))),
        };
    }
    if value.get_type().module()? == "atl.trace.expr" {
        let help = "call a plain Python function there: it is traced, too; a kernel is called with arrays";
        return refuse("a symbol of a traced function".to_owned(), help.to_owned());
    }
    if value.hasattr("__dlpack_device__")? {
        let device: (i64, i64) = value.call_method0("__dlpack_device__")?.extract()?;
        if device.0 != 1 {
            return refuse("on another device".to_owned(), format!("copy it to this one: `{name}.cpu()`"));
        }
        if !value.hasattr("__array__")? {
            return Ok(Ok(numpy_function(py, "from_dlpack")?.call1((value,))?.cast_into()?));
        }
    }
    if value.hasattr("__array_interface__")? || value.hasattr("__array__")? {
        return Ok(Ok(numpy_function(py, "asarray")?.call1((value,))?.cast_into()?));
    }
    let found = format!("of type `{}`", value.get_type().name()?);
    refuse(found, format!("make an array of it: `np.array({name}, dtype={})`", numpy_name(wanted)))
}

/// Is it a number of Python's own?
fn is_number(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
}

/// Does a number of Python's fit the type? A `float` is one of any float type, as a literal is; an `int`
/// fits if it is exact.
fn exactly(value: &Bound<'_, PyAny>, wanted: DType) -> PyResult<bool> {
    if value.is_exact_instance_of::<PyBool>() {
        return Ok(wanted == DType::Bool);
    }
    if value.is_exact_instance_of::<PyFloat>() {
        let number: f64 = value.extract()?;
        return Ok(match wanted {
            DType::F16 => !number.is_finite() || f16::from_f64(number).is_finite(),
            DType::BF16 => !number.is_finite() || bf16::from_f64(number).is_finite(),
            DType::F32 => !number.is_finite() || (number as f32).is_finite(),
            DType::F64 => true,
            _ => false,
        });
    }
    let Ok(number) = value.extract::<i128>() else { return Ok(false) };
    Ok(match wanted {
        DType::F16 => f64::from(f16::from_integer(number)) as i128 == number,
        DType::BF16 => f64::from(bf16::from_integer(number)) as i128 == number,
        DType::F32 => (number as f32) as i128 == number,
        DType::F64 => (number as f64) as i128 == number,
        DType::Bool => false,
        _ => scalar(wanted).range().is_some_and(|(least, greatest)| (least..=greatest).contains(&number)),
    })
}

/// A refusal of an array whose elements are not of the type.
fn elements(array: &Bound<'_, PyUntypedArray>, param: &Array, wanted: DType) -> PyResult<Option<Refusal>> {
    let (name, descr) = (&param.name, array.dtype());
    let native = descr.is_native_byteorder() != Some(false);
    let found = dtype(array);
    if found == Some(wanted) {
        return Ok(None);
    }
    let word = match found {
        Some(found) => found.to_string(),
        None => format!("{}", descr.str()?),
    };
    let refusal = err!(
        E0505,
        param.span,
        "the argument `{name}` has elements of type {word}, and the parameter {wanted}"
    )
    .label("declared here");
    let refusal = match found {
        Some(_) => refusal,
        None if !native => refusal.note("its bytes are in the order of another machine"),
        None => refusal.note("the element types are f16, bf16, f32, f64, integers of 8 to 64 bits, and bool"),
    };
    let convert = format!("convert it: `{name}.astype({})`", numpy_name(wanted));
    Ok(Some(Box::new(refusal.help(convert))))
}

/// The runtime's name of an array's elements, if it has one; it has none where bytes are in the order of
/// another machine.
pub(crate) fn dtype(array: &Bound<'_, PyUntypedArray>) -> Option<DType> {
    let descr = array.dtype();
    if descr.is_native_byteorder() == Some(false) {
        return None;
    }
    let kind = match descr.kind() {
        b'f' => Kind::Float,
        b'i' => Kind::Signed,
        b'u' => Kind::Unsigned,
        b'b' => Kind::Truth,
        // NumPy has no name for it; `ml_dtypes` has.
        b'V' => {
            let is_bf16 = descr.itemsize() == 2 && descr.str().is_ok_and(|name| name == "bfloat16");
            return is_bf16.then_some(DType::BF16);
        }
        _ => return None,
    };
    DType::ALL.into_iter().find(|dtype| dtype.kind() == kind && dtype.size() == descr.itemsize())
}

/// NumPy's name of an element type, in programs that import `numpy` as `np`.
pub(crate) fn numpy_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "np.float16",
        DType::BF16 => "ml_dtypes.bfloat16",
        DType::F32 => "np.float32",
        DType::F64 => "np.float64",
        DType::I8 => "np.int8",
        DType::I16 => "np.int16",
        DType::I32 => "np.int32",
        DType::I64 => "np.int64",
        DType::U8 => "np.uint8",
        DType::U16 => "np.uint16",
        DType::U32 => "np.uint32",
        DType::U64 => "np.uint64",
        DType::Bool => "np.bool",
    }
}

/// NumPy's description of an element type. That of `bf16` is in a package of its own.
pub(crate) fn numpy_type(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    if dtype != DType::BF16 {
        let name = numpy_name(dtype);
        return Ok(PyString::new(py, name.strip_prefix("np.").unwrap_or(name)).into_any());
    }
    let missing = |_| {
        pyo3::exceptions::PyImportError::new_err(
            "NumPy has no `bf16`: install `ml_dtypes`, which has it as `ml_dtypes.bfloat16`, or declare the parameter \
             as `u16` and give the bits",
        )
    };
    py.import("ml_dtypes").map_err(missing)?.getattr("bfloat16")
}

/// A function of NumPy's.
pub(crate) fn numpy_function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py).getattr(name)
}

/// A new array of zeros with these elements.
///
/// # Errors
/// NumPy's: there is no memory for it, or no array is so large.
pub(crate) fn zeros_of<'py>(
    descr: Bound<'py, PyArrayDescr>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = descr.py();
    let mut extents = shape.iter().map(|n| npy_intp::try_from(*n)).collect::<Result<Vec<_>, _>>()?;
    let rank = i32::try_from(extents.len())?;
    // SAFETY: NumPy was imported with this module; it reads that many extents, and takes the description.
    unsafe {
        let array = PY_ARRAY_API.PyArray_Zeros(py, rank, extents.as_mut_ptr(), descr.into_dtype_ptr(), 0);
        Ok(Bound::from_owned_ptr_or_err(py, array)?.cast_into()?)
    }
}

/// NumPy's flags of an array.
pub(crate) fn flags(array: &Bound<'_, PyUntypedArray>) -> i32 {
    // SAFETY: the pointer is that of a live array.
    unsafe { (*array.as_array_ptr()).fields.flags }
}

/// Where an array's memory begins.
pub(crate) fn base(array: &Bound<'_, PyUntypedArray>) -> *mut u8 {
    // SAFETY: the pointer is that of a live array.
    unsafe { (*array.as_array_ptr()).fields.data.cast() }
}

/// Do the elements stand where their type may stand?
pub(crate) fn is_aligned(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> bool {
    (base(array) as usize).is_multiple_of(dtype.size())
}

/// May the array be written to?
pub(crate) fn is_writable(array: &Bound<'_, PyUntypedArray>) -> bool {
    flags(array) & NPY_ARRAY_WRITEABLE != 0
}

/// The addresses of a contiguous array's bytes.
pub(crate) fn addresses(array: &Bound<'_, PyUntypedArray>) -> Range<usize> {
    let start = base(array) as usize;
    start..start + array.len() * array.dtype().itemsize()
}

/// The same of an array whose number of bytes is known.
pub(crate) fn addresses_of(array: &Bound<'_, PyUntypedArray>, bytes: usize) -> Range<usize> {
    let start = base(array) as usize;
    start..start + bytes
}

/// Are all bytes of an array of truth values in C order 0 or 1?
pub(crate) fn truth_values(array: &Bound<'_, PyUntypedArray>) -> bool {
    assert!(array.is_c_contiguous() && array.dtype().itemsize() == 1);
    // SAFETY: such an array has a byte for each element, and any byte is a `u8`.
    let bytes = unsafe { std::slice::from_raw_parts(base(array), array.len()) };
    bytes.iter().all(|byte| *byte <= 1)
}

/// Runs an expression with `T` the Rust type of a run-time one.
macro_rules! with_type {
    ($dtype:expr, $T:ident => $body:expr) => {
        atl_runtime::with_element!($dtype, $T => $body)
    };
}
pub(crate) use with_type;

/// An array in C order, aligned, of elements of this type, to be read.
pub(crate) fn view<'a>(array: &'a Bound<'_, PyUntypedArray>, dtype: DType) -> BufferView<'a> {
    fn of<'a, T: Element>(array: &'a Bound<'_, PyUntypedArray>) -> BufferView<'a> {
        // SAFETY: it is asserted below that the array has as many elements of this type, aligned and in C
        // order; truth values were looked at by `valid`; the array lives as long as the view.
        let elements: &'a [T] = unsafe { std::slice::from_raw_parts(base(array).cast(), array.len()) };
        BufferView::from_slice(elements, array.shape()).expect("as long as its shape says")
    }
    assert!(self::dtype(array) == Some(dtype) && array.is_c_contiguous() && is_aligned(array, dtype));
    with_type!(dtype, T => of::<T>(array))
}

/// The same, to be written to.
pub(crate) fn view_mut<'a>(array: &'a Bound<'_, PyUntypedArray>, dtype: DType) -> BufferViewMut<'a> {
    fn of<'a, T: Element>(array: &'a Bound<'_, PyUntypedArray>) -> BufferViewMut<'a> {
        // SAFETY: as above; and the array is writable, and `results::apart` has shown that it overlaps no
        // argument.
        let elements: &'a mut [T] =
            unsafe { std::slice::from_raw_parts_mut(base(array).cast(), array.len()) };
        BufferViewMut::from_slice(elements, array.shape()).expect("as long as its shape says")
    }
    assert!(self::dtype(array) == Some(dtype) && array.is_c_contiguous() && is_aligned(array, dtype));
    assert!(is_writable(array));
    with_type!(dtype, T => of::<T>(array))
}

/// The same view, for as long as the caller keeps what it is of.
///
/// # Safety
/// The memory is not freed, nor moved, while the view or a copy of it is there.
pub(crate) unsafe fn kept<'k>(view: BufferView<'_>) -> BufferView<'k> {
    // SAFETY: only the lifetime differs, for which the caller stands.
    unsafe { std::mem::transmute::<BufferView<'_>, BufferView<'k>>(view) }
}

/// The array that a value is, without being one of a class of its own.
#[inline]
pub(crate) fn plain_array<'a, 'py>(
    py: Python<'py>,
    value: &'a Bound<'py, PyAny>,
) -> Option<&'a Bound<'py, PyUntypedArray>> {
    // SAFETY: NumPy was imported with this module, and its type objects stay.
    let class = unsafe { get_type_object(py, NpyTypes::PyArray_Type) };
    // SAFETY: a type object is an object; the type of a value is one, too.
    let is_it = std::ptr::eq(value.get_type_ptr(), class);
    // SAFETY: its type is NumPy's array.
    is_it.then(|| unsafe { value.cast_unchecked::<PyUntypedArray>() })
}

/// The array, if it has these elements, this shape, C order and these flags.
#[inline]
pub(crate) fn like<'a, 'py>(
    array: &'a Bound<'py, PyUntypedArray>,
    descr: &Py<PyArrayDescr>,
    shape: &[usize],
    wanted: i32,
) -> Option<&'a Bound<'py, PyUntypedArray>> {
    // SAFETY: the array is alive, and its fields are read under Python's lock.
    let found = unsafe { (*array.as_array_ptr()).fields.descr };
    let wanted = wanted | NPY_ARRAY_C_CONTIGUOUS;
    // Shapes are short: to compare them here is quicker than to call what compares memory.
    let is_like =
        found.cast() == descr.as_ptr() && flags(array) & wanted == wanted && array.shape().iter().eq(shape);
    is_like.then_some(array)
}

/// The elements of such an array, to be read.
pub(crate) fn view_of<'a>(
    array: &'a Bound<'_, PyUntypedArray>,
    dtype: DType,
    shape: &'a [usize],
) -> BufferView<'a> {
    with_type!(dtype, T => {
        // SAFETY: `like` has found as many elements of this type, aligned and in C order; truth values go the
        // long way; the array lives as long as the view.
        let elements: &'a [T] = unsafe { std::slice::from_raw_parts(base(array).cast(), array.len()) };
        BufferView::from_parts(elements, shape).expect("as long as its shape says")
    })
}

/// The same, to be written to.
pub(crate) fn view_mut_of<'a>(
    array: &'a Bound<'_, PyUntypedArray>,
    dtype: DType,
    shape: &'a [usize],
) -> BufferViewMut<'a> {
    with_type!(dtype, T => {
        // SAFETY: as above; and it is writable, and overlaps no argument.
        let elements: &'a mut [T] = unsafe { std::slice::from_raw_parts_mut(base(array).cast(), array.len()) };
        BufferViewMut::from_parts(elements, shape).expect("as long as its shape says")
    })
}
