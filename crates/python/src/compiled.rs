//! The machine code of a kernel, made at the first call, for each number of threads.

use crate::errors;
use crate::worker::on_worker;
use atl_driver::backends::{Backend, Options, c, preferred};
use atl_driver::{Compile, Compiled, Failure, Lowered, Program, ready};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How many threads parallel loops use where a call does not say it; 0 if the machine decides.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Is this process the child of another that may have had threads?
static FORKED: AtomicBool = AtomicBool::new(false);

/// From now on parallel loops run on as many threads; none: the machine decides.
#[pyfunction]
#[pyo3(signature = (threads = None))]
pub(crate) fn set_num_threads(threads: Option<usize>) {
    THREADS.store(threads.unwrap_or(0), Ordering::Relaxed);
}

/// To be called in the child of a `fork`: the threads of the parent are not there, and waiting for them
/// would not end.
#[pyfunction]
pub(crate) fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}

/// The number of threads where a call does not say it; 0 if the machine decides.
pub(crate) fn threads_now() -> usize {
    if FORKED.load(Ordering::Relaxed) { 1 } else { THREADS.load(Ordering::Relaxed) }
}

/// A schedule that is chosen when the function is first called.
pub(crate) struct Open {
    pub(crate) program: Arc<Program>,
    /// What asks for one of a class.
    pub(crate) schedule: &'static str,
}

/// What was compiled.
pub(crate) struct Code {
    backend: Option<&'static Backend>,
    /// What is compiled in place of the function as it is written, if there is a choice.
    open: Option<Open>,
    by_threads: Mutex<Vec<(usize, Compiled)>>,
}

impl Code {
    /// Nothing yet. Where a schedule is to be chosen, it is for the C back end: another runs the
    /// function as it is written.
    pub(crate) fn new(backend: Option<&'static Backend>, open: Option<Open>) -> Code {
        let mut code = Code { backend, open, by_threads: Mutex::new(Vec::new()) };
        if code.backend().name != c::BACKEND.name {
            code.open = None;
        }
        code
    }

    /// The schedule that is to be chosen, if one is.
    pub(crate) fn open(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    /// The back end that is to serve.
    pub(crate) fn backend(&self) -> &'static Backend {
        self.backend.unwrap_or_else(preferred)
    }

    /// The code for this number of threads. What is dear in it is a warning, once.
    ///
    /// # Errors
    /// The back end refuses the kernel, or cannot be used here; or the warning is an error.
    pub(crate) fn get(
        &self,
        py: Python<'_>,
        lowered: &Arc<Lowered>,
        threads: Option<usize>,
    ) -> PyResult<Compiled> {
        let threads = threads.filter(|_| !FORKED.load(Ordering::Relaxed)).unwrap_or_else(threads_now);
        let found = |table: &[(usize, Compiled)]| {
            table.iter().find(|(n, _)| *n == threads).map(|(_, compiled)| compiled.clone())
        };
        let lock = || self.by_threads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = found(&lock()) {
            return Ok(compiled);
        }
        let (lowered, backend) = (lowered.clone(), self.backend());
        let options = Options { threads: (threads > 0).then_some(threads), ..Options::default() };
        let open = self.open.as_ref().map(|open| (open.program.clone(), open.schedule));
        let compiled = on_worker(py, move || match open {
            Some((program, schedule)) => {
                ready(&program, &lowered.function.name, Some(schedule), backend)?.compile(backend, options)
            }
            None => lowered.compile(backend, options),
        })?;
        let compiled = compiled.map_err(|failure| errors::refused(py, &failure))?;
        let mut table = lock();
        // Another thread may have been faster.
        if let Some(compiled) = found(&table) {
            return Ok(compiled);
        }
        let is_first = table.is_empty();
        table.push((threads, compiled.clone()));
        drop(table);
        if is_first {
            let (sources, diagnostics) = (compiled.sources().clone(), compiled.performance_warnings());
            errors::dear(py, &Failure { sources, diagnostics })?;
        }
        Ok(compiled)
    }
}
