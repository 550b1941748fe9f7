//! What the words after options mean: names, paths, types.

use atl_driver::DType;
use atl_driver::data::Symmetry;
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

/// `NAME=PATH`, or as TACO writes it, `NAME:PATH`.
pub(super) fn named(text: &str) -> Result<(String, String), String> {
    match text.find(['=', ':']).map(|at| (&text[..at], &text[at + 1..])) {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.to_owned(), path.to_owned())),
        _ => Err("expected a name, `=`, and a path".to_owned()),
    }
}

/// A path that does not promise, by its extension, another kind of file than is written to it.
pub(super) fn of_kind(text: &str, extensions: &[&str]) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let given = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match given {
        Some(given) if !extensions.contains(&given.as_str()) => {
            Err(format!("what is written is `.{}`, and no `.{given}`", extensions.join("` or `.")))
        }
        _ => Ok(path),
    }
}

/// The path of a page.
pub(super) fn page(text: &str) -> Result<PathBuf, String> {
    of_kind(text, &["html", "htm"])
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
