//! The page of levels: the module comments of their files, the formats that have names, and the laws of
//! levels.

use super::modules::LEVELS;
use crate::tree::Tree;
use std::fmt::Write;

/// Where the laws are.
const LAWS: &str = "crates/formats/src/laws.rs";

/// Where the formats are.
const FORMATS: &str = "crates/formats/src/format/named.rs";

/// The page.
pub(super) fn render(tree: &Tree) -> Result<String, String> {
    let text = |path: &str| tree.text(path).ok_or(format!("{path}: missing"));
    let mut page = LEVELS.render(tree)?;
    section(&mut page, "Formats with names", NAMES, "format | what it is", pairs(text(FORMATS)?, "about"));
    section(&mut page, "Laws", INTRO, "law | what it says", pairs(text(LAWS)?, "statement"));
    Ok(page)
}

/// A section with a table.
fn section<'t>(
    page: &mut String,
    title: &str,
    intro: &str,
    columns: &str,
    rows: impl Iterator<Item = (&'t str, &'t str)>,
) {
    // Writing to a string does not fail.
    let _ = write!(page, "\n## {title}\n\n{intro}\n\n| {columns} |\n|---|---|\n");
    for (name, what) in rows {
        let _ = writeln!(page, "| {name} | {what} |");
    }
}

const NAMES: &str = "A format is a list of levels. Each stores the next dimension of the tensor, or what it is `of`: \
    `[dense of j, compressed of i]` stores columns, `[compressed of (i, j)]` a list of coordinates, and `[dense of i / 4, \
    compressed of j / 4, dense of i % 4, dense of j % 4]` blocks of 4 by 4. `[compressed of j - i, dense of min(i, j)]` stores \
    diagonals. The dimensions are called `i`, `j`, `k` and so on, whatever the program calls them. These lists have names:";

const INTRO: &str = "A tensor that is stored and read back is the same tensor if every level obeys these laws. They are \
    tested for every level, on all small tensors and on random ones, and for arrays that were damaged at random and \
    accepted; levels with planted faults are caught by them. `t` are the slices of one parent, and `(m, t')` what \
    `encode t` returns. In laws about any metadata, `m` is anything well formed, with parents `p`. `Φ` is the appended \
    metadata of rows `ts`, of which `φs[p]` are the parts; `lo p` is the first position of parent `p`. A position stands for \
    one coordinate, or in levels of runs for several.";

/// The names in a table of the source, each with the text of another field.
fn pairs<'t>(text: &'t str, field: &'static str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let values = move |name: &'static str| {
        text.lines().filter_map(move |line| {
            line.trim_start().strip_prefix(name)?.strip_prefix(": \"")?.strip_suffix("\",")
        })
    };
    values("name").zip(values(field))
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn fields_are_read_from_a_table() {
        let text = "    Law {\n        name: \"A\",\n        statement: \"a = b\",\n    },\n    Law { };\n";
        assert_eq!(pairs(text, "statement").collect::<Vec<_>>(), [("A", "a = b")]);
    }
}
