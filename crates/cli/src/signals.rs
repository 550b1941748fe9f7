//! Signals: an interrupt that lets work keep its state, and an abort that is a refusal.
//!
//! The one idea: handlers that only set a flag, or end the process with a status, need no code of ours inside of a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the process with status 1 where it would abort: an allocation that fails says so on standard error, and aborts. It is
/// the last resort; buffers whose size the user decides are asked for in a way that can be refused.
pub(crate) fn refuse_instead_of_abort() {
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGABRT, flag};
        // Without the handler the process ends as well, by the signal.
        let _ = flag::register_conditional_shutdown(SIGABRT, 1, Arc::new(AtomicBool::new(true)));
    }
}

/// Whether somebody asked that work end soon.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on the first interrupt is a request; the second ends the process.
    pub(crate) fn expected() -> Interrupt {
        let interrupt = Interrupt::default();
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGINT, SIGTERM};
            use signal_hook::flag::{register, register_conditional_shutdown};
            for (signal, status) in [(SIGINT, 130), (SIGTERM, 143)] {
                // In this order: the flag is not yet set when the first one is seen.
                let second = register_conditional_shutdown(signal, status, interrupt.0.clone());
                // Where it cannot be registered an interrupt ends the process, as ever.
                let _ = second.and_then(|_| register(signal, interrupt.0.clone()));
            }
        }
        interrupt
    }

    /// Did somebody ask?
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
