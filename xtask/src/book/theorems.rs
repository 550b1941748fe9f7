//! The catalogue's theorems: a section each, from the doc comment and the statement of its file.
//!
//! The statement is quoted as it is written, so that the page says what is proved and nothing else.

use crate::module_docs::paragraphs;
use crate::tree::Tree;
use std::fmt::Write;

/// Where the theorems are.
pub(crate) const FOLDER: &str = "crates/rules/src/catalogue";

/// The fields that every theorem's comment has, besides its statement and its condition.
pub(crate) const FIELDS: &[&str] = &["Fails when", "Example", "Laws", "Rounding", "See also"];

/// A file of the catalogue.
#[derive(Debug, PartialEq)]
pub(crate) struct Theorem<'t> {
    name: &'t str,
    params: &'t str,
    equation: String,
    condition: Option<String>,
    summary: String,
    /// The rest of its comment, Markdown.
    pub(crate) body: String,
}

/// The sections, in the order of the files.
pub(crate) fn sections(tree: &Tree, level: &str) -> Result<String, String> {
    let mut out = String::new();
    for stem in tree.stems(FOLDER, ".atl") {
        let path = format!("{FOLDER}/{stem}.atl");
        let theorem = tree.text(&path).and_then(read).ok_or(format!("{path}: not one documented theorem"))?;
        if theorem.name != stem {
            return Err(format!("{path}: states `{}`", theorem.name));
        }
        let requires = theorem.condition.map_or("Nothing.".to_owned(), |p| format!("`{p}`."));
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "\n{level} `{stem}`\n\n{}\n\n**Statement.** For `{}`:\n\n```text\n{}\n```\n\n**Requires.** {requires}\n\n{}",
            theorem.summary, theorem.params, theorem.equation, theorem.body
        );
    }
    Ok(out)
}

/// The theorem of a file.
pub(crate) fn read(text: &str) -> Option<Theorem<'_>> {
    let comment: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("///"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    let end = comment.iter().position(|line| line.is_empty()).unwrap_or(comment.len());
    let head = text.split_once("\ntheorem ")?.1;
    let (name, rest) = head.split_once('(')?;
    let (params, rest) = rest.split_once("):\n")?;
    let claim = rest.trim_end().strip_suffix('}')?.trim_end().strip_suffix('{')?;
    let (equation, condition) = match claim.split_once("\n    if ") {
        Some((equation, condition)) => (equation, Some(condition.trim().to_owned())),
        None => (claim, None),
    };
    let equation: Vec<&str> =
        equation.lines().map(|line| line.strip_prefix("    ").unwrap_or(line).trim_end()).collect();
    Some(Theorem {
        name,
        params,
        equation: equation.join("\n"),
        condition,
        summary: comment[..end].join(" "),
        body: paragraphs(&comment[end..]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_theorem_is_read() {
        let text = "/// Two\n/// lines.\n///\n/// **Laws.** none\n/// **See also.** `b`.\ntheorem a(f: T[n]):\n    f\n        == f\n    if 0 < n {\n}\n";
        let found = read(text).expect("reads");
        assert_eq!((found.name, found.params, found.summary.as_str()), ("a", "f: T[n]", "Two lines."));
        assert_eq!((found.equation.as_str(), found.condition.as_deref()), ("f\n    == f", Some("0 < n")));
        assert_eq!(found.body, "**Laws.** none\n\n**See also.** `b`.\n");
        assert!(read("fn f(a: f32) -> f32 { a }").is_none());
    }
}
