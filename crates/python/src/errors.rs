//! Refusals as exceptions.
//!
//! The exceptions are classes of the package (`atl/errors.py`), made of the text that the command prints
//! and of its JSON. What the command advises to type is replaced by what a caller in Python types.

use atl_diag::{Color, Diagnostic, Help};
use atl_driver::Failure;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde_json::Value;
use std::ffi::CString;

/// The module of the package in which the exceptions are defined.
const MODULE: &str = "atl.errors";

/// The exception of a refusal.
pub(crate) fn refused(py: Python<'_>, failure: &Failure) -> PyErr {
    let diagnostics = failure.diagnostics.iter().map(in_python).collect();
    let failure = Failure { sources: failure.sources.clone(), diagnostics };
    let parts = failure.diagnostics.iter().map(|d| d.to_json(&failure.sources));
    let json = Value::from_iter(parts).to_string();
    exception(py, "refused", (failure.render(Color::Never), json))
}

/// The exception of a panic, which is a fault of the compiler.
pub(crate) fn panicked(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    exception(py, "internal", (text.unwrap_or_else(|| "an unknown panic".to_owned()), String::new()))
}

/// A refusal of the package's own.
pub(crate) fn plain(py: Python<'_>, message: &str, help: &str) -> PyErr {
    exception(py, "plain", (message.to_owned(), help.to_owned()))
}

/// Is an exception a refusal?
pub(crate) fn is_refused(py: Python<'_>, why: &PyErr) -> bool {
    let class = py.import(MODULE).and_then(|module| module.getattr("Refused"));
    class.is_ok_and(|class| why.is_instance(py, &class))
}

/// Says that a large argument was copied, once for each place in the caller's program.
pub(crate) fn copied(py: Python<'_>, name: &str, bytes: usize) -> PyResult<()> {
    let category = py.import(MODULE)?.getattr("CopyWarning")?;
    let message = format!(
        "the argument `{name}` is not in C order, so {} MiB are copied at each call; give `np.ascontiguousarray({name})`",
        bytes >> 20
    );
    let message = CString::new(message)?;
    PyErr::warn(py, &category, &message, 1)
}

/// Says what is dear in a kernel that was compiled for a call, at the caller's line.
pub(crate) fn dear(py: Python<'_>, remarks: &Failure) -> PyResult<()> {
    let category = py.import(MODULE)?.getattr("PerformanceWarning")?;
    for text in texts(remarks) {
        PyErr::warn(py, &category, &CString::new(text.trim_end())?, 1)?;
    }
    Ok(())
}

/// What a function of the package makes of a text and its JSON.
fn exception(py: Python<'_>, function: &str, arguments: (String, String)) -> PyErr {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = ERRORS.get_or_try_init(py, || py.import(MODULE).map(Bound::unbind));
    match module.and_then(|module| module.bind(py).getattr(function)?.call1(arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(why) => why,
    }
}

/// What a warning says, as the command prints it.
pub(crate) fn texts(failure: &Failure) -> Vec<String> {
    failure.diagnostics.iter().map(|d| d.render(&failure.sources, Color::Never)).collect()
}

/// A diagnostic whose help is what a caller in Python can type.
fn in_python(d: &Diagnostic) -> Diagnostic {
    let replaced = d.help.iter().map(|help| match &help.fix {
        None => Help { text: words(&help.text), fix: None },
        Some(_) => help.clone(),
    });
    Diagnostic { help: replaced.collect(), ..d.clone() }
}

/// Advice for the command line, for a caller in Python.
fn words(text: &str) -> String {
    const OPTIONS: &[(&str, &str)] = &[
        ("give it with `--set ", "give it as an argument: `"),
        ("give it with `--in ", "give it as an argument: `"),
        ("=VALUE`", "=..`"),
        ("=PATH`", "=..`"),
        ("name one with `--fn NAME`", "name one: `program[\"NAME\"]`"),
        ("check the spelling after `--fn`", "check the name in `program[..]`"),
        ("check the spelling after `--schedule`", "check the name in `.schedule(..)`"),
        ("leave out `--schedule`, or", "use the function as it is written, or"),
        ("leave out `--fn`, or choose", "choose"),
        ("check the name before `=`", "check the name of the argument"),
        ("check the name after `--set`", "check the name of the argument"),
        ("`--backend cranelift` needs nothing besides `atl`", "`backend=\"cranelift\"` needs no C compiler"),
        ("as `--backend c`", "as `backend=\"c\"`"),
        (
            "`atl explain FILE --schedule NAME` prints the program",
            "`kernel.show()` of the kernel before prints the program",
        ),
        ("with `--rounding`", "with `rounding=`"),
    ];
    OPTIONS.iter().fold(text.to_owned(), |text, (command, python)| text.replace(command, python))
}
