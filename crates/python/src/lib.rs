//! The extension module `atl._atl`: programs, kernels and calls, for the Python package in `python/`.
//!
//! **The one idea.** Python holds values of the driver and gives them NumPy's arrays; every decision is
//! the driver's. What derives, checks or compiles runs on a thread with a large stack, without Python's
//! lock ([`worker`]); a refusal becomes an exception ([`errors`]), and a panic one as well.

mod axis_order;
mod bound;
mod call;
mod compiled;
mod complex;
mod copied;
mod data;
mod entry;
mod errors;
mod explained;
mod kernel;
mod layouts;
mod notation;
mod program;
mod ready;
mod results;
mod sparse;
mod sql;
mod stored;
mod tune;
mod worker;

use pyo3::prelude::*;

/// What the package is made of; its documentation is that of the package's classes and functions.
#[pymodule(gil_used = false)]
fn _atl(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<program::Program>()?;
    module.add_class::<kernel::Kernel>()?;
    module.add_class::<bound::BoundCall>()?;
    module.add_class::<sparse::Packed>()?;
    module.add_class::<entry::Entry>()?;
    module.add_function(wrap_pyfunction!(compiled::forked, module)?)?;
    module.add_function(wrap_pyfunction!(compiled::set_num_threads, module)?)?;
    module.add_function(wrap_pyfunction!(kernel::verify, module)?)?;
    module.add_function(wrap_pyfunction!(explained::conditions, module)?)?;
    module.add_function(wrap_pyfunction!(explained::explained_steps, module)?)?;
    module.add_function(wrap_pyfunction!(explained::recheck, module)?)?;
    module.add_function(wrap_pyfunction!(explained::rules_after, module)?)?;
    module.add_function(wrap_pyfunction!(explained::sites_after, module)?)?;
    module.add_function(wrap_pyfunction!(layouts::layout, module)?)?;
    module.add_function(wrap_pyfunction!(notation::translate, module)?)?;
    module.add_function(wrap_pyfunction!(program::directives, module)?)?;
    module.add_function(wrap_pyfunction!(program::format, module)?)?;
    module.add_function(wrap_pyfunction!(program::version, module)?)?;
    module.add_function(wrap_pyfunction!(sql::sql_answer, module)?)?;
    module.add_function(wrap_pyfunction!(sql::sql_tables, module)?)?;
    module.add_function(wrap_pyfunction!(tune::propose_for, module)?)?;
    Ok(())
}
