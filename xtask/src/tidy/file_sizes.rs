//! `file-sizes`: no file has grown past what one can hold in mind.
//!
//! Lines count with their comments, without tests. Above [`LOOK`] the file is mentioned; above [`LIMIT`] the
//! check fails, unless [`EXCEPTIONS`] says why the file is in one piece.

use super::{Check, Report};
use crate::rust_text::shipped_lines;
use crate::tree::Tree;

pub(super) const CHECK: Check = Check { name: "file-sizes", holds: "no file has more than 800 lines", run };

/// Worth a second look.
const LOOK: usize = 500;

/// Too long.
const LIMIT: usize = 800;

/// Files that may be longer, each with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

fn run(tree: &Tree, report: &mut Report) {
    for file in &tree.files {
        let lines = if file.path.ends_with(".rs") {
            shipped_lines(&file.path, &file.text).len()
        } else if file.path.ends_with(".py") {
            file.text.lines().count()
        } else {
            continue;
        };
        if EXCEPTIONS.iter().any(|(path, _)| *path == file.path) {
            continue;
        }
        if lines > LIMIT {
            report.problem(
                &file.path,
                format!("{lines} lines: more than {LIMIT}; split it by what its parts are about"),
            );
        } else if lines > LOOK {
            report.note(format!("{}: {lines} lines", file.path));
        }
    }
    for (path, _) in EXCEPTIONS.iter().filter(|(path, _)| tree.text(path).is_none()) {
        report.problem(path, "listed as an exception, and missing");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn tests_do_not_count() {
        let check = |path: &str, text: &str| problems(&CHECK, &[(path, text)]).len();
        assert_eq!(check("a.rs", &"x\n".repeat(LIMIT)), 0);
        assert_eq!(check("a.rs", &"// x\n".repeat(LIMIT + 1)), 1);
        assert_eq!(check("a/tests.rs", &"x\n".repeat(LIMIT + 1)), 0);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "x\n".repeat(LIMIT));
        assert_eq!(check("a.rs", &tests), 0);
    }
}
