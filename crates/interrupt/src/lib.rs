//! Work that ends early when nobody waits for it.
//!
//! **The one idea.** A thread may carry a [`Token`]; long work calls [`checkpoint`] now and then. Once
//! the token is interrupted, the next checkpoint unwinds the thread's stack up to [`Token::run`], which
//! returns [`Interrupted`]. What lies between owns what it works on, so unwinding drops it, and no
//! function in between needs another type of error. Threads without a token are never interrupted.
//!
//! It is no time limit, and nothing that is computed depends on it: work either ends with its answer or
//! has none.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static TOKEN: RefCell<Option<Token>> = const { RefCell::new(None) };
}

/// Says whether somebody still waits; a copy says the same.
#[derive(Clone, Debug, Default)]
pub struct Token(Arc<AtomicBool>);

/// The work was interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

impl Token {
    /// From now on the next checkpoint ends the work.
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Was the work interrupted?
    pub fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does something on this thread that the token may interrupt.
    ///
    /// # Errors
    /// It was interrupted. Any other panic goes on.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Interrupted> {
        let before = TOKEN.replace(Some(self.clone()));
        let done = catch_unwind(AssertUnwindSafe(work));
        TOKEN.set(before);
        done.map_err(|panic| match panic.downcast::<Interrupted>() {
            Ok(interrupted) => *interrupted,
            Err(other) => resume_unwind(other),
        })
    }
}

/// The token of this thread, for a thread that it starts.
pub fn current() -> Option<Token> {
    TOKEN.with_borrow(Clone::clone)
}

/// Does something on a thread that another one with this token started: an interrupt goes on to that
/// thread as any panic does.
pub fn inherited<T>(token: Option<Token>, work: impl FnOnce() -> T) -> T {
    TOKEN.set(token);
    work()
}

/// Ends the work if this thread's token was interrupted.
pub fn checkpoint() {
    if TOKEN.with_borrow(|token| token.as_ref().is_some_and(Token::is_interrupted)) {
        resume_unwind(Box::new(Interrupted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_ends_work_that_was_interrupted() {
        let token = Token::default();
        assert_eq!(token.run(|| (checkpoint(), 1).1), Ok(1));
        let other = token.clone();
        let done = token.run(|| {
            other.interrupt();
            checkpoint();
            unreachable!("the checkpoint ends it");
        });
        assert_eq!(done, Err(Interrupted));
        // Afterwards the thread has no token.
        checkpoint();
    }

    #[test]
    fn a_thread_that_was_started_has_the_token() {
        let token = Token::default();
        token.interrupt();
        let done = token.run(|| {
            let token = current();
            let worker = std::thread::spawn(move || inherited(token, checkpoint));
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        });
        assert_eq!(done, Err(Interrupted));
    }

    #[test]
    fn other_panics_go_on() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let panic = catch_unwind(|| Token::default().run(|| panic!("a fault")));
        std::panic::set_hook(hook);
        assert_eq!(panic.expect_err("it goes on").downcast_ref::<&str>(), Some(&"a fault"));
    }
}
