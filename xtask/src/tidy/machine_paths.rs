//! `machine-paths`: nothing in the repository knows the machine that it was written on.
//!
//! No absolute path of a home or work folder, no package index other than the tools' own.

use super::{Check, Report};
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "machine-paths", holds: "no paths of one machine, no package indices", run };

/// Folders at the root of somebody's machine.
const FOLDERS: &[&str] = &["home", "root", "Users", "mnt"];

/// Settings that name a package index.
const INDICES: &[&str] = &[
    "[registries",
    "[source.",
    "replace-with",
    "index-url",
    "sparse+http",
    "GOPROXY",
    "deb http",
    "deb [",
    "pip.conf",
];

/// Where crates come from, as the lock file writes it.
const CRATES: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn run(tree: &Tree, report: &mut Report) {
    for file in tree.files.iter().filter(|file| file.path != "xtask/src/tidy/machine_paths.rs") {
        for (number, line) in file.text.lines().enumerate() {
            for folder in FOLDERS.iter().filter(|folder| mentions(line, &format!("/{folder}/"))) {
                report.problem_at(&file.path, number + 1, format!("a path of one machine, below `{folder}`"));
            }
            for index in INDICES.iter().filter(|index| line.contains(**index)) {
                report.problem_at(&file.path, number + 1, format!("a package index: `{index}`"));
            }
            if file.path == "Cargo.lock" && line.starts_with("source = ") && !line.contains(CRATES) {
                report.problem_at(&file.path, number + 1, "a crate from somewhere else");
            }
        }
    }
}

/// Does a path begin with the folder, rather than merely contain such a name?
fn mentions(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || "._-/~}>*".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    fn check(path: &str, text: &str, expected: usize) {
        let found = problems(&CHECK, &[(path, text)]);
        assert_eq!(found.len(), expected, "{found:?}");
    }

    #[test]
    fn paths_and_indices_are_found() {
        check("a.md", "see `/home/somebody/x` and https://example.org/mnt/x", 1);
        check("a.py", "open(\"/mnt/x\")", 1);
        check("a.py", "open(root + \"target/mnt/x\")", 0);
        check(".cargo/config.toml", "[source.crates-io]\nreplace-with = \"x\"", 2);
        check("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"", 0);
        check("Cargo.lock", "source = \"git+https://example.org/x\"", 1);
    }
}
