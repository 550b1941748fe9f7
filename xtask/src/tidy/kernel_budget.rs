//! `kernel-budget`: the trusted base can be read in an afternoon, and so can its second opinion.
//!
//! Counts the lines of `crates/kernel` and of `crates/recheck` that hold code: no comments, no blank lines,
//! no tests. The counts are printed on every run, so that growth is seen long before a limit is met. Pages
//! that say `at most N lines` say a budget.

use super::{Check, Report};
use crate::rust_text::shipped_lines;
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "kernel-budget", holds: "both checkers keep to their budgets of lines", run };

/// A checker and its budget.
const BUDGETS: [(&str, usize); 2] = [("kernel", 3353), ("recheck", 12150)];

fn run(tree: &Tree, report: &mut Report) {
    let code = |text: &&(usize, String)| !text.1.trim().is_empty();
    for (name, budget) in BUDGETS {
        let lines: usize = tree
            .under(&format!("crates/{name}/src/"))
            .map(|file| shipped_lines(&file.path, &file.text).iter().filter(code).count())
            .sum();
        report.note(format!("{name} has {lines} lines of code; the budget is {budget}"));
        if lines > budget {
            report.problem(&format!("crates/{name}"), format!("{lines} lines of code: more than {budget}"));
        }
    }
    for page in PAGES {
        for lines in stated(tree.text(page).unwrap_or_default()) {
            if BUDGETS.iter().all(|(_, budget)| lines != *budget) {
                report.problem(page, format!("at most {lines} lines: no checker has that budget"));
            }
        }
    }
}

/// The pages that tell readers how large the checkers are.
const PAGES: [&str; 3] = ["README.md", "ARCHITECTURE.md", "docs/book/src/trust.md"];

/// Each `N` of `at most N lines`, where `N` may have commas.
fn stated(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.split("at most ").skip(1).filter_map(|rest| {
        let (number, _) = rest.split_once(" lines")?;
        number.replace(',', "").parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn comments_do_not_count() {
        for (name, budget) in BUDGETS {
            let path = format!("crates/{name}/src/a.rs");
            let check = |text: &str| problems(&CHECK, &[(&path, text)]).len();
            assert_eq!(check(&"x\n// y\n\n".repeat(budget)), 0);
            assert_eq!(check(&"x\n".repeat(budget + 1)), 1);
        }
    }

    #[test]
    fn pages_say_the_budgets() {
        let check = |text: &str| problems(&CHECK, &[("README.md", text)]).len();
        let (_, budget) = BUDGETS[0];
        assert_eq!(check(&format!("at most 1 file, at most {budget} lines")), 0);
        assert_eq!(check("at most 1,000 lines"), 1);
    }
}
