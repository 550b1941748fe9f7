//! A folder for one test, removed when the test ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Distinguishes the folders of one process.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A fresh folder below the system's temporary folder.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder.
    pub(crate) fn new() -> Scratch {
        let path = std::env::temp_dir().join(format!(
            "atl-runtime-test-{}-{}",
            std::process::id(),
            COUNTER.fetch_add(1, Ordering::Relaxed)
        ));
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        Scratch(path)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
