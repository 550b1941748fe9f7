//! The page of levels: the module comments of their files, and the laws that all of them satisfy.

use super::modules::LEVELS;
use crate::tree::Tree;
use std::fmt::Write;

/// Where the laws are.
const LAWS: &str = "crates/formats/src/laws.rs";

/// The page.
pub(super) fn render(tree: &Tree) -> Result<String, String> {
    let text = tree.text(LAWS).ok_or(format!("{LAWS}: missing"))?;
    let mut page = LEVELS.render(tree)?;
    page.push_str("\n## Laws\n\n");
    page.push_str(INTRO);
    page.push_str("\n\n| law | what it says |\n|---|---|\n");
    for (name, statement) in laws(text) {
        // Writing to a string does not fail.
        let _ = writeln!(page, "| {name} | {statement} |");
    }
    Ok(page)
}

const INTRO: &str = "A tensor that is stored and read back is the same tensor if every level obeys these laws. They are \
    tested for every level, on all small tensors and on random ones, and for arrays that were damaged at random and \
    accepted; levels with planted faults are caught by them. `t` are the slices of one parent, and `(m, t')` what \
    `encode t` returns. In laws about any metadata, `m` is anything well formed, with parents `p`. `Φ` is the appended \
    metadata of rows `ts`, of which `φs[p]` are the parts; `lo p` is the first position of parent `p`. A position stands for \
    one coordinate, or in levels of runs for several.";

/// The names and statements of the table's laws.
fn laws(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let field = |line: &'_ str, name: &str| -> Option<usize> {
        line.trim_start().starts_with(name).then(|| line.find('"'))?
    };
    let values = move |name: &'static str| {
        text.lines().filter_map(move |line| line[field(line, name)? + 1..].strip_suffix("\","))
    };
    values("name: \"").zip(values("statement: \""))
}

#[cfg(test)]
mod tests {
    use super::laws;

    #[test]
    fn laws_are_read_from_the_table() {
        let text = "    Law {\n        name: \"A\",\n        statement: \"a = b\",\n    },\n    Law { };\n";
        assert_eq!(laws(text).collect::<Vec<_>>(), [("A", "a = b")]);
    }
}
