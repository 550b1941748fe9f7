//! `kernel-budget`: the trusted base can be read in an afternoon, and so can its second opinion.
//!
//! Counts the lines of `crates/kernel` and of `crates/recheck` that hold code: no comments, no blank lines, no tests.
//! The counts are printed on every run, so that growth is seen long before a limit is met.

use super::{Check, Report};
use crate::rust_text::shipped_lines;
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "kernel-budget", holds: "both checkers keep to their budgets of lines", run };

/// A checker and its budget.
const BUDGETS: [(&str, usize); 2] = [("kernel", 2864), ("recheck", 3097)];

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
}
