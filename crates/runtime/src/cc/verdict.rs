//! What was found out about an artefact, kept beside it.
//!
//! One idea: a verdict holds of one artefact and of what it was compared with, so both are written down with it: the artefact's
//! seal, and the caller's own words. A verdict of another artefact, or about something else, is none. Whoever cannot keep one finds
//! it out again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::cache;

const VERDICT: &str = "verdict";

/// What was found out about this artefact of the cache with regard to `about`, if that is known.
pub fn verdict(artefact: &Path, about: &str) -> Option<String> {
    let head = head(artefact, about).ok()?;
    fs::read_to_string(beside(artefact, VERDICT)?).ok()?.strip_prefix(&head).map(str::to_owned)
}

/// Keep what was found out, in place of what was known.
///
/// # Errors
/// The cache cannot be written.
pub fn keep_verdict(artefact: &Path, about: &str, verdict: &str) -> io::Result<()> {
    let text = head(artefact, about)? + verdict;
    write_beside(artefact, VERDICT, text.as_bytes()).map(|_| ())
}

/// Write a file beside an artefact, in one step, and say where it is.
///
/// # Errors
/// The cache cannot be written.
pub fn write_beside(artefact: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = beside(artefact, name).ok_or(io::ErrorKind::NotFound)?;
    crate::replace_file(&path, bytes)?;
    Ok(path)
}

fn beside(artefact: &Path, name: &str) -> Option<PathBuf> {
    Some(artefact.parent()?.join(name))
}

/// What a verdict begins with: the artefact and the question, so that no other one reads alike.
fn head(artefact: &Path, about: &str) -> io::Result<String> {
    let seal = cache::seal_of(&fs::read(artefact)?);
    Ok(format!("{seal}about {}\n{about}\n", about.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn verdicts_are_of_one_artefact_and_one_question() {
        let folder = Scratch::new();
        let artefact = folder.path().join("kernel.so");
        assert_eq!(verdict(&artefact, "loops"), None);
        fs::write(&artefact, "code").expect("written");
        assert_eq!(verdict(&artefact, "loops"), None);
        keep_verdict(&artefact, "loops", "same\n").expect("kept");
        assert_eq!(verdict(&artefact, "loops").as_deref(), Some("same\n"));
        // A question that begins like the one that was asked is another one.
        for other in ["loop", "loops\n", "loops\nsame", "other"] {
            assert_eq!(verdict(&artefact, other), None, "{other}");
        }
        fs::write(&artefact, "other code").expect("written");
        assert_eq!(verdict(&artefact, "loops"), None);
    }
}
