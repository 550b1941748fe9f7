//! Compilers that do not come back.
//!
//! One idea: the shell's `ulimit -t` bounds the processor time of a compiler with all that it starts, so a busy machine changes
//! nothing, and no process is left over. Whoever waits without computing (a compiler behind a network) is given a multiple of it by
//! the clock.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, io};

/// The environment variable that sets the limit.
const VARIABLE: &str = "ATL_CC_SECONDS";

/// How many seconds of the processor a compiler has, if nothing else is said: what takes a compiler so long has grown somewhere.
const SECONDS: u64 = 20;

/// How many times as long it may take by the clock.
const WAITING: u32 = 6;

/// Between two looks at whether it has ended.
const PAUSE: Duration = Duration::from_millis(2);

/// How a command ended.
pub(super) enum Ended {
    /// By itself, with what it wrote on its error stream.
    Itself(ExitStatus, String),
    /// It took longer than this.
    TooLong(Duration),
}

/// How long a compiler may take: `ATL_CC_SECONDS`, 20 if it is no positive number.
pub fn compiler_limit() -> Duration {
    let set = env::var(VARIABLE).ok().and_then(|text| text.trim().parse().ok()).filter(|n| *n > 0);
    Duration::from_secs(set.unwrap_or(SECONDS))
}

/// Runs a command to its end or the limit's, with `folder` for its error stream.
pub(super) fn run(command: &Command, folder: &Path, limit: Duration) -> io::Result<Ended> {
    let stream = folder.join("stderr");
    let mut child = bounded(command, limit).stderr(File::create(&stream)?).stdout(Stdio::null()).spawn()?;
    let start = Instant::now();
    let ended = loop {
        match child.try_wait()? {
            Some(status) if !status.success() && start.elapsed() >= limit => break Ended::TooLong(limit),
            Some(status) => {
                let words = fs::read(&stream)?;
                break Ended::Itself(status, String::from_utf8_lossy(&words).into_owned());
            }
            None if start.elapsed() >= limit * WAITING => {
                child.kill()?;
                child.wait()?;
                break Ended::TooLong(limit * WAITING);
            }
            None => thread::sleep(PAUSE),
        }
    };
    fs::remove_file(&stream)?;
    Ok(ended)
}

/// The command, with a bound on its processor time where the system has one.
fn bounded(command: &Command, limit: Duration) -> Command {
    let mut bounded = if cfg!(unix) {
        let mut shell = Command::new("sh");
        // A limit of zero seconds would end it at once.
        let line = format!("ulimit -t {} 2>/dev/null; exec \"$@\"", limit.as_secs().max(1));
        shell.arg("-c").arg(line).arg("sh").arg(command.get_program());
        shell
    } else {
        Command::new(command.get_program())
    };
    bounded.args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        bounded.current_dir(folder);
    }
    bounded
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    /// How a line of shell ends that may take a second.
    fn check(line: &str, limit: Duration) -> Ended {
        let folder = Scratch::new();
        let mut command = Command::new("sh");
        command.arg("-c").arg(line);
        let ended = run(&command, folder.path(), limit).expect("there is a shell");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0, "nothing is left");
        ended
    }

    #[test]
    fn who_computes_without_end_is_stopped_with_what_it_started() {
        let second = Duration::from_secs(1);
        let ended = check("(while :; do :; done); exit 1", second);
        assert!(matches!(ended, Ended::TooLong(limit) if limit == second));
    }

    #[test]
    fn who_waits_without_end_is_stopped() {
        let ended = check("exec sleep 100", Duration::from_millis(20));
        assert!(matches!(ended, Ended::TooLong(_)));
    }

    #[test]
    fn who_ends_in_time_is_heard() {
        let ended = check("echo no >&2; exit 3", Duration::from_secs(20));
        assert!(matches!(ended, Ended::Itself(status, words) if status.code() == Some(3) && words == "no\n"));
    }
}
