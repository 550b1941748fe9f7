//! The text of formats: level lists and names, read and printed.
//!
//! ```text
//! format = name [numbers] | '[' entry { ',' entry } ']'
//! entry  = level [numbers] [ 'of' ( axis | '(' axis { ',' axis } ')' ) ]
//! axis   = d | d '/' n | d '%' n | d '-' d | 'min' '(' d ',' d ')'            d: one of the letters i to z
//! ```
//! Either every level has an `of` or none: then they store the dimensions in order.

use super::{Axis, Entry, Format, by_name};
use crate::{Refusal, levels};
use std::fmt;

impl Format {
    /// Reads a format for tensors of a rank: a name, or a list of levels.
    pub fn parse(text: &str, rank: usize) -> Result<Format, Refusal> {
        let mut reader = Reader { tokens: tokens(text)?, at: 0, text };
        let format = if reader.peek() == "[" { reader.list()? } else { reader.named(rank)? };
        if reader.peek() != "" {
            return reader.expected("the end");
        }
        if format.rank() != rank {
            let expected = format!("rank {}", format.rank());
            return Err(Refusal::Rank { format: text.trim().to_owned(), expected, found: rank });
        }
        Ok(format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_order = self.entries.iter().enumerate().all(|(d, entry)| entry.axes == [Axis::Dimension(d)]);
        f.write_str("[")?;
        for (at, Entry { kind, parameters, axes }) in self.entries.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            f.write_str(kind.name)?;
            if !parameters.is_empty() {
                write!(f, "({})", joined(parameters))?;
            }
            match axes[..] {
                _ if in_order => {}
                [axis] => write!(f, " of {axis}")?,
                _ => write!(f, " of ({})", joined(axes))?,
            }
        }
        f.write_str("]")
    }
}

fn joined(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<String>>().join(", ")
}

/// Words, numbers and signs.
fn tokens(text: &str) -> Result<Vec<&str>, Refusal> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = match first {
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            '[' | ']' | '(' | ')' | ',' | '/' | '%' | '-' => 1,
            other => {
                let why = format!("`{other}` has no place in a format: `{text}`");
                return Err(Refusal::Format { why });
            }
        };
        found.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    Ok(found)
}

struct Reader<'t> {
    tokens: Vec<&'t str>,
    at: usize,
    text: &'t str,
}

impl<'t> Reader<'t> {
    /// The next token; nothing at the end.
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'t str {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Takes a token if it is the next one.
    fn take(&mut self, token: &str) -> bool {
        let here = self.peek() == token;
        self.at += usize::from(here);
        here
    }

    fn expected<T>(&self, what: &str) -> Result<T, Refusal> {
        let found = match self.peek() {
            "" => "its end".to_owned(),
            token => format!("`{token}`"),
        };
        Err(Refusal::Format { why: format!("`{}`: expected {what}, found {found}", self.text.trim()) })
    }

    fn need(&mut self, token: &str) -> Result<(), Refusal> {
        if self.take(token) { Ok(()) } else { self.expected(&format!("`{token}`")) }
    }

