//! The error index: one section a code, from the pages beside the table of codes.

use super::head;
use crate::tree::Tree;
use std::fmt::Write;

/// Where the codes' pages are.
pub(crate) const CODES: &str = "crates/diag/src/codes";

/// The codes that have a page, sorted.
pub(crate) fn codes(tree: &Tree) -> Vec<&str> {
    tree.stems(CODES, ".md").into_iter().filter(|stem| *stem != "README").collect()
}

/// The page.
pub(crate) fn render(tree: &Tree) -> Result<String, String> {
    let mut out = head("Errors", CODES);
    out.push_str("Every refusal has a code. `atl explain E0101` prints its section of this page.\n\n");
    out.push_str("| code | meaning |\n|---|---|\n");
    let mut sections = String::new();
    for code in codes(tree) {
        let path = format!("{CODES}/{code}.md");
        let page = tree.text(&path).unwrap_or_default();
        let title = page
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("# ")?.strip_prefix(code)?.strip_prefix(": "))
            .ok_or(format!("{path}: does not begin with `# {code}: title`"))?;
        // Writing to a string does not fail.
        let _ = writeln!(out, "| [{code}](#{}) | {} |", code.to_lowercase(), title.replace('|', "\\|"));
        let _ = write!(sections, "\n## {code}\n\n*{title}*\n{}", demoted(page));
    }
    Ok(out + &sections)
}

/// The page without its title, headings one level deeper; `#` in a fence is no heading.
fn demoted(page: &str) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for line in page.lines().skip(1) {
        fenced ^= line.starts_with("```");
        if !fenced && line.starts_with('#') {
            out.push('#');
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_page_becomes_a_section() {
        let page = "# E0101: bad | worse\n\nText.\n\n```atl\n# no heading\n```\n\n## Remedy\n\nNone.\n";
        let files =
            tree(&[("crates/diag/src/codes/E0101.md", page), ("crates/diag/src/codes/README.md", "x")]);
        let text = render(&files).expect("renders");
        assert!(text.contains("| [E0101](#e0101) | bad \\| worse |"), "{text}");
        assert!(
            text.contains("## E0101\n\n*bad | worse*\n\nText.\n\n```atl\n# no heading\n```\n\n### Remedy\n"),
            "{text}"
        );
        assert!(render(&tree(&[("crates/diag/src/codes/E0101.md", "# E0102: x")])).is_err());
    }
}
