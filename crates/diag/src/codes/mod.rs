//! The error index: one page a code, listed here in order.
//!
//! `README.md` beside this file says what a page holds and which numbers are whose.

use std::fmt;

/// A code of the error index, such as `E0104`. Only the table below makes one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(&'static str);

impl Code {
    /// The code as it is written, `E0104`.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A page of the error index.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The code.
    pub code: Code,
    /// What the code means, in a few words.
    pub title: &'static str,
    /// The whole page, Markdown.
    pub text: &'static str,
}

macro_rules! pages {
    ($($code:ident: $title:literal,)*) => {
        $(#[doc = $title] pub const $code: Code = Code(stringify!($code));)*

        /// Every page, in the order of the codes.
        pub const PAGES: &[Page] = &[
            $(Page { code: $code, title: $title, text: include_str!(concat!(stringify!($code), ".md")) },)*
        ];
    };
}

pages! {
    E0101: "a character that no token begins with",
    E0102: "unclosed bracket",
    E0103: "unexpected token",
    E0104: "missing `;`",
    E0105: "unclosed string",
    E0106: "unclosed comment",
    E0107: "malformed number",
    E0108: "number too large",
    E0109: "nesting too deep",
    E0110: "text too long",
    E0111: "there is no operator `**`",
    E0112: "`//` begins a comment",
    E0113: "`and`, `or` and `not` are not operators",
    E0114: "`=` does not compare",
    E0115: "a body without braces",
    E0116: "malformed range of an index",
    E0117: "a block without a value",
    E0118: "a bracket that guards nothing",
    E0119: "a function without a result type",
    E0120: "there is no `if` expression",
    E0121: "something of patterns in a program",
    E0122: "not an item",
    E0123: "a keyword used as a name",
    E0124: "an unknown word in a step",
    E0125: "a closing bracket that closes nothing",
}

/// The page of a code, Markdown.
pub fn explain(code: &str) -> Option<&'static str> {
    PAGES.iter().find(|page| page.code.as_str().eq_ignore_ascii_case(code)).map(|page| page.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(PAGES.windows(2).all(|pair| pair[0].code < pair[1].code));
    }

    #[test]
    fn the_table_and_the_folder_agree() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/codes");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| {
                entry.unwrap().file_name().into_string().unwrap().strip_suffix(".md").map(str::to_owned)
            })
            .filter(|name| name != "README")
            .collect();
        files.sort();
        let table: Vec<&str> = PAGES.iter().map(|page| page.code.as_str()).collect();
        assert_eq!(files, table);
    }

    #[test]
    fn every_page_has_its_parts() {
        for page in PAGES {
            let code = page.code;
            let title = format!("# {code}: {}\n", page.title);
            assert!(page.text.starts_with(&title), "{code}: the page must start with `{title}`");
            let (before, remedy) =
                page.text.split_once("\n## Remedy\n").unwrap_or_else(|| panic!("{code}: no remedy"));
            assert!(before.contains("\n```"), "{code}: no example that triggers it");
            assert!(!remedy.trim().is_empty(), "{code}: the remedy is empty");
            assert_eq!(page.text.matches("\n```").count() % 2, 0, "{code}: an unclosed fence");
        }
    }

    #[test]
    fn explain_finds_pages_by_code() {
        assert!(explain("e0104").is_some_and(|page| page.starts_with("# E0104")));
        assert_eq!(explain("E9999"), None);
        assert_eq!(explain(""), None);
    }
}
