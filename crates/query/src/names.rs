//! Names of a program: ASCII, none twice, and none of the language's own.

use std::collections::BTreeSet;

/// Words that a program cannot use, or had better not.
const WORDS: &[&str] = &[
    "abs",
    "all",
    "any",
    "as",
    "bf16",
    "bool",
    "ceil_div",
    "def",
    "exp",
    "f16",
    "f32",
    "f64",
    "flatten",
    "floor",
    "fn",
    "format",
    "gen",
    "i16",
    "i32",
    "i64",
    "i8",
    "import",
    "in",
    "index",
    "inf",
    "let",
    "log",
    "max",
    "min",
    "monoid",
    "one",
    "one_hot",
    "prod",
    "query",
    "schedule",
    "select",
    "semiring",
    "shear",
    "size",
    "split",
    "sqrt",
    "sum",
    "theorem",
    "transpose",
    "true",
    "false",
    // The loop around one of several sums.
    "u",
    "u16",
    "u32",
    "u64",
    "u8",
    "unshear",
    "where",
    "zero",
    "if",
    "with",
    "at",
    "by",
];

/// Names that were given out.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// A name like this one that nobody has.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let mut name: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
            .collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'c');
        }
        let base = if WORDS.contains(&name.as_str()) { format!("{name}_of") } else { name };
        let mut name = base.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_no_words() {
        let mut names = Names::default();
        let found: Vec<String> =
            ["a", "A", "sum", "2x", "é b", "a"].iter().map(|name| names.fresh(name)).collect();
        assert_eq!(found, ["a", "a_2", "sum_of", "c2x", "c__b", "a_3"]);
    }
}
