//! Which processor a thread runs on, and for how long.
//!
//! One idea: on a busy machine the threads of one kernel may land on one processor, and a time with two
//! threads then says nothing. So threads are pinned, by the command `taskset`, once all that take part have
//! started theirs: the caller to one processor, all others to the next ones. What was at work is measured
//! besides.

use std::fs;
use std::process::Command;

/// For how long all threads of this process have run so far, in seconds; not a number where the system does
/// not say.
pub(crate) fn time() -> f64 {
    let nanoseconds = |text: String| text.split_whitespace().next()?.parse::<f64>().ok();
    tasks("schedstat").map_or(f64::NAN, |texts| texts.filter_map(nanoseconds).sum::<f64>() / 1e9)
}

/// How often the system has taken the processor away from a thread of this process so far.
pub(crate) fn interruptions() -> u64 {
    let count = |text: String| {
        let line = text.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
        line.trim().parse::<u64>().ok()
    };
    tasks("status").map_or(0, |texts| texts.filter_map(count).sum())
}

/// What the system says in this file of each thread.
fn tasks(file: &str) -> Option<impl Iterator<Item = String>> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    Some(tasks.filter_map(move |task| fs::read_to_string(task.ok()?.path().join(file)).ok()))
}

/// While this exists, threads stay where they are put.
pub(crate) struct Pinned {
    own: String,
    allowed: String,
}

/// Puts the calling thread on the first processor that it may use, and all other threads of the process on
/// the next ones.
pub(crate) fn pin(threads: usize) -> Result<Pinned, String> {
    let words = |why: std::io::Error| format!("the system does not tell of threads: {why}");
    let link = fs::read_link("/proc/thread-self").map_err(words)?;
    let own = link.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let status = fs::read_to_string("/proc/thread-self/status").map_err(words)?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let allowed = allowed.unwrap_or_default().trim().to_owned();
    let processors = listed(&allowed);
    if processors.len() < threads {
        return Err(format!("{threads} threads need as many processors, and there are {}", processors.len()));
    }
    let mut next = (1..threads).cycle();
    for task in fs::read_dir("/proc/self/task").map_err(words)? {
        let task = task.map_err(words)?.file_name().to_string_lossy().into_owned();
        let at = if task == own { 0 } else { next.next().unwrap_or(0) };
        put(&task, &processors[at].to_string())?;
    }
    Ok(Pinned { own, allowed })
}

impl Drop for Pinned {
    /// What this thread starts from now on may run anywhere.
    fn drop(&mut self) {
        let _ = put(&self.own, &self.allowed);
    }
}

/// The processors of a list such as `0-3,8`.
fn listed(list: &str) -> Vec<usize> {
    let parts = list.split(',').filter_map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?)
    });
    parts.flatten().collect()
}

fn put(task: &str, processors: &str) -> Result<(), String> {
    let done = Command::new("taskset").args(["-p", "-c", processors, task]).output();
    match done {
        // A thread may have ended in the meantime.
        Ok(_) => Ok(()),
        Err(why) => Err(format!("`taskset`, which pins threads, cannot be run: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn lists_of_processors() {
        let check = |list, expected: &[usize]| assert_eq!(listed(list), expected, "{list}");
        check("0-1", &[0, 1]);
        check("3", &[3]);
        check("0-2,8", &[0, 1, 2, 8]);
        check("", &[]);
    }
}
