//! `words`: plain technical English, in comments, messages and prose.
//!
//! A sentence names a program object and says what it does: "the loop iterates over the row", not "the row is gone over".
//! The phrases below hide the subject, and say the same thing in many ways where the glossary has one word. README, the
//! book's chapters and the pages of errors have none of them. Code has a budget for each crate, of phrases and of comment
//! lines that are too long: a budget may only fall, and a note says where it can.

use super::{Check, Report};
use crate::rust_text::code;
use crate::tree::{File, Tree};

pub(super) const CHECK: Check =
    Check { name: "words", holds: "comments, messages and prose are plain; their lines are short", run };

/// Phrases that no new text has; the book's glossary says what to write instead.
const PHRASES: &[&str] = &[
    "anew",
    "are asked",
    "are said",
    "go over",
    "goes over",
    "going over",
    "gone over",
    "is asked",
    "is none of",
    "is said",
    "mean nothing",
    "means nothing",
    "so many",
    "stand for",
    "stands for",
    "whoever",
];

/// The width of a line of a comment, as of a line of code (`rustfmt.toml`).
const WIDTH: usize = 110;

/// What a budget may exceed its area by: code moves between crates.
const SLACK: usize = 30;

/// How many phrases and how many lines of comments that are too long an area may still have. These numbers only fall.
const BUDGETS: &[(&str, usize, usize)] = &[
    ("annotations", 20, 30),
    ("arith", 40, 70),
    ("backend-c", 20, 100),
    ("backend-cranelift", 20, 40),
    ("backend-cuda", 0, 50),
    ("benches", 20, 80),
    ("c-text", 0, 20),
    ("check", 20, 40),
    ("cli", 50, 70),
    ("diag", 0, 10),
    ("driver", 90, 310),
    ("elementary", 10, 30),
    ("formats", 30, 120),
    ("interp", 20, 20),
    ("kernel", 20, 40),
    ("lang", 40, 80),
    ("layout", 30, 160),
    ("loops", 60, 200),
    ("lower", 40, 100),
    ("ops", 0, 40),
    ("proof", 20, 30),
    ("query", 80, 120),
    ("recheck", 20, 40),
    ("rocq", 30, 70),
    ("rules", 50, 210),
    ("runtime", 40, 160),
    ("schedule", 60, 180),
    ("search", 30, 80),
    ("semirings", 20, 40),
    ("streams", 30, 50),
    ("syntax", 20, 20),
    ("teil", 50, 150),
    ("testkit", 40, 150),
    ("tests", 10, 20),
    ("xtask", 20, 40),
];

/// This check and the glossary name the phrases.
const NAMES_THEM: &[&str] = &["xtask/src/tidy/words.rs", "docs/book/src/glossary.md", "STYLE.md"];

fn run(tree: &Tree, report: &mut Report) {
    check(tree, BUDGETS, report);
}

fn check(tree: &Tree, budgets: &[(&str, usize, usize)], report: &mut Report) {
    for (area, files) in areas(tree) {
        let (_, phrases, lines) = budgets.iter().find(|(name, ..)| *name == area).unwrap_or(&("", 0, 0));
        let found: Vec<(&File, usize, &str)> = files
            .iter()
            .flat_map(|file| phrases_of(&file.text).into_iter().map(|(line, what)| (*file, line, what)))
            .collect();
        if found.len() > *phrases {
            for (file, line, what) in &found {
                report.problem_at(&file.path, *line, format!("`{what}`: the glossary says what to write"));
            }
            report.problem(&area, format!("{} such phrases, where {phrases} are left", found.len()));
        }
        let long: Vec<(&File, usize)> =
            files.iter().flat_map(|file| long_comments(file).into_iter().map(|line| (*file, line))).collect();
        if long.len() > *lines {
            for (file, line) in &long {
                report.problem_at(&file.path, *line, format!("a comment of more than {WIDTH} columns"));
            }
            report.problem(&area, format!("{} such lines, where {lines} are left", long.len()));
        }
        if found.len() + SLACK < *phrases || long.len() + SLACK < *lines {
            report.note(format!("the budget of {area} can fall to ({}, {})", found.len(), long.len()));
        }
    }
}

