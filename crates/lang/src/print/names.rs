//! Names for the variables of a context: its labels, made readable by the lexer and unique.

use atl_kernel::{Ctx, Entry, Label};
use atl_syntax::{TokenKind, lex};
use std::collections::HashSet;

/// Words that are names to the lexer, but not everywhere to the reader.
const RESERVED: [&str; 12] =
    ["and", "ceil_div", "for", "if", "inf", "max", "min", "not", "one", "or", "size", "zero"];

/// A name for each level of a context; none for hypotheses.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<String>,
    used: HashSet<String>,
}

impl Names {
    /// The names of a context's variables.
    pub fn of(ctx: &Ctx) -> Names {
        let mut names = Names::default();
        for entry in ctx.entries() {
            match entry {
                Entry::Index(label) => names.push(label, "i"),
                Entry::Tensor(label, _) => names.push(label, "x"),
                Entry::Hyp(..) | Entry::All(..) => names.skip(),
            }
        }
        names
    }

    /// The name of the variable at this level.
    pub fn at(&self, level: u32) -> &str {
        self.names.get(level as usize).map_or("_", String::as_str)
    }

    /// Name the next level after a label, or after the default where it has no readable name.
    pub(crate) fn push(&mut self, label: &Label, default: &str) {
        let wanted = if is_name(&label.name) { &label.name } else { default };
        let mut name = wanted.to_owned();
        let mut number = 1u32;
        while self.used.contains(&name) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        self.used.insert(name.clone());
        self.names.push(name);
    }

    /// The next level is a hypothesis.
    pub(crate) fn skip(&mut self) {
        self.names.push(String::new());
    }

    /// Forget the levels from this one on.
    pub(crate) fn truncate(&mut self, level: u32) {
        for name in self.names.drain(level as usize..) {
            self.used.remove(&name);
        }
    }
}

/// Can this be written where a name is expected, and be that name?
fn is_name(text: &str) -> bool {
    let (tokens, diagnostics) = lex(atl_diag::FileId(0), text);
    diagnostics.is_empty()
        && matches!(&tokens[..], [token] if token.kind == TokenKind::Ident)
        && !RESERVED.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(labels: &[&str], expected: &[&str]) {
        let mut ctx = Ctx::new();
        for label in labels {
            ctx.push_index(Label::new(label));
        }
        let names = Names::of(&ctx);
        let found: Vec<&str> = (0..).take(labels.len()).map(|level| names.at(level)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn names_are_readable_and_unique() {
        check(&["y", "x", "y", "y"], &["y", "x", "y1", "y2"]);
        check(&["y.o", "y.o"], &["y.o", "y.o1"]);
        check(&["", "gen", "inf", "2x", "a b"], &["i", "i1", "i2", "i3", "i4"]);
        check(&["y1", "y", "y"], &["y1", "y", "y2"]);
    }
}
