//! The gallery of refused miscompilations is complete: every entry of the book's table has its section and its
//! tests, and every test of the gallery that has a number stands in the table.

use atl_testkit::suite::documents;
use std::collections::BTreeSet;
use std::path::Path;

/// The entries of the list that the gallery is made from.
const ENTRIES: [&str; 15] =
    ["D1", "D11", "D13", "D15", "D17", "D3", "D5", "D7", "D9", "F1", "F3", "S1", "S3", "S5", "S7"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The number in `D1: A title`.
fn number(title: &str) -> Option<&str> {
    title.split_once(": ").map(|(number, _)| number)
}

#[test]
fn every_entry_is_told_and_tested() {
    let path = root().join("docs/book/src/gallery.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ["));
    let rows: BTreeSet<&str> = rows.filter_map(|row| row.split_once(']')).map(|(number, _)| number).collect();
    let sections: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("## ")).filter_map(number).collect();
    let found = documents(&root().join("tests/suite")).unwrap_or_else(|e| panic!("{e}"));
    let gallery = found.iter().filter(|document| document.name.starts_with("gallery/"));
    let cases = gallery.flat_map(|document| &document.cases).filter(|case| !case.expectations.is_empty());
    let tested: BTreeSet<&str> = cases.filter_map(|case| number(&case.title)).collect();
    let entries = BTreeSet::from(ENTRIES);
    assert_eq!(rows, entries, "the table of the book");
    assert_eq!(sections, entries, "the sections of the book");
    assert_eq!(tested, entries, "the cases of the suite");
}