/// The files of each area, areas in order: a crate, or prose without a budget.
fn areas(tree: &Tree) -> Vec<(String, Vec<&File>)> {
    let mut areas: Vec<(String, Vec<&File>)> = Vec::new();
    for file in tree.files.iter().filter(|file| !NAMES_THEM.contains(&file.path.as_str())) {
        let Some(area) = area(file) else { continue };
        match areas.iter_mut().find(|(name, _)| *name == area) {
            Some((_, files)) => files.push(file),
            None => areas.push((area.to_owned(), vec![file])),
        }
    }
    areas
}

/// The area of a file: pages of errors, then the crate, then what is written by hand in the book and beside it.
fn area(file: &File) -> Option<&str> {
    let path = file.path.as_str();
    let is_page = path.ends_with(".md");
    if path.starts_with("crates/diag/src/codes/") && is_page {
        return Some("pages of errors");
    }
    if path.ends_with(".rs") && !path.contains("/fuzz/") {
        let mut parts = path.split('/');
        return match (parts.next()?, parts.next()) {
            ("crates", name) => name,
            (first, Some(_)) => Some(first),
            _ => None,
        };
    }
    let is_generated = file.text.lines().take(5).any(|line| line.starts_with("<!-- Generated by"));
    match path.strip_prefix("docs/book/src/") {
        Some(_) if is_page && !is_generated => Some("the book"),
        None if is_page && !path.contains('/') => Some("the book"),
        _ => None,
    }
}

/// The phrases of a text, each with the line on which it begins; also those that are broken over two lines.
fn phrases_of(text: &str) -> Vec<(usize, &'static str)> {
    let bare = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("//").unwrap_or(line).trim_start_matches(['/', '!']);
        line.trim().to_lowercase()
    };
    let lines: Vec<String> = text.lines().map(bare).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let both = format!("{line} {}", lines.get(at + 1).map_or("", String::as_str));
        for phrase in PHRASES {
            let starts = both.match_indices(phrase).filter(|(start, _)| {
                let (before, after) = (&both[..*start], &both[start + phrase.len()..]);
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                *start < line.len() && !before.ends_with(is_word) && !after.starts_with(is_word)
            });
            found.extend(starts.map(|_| (at + 1, *phrase)));
        }
    }
    found
}

/// The lines of a Rust file that hold a comment alone, and too long a one.
fn long_comments(file: &File) -> Vec<usize> {
    if !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let code = code(&file.text);
    let lines = file.text.lines().zip(code.lines()).zip(1..);
    let is_long = |line: &str, code: &str| {
        code.trim().is_empty() && line.trim_start().starts_with("//") && line.chars().count() > WIDTH
    };
    lines.filter(|((line, code), _)| is_long(line, code)).map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn counts(path: &str, text: &str, budgets: &[(&str, usize, usize)]) -> (usize, usize) {
        let mut report = Report::default();
        check(&tree(&[(path, text)]), budgets, &mut report);
        (report.problems.len(), report.notes.len())
    }

    #[test]
    fn phrases_are_found_in_comments_and_messages_and_across_lines() {
        assert_eq!(
            phrases_of("// Whoever reads it.\nlet x = \"a row is gone over\";"),
            [(1, "whoever"), (2, "gone over")]
        );
        assert_eq!(
            phrases_of("/// It is computed\n    /// anew, and it stands\n    /// for a row."),
            [(2, "anew"), (2, "stands for")]
        );
        assert_eq!(phrases_of("fn mark_anew() {}\nlet renewed = 1; // a gopher goes overboard"), []);
    }

    #[test]
    fn budgets_are_kept_and_can_fall() {
        let text = "// Whoever reads it.\n";
        assert_eq!(counts("crates/a/src/b.rs", text, &[("a", 1, 0)]), (0, 0));
        assert_eq!(counts("crates/a/src/b.rs", text, &[("a", 2 + SLACK, 0)]), (0, 1));
        assert_eq!(counts("crates/a/src/b.rs", text, &[]), (2, 0));
        assert_eq!(counts("docs/book/src/a.md", "Whoever.", &[]), (2, 0));
        assert_eq!(counts("docs/book/src/a.md", "<!-- Generated by b -->\nWhoever.", &[]), (0, 0));
        assert_eq!(counts("crates/diag/src/codes/E0101.md", "Whoever.", &[]), (2, 0));
    }

    #[test]
    fn long_lines_of_comments_are_found() {
        let long = "x".repeat(WIDTH);
        assert_eq!(counts("crates/a/src/b.rs", &format!("// {long}\n"), &[]), (2, 0));
        assert_eq!(counts("crates/a/src/b.rs", &format!("let s = \"// {long}\";\n"), &[]), (0, 0));
    }
}
