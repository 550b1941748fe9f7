//! Tuning: schedules proposed for the sizes of a call, and the best of them measured on its arrays.

use crate::call::{Entries, prepared};
use crate::errors;
use crate::kernel::{Kernel, rounding_of};
use crate::worker::{on_worker, on_worker_telling};
use atl_driver::backends::Options;
use atl_driver::tune::{Machine, Wanted, measure, propose};
use atl_driver::{Arguments, Buffer, Failure};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, Mutex, PoisonError};

/// How many times as fast as the function as written a schedule must be: by less, two measurements of the
/// same code differ.
const QUICKER: f64 = 1.03;

/// What sizes are that no argument gives.
const SIZE: i64 = 512;

/// A proposal that was measured: steps, how many times as fast as the function as written, and seconds.
type Measured = (Vec<String>, f64, f64);

/// What tuning found: the steps of the quickest, if one is; how many proposals there were; refusals by
/// code; and what was measured.
pub(crate) type Found = (Option<Vec<String>>, usize, Vec<(String, usize)>, Vec<Measured>);

/// How much is tried.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Effort {
    budget: usize,
    best: usize,
    rounds: usize,
    rounding: String,
}

/// Tunes the function of a kernel, as it is written, for these arguments; `tell` is given a line now and
/// then.
pub(crate) fn tune(
    kernel: &Kernel,
    py: Python<'_>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
    effort: Effort,
    tell: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found> {
    let prepared = prepared(kernel, py, args, kwargs, Entries::Packed)?;
    let copied =
        prepared.arrays().into_iter().map(|(name, view)| Ok((name.to_owned(), Buffer::from_view(&view)?)));
    let copied: Result<Vec<_>, atl_runtime::BufferError> = copied.collect();
    let mut arguments = Arguments {
        arrays: copied.map_err(|why| PyMemoryError::new_err(why.to_string()))?,
        sizes: prepared.packed.sizes.clone(),
        shapes: prepared.packed.shapes.clone(),
        ..Arguments::default()
    };
    let rounding = rounding_of(&effort.rounding)?;
    let (program, name) = (kernel.program.clone(), kernel.lowered.function.name.clone());
    let backend = kernel.code.backend();
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = lines.clone();
    let lock = |lines: &Mutex<Vec<String>>| {
        std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner))
    };
    let work = move || {
        let mut tell = |line: &str| told.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        let function = program.function(Some(&name), None)?;
        arguments.complete(&program, function, SIZE)?;
        let sizes: Vec<i64> = arguments.sizes.iter().map(|(_, n)| *n).collect();
        let wanted = Wanted { rounding, budget: effort.budget, machine: Machine::detect() };
        let found = propose(&program, function, &sizes, &wanted, &mut tell)?;
        let proposals = found.best(effort.best);
        let code = (backend, Options::default());
        let measured = measure(&program, function, &proposals, &arguments, code, effort.rounds, &mut tell)?;
        let winner = (0..proposals.len())
            .filter(|k| measured[k + 1].ratio >= QUICKER)
            .min_by_key(|k| measured[k + 1].fastest);
        let each = proposals.iter().zip(&measured[1..]);
        let each = each.map(|(p, m)| (p.steps.clone(), m.ratio, m.fastest.as_secs_f64()));
        Ok::<_, Failure>((
            winner.map(|k| proposals[k].steps.clone()),
            found.judged,
            found.refused.clone().into_iter().collect(),
            each.collect(),
        ))
    };
    let found = on_worker_telling(py, work, &mut || {
        lock(&lines)
            .into_iter()
            .try_for_each(|line| tell.map_or(Ok(()), |tell| tell.call1((line,)).map(drop)))
    })?;
    found.map_err(|failure| errors::refused(py, &failure))
}

/// The steps of the schedule that the cost model prefers at these sizes, by name; nothing is measured.
#[pyfunction]
pub(crate) fn propose_for(
    py: Python<'_>,
    kernel: &Bound<'_, Kernel>,
    sizes: Vec<(String, i64)>,
    rounding: &str,
    budget: usize,
) -> PyResult<Vec<String>> {
    let kernel = kernel.get();
    let rounding = rounding_of(rounding)?;
    let (program, name) = (kernel.program.clone(), kernel.lowered.function.name.clone());
    let found = on_worker(py, move || {
        let function = program.function(Some(&name), None)?;
        let given = |size: &str| sizes.iter().find(|(name, _)| name == size).map_or(SIZE, |(_, n)| *n);
        let sizes: Vec<i64> = function.sizes.iter().map(|size| given(&size.name)).collect();
        let wanted = Wanted { rounding, budget, machine: Machine::detect() };
        let found = propose(&program, function, &sizes, &wanted, &mut |_| {})?;
        Ok::<_, Failure>(found.best(1).pop().map_or_else(Vec::new, |best| best.steps))
    })?;
    found.map_err(|failure| errors::refused(py, &failure))
}
