//! The machine code of a kernel, made at the first call, for each number of threads.

use crate::errors;
use crate::worker::on_worker;
use atl_driver::backends::{Backend, Options, preferred};
use atl_driver::{Compile, Compiled, Lowered};
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

/// What was compiled.
pub(crate) struct Code {
    backend: Option<&'static Backend>,
    by_threads: Mutex<Vec<(usize, Compiled)>>,
}

impl Code {
    /// Nothing yet.
    pub(crate) fn new(backend: Option<&'static Backend>) -> Code {
        Code { backend, by_threads: Mutex::new(Vec::new()) }
    }

    /// The back end that is to serve.
    pub(crate) fn backend(&self) -> &'static Backend {
        self.backend.unwrap_or_else(preferred)
    }

    /// The code for this number of threads.
    ///
    /// # Errors
    /// The back end refuses the kernel, or cannot be used here.
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
        let compiled = on_worker(py, move || lowered.compile(backend, options))?;
        let compiled = compiled.map_err(|failure| errors::refused(py, &failure))?;
        let mut table = lock();
        // Another thread may have been faster.
        Ok(found(&table).unwrap_or_else(|| {
            table.push((threads, compiled.clone()));
            compiled
        }))
    }
}
