//! `test-executables`: a crate links its integration tests once, and leaves none of them out.
//!
//! Each file in `crates/x/tests` would be an executable, and linking one costs more than running most tests.
//! So a crate with several has `autotests = false` and a file `tests/all.rs`, which lists them as modules.
//! Cargo then no longer finds a file that the list forgets: this does. A library without unit tests is not
//! built to be tested: `test = false` says so, and it has none then.

use super::{Check, Report};
use crate::tree::Tree;

pub(super) const CHECK: Check = Check {
    name: "test-executables",
    holds: "a crate has one test executable, which has all of its tests; none are left out of a library",
    run,
};

/// Crates whose executables stay apart, for each is built and judged alone.
const APART: &[&str] = &["crates/recheck/"];

fn run(tree: &Tree, report: &mut Report) {
    for manifest in tree.under("crates/").filter(|file| file.path.ends_with("/Cargo.toml")) {
        let root = manifest.path.trim_end_matches("Cargo.toml");
        if is_untested(&manifest.text) {
            let sources = format!("{root}src/");
            for file in tree.under(&sources).filter(|file| file.text.contains("#[test]")) {
                report.problem(&file.path, "`[lib]` says `test = false`, so its tests do not run");
            }
        }
        if APART.contains(&root) {
            continue;
        }
        let folder = format!("{root}tests/");
        let mut modules: Vec<&str> = tree
            .under(&folder)
            .filter_map(|file| {
                let name = file.path[folder.len()..].strip_suffix(".rs")?;
                match name.split_once('/') {
                    Some((name, "mod" | "main")) => Some(name),
                    Some(_) => None,
                    None => Some(name),
                }
            })
            .filter(|name| {
                *name != "all" && !manifest.text.contains(&format!("name = \"{name}\"\nharness = false"))
            })
            .collect();
        modules.sort_unstable();
        if !manifest.text.contains("\nautotests = false\n") {
            if modules.len() > 1 {
                report.problem(
                    &manifest.path,
                    "several test executables: `autotests = false` and a `tests/all.rs`",
                );
            }
            continue;
        }
        let path = format!("{folder}all.rs");
        let text = tree.text(&path).unwrap_or_default();
        let listed: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
        for module in modules.iter().filter(|module| !listed.contains(module)) {
            report.problem(&path, format!("no line `mod {module};`, so its tests do not run"));
        }
        if !listed.is_sorted() {
            report.problem(&path, "not sorted");
        }
    }
}

/// Does the manifest say that the library is not tested?
fn is_untested(manifest: &str) -> bool {
    let lib = manifest.split("\n[lib]\n").nth(1);
    lib.is_some_and(|rest| {
        rest.split("\n[").next().unwrap_or(rest).lines().any(|line| line == "test = false")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    const ONE: &str = "[package]\nautotests = false\n\n[[test]]\nname = \"all\"\n\n[[test]]\nname = \"suite\"\nharness = false\n";

    fn check(manifest: &str, all: &str, about: &[&str]) {
        let files = [
            ("crates/x/Cargo.toml", manifest),
            ("crates/x/tests/a.rs", ""),
            ("crates/x/tests/all.rs", all),
            ("crates/x/tests/b/mod.rs", ""),
            ("crates/x/tests/b/part.rs", ""),
            ("crates/x/tests/suite.rs", ""),
        ];
        let found = problems(&CHECK, &files);
        assert_eq!(found.len(), about.len(), "{found:?}");
        for (found, about) in found.iter().zip(about) {
            assert!(found.contains(about), "{found}");
        }
    }

    #[test]
    fn libraries_that_are_not_tested_have_no_tests() {
        let check = |manifest: &str| {
            let files = [("crates/x/Cargo.toml", manifest), ("crates/x/src/lib.rs", "#[test]\nfn f() {}\n")];
            problems(&CHECK, &files).len()
        };
        assert_eq!(check("[package]\n\n[lib]\nname = \"x\"\ntest = false\n\n[dependencies]\n"), 1);
        assert_eq!(check("[package]\n\n[lib]\nname = \"x\"\n\n[[bin]]\ntest = false\n"), 0);
    }

    #[test]
    fn every_test_is_in_the_one_executable() {
        check(ONE, "mod a;\nmod b;\n", &[]);
        check(ONE, "mod a;\n", &["mod b;"]);
        check(ONE, "mod b;\nmod a;\n", &["not sorted"]);
        check("[package]\n", "mod a;\nmod b;\n", &["several"]);
    }
}
