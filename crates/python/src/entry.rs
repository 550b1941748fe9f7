//! Functions of the package whose own frames no traceback shows.
//!
//! A refusal is about a line of the user's. What Python's own functions of the package add to a traceback
//! is cut where they are called from outside: here, in a frame that Python does not see.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

/// A function, as a callable that is also a method where it is an attribute of a class.
#[pyclass(dict, frozen, module = "atl._atl")]
pub(crate) struct Entry {
    function: Py<PyAny>,
}

#[pymethods]
impl Entry {
    #[new]
    fn new(function: Py<PyAny>) -> Entry {
        Entry { function }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        self.function.call(py, args, kwargs).map_err(|error| cut(py, error))
    }

    fn __get__(
        slf: Bound<'_, Self>,
        instance: Option<&Bound<'_, PyAny>>,
        owner: Option<&Bound<'_, PyType>>,
    ) -> PyResult<Py<PyAny>> {
        let _ = owner;
        let py = slf.py();
        match instance {
            None => Ok(slf.into_any().unbind()),
            Some(instance) => Ok(method_type(py)?.call1((slf, instance))?.unbind()),
        }
    }
}

fn method_type(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static TYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = TYPE.get_or_try_init(py, || py.import("types")?.getattr("MethodType").map(Bound::unbind))?;
    Ok(found.bind(py).clone())
}

/// The exception without frames of the package, where it is a refusal: its class says so.
fn cut(py: Python<'_>, error: PyErr) -> PyErr {
    let value = error.value(py);
    let is_ours = value.hasattr("__atl_refusal__").unwrap_or(false);
    if !is_ours || std::env::var("ATL_TRACEBACK").is_ok_and(|wanted| wanted == "full") {
        return error;
    }
    static TRIMMED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let trimmed =
        TRIMMED.get_or_try_init(py, || py.import("atl.errors")?.getattr("trimmed").map(Bound::unbind));
    match trimmed.and_then(|trimmed| trimmed.bind(py).call1((value,))) {
        Ok(bare) => PyErr::from_value(bare),
        Err(_) => error,
    }
}
