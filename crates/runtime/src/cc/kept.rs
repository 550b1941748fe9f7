//! Texts in the cache: what this code found out about something, for its next run.
//!
//! One idea: a text follows from what it is about and from the code that wrote it, so both are its key. The code is its file, an executable
//! or a library that a process has loaded, at one path and with one size, number and time of change: another build finds nothing of what this
//! one wrote.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CompileError, cache, identity};

/// The file that holds the text.
const TEXT: &str = "text";

/// What this code kept about this, if that is known and whole.
pub fn kept(cache: &Path, about: &str) -> Option<String> {
    String::from_utf8(cache::read(cache, &key(about)?, TEXT)?).ok()
}

/// Keep what was found out about this. Where this code's file cannot be found, nothing is kept.
///
/// # Errors
/// The cache cannot be written.
pub fn keep(cache: &Path, about: &str, text: &str) -> Result<(), CompileError> {
    match key(about) {
        Some(key) => cache::write(cache, &key, TEXT, text.as_bytes()),
        None => Ok(()),
    }
}

fn key(about: &str) -> Option<String> {
    let path = own_file()?;
    let state = identity::state(&fs::metadata(&path).ok()?)?;
    Some(format!("text by {} {state}\nabout {}\n{about}", path.display(), about.len()))
}

/// The file of which this code is a part, if the system tells, and the file is still there.
fn own_file() -> Option<PathBuf> {
    let here = own_file as *const () as usize;
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        let (from, rest) = line.split_once('-')?;
        let (to, rest) = rest.split_once(' ')?;
        let address = |text| usize::from_str_radix(text, 16).ok();
        // After the range stand permissions, offset, device and inode; the path may have spaces.
        (address(from)?..address(to)?).contains(&here).then(|| rest.splitn(5, ' ').nth(4)).flatten()
    });
    Path::new(path?.trim_start()).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    /// The one entry's folder.
    fn entry(cache: &Path) -> std::path::PathBuf {
        let mut entries = fs::read_dir(cache).expect("listed").map(|entry| entry.expect("read").path());
        entries.find(|path| path.is_dir()).expect("an entry")
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_file_of_this_code_is_found() {
        let own = std::env::current_exe().and_then(|path| path.canonicalize()).expect("an executable");
        assert_eq!(own_file(), Some(own));
    }

    #[test]
    fn what_was_kept_is_found_until_it_is_damaged() {
        let cache = Scratch::new();
        assert_eq!(kept(cache.path(), "a question"), None);
        keep(cache.path(), "a question", "an answer").expect("kept");
        assert_eq!(kept(cache.path(), "a question").as_deref(), Some("an answer"));
        for other in ["a questio", "a question\n", "another"] {
            assert_eq!(kept(cache.path(), other), None, "{other}");
        }
        for (file, content) in [(TEXT, "an answeR"), (TEXT, "an"), ("key", "another key"), ("seal", "")] {
            fs::write(entry(cache.path()).join(file), content).expect("damaged");
            assert_eq!(kept(cache.path(), "a question"), None, "{file} {content}");
            keep(cache.path(), "a question", "an answer").expect("kept again");
            assert_eq!(kept(cache.path(), "a question").as_deref(), Some("an answer"));
        }
    }

    #[test]
    fn no_byte_can_be_changed() {
        let cache = Scratch::new();
        keep(cache.path(), "a question", "an answer").expect("kept");
        for file in [TEXT, "key", "seal"] {
            let path = entry(cache.path()).join(file);
            let whole = fs::read(&path).expect("read");
            for (k, bit) in (0..whole.len()).flat_map(|k| [(k, 1), (k, 0x80)]) {
                let mut changed = whole.clone();
                changed[k] ^= bit;
                fs::write(&path, &changed).expect("damaged");
                assert_eq!(kept(cache.path(), "a question"), None, "{file} {k}");
                fs::write(&path, &whole[..k]).expect("truncated");
                assert_eq!(kept(cache.path(), "a question"), None, "{file} up to {k}");
            }
            fs::write(&path, &whole).expect("mended");
            assert_eq!(kept(cache.path(), "a question").as_deref(), Some("an answer"));
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_keeps_nothing() {
        let folder = Scratch::new();
        let file = folder.path().join("file");
        fs::write(&file, "in the way").expect("written");
        assert!(keep(&file, "a question", "an answer").is_err());
        assert_eq!(kept(&file, "a question"), None);
        assert!(keep(Path::new(""), "a question", "an answer").is_err());
    }
}
