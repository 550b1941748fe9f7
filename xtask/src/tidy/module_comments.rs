//! `module-comments`: every Rust file begins by saying what it is.

use super::{Check, Report};
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "module-comments", holds: "every Rust file begins with a module comment", run };

fn run(tree: &Tree, report: &mut Report) {
    for file in tree.rust() {
        let comment = file.text.lines().next().and_then(|line| line.strip_prefix("//! "));
        if comment.is_none_or(|text| text.trim().is_empty()) {
            report.problem(&file.path, "does not begin with `//!` and a sentence");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn the_first_line_counts() {
        let check = |text: &str| problems(&CHECK, &[("a.rs", text)]).len();
        assert_eq!(check("//! What it is.\n"), 0);
        assert_eq!(check("use x;\n//! What it is.\n"), 1);
        assert_eq!(check("//!\n"), 1);
        assert_eq!(check(""), 1);
    }
}
