//! The thread on which Python's requests are carried out.
//!
//! Terms are deep, and a thread of Python's has a small stack; so what derives, checks, compiles or
//! interprets runs on a thread with a large one, without Python's lock. Meanwhile signals are looked at: an
//! interrupt is raised at once, and the request ends at its next checkpoint, which nobody waits for: it owns
//! what it works on.

use crate::errors;
use atl_interrupt::Token;
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
    let waiting = Waiting(Token::default());
    let token = waiting.0.clone();
    let work = move || {
        let done = catch_unwind(AssertUnwindSafe(|| atl_stack::known(STACK, || token.run(work))));
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
            Ok(Ok(Ok(done))) => return Ok(done),
            // Only this function interrupts, where it returns.
            Ok(Ok(Err(_))) => return Err(errors::panicked(py, &"the work was interrupted")),
            Ok(Err(panic)) => return Err(errors::panicked(py, &*panic)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::panicked(py, &"the worker ended without an answer"));
            }
        }
    }
}

/// As long as it is there, somebody waits for the work that has its token.
struct Waiting(Token);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}
