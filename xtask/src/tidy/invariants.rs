//! `invariants`: every invariant of `ARCHITECTURE.md` names the test that holds it, and the test exists.
//!
//! Under the heading "Invariants", each item of the list says `Held by:` and names tests in backticks, in one
//! of these forms:
//!
//! * `crates/kernel/tests/x.rs::some_test`: a function of that file;
//! * `tidy::check-name`: a check of this program;
//! * `tests/suite/area/topic.md`: a file of the suite, or any other file that is a test as a whole.

use super::{Check, Report, TABLE};
use crate::rust_text::has_word;
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "invariants", holds: "every invariant of ARCHITECTURE.md names a test that exists", run };

const FILE: &str = "ARCHITECTURE.md";

fn run(tree: &Tree, report: &mut Report) {
    let Some(text) = tree.text(FILE) else {
        report.problem(FILE, "missing");
        return;
    };
    let items = items(text);
    if items.is_empty() {
        report.problem(FILE, "has no list under the heading \"Invariants\"");
    }
    for (line, item) in items {
        let Some((_, tests)) = item.split_once("Held by:") else {
            report.problem_at(FILE, line, "an invariant that no test is named for: `Held by:`");
            continue;
        };
        let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        if tests.is_empty() {
            report.problem_at(FILE, line, "`Held by:` names nothing in backticks");
        }
        for test in tests.into_iter().filter(|test| !exists(tree, test)) {
            report.problem_at(FILE, line, format!("there is no test `{test}`"));
        }
    }
}

fn exists(tree: &Tree, test: &str) -> bool {
    match test.split_once("::") {
        Some(("tidy", name)) => TABLE.iter().any(|check| check.name == name),
        Some((path, name)) => {
            let name = name.rsplit("::").next().unwrap_or(name);
            tree.text(path).is_some_and(|text| has_word(text, &format!("fn {name}")))
        }
        None => tree.text(test).is_some(),
    }
}

/// The items of the lists under the heading, each with its line and in one piece.
fn items(text: &str) -> Vec<(usize, String)> {
    let mut items: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            inside = heading.trim() == "Invariants";
        } else if inside && (line.starts_with("- ") || line.starts_with("* ")) {
            items.push((number + 1, line.to_owned()));
        } else if inside
            && line.starts_with(' ')
            && let Some((_, item)) = items.last_mut()
        {
            item.push(' ');
            item.push_str(line.trim());
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    fn check(list: &str, expected: usize) {
        let text =
            format!("# A\n\n- not this\n\n## Invariants\n\nProse.\n\n{list}\n\n## Next\n\n- nor this\n");
        let test = ("crates/a/tests/x.rs", "#[test]\nfn it_holds() {}\n");
        let found = problems(&CHECK, &[(FILE, &text), test]);
        assert_eq!(found.len(), expected, "{found:?}");
    }

    #[test]
    fn tests_must_exist() {
        check("- One.\n  Held by: `crates/a/tests/x.rs::it_holds`, `tidy::tables`.", 0);
        check("- One. Held by: `crates/a/tests/x.rs`.\n- Two.", 1);
        check("- One. Held by: `crates/a/tests/x.rs::it_hold`.", 1);
        check("- One. Held by: `tidy::nonsense`.", 1);
        check("- One. Held by: care.", 1);
        check("", 1);
        assert_eq!(problems(&CHECK, &[]).len(), 1);
    }
}
