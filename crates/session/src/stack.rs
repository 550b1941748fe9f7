//! Deep terms on a stated stack, whatever thread the caller is on.
//!
//! Functions over terms recurse as deep as they are, and a chain of stages is as deep as it is long. The
//! command runs on a thread with a large stack; a program that uses the library may be on any.

use atl_kernel::Expr;
use atl_schedule::size::{MAX_LEVELS, levels};
use std::sync::{Mutex, PoisonError};

/// Enough for the deepest term that elaboration yields and a schedule leaves, in an unoptimised build.
const STACK: usize = 256 << 20;

/// Terms no deeper than this are visited on the caller's stack.
const SHALLOW: u32 = MAX_LEVELS / 2;

/// Does something with a term, and what is derived of it.
pub fn on_deep<T: Send>(term: &Expr, work: impl FnOnce() -> T + Send) -> T {
    if levels(term) <= SHALLOW {
        return work();
    }
    let work = Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("deep".to_owned()).stack_size(STACK);
        let token = atl_interrupt::current();
        let run = || take().map(|work| atl_interrupt::inherited(token, work));
        let worker = thread.spawn_scoped(scope, run).ok()?;
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    // Where the system has no room for a thread, the caller's stack may do.
    match (done, take()) {
        (Some(done), _) => done,
        (None, Some(work)) => work(),
        (None, None) => unreachable!("work that was begun has ended"),
    }
}
