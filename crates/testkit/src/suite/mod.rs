//! The suite: documents in `tests/suite/<area>/<topic>.md`, run or brought up to date.
//!
//! Programs with outputs run as they are written and under every schedule, through every back end, against one
//! expectation. `UPDATE_EXPECT=1` writes what the programs give into the documents.

pub mod document;
pub mod render;

use atl_driver::backends::{self, Backend};
use document::{Case, cases, replace};
use render::checked;
use std::path::{Path, PathBuf};

/// A document that was read.
#[derive(Clone, Debug)]
pub struct Document {
    /// `area/topic`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// Every document below a folder, by name.
///
/// # Errors
/// A file that cannot be read, or is not of the form that [`document`] describes.
pub fn documents(root: &Path) -> Result<Vec<Document>, String> {
    let mut found = Vec::new();
    for area in sorted(root)?.into_iter().filter(|p| p.is_dir()) {
        for path in sorted(&area)?.into_iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let relative = path.strip_prefix(root).unwrap_or(&path).with_extension("");
            let name = relative.display().to_string();
            let cases = cases(&text).map_err(|e| format!("{name}.md, {e}"))?;
            found.push(Document { name, path, text, cases });
        }
    }
    Ok(found)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths =
        entries.map(|e| e.map(|e| e.path()).map_err(|e| e.to_string())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

/// The back ends that need nothing besides this crate.
pub fn embedded() -> Vec<&'static Backend> {
    backends::TABLE.iter().copied().filter(|b| b.name != "c").collect()
}

/// Does a case give what is expected of it?
///
/// # Errors
/// Every difference.
pub fn run(case: &Case, backends: &[&'static Backend]) -> Result<(), String> {
    let checked = checked(case);
    let mut wrong: Vec<String> = checked.unexpected(case).into_iter().collect();
    for expectation in &case.expectations {
        match checked.text(expectation, backends) {
            Ok(text) if text == expectation.text => {}
            Ok(text) => wrong.push(format!("expected\n{}found\n{text}", expectation.text)),
            Err(why) => wrong.push(why),
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The document with what its programs give.
///
/// # Errors
/// A text that a program does not give, with the case.
pub fn updated(document: &Document) -> Result<String, String> {
    let mut replacements = Vec::new();
    for case in &document.cases {
        let checked = checked(case);
        let place = |why: String| format!("{}.md:{}: {why}", document.name, case.line);
        if let Some(why) = checked.unexpected(case) {
            return Err(place(why));
        }
        for expectation in &case.expectations {
            let text = checked.text(expectation, &embedded()).map_err(place)?;
            replacements.push((expectation.range.clone(), text));
        }
    }
    Ok(replace(&document.text, &replacements))
}
