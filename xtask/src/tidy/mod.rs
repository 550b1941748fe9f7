//! The checks, one file each. To add one: its file, and its line here.
//!
//! A check reads the [`Tree`] and reports problems; it never changes anything, and it is written so that a
//! small invented repository can show that it finds what it looks for.

use crate::tree::Tree;
use std::time::Instant;

mod codes_used;
mod dependencies;
mod doc_fields;
mod examples_compared;
mod file_sizes;
mod generated_pages;
mod invariants;
mod kernel_budget;
mod leftovers;
mod machine_paths;
mod manifests;
mod module_comments;
mod tables;
mod test_executables;
mod unsafe_code;
mod words;

/// A check.
pub(crate) struct Check {
    /// Its name, the file's with hyphens.
    pub(crate) name: &'static str,
    /// What holds when it passes.
    pub(crate) holds: &'static str,
    /// Look for what does not.
    pub(crate) run: fn(&Tree, &mut Report),
}

/// Every check, sorted by name.
pub(crate) const TABLE: &[Check] = &[
    codes_used::CHECK,
    dependencies::CHECK,
    doc_fields::CHECK,
    examples_compared::CHECK,
    file_sizes::CHECK,
    generated_pages::CHECK,
    invariants::CHECK,
    kernel_budget::CHECK,
    leftovers::CHECK,
    machine_paths::CHECK,
    manifests::CHECK,
    module_comments::CHECK,
    tables::CHECK,
    test_executables::CHECK,
    unsafe_code::CHECK,
    words::CHECK,
];

/// What a check found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// What must be changed.
    pub(crate) problems: Vec<String>,
    /// What is worth a look.
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// Something is wrong with a file.
    pub(crate) fn problem(&mut self, path: &str, message: impl AsRef<str>) {
        self.problems.push(format!("{path}: {}", message.as_ref()));
    }

    /// Something is wrong at a line, counted from 1.
    pub(crate) fn problem_at(&mut self, path: &str, line: usize, message: impl AsRef<str>) {
        self.problems.push(format!("{path}:{line}: {}", message.as_ref()));
    }

    /// Something worth a look, which fails nothing.
    pub(crate) fn note(&mut self, message: impl Into<String>) {
        self.notes.push(message.into());
    }
}

/// Run the named checks, or all.
pub(crate) fn run(tree: &Tree, names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| TABLE.iter().all(|check| check.name != **name)) {
        let all: Vec<&str> = TABLE.iter().map(|check| check.name).collect();
        return Err(format!("there is no check `{unknown}`; there are {}", all.join(", ")));
    }
    let start = Instant::now();
    let mut failed = 0;
    for check in TABLE.iter().filter(|check| names.is_empty() || names.contains(&check.name)) {
        let mut report = Report::default();
        (check.run)(tree, &mut report);
        let verdict = if report.problems.is_empty() { "ok  " } else { "FAIL" };
        println!("{verdict} {:<18} {}", check.name, check.holds);
        for note in &report.notes {
            println!("       note: {note}");
        }
        for problem in &report.problems {
            println!("       {problem}");
        }
        failed += report.problems.len();
    }
    println!("tidy: {} files in {} ms", tree.files.len(), start.elapsed().as_millis());
    if failed == 0 { Ok(()) } else { Err(format!("tidy: {failed} problems")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    /// The problems that a check finds in an invented repository.
    pub(super) fn problems(check: &Check, files: &[(&str, &str)]) -> Vec<String> {
        let mut report = Report::default();
        (check.run)(&tree(files), &mut report);
        report.problems
    }

    #[test]
    fn the_table_is_sorted_and_named_after_the_files() {
        let names: Vec<&str> = TABLE.iter().map(|check| check.name).collect();
        assert!(names.is_sorted());
        let tree = Tree::load().expect("lists the files");
        let stems = tree.stems("xtask/src/tidy", ".rs");
        let files: Vec<String> = stems.iter().filter(|s| **s != "mod").map(|s| s.replace('_', "-")).collect();
        assert_eq!(files, names);
    }

    #[test]
    fn an_unknown_check_is_refused() {
        assert!(run(&tree(&[]), &["nonsense"]).is_err());
    }
}
