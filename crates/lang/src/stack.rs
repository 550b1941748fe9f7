//! Deep terms on a stated stack, whatever thread the caller is on.
//!
//! A prover belongs to the caller's thread. So where that has not the room, the work runs on a thread of its
//! own, and sends every goal back to be proved where the prover is. If there is no memory for another thread,
//! the work runs on the caller's.

use atl_kernel::{Cert, Ctx, Pred, Prover};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Enough for the deepest tree that the parser yields, in an unoptimised build.
const STACK: usize = 128 << 20;

/// Asks the caller's prover.
struct Remote {
    goals: SyncSender<(Ctx, Pred)>,
    certs: Receiver<Option<Cert>>,
}

impl Prover for Remote {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        self.goals.send((ctx.clone(), goal.clone())).ok()?;
        self.certs.recv().ok()?
    }
}

/// Runs something on a deep stack, with the caller's prover.
pub(crate) fn with_prover<T: Send>(
    prover: &mut dyn Prover,
    run: impl FnOnce(&mut dyn Prover) -> T + Send,
) -> T {
    if atl_stack::room() >= STACK {
        return run(prover);
    }
    let work = Mutex::new(Some(run));
    let once = |prover: &mut dyn Prover| {
        let run = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        run.expect("the work is taken once")(prover)
    };
    std::thread::scope(|scope| {
        let (goals, asked) = sync_channel(0);
        let (answers, certs) = sync_channel(0);
        let thread = std::thread::Builder::new().name("elaboration".to_owned()).stack_size(STACK);
        let Ok(worker) = thread.spawn_scoped(scope, || once(&mut Remote { goals, certs })) else {
            return once(prover);
        };
        while let Ok((ctx, goal)) = asked.recv() {
            if answers.send(prover.prove(&ctx, &goal)).is_err() {
                break;
            }
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
