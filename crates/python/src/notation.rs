//! Index notation and einsum strings: the driver's translation into the text of a program.

use crate::errors;
use crate::worker::on_worker;
use atl_driver::Failure;
use atl_driver::backends::interp;
use atl_driver::tensor::{Request, feasible, translate as translated};
use pyo3::prelude::*;

/// A translation: the text, the function, its schedule if it has one, and the operands in the function's
/// order.
type Translated = (String, String, Option<String>, Vec<String>);

/// The program of a notation, for operands of these formats and shapes. A schedule over entries that does
/// not apply is left out: operands in formats are then made dense.
#[pyfunction]
pub(crate) fn translate(
    py: Python<'_>,
    notation: &str,
    operands: Vec<String>,
    formats: Vec<String>,
    element: &str,
    semiring: Option<&str>,
    shapes: Vec<(String, Vec<usize>)>,
) -> PyResult<Translated> {
    let request = Request::new(notation).element(element);
    let request = operands.iter().fold(request, |request, name| request.operand(name));
    let request = formats.iter().fold(request, |request, format| request.format(format));
    let request = semiring.iter().fold(request, |request, name| request.semiring(name));
    let request = shapes.iter().fold(request, |request, (name, shape)| request.shape(name, shape));
    let found = on_worker(py, move || {
        let (translation, program) = translated(&request)?;
        let (translation, _) = feasible(translation, &program, &interp::BACKEND);
        Ok::<_, Failure>(translation)
    })?;
    let found = found.map_err(|failure| errors::refused(py, &failure))?;
    Ok((found.text, found.function, found.schedule, found.operands))
}
