//! Complex arrays in calls: one array of NumPy's is two of the kernel's.
//!
//! The parts of an array are views, `z.real` and `z.imag`; what is read where it is and what is copied, is
//! decided as for every array with strides. A complex result is put together from its parts.

use crate::errors;
use crate::kernel::{Kernel, Role};
use atl_driver::Complex;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyDict, PyFloat, PyInt, PyTuple};

/// Does a call take or give complex numbers?
pub(crate) fn is_complex(kernel: &Kernel) -> bool {
    !kernel.lowered.signature.complex.is_empty()
}

/// Calls a kernel with complex arrays.
pub(crate) fn call<'py>(
    kernel: &Kernel,
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (args, kwargs, out) = apart(kernel, py, args, kwargs)?;
    let found = crate::call::call(kernel, py, &args, Some(&kwargs))?;
    together(kernel, py, found, out)
}

type Apart<'py> = (Bound<'py, PyTuple>, Bound<'py, PyDict>, Option<Bound<'py, PyAny>>);

/// The arguments with the parts of complex ones in their places, and the caller's array for the result.
fn apart<'py>(
    kernel: &Kernel,
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Apart<'py>> {
    let signature = &kernel.lowered.signature;
    let params = || signature.complex.iter().filter(|complex| !complex.is_result);
    let mut given = Vec::new();
    let mut roles = kernel.positions.iter();
    for value in args {
        let complex = match roles.next() {
            Some(Role::Array(k)) => params().find(|complex| complex.parts[0] == signature.arrays[*k].name),
            _ => None,
        };
        match complex {
            Some(complex) => {
                roles.next();
                given.extend(parts(py, complex, &value)?);
            }
            None => given.push(value),
        }
    }
    let (named, mut out) = (PyDict::new(py), None);
    for (name, value) in kwargs.into_iter().flatten() {
        let text: String = name.extract()?;
        match params().find(|complex| complex.name == text) {
            Some(complex) => {
                for (part, value) in complex.parts.iter().zip(parts(py, complex, &value)?) {
                    named.set_item(part, value)?;
                }
            }
            None if text == "out" && signature.array("out").is_none() => {
                out = (!value.is_none()).then_some(value);
            }
            None => named.set_item(name, value)?,
        }
    }
    Ok((PyTuple::new(py, given)?, named, out))
}

/// NumPy's name of the type.
fn dtype(complex: &Complex) -> &'static str {
    if complex.is_double { "complex128" } else { "complex64" }
}

/// The real and the imaginary part of an argument.
fn parts<'py>(
    py: Python<'py>,
    complex: &Complex,
    value: &Bound<'py, PyAny>,
) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let numpy = py.import("numpy")?;
    let wanted = dtype(complex);
    let is_number = value.is_instance_of::<PyComplex>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyInt>();
    let array = match is_number {
        true => numpy.call_method1("asarray", (value, wanted))?,
        false => numpy.call_method1("asarray", (value,))?,
    };
    let found: String = array.getattr("dtype")?.str()?.extract()?;
    if found != wanted {
        let title = format!(
            "the argument `{}` is of type `{}`, and elements of {found} are given",
            complex.name, complex.ty
        );
        return Err(errors::plain(
            py,
            &title,
            &format!("`{}.astype(np.{wanted})` converts them", complex.name),
        ));
    }
    Ok([array.getattr("real")?, array.getattr("imag")?])
}

/// The results with complex ones in place of their parts, in the caller's arrays if there are any.
fn together<'py>(
    kernel: &Kernel,
    py: Python<'py>,
    found: Bound<'py, PyAny>,
    out: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let declared = kernel.lowered.signature.declared_results();
    let numpy = py.import("numpy")?;
    let found: Vec<Bound<'py, PyAny>> = match kernel.lowered.signature.more.is_empty() {
        true => vec![found],
        false => found.extract()?,
    };
    let mut results = Vec::new();
    for (complex, k) in declared {
        let Some(complex) = complex else {
            results.push(found[k].clone());
            continue;
        };
        let shape = numpy.call_method1("shape", (&found[k],))?;
        let whole = numpy.call_method1("empty", (shape, dtype(complex)))?;
        whole.setattr("real", &found[k])?;
        whole.setattr("imag", &found[k + 1])?;
        let is_number = whole.getattr("ndim")?.extract::<usize>()? == 0;
        results.push(if is_number { whole.get_item(PyTuple::empty(py))? } else { whole });
    }
    if let Some(out) = out {
        let targets: Vec<Bound<'py, PyAny>> = match results.len() {
            1 => vec![out.clone()],
            _ => out.extract()?,
        };
        if targets.len() != results.len() {
            let title = format!(
                "`{}` has {} results, and `out` has {}",
                kernel.lowered.function.name,
                results.len(),
                targets.len()
            );
            return Err(errors::plain(py, &title, "give a tuple with an array for each result"));
        }
        for (target, result) in targets.iter().zip(&results) {
            let kind = |of: &Bound<'py, PyAny>| -> PyResult<String> {
                let of = numpy.call_method1("asarray", (of,))?;
                Ok(format!("{}{}", of.getattr("dtype")?.str()?, of.getattr("shape")?.str()?))
            };
            let (has, needs) = (kind(target)?, kind(result)?);
            if has != needs {
                let title = format!("the array for a result is {has}, and the result is {needs}");
                return Err(errors::plain(py, &title, "leave `out` away, and the call makes an array"));
            }
            numpy.call_method1("copyto", (target, result))?;
        }
        return Ok(out);
    }
    match results.len() {
        1 => Ok(results.remove(0)),
        _ => Ok(PyTuple::new(py, results)?.into_any()),
    }
}
