//! The programs measured: the repository's examples, each function as written and under each of its
//! schedules.

use atl_diag::FileId;
use std::path::{Path, PathBuf};

/// The file that a program was loaded from, before those that it imports.
const MAIN_FILE: FileId = FileId(0);

/// A function of an example, under a schedule or as it is written.
#[derive(Clone)]
pub(crate) struct Target {
    /// The file.
    pub(crate) path: PathBuf,
    /// The function.
    pub(crate) function: String,
    /// The schedule.
    pub(crate) schedule: Option<String>,
}

impl Target {
    /// `blur.atl blur tiled`
    pub(crate) fn name(&self) -> String {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!("{file} {} {}", self.function, self.schedule.as_deref().unwrap_or("as written"))
    }
}

/// The path of an example.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

/// Every function that a file itself defines, as written and under each of its schedules.
pub(crate) fn targets_of(path: &Path) -> Result<Vec<Target>, String> {
    let program = atl_driver::load(path).map_err(|why| why.to_string())?;
    let mut targets = Vec::new();
    let own_file = program.functions().iter().filter(|f| f.span.file == MAIN_FILE);
    for function in own_file {
        let own = program.schedules().iter().filter(|s| s.of.text == function.name);
        for schedule in std::iter::once(None).chain(own.map(|s| Some(s.name.text.clone()))) {
            targets.push(Target { path: path.to_owned(), function: function.name.clone(), schedule });
        }
    }
    Ok(targets)
}

/// Every target of every example, in the order of the files' names.
pub(crate) fn targets() -> Result<Vec<Target>, String> {
    targets_in(&example(""))
}

/// Every target of every program of a folder, in the order of the files' names.
pub(crate) fn targets_in(folder: &Path) -> Result<Vec<Target>, String> {
    let entries = std::fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "atl"));
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        all.extend(targets_of(&path)?);
    }
    Ok(all)
}
