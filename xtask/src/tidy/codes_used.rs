//! `codes-used`: every diagnostic code is emitted by something and triggered by some test.
//!
//! A code is *emitted* if the shipped lines of a crate other than the error index name it. It is *triggered*
//! if a file under `tests/` or a test of a crate names it. A test that runs the program on every page of a
//! family of codes counts for all of them; it is known by selecting them with `starts_with("E01")`.

use super::{Check, Report};
use crate::book::codes;
use crate::rust_text::{has_word, is_test_file, shipped_lines, test_lines};
use crate::tree::Tree;
use std::collections::BTreeSet;

pub(super) const CHECK: Check =
    Check { name: "codes-used", holds: "every diagnostic code is emitted, and triggered by a test", run };

fn run(tree: &Tree, report: &mut Report) {
    let (mut emitted, mut triggered) = (BTreeSet::new(), BTreeSet::new());
    let all = codes(tree);
    for file in tree.rust().filter(|file| !file.path.starts_with("xtask/")) {
        let index = file.path.starts_with("crates/diag/src/codes/");
        let shipped: String =
            shipped_lines(&file.path, &file.text).into_iter().map(|(_, line)| line + "\n").collect();
        let tests = tests_of(&file.path, &file.text);
        for code in &all {
            if !index && has_word(&shipped, code) {
                emitted.insert(*code);
            }
            if has_word(&tests, code) || tests.contains(&format!("starts_with(\"{}\")", &code[..3])) {
                triggered.insert(*code);
            }
        }
    }
    for file in tree.under("tests/").filter(|file| file.path.ends_with(".md")) {
        triggered.extend(all.iter().copied().filter(|code| has_word(&file.text, code)));
    }
    for code in all {
        let path = format!("crates/diag/src/codes/{code}.md");
        if !emitted.contains(code) {
            report.problem(&path, "nothing emits it");
        }
        if !triggered.contains(code) {
            report.problem(&path, "no test triggers it");
        }
    }
}

/// The test lines of a Rust file, literals included: tests name codes in strings.
fn tests_of(path: &str, text: &str) -> String {
    if is_test_file(path) {
        return text.to_owned();
    }
    let test = test_lines(&crate::rust_text::code(text));
    text.lines().zip(test).filter(|(_, test)| *test).map(|(line, _)| line.to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn both_are_demanded() {
        let page = ("crates/diag/src/codes/E0201.md", "# E0201: x");
        let emits = ("crates/lang/src/a.rs", "fn f() { err!(E0201, span) }");
        let tests = ("tests/suite/names.md", "gives E0201");
        let unit = ("crates/lang/src/b.rs", "#[cfg(test)]\nmod tests {\n    check(\"E0201\");\n}\n");
        assert_eq!(problems(&CHECK, &[page, emits, tests]), [""; 0]);
        assert_eq!(problems(&CHECK, &[page, emits, unit]), [""; 0]);
        let family = ("crates/lang/tests/pages.rs", "PAGES.filter(|page| page.starts_with(\"E02\"))");
        assert_eq!(problems(&CHECK, &[page, emits, family]), [""; 0]);
        assert_eq!(problems(&CHECK, &[page, emits]).len(), 1);
        assert_eq!(problems(&CHECK, &[page, tests]).len(), 1);
        let comment = ("crates/lang/src/a.rs", "// E0201\nconst TEXT: &str = \"E0201\";");
        assert_eq!(problems(&CHECK, &[page, comment]).len(), 2);
    }
}
