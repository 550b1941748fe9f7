//! Replacing a file as a whole or not at all.
//!
//! One idea: write beside the target, then rename, which a file system does in one step. A symbolic link keeps pointing
//! where it did: its target is what is replaced. Who may read and write a file that was there stays as it was.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Distinguishes the temporary files of one process.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A name that no other writer of this machine uses at this time.
pub(crate) fn unique_suffix() -> String {
    format!("{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed))
}

/// Refuses a path at which no file can be written, before there is anything to write: its folder is missing, or something
/// else than a file has its name.
///
/// # Errors
/// Why not.
pub fn check_place(path: &Path) -> io::Result<()> {
    place(path).map(|_| ())
}

/// Where a file written to this path will be: at the end of links.
fn place(path: &Path) -> io::Result<PathBuf> {
    let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
    match fs::canonicalize(path) {
        Ok(existing) if existing.is_file() => return Ok(existing),
        Ok(_) => return Err(invalid("not a regular file")),
        Err(_) => {}
    }
    path.file_name().ok_or_else(|| invalid("not a file name"))?;
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let folder =
        fs::metadata(folder).map_err(|why| io::Error::new(why.kind(), format!("its folder: {why}")))?;
    if folder.is_dir() { Ok(path.to_owned()) } else { Err(invalid("its folder is a file")) }
}

/// Makes `bytes` the content of the file at `path`.
///
/// # Errors
/// Why not; what was there before stays.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = place(path)?;
    let name = path.file_name().unwrap_or_default();
    let temporary = path.with_file_name(format!(".{}.{}.tmp", name.to_string_lossy(), unique_suffix()));
    let written = write_new(&temporary, bytes)
        .and_then(|()| match fs::metadata(&path) {
            Ok(old) => fs::set_permissions(&temporary, old.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // The error to report is the first one; there may be nothing to remove.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    /// Writing to `target` inside a scratch folder succeeds or not, and leaves no temporary file behind.
    fn check(target: &str, succeeds: bool) {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path().join("folder")).expect("made");
        let result = replace_file(&scratch.path().join(target), b"new");
        assert_eq!(result.is_ok(), succeeds, "{target}: {result:?}");
        assert_eq!(check_place(&scratch.path().join(target)).is_ok(), succeeds, "{target}");
        let entries = fs::read_dir(scratch.path()).expect("listed").count();
        assert_eq!(entries, 1 + usize::from(succeeds), "{target}");
    }

    #[test]
    fn only_files_are_written() {
        check("fresh", true);
        check("folder", false);
        check("missing/fresh", false);
    }

    #[cfg(unix)]
    #[test]
    fn who_may_read_a_file_stays_as_it_was() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new();
        let path = scratch.path().join("secret");
        fs::write(&path, b"old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        replace_file(&path, b"new").expect("replaced");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let scratch = Scratch::new();
        let (real, link) = (scratch.path().join("real"), scratch.path().join("link"));
        fs::write(&real, b"old").expect("written");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        replace_file(&link, b"new").expect("replaced");
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).expect("read"), b"new");
    }
}
