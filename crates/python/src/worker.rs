//! The thread on which Python's requests are carried out.
//!
//! Terms are deep, and a thread of Python's has a small stack; so what derives, checks, compiles or
//! interprets runs on a thread with a large one, without Python's lock. Meanwhile signals are looked at: an
//! interrupt is raised at once. The request then ends on its own, and nobody reads its answer: it owns what
//! it works on.

use crate::errors;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// The stack of the command's own thread.
const STACK: usize = 256 << 20;

/// How long an interrupt may wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// Carries out a request.
///
/// # Errors
/// An interrupt, or a panic.
pub(crate) fn on_worker<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    on_worker_telling(py, work, &mut || Ok(()))
}

/// The same; meanwhile, and at the end, the thread that waits does something.
///
/// # Errors
/// As for [`on_worker`], or what the thread that waits met.
pub(crate) fn on_worker_telling<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    meanwhile: &mut dyn FnMut() -> PyResult<()>,
) -> PyResult<T> {
    let (answer, mut answers) = channel();
    let work = move || {
        let done = catch_unwind(AssertUnwindSafe(work));
        // After an interrupt nobody waits.
        let _ = answer.send(done);
    };
    Builder::new().name("atl".to_owned()).stack_size(STACK).spawn(work)?;
    loop {
        let received;
        (answers, received) = py.detach(move || {
            let received = answers.recv_timeout(PATIENCE);
            (answers, received)
        });
        meanwhile()?;
        match received {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(panic)) => return Err(errors::panicked(py, &*panic)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::panicked(py, &"the worker ended without an answer"));
            }
        }
    }
}
