//! What the words after options mean: names, paths, types.

use atl_driver::DType;
use atl_driver::data::Symmetry;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// `NAME=VALUE`
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("expected a name, `=`, and what it stands for".to_owned()),
    }
}

/// `NAME=PATH`, whatever bytes the path has.
pub(super) fn path_pair(text: OsString) -> Result<(String, PathBuf), String> {
    of_path(split_at(&text, "="))
}

/// `NAME=PATH`, or as TACO writes it, `NAME:PATH`.
pub(super) fn named(text: OsString) -> Result<(String, PathBuf), String> {
    of_path(split_at(&text, "=:"))
}

fn of_path(parts: Option<(&str, OsString)>) -> Result<(String, PathBuf), String> {
    match parts {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.to_owned(), path.into())),
        _ => Err("expected a name, `=`, and a path".to_owned()),
    }
}

/// What stands before the first of some ASCII characters, and what stands behind it. Paths may hold any bytes, names may not.
pub(crate) fn split_at<'a>(text: &'a OsStr, marks: &str) -> Option<(&'a str, OsString)> {
    let bytes = text.as_encoded_bytes();
    let at = bytes.iter().position(|byte| marks.as_bytes().contains(byte))?;
    let before = std::str::from_utf8(&bytes[..at]).ok()?;
    #[cfg(unix)]
    let behind: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(&bytes[at + 1..]);
    #[cfg(not(unix))]
    let behind: &OsStr = OsStr::new(&text.to_str()?[at + 1..]);
    Some((before, behind.to_owned()))
}

/// A path that does not promise, by its extension, another kind of file than is written to it.
pub(super) fn of_kind(path: OsString, extensions: &[&str]) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    let given = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match given {
        Some(given) if !extensions.contains(&given.as_str()) => {
            Err(format!("what is written is `.{}`, and no `.{given}`", extensions.join("` or `.")))
        }
        _ => Ok(path),
    }
}

/// The path of a page.
pub(super) fn page(path: OsString) -> Result<PathBuf, String> {
    of_kind(path, &["html", "htm"])
}

/// An element type by its name.
pub(super) fn dtype(text: &str) -> Result<DType, String> {
    let names = || DType::ALL.map(DType::name).join(", ");
    DType::ALL.into_iter().find(|ty| ty.name() == text).ok_or_else(|| format!("expected one of {}", names()))
}

/// A symmetry by its name.
pub(super) fn symmetry(text: &str) -> Result<Symmetry, String> {
    let names = || Symmetry::ALL.map(Symmetry::name).join(", ");
    let found = Symmetry::ALL.into_iter().find(|symmetry| symmetry.name() == text);
    found.ok_or_else(|| format!("expected one of {}", names()))
}

/// `NAME=VALUE` for a size.
pub(super) fn size(text: &str) -> Result<(String, i64), String> {
    let (name, value) = pair(text)?;
    value.parse().map(|value| (name, value)).map_err(|_| "expected a number after `=`".to_owned())
}
