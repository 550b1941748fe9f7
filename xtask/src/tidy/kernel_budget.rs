//! `kernel-budget`: the trusted base can be read in an afternoon.
//!
//! Counts the lines of `crates/kernel` that hold code: no comments, no blank lines, no tests. The count is printed on
//! every run, so that its growth is seen long before the limit is met.

use super::{Check, Report};
use crate::rust_text::shipped_lines;
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "kernel-budget", holds: "the kernel has at most 2,000 lines of code", run };

const BUDGET: usize = 2000;

fn run(tree: &Tree, report: &mut Report) {
    let code = |text: &&(usize, String)| !text.1.trim().is_empty();
    let lines: usize = tree
        .under("crates/kernel/src/")
        .map(|file| shipped_lines(&file.path, &file.text).iter().filter(code).count())
        .sum();
    report.note(format!("the kernel has {lines} lines of code; the budget is {BUDGET}"));
    if lines > BUDGET {
        report.problem("crates/kernel", format!("{lines} lines of code: more than {BUDGET}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn comments_do_not_count() {
        let check = |text: &str| problems(&CHECK, &[("crates/kernel/src/a.rs", text)]).len();
        assert_eq!(check(&"x\n/// y\n\n".repeat(BUDGET)), 0);
        assert_eq!(check(&"x\n".repeat(BUDGET + 1)), 1);
    }
}
