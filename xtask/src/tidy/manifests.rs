//! `manifests`: every crate takes version, edition, licence and lints from the workspace.

use super::{Check, Report};
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "manifests", holds: "every crate inherits the workspace's settings and lints", run };

/// Lines that every manifest has.
const LINES: &[&str] = &[
    "version.workspace = true",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "publish.workspace = true",
    "[lints]\nworkspace = true",
];

fn run(tree: &Tree, report: &mut Report) {
    let crates = tree.under("crates/").chain(tree.under("xtask/"));
    for file in crates.filter(|file| file.path.ends_with("/Cargo.toml")) {
        for line in LINES.iter().filter(|line| !file.text.contains(**line)) {
            report.problem(&file.path, format!("does not say `{}`", line.replace('\n', " ")));
        }
        if !file.text.contains("\ndescription = \"") {
            report.problem(&file.path, "has no description");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn a_missing_line_is_found() {
        let whole = format!("[package]\ndescription = \"x\"\n{}\n", LINES.join("\n"));
        let check = |text: &str| problems(&CHECK, &[("crates/a/Cargo.toml", text)]).len();
        assert_eq!(check(&whole), 0);
        assert_eq!(check(&whole.replace("[lints]", "")), 1);
        assert_eq!(check(&whole.replace("description", "about")), 1);
    }
}