    fn named(&mut self, rank: usize) -> Result<Format, Refusal> {
        if !self.peek().starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.expected("a format's name or `[`");
        }
        let name = self.next();
        let parameters = self.parameters()?;
        by_name(name, &parameters, rank)
    }

    /// Numbers in parentheses, if there are any.
    fn parameters(&mut self) -> Result<Vec<i64>, Refusal> {
        let mut found = Vec::new();
        if !self.take("(") {
            return Ok(found);
        }
        loop {
            let minus = self.take("-");
            let number = self.number()?;
            found.push(if minus { -number } else { number });
            if !self.take(",") {
                self.need(")")?;
                return Ok(found);
            }
        }
    }

    fn number(&mut self) -> Result<i64, Refusal> {
        match self.peek().parse() {
            Ok(number) => {
                self.at += 1;
                Ok(number)
            }
            Err(_) => self.expected("a number of 64 bits"),
        }
    }

    fn list(&mut self) -> Result<Format, Refusal> {
        self.need("[")?;
        let mut entries = Vec::new();
        if !self.take("]") {
            loop {
                entries.push(self.entry(entries.len())?);
                if !self.take(",") {
                    break;
                }
            }
            self.need("]")?;
        }
        let with: Vec<bool> = entries.iter().map(|(_, with)| *with).collect();
        if with.windows(2).any(|pair| pair[0] != pair[1]) {
            let why = format!("`{}`: either every level says what it is of, or none", self.text.trim());
            return Err(Refusal::Format { why });
        }
        Format::try_new(entries.into_iter().map(|(entry, _)| entry).collect())
    }

    /// A level, and whether it says what it is of.
    fn entry(&mut self, depth: usize) -> Result<(Entry, bool), Refusal> {
        let Some(kind) = levels::by_name(self.peek()) else {
            let names: Vec<&str> = levels::TABLE.iter().map(|kind| kind.name).collect();
            return self.expected(&format!("a level ({})", names.join(", ")));
        };
        self.at += 1;
        let parameters = self.parameters()?;
        let with = self.take("of");
        let axes = match with {
            false => vec![Axis::Dimension(depth)],
            true if self.take("(") => {
                let mut axes = vec![self.axis()?];
                while self.take(",") {
                    axes.push(self.axis()?);
                }
                self.need(")")?;
                axes
            }
            true => vec![self.axis()?],
        };
        Ok((Entry { kind, parameters, axes }, with))
    }

    fn axis(&mut self) -> Result<Axis, Refusal> {
        if self.take("min") {
            self.need("(")?;
            let row = self.dimension()?;
            self.need(",")?;
            let column = self.dimension()?;
            self.need(")")?;
            return Ok(Axis::Along { row, column });
        }
        let of = self.dimension()?;
        match self.peek() {
            "/" => {
                self.at += 1;
                Ok(Axis::Block { of, size: self.number()? as usize })
            }
            "%" => {
                self.at += 1;
                Ok(Axis::Within { of, size: self.number()? as usize })
            }
            "-" => {
                self.at += 1;
                Ok(Axis::Diagonal { row: self.dimension()?, column: of })
            }
            _ => Ok(Axis::Dimension(of)),
        }
    }

    fn dimension(&mut self) -> Result<usize, Refusal> {
        match self.peek().as_bytes() {
            [letter @ b'i'..=b'z'] => {
                self.at += 1;
                Ok(usize::from(letter - b'i'))
            }
            _ => self.expected("a dimension (a letter from i)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, rank: usize, expected: &str) {
        let found = Format::parse(text, rank).map_or_else(|refusal| refusal.to_string(), |f| f.to_string());
        assert_eq!(found, expected, "{text}");
        if let Ok(format) = Format::parse(text, rank) {
            assert_eq!(Format::parse(&format.to_string(), rank), Ok(format), "{text}");
        }
    }

    #[test]
    fn formats_are_read_and_printed() {
        check("csr", 2, "[dense, compressed]");
        check(" [ dense,compressed ] ", 2, "[dense, compressed]");
        check("csc", 2, "[dense of j, compressed of i]");
        check("coo", 3, "[compressed of (i, j, k)]");
        check("coo", 1, "[compressed]");
        check("csf", 3, "[compressed, compressed, compressed]");
        check("bcsr(4, 2)", 2, "[dense of i / 4, compressed of j / 2, dense of i % 4, dense of j % 2]");
        check("csb(4,2)", 2, "[dense of i / 4, dense of j / 2, compressed of (i % 4, j % 2)]");
        check("dia", 2, "[compressed of j - i, dense of min(i, j)]");
        check("ell", 2, "[dense, ell]");
        check("ell(8)", 2, "[dense, ell(8)]");
        check("hash(64, -3, 1)", 2, "[hash(64, -3, 1) of (i, j)]");
        check("mode_generic", 3, "[compressed of (i, k), dense of j]");
        check("bitmask", 3, "[dense, dense, bitmask]");
        check("dense", 0, "[]");
        check("[]", 0, "[]");
    }

    #[test]
    fn no_text_panics() {
        let words = "[ ] ( ) , / % - of i j k min dense hash coo bcsr csr 0 1 4 99999999999999999999";
        let words: Vec<&str> = words.split(' ').collect();
        let mut state = 1u64;
        let mut next = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        for _ in 0..20_000 {
            let text: Vec<&str> = (0..1 + next(14)).map(|_| words[next(words.len())]).collect();
            let rank = next(4);
            if let Ok(format) = Format::parse(&text.join(" "), rank) {
                assert_eq!(Format::parse(&format.to_string(), rank), Ok(format));
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        check("csr", 3, "`csr` is for tensors of rank 2, not of rank 3");
        check("[dense]", 2, "`[dense]` is for tensors of rank 1, not of rank 2");
        check("bcsr", 2, "`bcsr` takes rows, columns");
        check("bcsr(0, 2)", 2, "the blocks of `bcsr` are not empty");
        check("csr(1)", 2, "`csr` takes no parameters");
        check("[dense", 1, "`[dense`: expected `]`, found its end");
        check(
            "[dense of i, dense]",
            2,
            "`[dense of i, dense]`: either every level says what it is of, or none",
        );
        check("[dense of i, dense of i]", 1, "dimension `i` is stored more than once");
        check("[dense of i / 4, dense of i % 2]", 1, "dimension `i` is stored more than once");
        check("[dense of i / 4]", 1, "`i / 4` needs a level of `i % 4`");
        check("[dense of j]", 2, "no level stores dimension `i`");
        check(
            "[dense of i - i, dense of min(i, i)]",
            1,
            "blocks are not empty, and diagonals are of two dimensions",
        );
        check(
            "[dense of i / 0, dense of i % 0]",
            1,
            "blocks are not empty, and diagonals are of two dimensions",
        );
        check("[dense of a]", 1, "`[dense of a]`: expected a dimension (a letter from i), found `a`");
        check("[dense]]", 1, "`[dense]]`: expected the end, found `]`");
        check("?", 1, "`?` has no place in a format: `?`");
        check(
            "[ell(99999999999999999999)]",
            1,
            "`[ell(99999999999999999999)]`: expected a number of 64 bits, found `99999999999999999999`",
        );
        check(
            "[squeezed]",
            1,
            "`[squeezed]`: expected a level (band, bitmask, blocklist, compressed, dense, ell, hash, rankmask, rle, \
             singleton, sparse_runs), found `squeezed`",
        );
    }
}
