//! `tables`: where each file of a folder is one of a kind, the folder's table names every file, in order.
//!
//! Explicit tables beat registration at link time: they can be read, searched and broken visibly. What the
//! compiler does not see is a file that no table names, and it does not care for order.

use super::{Check, Report};
use crate::book::{CODES, theorems};
use crate::rust_text::code;
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "tables", holds: "tables and folders agree, and are sorted", run };

/// The folders whose `mod.rs` is a table of their files, with the table's name.
const FOLDERS: &[(&str, &str)] = &[
    ("crates/formats/src/levels", "TABLE"),
    ("crates/layout/src/functions", "TABLE"),
    ("crates/ops/src/ops", "TABLE"),
    ("crates/rules/src/rules", "TABLE"),
    ("crates/schedule/src/commands", "TABLE"),
    ("crates/semirings/src/instances", "ALL"),
    ("xtask/src/tidy", "TABLE"),
];

fn run(tree: &Tree, report: &mut Report) {
    for (folder, table) in FOLDERS {
        let files: Vec<&str> = tree.stems(folder, ".rs").into_iter().filter(|stem| *stem != "mod").collect();
        let path = format!("{folder}/mod.rs");
        let Some(text) = tree.text(&path) else {
            report.problem(&path, "missing");
            continue;
        };
        let text = code(text);
        compare(report, &path, "`mod` lines", &files, &modules(&text));
        compare(report, &path, table, &files, &entries(&text, table));
    }
    let path = format!("{}/mod.rs", theorems::FOLDER);
    let theorems = tree.stems(theorems::FOLDER, ".atl");
    let named = tree.text(&path).map(|text| stated(text)).unwrap_or_default();
    compare(report, &path, "`catalogue!`", &theorems, &named);
    let path = format!("{CODES}/mod.rs");
    let pages: Vec<&str> = tree.text(&path).map(|text| pages(text)).unwrap_or_default();
    compare(report, &path, "`pages!`", &crate::book::codes(tree), &pages);
}

fn compare(report: &mut Report, path: &str, table: &str, files: &[&str], names: &[&str]) {
    for file in files.iter().filter(|file| !names.contains(file)) {
        report.problem(path, format!("{table}: nothing for the file `{file}`"));
    }
    for name in names.iter().filter(|name| !files.contains(name)) {
        report.problem(path, format!("{table}: no file for `{name}`"));
    }
    if !names.is_sorted() {
        report.problem(path, format!("{table}: not sorted"));
    }
}

/// The modules that a file declares.
fn modules(text: &str) -> Vec<&str> {
    let declared = |line: &'_ str| -> Option<usize> { line.find("mod ").map(|at| at + 4) };
    text.lines()
        .filter(|line| {
            line.starts_with("mod ") || line.starts_with("pub mod ") || line.starts_with("pub(crate) mod ")
        })
        .filter_map(|line| line[declared(line)?..].strip_suffix(';'))
        .collect()
}

/// The modules that the table's entries come from, in order, once each.
fn entries<'t>(text: &'t str, table: &str) -> Vec<&'t str> {
    let Some((_, from)) = text.split_once(&format!(" {table}: ")) else { return Vec::new() };
    let body = from.split_once("];").map_or(from, |(body, _)| body);
    let mut names: Vec<&str> = body
        .lines()
        .skip(1)
        .filter_map(|line| line.trim().trim_start_matches('&').split_once("::"))
        .map(|(module, _)| module)
        .collect();
    names.dedup();
    names
}

/// The codes that the table of pages lists.
fn pages(text: &str) -> Vec<&str> {
    let Some((_, from)) = text.split_once("\npages! {") else { return Vec::new() };
    let body = from.split_once("\n}").map_or(from, |(body, _)| body);
    body.lines().filter_map(|line| line.trim().split_once(": \"")).map(|(code, _)| code).collect()
}

/// The theorems that the catalogue lists.
fn stated(text: &str) -> Vec<&str> {
    let Some((_, from)) = text.split_once("\ncatalogue! {") else { return Vec::new() };
    let body = from.split_once("\n}").map_or(from, |(body, _)| body);
    body.lines().filter_map(|line| line.trim().strip_prefix('"')?.split('"').next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    fn check(table: &str, about: &[&str]) {
        let files = [
            ("crates/ops/src/ops/a.rs", ""),
            ("crates/ops/src/ops/b.rs", ""),
            ("crates/ops/src/ops/mod.rs", table),
        ];
        let found = problems(&CHECK, &files);
        let found: Vec<&String> = found.iter().filter(|problem| problem.contains("crates/ops/")).collect();
        assert_eq!(found.len(), about.len(), "{found:?}");
        assert!(found.iter().zip(about).all(|(found, about)| found.contains(about)), "{found:?}");
    }

    #[test]
    fn tables_and_folders_are_compared() {
        let table = |names: &[&str]| {
            let entries: String = names.iter().map(|name| format!("    &{name}::X,\n")).collect();
            format!("mod a;\npub mod b;\n\npub static TABLE: &[&X] = &[\n{entries}];\n")
        };
        check(&table(&["a", "b"]), &[]);
        check(&table(&["a", "a", "b"]), &[]);
        check(&table(&["b", "a"]), &["not sorted"]);
        check(&table(&["a"]), &["nothing for the file `b`"]);
        check(&table(&["a", "b", "c"]), &["no file for `c`"]);
    }

    #[test]
    fn theorems_are_listed() {
        assert_eq!(stated("x\ncatalogue! {\n    \"a\";\n    \"b\" by p::b;\n}\n"), ["a", "b"]);
    }

    #[test]
    fn pages_are_listed() {
        assert_eq!(pages("x\npages! {\n    E0101: \"a\",\n    E0102: \"b\",\n}\n"), ["E0101", "E0102"]);
    }
}
