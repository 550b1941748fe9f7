//! The documentation of a module, as the book wants it.
//!
//! A rule, operator, command or semiring says what it is in its module comment: a first sentence, "`name`:
//! what it does", and fields, each a paragraph that begins with a bold word. The book's pages are these
//! comments, so there is no second copy of anything.

/// A module's comment.
#[derive(Debug, PartialEq)]
pub(crate) struct ModuleDocs {
    /// The heading: what stands before the first `: `.
    pub(crate) name: String,
    /// The rest of the first paragraph.
    pub(crate) summary: String,
    /// The rest, Markdown.
    pub(crate) body: String,
}

/// The comment of a Rust file, `None` if it has none.
pub(crate) fn module_docs(text: &str) -> Option<ModuleDocs> {
    let lines: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    let end = lines.iter().position(|line| line.is_empty()).unwrap_or(lines.len());
    let first = lines[..end].join(" ");
    if first.is_empty() {
        return None;
    }
    let (name, summary) = first.split_once(": ").unwrap_or((&first, ""));
    Some(ModuleDocs {
        name: without_links(name),
        summary: without_links(&capitalised(summary)),
        body: without_links(&paragraphs(&lines[end..])),
    })
}

/// The names of the fields: what stands between `**` and `.**` at the start of a line. A line may hold
/// several.
pub(crate) fn fields(body: &str) -> Vec<&str> {
    body.split("**").skip(1).step_by(2).filter_map(|bold| bold.strip_suffix('.')).collect()
}

/// Each field a paragraph of its own.
pub(crate) fn paragraphs(lines: &[&str]) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for line in lines {
        fenced ^= line.starts_with("```");
        if !fenced && line.starts_with("**") && !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        if out.is_empty() && line.is_empty() {
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Links to items mean something to rustdoc only.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("[`") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match from.find("`]") {
            Some(end) if !from[1..end].contains('\n') && !from[end + 2..].starts_with('(') => {
                out.push_str(&from[1..=end]);
                rest = &from[end + 2..];
            }
            _ => {
                out.push_str("[`");
                rest = &from[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_becomes_a_heading_and_paragraphs() {
        let docs = module_docs(
            "//! `split k`: one loop\n//! into two, see [`tile`].\n//!\n//! **Statement.** `a = b`\n//! and so on.\n//! **Requires.** Nothing.\n\nuse x;\n",
        );
        let expected = ModuleDocs {
            name: "`split k`".to_owned(),
            summary: "One loop into two, see `tile`.".to_owned(),
            body: "**Statement.** `a = b`\nand so on.\n\n**Requires.** Nothing.\n".to_owned(),
        };
        assert_eq!(docs, Some(expected));
        assert_eq!(module_docs("use x;\n"), None);
    }

    #[test]
    fn fields_are_found() {
        assert_eq!(fields("**A.** x\n\n**B c.** y **loud** z **D.** w"), ["A", "B c", "D"]);
    }

    #[test]
    fn links_with_a_target_stay() {
        assert_eq!(without_links("[`a`](b) and [`c`] and [d]"), "[`a`](b) and `c` and [d]");
    }
}
