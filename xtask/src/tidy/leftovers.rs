//! `leftovers`: nothing unfinished is left behind.
//!
//! The documentation says what is missing, where a user finds it, not in a marker beside the code.

use super::{Check, Report};
use crate::rust_text::has_word;
use crate::tree::Tree;

pub(super) const CHECK: Check = Check { name: "leftovers", holds: "no markers of unfinished work", run };

/// The markers; this file is the one that may name them.
const MARKERS: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];

/// Macros that say the same.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

fn run(tree: &Tree, report: &mut Report) {
    for file in tree.files.iter().filter(|file| file.path != "xtask/src/tidy/leftovers.rs") {
        let rust = file.path.ends_with(".rs");
        for (number, line) in file.text.lines().enumerate() {
            if let Some(marker) = MARKERS.iter().find(|marker| has_word(line, marker)) {
                report.problem_at(&file.path, number + 1, format!("`{marker}`"));
            }
            let unfinished = |name: &&&str| has_word(line, name) && line.contains(&format!("{name}!("));
            if rust && let Some(name) = MACROS.iter().find(unfinished) {
                report.problem_at(&file.path, number + 1, format!("`{name}!`"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn markers_and_macros_are_found() {
        let check = |text: &str| problems(&CHECK, &[("a.rs", text)]).len();
        assert_eq!(check("// TODO later\nlet x = todo!();\ndbg!(x);"), 3);
        assert_eq!(check("fn todo_list() { E0XXX }"), 0);
    }
}
