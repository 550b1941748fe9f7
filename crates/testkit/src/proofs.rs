//! Every derivation that this project has: of the examples, and of the suite's programs, under each of their schedules.

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

/// Give every derivation to `visit`, one after the other, in a fixed order. Programs that are refused, as some are meant
/// to be, have none.
///
/// # Errors
/// A folder that cannot be read, or a document of the suite that is malformed.
pub fn each(mut visit: impl FnMut(&Derivation)) -> Result<(), String> {
    for path in examples(&root().join("examples"))? {
        let program = Program::load(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        derivations(&name, &program, &mut visit);
    }
    for document in documents(&root().join("tests/suite"))? {
        for case in &document.cases {
            if let Ok(program) = Program::parse("case.atl", &case.program) {
                derivations(&format!("{}:{}", document.name, case.line), &program, &mut visit);
            }
        }
    }
    Ok(())
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

fn derivations(of: &str, program: &Program, visit: &mut impl FnMut(&Derivation)) {
    let written = program.functions().iter().map(|f| (f.name.clone(), None));
    let scheduled = program.schedules().iter().map(|s| (s.of.text.clone(), Some(s.name.text.clone())));
    for (function, schedule) in written.chain(scheduled) {
        let Ok(scheduled) = program.scheduled(&function, schedule.as_deref()) else { continue };
        let Ok(lowered) = scheduled.lower() else { continue };
        let name = format!("{of}/{function}{}", schedule.map(|s| format!("/{s}")).unwrap_or_default());
        visit(&Derivation { name, scheduled, lowered });
    }
}
