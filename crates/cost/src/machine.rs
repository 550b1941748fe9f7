//! What the cost model knows of a machine: cores, caches, registers.
//!
//! [`Machine::default`] is a plain machine of today, the same everywhere, so that what is computed for it can
//! be compared. [`Machine::detect`] asks the system for the sizes of its caches, its cores and its vectors,
//! and keeps the default for what it does not learn. Nothing is measured.

use std::fs;
use std::path::Path;

/// A cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cache {
    /// How many bytes one core may count on.
    pub bytes: f64,
    /// How many cycles it takes to bring one line here from the next level.
    pub line_cycles: f64,
}

/// A machine, as far as the cost model looks at it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    /// How many threads run at once.
    pub cores: u32,
    /// Bytes of a vector register.
    pub vector_bytes: u32,
    /// How many vector registers there are.
    pub registers: u32,
    /// Bytes of a cache line.
    pub line_bytes: u32,
    /// The caches, the nearest first.
    pub caches: [Cache; 3],
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            cores: 4,
            vector_bytes: 32,
            registers: 16,
            line_bytes: 64,
            caches: [
                Cache { bytes: 32.0 * 1024.0, line_cycles: 2.0 },
                Cache { bytes: 512.0 * 1024.0, line_cycles: 5.0 },
                Cache { bytes: 4096.0 * 1024.0, line_cycles: 12.0 },
            ],
        }
    }
}

impl Machine {
    /// The machine at hand, with defaults for what the system does not say.
    pub fn detect() -> Machine {
        let mut machine = Machine::default();
        if let Ok(cores) = std::thread::available_parallelism() {
            machine.cores = u32::try_from(cores.get()).unwrap_or(u32::MAX);
        }
        (machine.vector_bytes, machine.registers) = vectors();
        for (cache, bytes) in machine.caches.iter_mut().zip(cache_sizes(Path::new(CACHES))) {
            cache.bytes = bytes.unwrap_or(cache.bytes);
        }
        // A level that is no larger than the one before it holds nothing that the other does not.
        for k in 1..machine.caches.len() {
            machine.caches[k].bytes = machine.caches[k].bytes.max(machine.caches[k - 1].bytes);
        }
        machine
    }

    /// The same with another number of threads.
    pub fn with_cores(self, cores: usize) -> Machine {
        Machine { cores: u32::try_from(cores).unwrap_or(u32::MAX).max(1), ..self }
    }

    /// Bytes that the vector registers hold.
    pub fn register_bytes(&self) -> f64 {
        f64::from(self.vector_bytes) * f64::from(self.registers)
    }
}

/// Where Linux tells the caches of its first processor.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// The bytes of the caches of level 1, 2 and 3 that hold data, per core that shares them.
fn cache_sizes(folder: &Path) -> [Option<f64>; 3] {
    let mut found = [None; 3];
    for index in 0..8 {
        let read = |name: &str| fs::read_to_string(folder.join(format!("index{index}/{name}"))).ok();
        let Some(level) = read("level").and_then(|text| text.trim().parse::<usize>().ok()) else { continue };
        let holds_data = read("type").is_none_or(|kind| kind.trim() != "Instruction");
        let sharing = read("shared_cpu_list").map_or(1.0, |list| sharers(&list));
        let bytes = read("size").and_then(|text| parse_size(&text));
        if let (true, Some(slot), Some(bytes)) = (holds_data, found.get_mut(level.wrapping_sub(1)), bytes) {
            *slot = Some(bytes / sharing);
        }
    }
    found
}

/// `48K`, `2M`.
fn parse_size(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1.0,
        "K" => 1024.0,
        "M" => 1024.0 * 1024.0,
        _ => return None,
    };
    let count: u32 = digits.parse().ok()?;
    (count > 0).then_some(f64::from(count) * unit)
}

/// How many processors a list such as `0-3,8` names; at least one.
fn sharers(list: &str) -> f64 {
    let count = list.trim().split(',').map(|part| match part.split_once('-') {
        Some((first, last)) => match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) if first <= last => f64::from(last - first) + 1.0,
            _ => 1.0,
        },
        None => 1.0,
    });
    count.sum()
}

/// Bytes of a vector register, and how many there are.
#[cfg(target_arch = "x86_64")]
fn vectors() -> (u32, u32) {
    if std::is_x86_feature_detected!("avx512f") {
        (64, 32)
    } else if std::is_x86_feature_detected!("avx2") {
        (32, 16)
    } else {
        (16, 16)
    }
}

/// Bytes of a vector register, and how many there are.
#[cfg(not(target_arch = "x86_64"))]
fn vectors() -> (u32, u32) {
    (16, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let size = |text, bytes| assert_eq!(parse_size(text), bytes, "{text}");
        size("48K\n", Some(49152.0));
        size("2M", Some(2097152.0));
        size("", None);
        size("0K", None);
        size("3X", None);
        let shared = |list, count| assert_eq!(sharers(list), count, "{list}");
        shared("0\n", 1.0);
        shared("0-3,8", 5.0);
        shared("", 1.0);
    }

    #[test]
    fn what_the_system_does_not_say_has_a_default() {
        assert_eq!(cache_sizes(Path::new("no such folder")), [None; 3]);
        let machine = Machine::detect();
        assert!(machine.cores >= 1 && machine.caches.iter().all(|cache| cache.bytes > 0.0), "{machine:?}");
        assert!(machine.caches.is_sorted_by(|a, b| a.bytes <= b.bytes), "{machine:?}");
    }
}
