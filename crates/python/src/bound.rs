//! Calls that repeat: arguments that were checked once.
//!
//! The one idea: a check holds as long as what it looked at stays. Shapes and addresses do, for the arrays
//! are held; what an array of the caller's contains may change between calls, so where a kernel relies on
//! that, each call checks again. Each call copies strided operands; those in formats are
//! copies that nobody else has.
#![allow(unsafe_code)]

use crate::axis_order::{Use, turned};
use crate::call::{Entries, Prepared, prepared, target, targets};
use crate::copied::copy;
use crate::data::{Operand, kept, no_truth_values, truth_values, view_mut};
use crate::errors;
use crate::kernel::Kernel;
use crate::results;
use atl_driver::signature::{Array, Storage};
use atl_driver::{Arguments, Compiled, Failure, Output};
use atl_runtime::DType;
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A call with all of its arguments. The fields are dropped in order: first the views, then what they are
/// of.
#[pyclass(frozen, module = "atl._atl")]
pub(crate) struct BoundCall {
    bound: atl_driver::Bound<'static>,
    /// Does each call check what arrays contain?
    checks: bool,
    /// Is a run over before Python's lock was given away?
    is_short: bool,
    /// The caller's arrays for the results; none where each call makes new ones.
    out: Vec<Py<PyUntypedArray>>,
    /// What each call copies first, and where to.
    strided: Vec<(Py<PyUntypedArray>, Py<PyUntypedArray>)>,
    /// Arrays of truth values, by the parameter's position.
    truths: Vec<(usize, Py<PyUntypedArray>)>,
    _packed: (Box<Arguments>, Vec<Arc<Arguments>>),
    _operands: Vec<Py<PyUntypedArray>>,
}

/// Checks the arguments of a kernel for calls that repeat.
pub(crate) fn bind(
    kernel: &Kernel,
    py: Python<'_>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<BoundCall> {
    if let Some(turned) = turned(kernel, py, args, kwargs, Use::Often)? {
        match bind(&turned.kernel, py, &turned.args, turned.kwargs.as_ref()) {
            // Below it is refused as it was given.
            Err(why) if errors::is_refused(py, &why) => {}
            done => return done,
        }
    }
    let failed = |failure: Failure| errors::refused(py, &failure);
    // Operands in formats are packed: nobody else has their arrays, so calls need not check them.
    let prepared = prepared(kernel, py, args, kwargs, Entries::Packed)?;
    let signature = prepared.compiled.signature();
    let named = prepared.arrays();
    // What is missing is refused by its name here.
    let checked = prepared.compiled.call(&named, &prepared.packed.sizes()).bind().map_err(failed)?;
    let is_short = crate::ready::is_short(&checked, kernel);
    drop(checked);
    let place = |array: &Array| named.iter().find(|(name, _)| *name == array.name);
    let views = signature.arrays.iter().filter_map(place);
    // SAFETY: the arrays and the packed operands are kept beside the views, and dropped after them.
    let views = views.map(|(_, view)| unsafe { kept(view.clone()) });
    let sizes = prepared.packed.sizes.iter().filter_map(|(name, n)| Some((signature.size(name)?, *n)));
    let sizes: Vec<(usize, i64)> = sizes.collect();
    let bound = prepared.compiled.call_by_position(views, &sizes).bind().map_err(failed)?;
    let out = match &prepared.out {
        None => Vec::new(),
        Some(out) if !bound.kernel().signature().more.is_empty() => {
            let found = targets(&prepared, out, &bound).map_err(|d| failed(prepared.compiled.fail(*d)))?;
            found.into_iter().map(Bound::unbind).collect()
        }
        Some(out) => {
            let found = target(&prepared, out, bound.shape());
            let (out, over) = found.map_err(|d| failed(prepared.compiled.fail(*d)))?;
            if over.is_some() {
                let help = "call the kernel itself: its argument is another one after each call";
                return Err(errors::plain(py, "a call in place cannot be bound", help));
            }
            vec![out.unbind()]
        }
    };
    let shared = |(array, k): (&Array, usize)| {
        (array.is_inspected || array.carrier.is_some()) && prepared.operands[k].is_some()
    };
    let checks = signature.arrays.iter().zip(0..).any(shared);
    let truths = prepared.operands.iter().enumerate().filter_map(|(k, operand)| {
        let operand = operand.as_ref().filter(|_| signature.arrays[k].dtype == DType::Bool)?;
        Some((k, operand.array.clone().unbind()))
    });
    let truths = truths.collect();
    drop(named);
    let Prepared { operands, packed, shared, .. } = prepared;
    let (mut held, mut strided) = (Vec::new(), Vec::new());
    for Operand { array, source, .. } in operands.into_iter().flatten() {
        if let Some(source) = source {
            strided.push((source.unbind(), array.clone().unbind()));
        }
        held.push(array.unbind());
    }
    let _packed = (Box::new(packed), shared);
    Ok(BoundCall { bound, checks, is_short, out, strided, truths, _packed, _operands: held })
}

#[pymethods]
impl BoundCall {
    /// Runs the kernel on what the arrays hold now.
    fn __call__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let compiled: &Compiled = self.bound.kernel();
        let failed = |failure: Failure| errors::refused(py, &failure);
        for (from, to) in &self.strided {
            copy(from.bind(py), to.bind(py))?;
        }
        for (k, array) in &self.truths {
            if !truth_values(array.bind(py)) {
                return Err(failed(compiled.fail(*no_truth_values(&compiled.signature().arrays[*k]))));
            }
        }
        if self.checks {
            self.bound.rechecked().map_err(failed)?;
        }
        let signature = compiled.signature();
        let run = |outputs: &[Bound<'py, PyUntypedArray>]| {
            let views = outputs.iter().zip(signature.results()).map(|(out, of)| view_mut(out, of.dtype));
            let output = Output::Several(views.collect());
            let work = || catch_unwind(AssertUnwindSafe(|| self.bound.run(output)));
            let done = if self.is_short { work() } else { py.detach(work) };
            done.map_err(|panic| errors::panicked(py, &*panic))?.map_err(failed)
        };
        if !self.out.is_empty() {
            let out: Vec<_> = self.out.iter().map(|out| out.bind(py).clone()).collect();
            run(&out)?;
            return match out.as_slice() {
                [only] => Ok(only.clone().into_any()),
                _ => Ok(PyTuple::new(py, out)?.into_any()),
            };
        }
        if matches!(signature.result.storage, Storage::Sparse { .. }) {
            let found = py.detach(|| catch_unwind(AssertUnwindSafe(|| self.bound.sparse())));
            let found = found.map_err(|panic| errors::panicked(py, &*panic))?.map_err(failed)?;
            if let Some(found) = found {
                return results::sparse(py, &found)?.map_err(|why| errors::panicked(py, &why));
            }
        }
        let mut out = results::all_zeros(py, signature, &self.bound)?;
        run(&out)?;
        match out.pop() {
            Some(only) if out.is_empty() => results::given(only),
            last => results::all_given(py, out.into_iter().chain(last).collect()),
        }
    }
}
