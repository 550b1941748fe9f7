//! How the threads of kernels wait for each other.
//!
//! OpenMP's threads wait by looking again and again, for some milliseconds, whether there is something to do. On a machine
//! that is busy they so take the processor from the very thread that they wait for, and a call takes a hundred times as long. A
//! thread that sleeps instead is woken in some microseconds. The policy is read from the environment when OpenMP's library is
//! loaded, so it is set there, before; what the user has set stays.

use std::env;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that says how threads wait, whatever OpenMP's library is.
const POLICY: &str = "OMP_WAIT_POLICY";

/// The variables by which a user may have said so.
const SAID: [&str; 3] = [POLICY, "GOMP_SPINCOUNT", "KMP_BLOCKTIME"];

static CHOSEN: AtomicBool = AtomicBool::new(false);

/// Lets the threads of all kernels that are loaded later sleep while they wait, unless the environment says how they wait.
/// To be called at the beginning of `main`: it does nothing once there is another thread, or where that cannot be known.
pub fn wait_passively() {
    if SAID.iter().any(|name| env::var_os(name).is_some()) || !is_alone() {
        return;
    }
    // SAFETY: this is the only thread of the process, so nothing reads the environment meanwhile.
    unsafe { env::set_var(POLICY, "passive") };
    CHOSEN.store(true, Ordering::Relaxed);
}

/// Has [`wait_passively`] set the policy? Then it was not the user.
pub fn waits_passively() -> bool {
    CHOSEN.load(Ordering::Relaxed)
}

/// Is there certainly no other thread?
fn is_alone() -> bool {
    fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_left_alone_where_there_are_other_threads() {
        // Tests run on a thread that another one waits for.
        let before = env::var_os(POLICY);
        wait_passively();
        assert_eq!((env::var_os(POLICY), waits_passively()), (before, false));
    }
}
