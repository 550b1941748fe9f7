//! `generated-pages`: the book's generated pages are what the sources make them.

use super::{Check, Report};
use crate::book::{FOLDER, PAGES};
use crate::tree::Tree;

pub(super) const CHECK: Check = Check {
    name: "generated-pages",
    holds: "the book's generated pages are current, and all pages are listed",
    run,
};

fn run(tree: &Tree, report: &mut Report) {
    for page in PAGES {
        let path = format!("{FOLDER}/{}", page.name);
        match (page.render)(tree) {
            Err(error) => report.problem(&path, error),
            Ok(text) if tree.text(&path) != Some(&text) => {
                report.problem(&path, "not current: run `cargo xtask book`")
            }
            Ok(_) => {}
        }
    }
    let summary = tree.text(&format!("{FOLDER}/SUMMARY.md")).unwrap_or_default();
    for stem in tree.stems(FOLDER, ".md").into_iter().filter(|stem| *stem != "SUMMARY") {
        if !summary.contains(&format!("({stem}.md)")) {
            report.problem(&format!("{FOLDER}/{stem}.md"), "not in SUMMARY.md");
        }
    }
    for (_, link) in summary.lines().filter_map(|line| line.split_once("](")) {
        let page = link.split(')').next().unwrap_or(link);
        if tree.text(&format!("{FOLDER}/{page}")).is_none() {
            report.problem(&format!("{FOLDER}/SUMMARY.md"), format!("there is no page `{page}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn pages_and_summary_are_compared() {
        let found = problems(
            &CHECK,
            &[
                ("docs/book/src/SUMMARY.md", "- [A](a.md)\n- [B](b.md)"),
                ("docs/book/src/b.md", ""),
                ("docs/book/src/c.md", ""),
            ],
        );
        let about = |text: &str| found.iter().any(|problem| problem.contains(text));
        assert!(about("no page `a.md`") && about("c.md: not in") && !about("`b.md`"), "{found:?}");
        assert!(about("errors.md: not current"), "{found:?}");
    }
}
