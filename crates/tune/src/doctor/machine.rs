//! What a machine has beside compilers: vector extensions, processors, the cache, programs that check, a
//! device.

use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long another program may take to say which one it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a driver for devices may be.
const DRIVERS: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/local/cuda/compat/libcuda.so.1",
];

/// The vector extensions that this processor and system have, of those that make a difference here.
pub fn vectors() -> Vec<&'static str> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! look {
            ($($name:tt)*) => { $(if std::arch::is_x86_feature_detected!($name) { found.push($name); })* };
        }
        look!("sse4.2" "avx" "avx2" "fma" "avx512f" "avx512vl" "avx512bw");
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        found.push("neon");
    }
    found
}

/// How many threads may run at once.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// How many programs wanted a processor in the last minute, on average, where the system says so.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// A folder, and why nothing can be written there.
#[derive(Clone, Debug)]
pub struct Cache {
    /// Where it is.
    pub path: PathBuf,
    /// Why it cannot be written.
    pub refused: Option<String>,
}

/// The folder of artefacts, which is made if there is none, and a file is written to it and removed.
pub fn cache(path: &Path) -> Cache {
    let probe = path.join(format!(".doctor-{}", std::process::id()));
    let tried = fs::create_dir_all(path)
        .and_then(|()| fs::write(&probe, "probe"))
        .and_then(|()| fs::remove_file(&probe));
    Cache { path: path.to_owned(), refused: tried.err().map(|why| why.to_string()) }
}

/// The version of the proof assistant, in its own words.
pub fn prover() -> Option<String> {
    let text = ["rocq", "coqc"].iter().find_map(|program| output_of(program, &["--version"]))?;
    text.lines().next().map(str::to_owned)
}

/// The devices of this machine, in the words of their driver's program; and is there a library of a driver?
pub fn devices() -> (Vec<String>, bool) {
    let list = output_of("nvidia-smi", &["-L"]).unwrap_or_default();
    let devices = list.lines().filter(|line| line.starts_with("GPU ")).map(without_number).collect();
    (devices, DRIVERS.iter().any(|path| Path::new(path).exists()))
}

/// A device's line without the number that is its alone.
fn without_number(line: &str) -> String {
    line.split(" (UUID").next().unwrap_or(line).trim().to_owned()
}

/// What the variable is set to, unless it is empty.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// What a program prints; nothing if it fails or does not end.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(5)),
            _ => {
                // It is not waited for any longer, whether or not it can be ended.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    };
    let mut text = String::new();
    child.stdout.take()?.read_to_string(&mut text).ok()?;
    status.success().then(|| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_asked_and_a_missing_one_says_nothing() {
        assert_eq!(output_of("echo", &["one"]).as_deref(), Some("one"));
        assert_eq!(output_of("false", &[]), None);
        assert_eq!(output_of("no-such-program", &[]), None);
    }

    #[test]
    fn a_cache_is_a_folder_that_can_be_written() {
        let folder = env::temp_dir().join(format!("atl-doctor-{}", std::process::id()));
        assert!(cache(&folder).refused.is_none());
        let file = folder.join("file");
        fs::write(&file, "").expect("written");
        assert!(cache(&file.join("below")).refused.is_some());
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn devices_are_named_without_their_own_number() {
        assert_eq!(
            without_number("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)"),
            "GPU 0: NVIDIA H100 80GB HBM3"
        );
    }
}
