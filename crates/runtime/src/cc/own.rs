//! A folder of this process, for where the user's cache cannot be used.
//!
//! One idea: it is made, never found: another user could have prepared a folder of a known name. What is compiled into it serves this
//! process; whoever ends the process removes it, and says what was wrong with the cache.

use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, io};

use super::CompileError;
use crate::replace::unique_suffix;

/// The folder, and why there is one.
struct Own {
    path: PathBuf,
    note: String,
}

static OWN: Mutex<Option<Own>> = Mutex::new(None);

/// The folder that serves in place of this cache; none if it is that folder, or if none can be made.
pub(super) fn folder(cache: &Path, why: &CompileError) -> Option<PathBuf> {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if own.is_none() {
        let path = make().ok()?;
        let what = match cache.as_os_str().is_empty() {
            true => "there is no folder for a cache, as neither ATL_CACHE nor HOME is set".to_owned(),
            false => format!("the cache cannot be written ({why})"),
        };
        let note =
            format!("{what}; what is compiled is kept for this run alone, and ATL_CACHE names a folder");
        *own = Some(Own { path, note });
    }
    own.as_ref().map(|own| own.path.clone()).filter(|path| path != cache)
}

/// What is to be said where a folder of this process served in place of a cache.
pub fn note() -> Option<String> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|own| own.note.clone())
}

/// Removes the folder of this process, if there is one. Artefacts that were loaded stay loaded.
pub fn remove() {
    if let Some(own) = OWN.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // Nothing depends on the removal.
        let _ = fs::remove_dir_all(own.path);
    }
}

/// Makes a folder that was not there.
fn make() -> io::Result<PathBuf> {
    let mut failed = io::Error::from(io::ErrorKind::NotFound);
    for folder in [env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")] {
        for _ in 0..8 {
            let path = folder.join(format!("atl-cache-{}", unique_suffix()));
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            match builder.create(&path) {
                Ok(()) => return Ok(path),
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
                Err(why) => {
                    failed = why;
                    break;
                }
            }
        }
    }
    Err(failed)
}
