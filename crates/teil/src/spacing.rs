//! Texts in canonical layout: the same tokens and comments, an item a line.
//!
//! The one idea: what an author breaks within an item stays broken, and goes on below it by four columns;
//! everything else about blanks follows from the tokens. So a text that is laid out is left as it is, and its
//! tokens are never changed.

use crate::tokens::Cursor;
use atl_diag::Span;

/// Where each item of a text begins.
pub(crate) type Items = Vec<u32>;

/// The text of a cursor at its beginning, whose items begin at these places.
pub(crate) fn spaced(cursor: &Cursor<'_>, items: &Items) -> String {
    let (text, tokens) = (cursor.text(), cursor.spans());
    let mut lines = Lines { out: String::new(), blank: false };
    let mut before: Option<Span> = None;
    for token in &tokens {
        let from = before.map_or(0, |span| span.end);
        let begins = items.contains(&token.start);
        let broken = lines.gap(&text[from as usize..token.start as usize], before.is_some());
        let word = &text[token.range()];
        if begins {
            lines.begin("");
        } else if broken {
            lines.blank = false;
            lines.begin("    ");
        } else if before.is_some_and(|before| !is_close(&text[before.range()], word)) {
            lines.out.push(' ');
        }
        lines.out.push_str(word);
        before = Some(*token);
    }
    lines.gap(&text[before.map_or(0, |span| span.end) as usize..], before.is_some());
    if !lines.out.is_empty() {
        lines.out.push('\n');
    }
    lines.out
}

/// Whether nothing stands between two tokens.
fn is_close(before: &str, after: &str) -> bool {
    matches!(before, "(" | "[") || matches!(after, ")" | "]" | "," | ";")
}

/// Lines so far, without the last one's end.
struct Lines {
    out: String,
    /// Whether an empty line is to come before the next one.
    blank: bool,
}

impl Lines {
    /// Begins a line.
    fn begin(&mut self, indent: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
            if self.blank {
                self.out.push('\n');
            }
        }
        self.blank = false;
        self.out.push_str(indent);
    }

    /// The comments between two tokens; whether a line ends there.
    fn gap(&mut self, gap: &str, follows: bool) -> bool {
        for (k, line) in gap.split('\n').map(str::trim).enumerate() {
            let is_last = k == gap.matches('\n').count();
            match (line.is_empty(), k == 0 && follows) {
                (true, true) => {}
                (true, false) => self.blank |= !is_last && !self.out.is_empty(),
                (false, true) => {
                    self.out.push(' ');
                    self.out.push_str(line);
                }
                (false, false) => {
                    self.begin("");
                    self.out.push_str(line);
                }
            }
        }
        gap.contains('\n')
    }
}

#[cfg(test)]
mod tests {
    use crate::{fluids, language};
    use atl_diag::FileId;

    fn teil(text: &str) -> String {
        language::formatted(FileId::default(), text).unwrap_or_else(|why| panic!("{text}\n{}", why.message))
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(teil(text), expected);
        assert_eq!(teil(expected), expected);
    }

    #[test]
    fn items_have_lines_of_their_own() {
        check(
            "input A:[m,k]input B : f32 [ ]\n\n\n\noutput C:[m,k];C=mul B(add A A)",
            "input A : [m, k]\ninput B : f32 []\n\noutput C : [m, k];\nC = mul B (add A A)\n",
        );
        check("where n<=m,2<=k where   a==b", "where n <= m, 2 <= k\nwhere a == b\n");
        check("", "");
        check("\n\n", "");
    }

    #[test]
    fn comments_stay_and_so_do_breaks_within_items() {
        check(
            "// first\n\n//second\ninput A:[n]   // of A  \n   // of B\ninput B:[n]\nB = add A\n\n\n B // sum\n\n  // last\n",
            "// first\n\n//second\ninput A : [n] // of A\n// of B\ninput B : [n]\nB = add A\n    B // sum\n\n// last\n",
        );
        check("input A : [n] A = // why\n\n neg A", "input A : [n]\nA = // why\n    neg A\n");
        check("// nothing else", "// nothing else\n");
    }

    #[test]
    fn the_language_of_fluid_dynamics_too() {
        let text =
            "var input P:[m n]type t:[n,n] var output v:t elem[v]E first\nv=P#P.[[ 1 2 ][3 4]]^[[0 1]]";
        let expected = "var input P : [m n]\ntype t : [n, n]\nvar output v : t\nelem [v] E first\nv = P # P . [[1 2] [3 4]] ^ [[0 1]]\n";
        let found = fluids::formatted(FileId::default(), text);
        // It stays unread where it is no program.
        assert!(found.is_err());
        let text = text.replace("^[[0 1]]", "");
        let found = fluids::formatted(FileId::default(), &text);
        assert_eq!(found.unwrap_or_else(|why| panic!("{}", why.message)), expected.replace(" ^ [[0 1]]", ""));
    }
}
