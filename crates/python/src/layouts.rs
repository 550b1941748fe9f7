//! Expressions of layouts, in CuTe's notation.

use crate::errors;
use atl_driver::layout::{By, Request, Shown, value_json};
use pyo3::prelude::*;

/// The value of an expression as text, as JSON, and as a picture if it has one.
#[pyfunction]
pub(crate) fn layout(py: Python<'_>, expression: &str) -> PyResult<(String, String, Option<String>)> {
    let refused = |failure| errors::refused(py, &failure);
    let answer = Request::new(expression).answer().map_err(refused)?;
    let text = answer.to_text(&By::default(), Shown::Result).map_err(refused)?;
    Ok((text, value_json(&answer.value).to_string(), answer.to_svg(&By::default()).ok()))
}
