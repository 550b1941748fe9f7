//! `test-executables`: a crate links its integration tests once, and leaves none of them out.
//!
//! Each file in `crates/x/tests` would be an executable, and linking one costs more than running most tests. So a crate with several has
//! `autotests = false` and a file `tests/all.rs`, which lists them as modules. Cargo then no longer finds a file that the list forgets: this does.

use super::{Check, Report};
use crate::tree::Tree;

pub(super) const CHECK: Check = Check {
    name: "test-executables",
    holds: "a crate has one test executable, which has all of its tests",
    run,
};

/// Crates whose executables stay apart, for each is built and judged alone.
const APART: &[&str] = &["crates/recheck/"];

fn run(tree: &Tree, report: &mut Report) {
    for manifest in tree.under("crates/").filter(|file| file.path.ends_with("/Cargo.toml")) {
        let root = manifest.path.trim_end_matches("Cargo.toml");
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
    fn every_test_is_in_the_one_executable() {
        check(ONE, "mod a;\nmod b;\n", &[]);
        check(ONE, "mod a;\n", &["mod b;"]);
        check(ONE, "mod b;\nmod a;\n", &["not sorted"]);
        check("[package]\n", "mod a;\nmod b;\n", &["several"]);
    }
}
