//! A folder for one test, removed when the test ends.

use std::fs;
use std::path::{Path, PathBuf};

use crate::data::unique_suffix;

/// A fresh folder below the system's temporary folder.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder.
    pub(crate) fn new() -> Scratch {
        let path = std::env::temp_dir().join(format!("atl-runtime-test-{}", unique_suffix()));
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
