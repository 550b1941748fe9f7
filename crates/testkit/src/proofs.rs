//! Every derivation that this project has: of the examples, and of the suite's programs, under each of their schedules.

use crate::parallel::in_parallel;
use crate::suite::documents;
use atl_driver::{Lowered, Program, Scheduled};
use std::path::{Path, PathBuf};

/// A function under a schedule, or as it is written, with what was lowered of it.
pub struct Derivation {
    /// Where it stands: the file, the function, the schedule.
    pub name: String,
    /// The function under its schedule.
    pub scheduled: Scheduled,
    /// The normal form and its theorem.
    pub lowered: Lowered,
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What `visit` makes of every derivation, by their fixed order, on all cores. Programs that are refused, as some are meant
/// to be, have none.
///
/// # Errors
/// A folder that cannot be read, or a document of the suite that is malformed.
pub fn each<R: Send>(visit: impl Fn(&Derivation) -> R + Sync) -> Result<Vec<R>, String> {
    let of_examples = each_of_the_examples(&visit)?;
    let documents = documents(&root().join("tests/suite"))?;
    let cases =
        documents.iter().flat_map(|document| document.cases.iter().map(|case| (&document.name, case)));
    let of_cases = in_parallel(cases, |(name, case)| match Program::parse("case.atl", &case.program) {
        Ok(program) => derivations(&format!("{name}:{}", case.line), &program, &visit),
        Err(_) => Vec::new(),
    });
    Ok(of_examples.into_iter().chain(of_cases.into_iter().flatten()).collect())
}

/// What `visit` makes of the examples' derivations, as [`each`] does of all.
///
/// # Errors
/// A folder that cannot be read, or a program that is refused.
pub fn each_of_the_examples<R: Send>(visit: impl Fn(&Derivation) -> R + Sync) -> Result<Vec<R>, String> {
    let found = in_parallel(examples(&root().join("examples"))?, |path| {
        let program = atl_driver::load(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(derivations(&name, &program, &visit))
    });
    let found: Vec<Vec<R>> = found.into_iter().collect::<Result<_, String>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// The programs in a folder and in those below it, sorted.
fn examples(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(examples(&path)?);
        } else if path.extension().is_some_and(|e| e == "atl") {
            found.push(path);
        }
    }
    Ok(found)
}

fn derivations<R>(of: &str, program: &Program, visit: impl Fn(&Derivation) -> R) -> Vec<R> {
    let written = program.functions().iter().map(|f| (f.name.clone(), None));
    let scheduled = program.schedules().iter().map(|s| (s.of.text.clone(), Some(s.name.text.clone())));
    let derived = written.chain(scheduled).filter_map(|(function, schedule)| {
        let scheduled = program.scheduled(&function, schedule.as_deref()).ok()?;
        let lowered = scheduled.lower().ok()?;
        let name = format!("{of}/{function}{}", schedule.map(|s| format!("/{s}")).unwrap_or_default());
        Some(visit(&Derivation { name, scheduled, lowered }))
    });
    derived.collect()
}
