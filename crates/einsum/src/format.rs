//! Formats of operands, as a command line gives them: `A:csr`, `B:bcsr(4,4)`, `C:[dense, compressed]`; and as
//! TACO writes them, a letter a level and after another colon the order of the dimensions: `A:ds`,
//! `A:ds:1,0`.
//!
//! | letter | level |
//! |---|---|
//! | `d` | dense |
//! | `s` | compressed |
//! | `u` … `c` … `q` | compressed, not unique, then a singleton a dimension: together a list of coordinates, `coo` |
//!
//! Letters become the name of the format where it has one. `p`, a padded singleton, has no counterpart.

use crate::tree::{Access, Refusal};
use atl_diag::{Diagnostic, FileId, Span, err};
use atl_formats::Format;
use atl_formats::format::{MAX_RANK, NAMES};
use atl_syntax::ast::{self, Name};

/// TACO's letters.
const LETTERS: &str = "dsucqp";

/// A tensor's name and format, with the place of each in the option.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    file: FileId,
    text: String,
    /// Where the format begins.
    at: usize,
    pub(crate) tensor: Name,
}

/// `NAME:FORMAT`.
pub(crate) fn parse(file: FileId, text: &str) -> Result<Given, Refusal> {
    let whole = Span::new(file, 0, text.len() as u32);
    let Some((name, format)) =
        text.split_once(':').filter(|(n, f)| !n.trim().is_empty() && !f.trim().is_empty())
    else {
        return Err(Box::new(
            err!(E0267, whole, "`{text}` does not say which format a tensor has")
                .label("expected `NAME:FORMAT`")
                .help("as in `A:csr` or `A:ds`"),
        ));
    };
    let tensor = Name::new(name.trim(), Span::new(file, 0, name.len() as u32));
    Ok(Given { file, text: text.to_owned(), at: text.len() - format.len(), tensor })
}

impl Given {
    /// The format for a tensor that is read like this; none where it is dense.
    pub(crate) fn resolve(&self, access: &Access) -> Result<Option<ast::Format>, Refusal> {
        let format = &self.text[self.at..];
        let rank = access.indices.len();
        let (levels, order) = match format.split_once(':') {
            Some((levels, order)) => (levels, Some(order)),
            None => (format, None),
        };
        let is_name = NAMES.iter().any(|named| levels.trim() == named.name);
        let letters = levels.trim().chars().all(|c| c.is_ascii_lowercase());
        let text = if letters && !is_name {
            self.letters(levels, order, access)?
        } else if order.is_some() {
            return Err(self.refusal("only letters are followed by an order of dimensions").into());
        } else {
            levels.trim().to_owned()
        };
        let read = Format::parse(&text, rank).map_err(|why| {
            self.refusal(&format!("`{}` cannot have this format: {why}", self.tensor.text))
                .also(access.span, format!("it is read with {rank} indices"))
        })?;
        if read.entries().iter().all(|entry| entry.kind.name == "dense" && entry.axes.len() == 1) {
            return Ok(None);
        }
        let parsed = atl_syntax::parse_pattern(self.file, &text);
        match parsed.tree.as_format().filter(|_| !parsed.diagnostics.iter().any(Diagnostic::is_error)) {
            Some(format) => Ok(Some(format)),
            None => Err(self.refusal("programs have no such format").into()),
        }
    }

    fn refusal(&self, message: &str) -> Diagnostic {
        let span = self.span(0, self.text.len() - self.at);
        let known: Vec<&str> = NAMES.iter().map(|named| named.name).collect();
        err!(E0267, span, "{message}").label("this format").help(format!(
            "formats are {}, lists such as `[dense, compressed]`, and TACO's letters, `ds` or `ds:1,0`",
            known.join(", ")
        ))
    }

    /// Bytes of the format.
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, (self.at + start) as u32, (self.at + end) as u32)
    }

    /// The format that TACO's letters say.
    fn letters(&self, letters: &str, order: Option<&str>, access: &Access) -> Result<String, Refusal> {
        let rank = access.indices.len();
        let trimmed = letters.trim();
        if let Some((at, c)) =
            letters.char_indices().find(|(_, c)| !c.is_whitespace() && !LETTERS.contains(*c))
        {
            let known: Vec<&str> = NAMES.iter().map(|named| named.name).collect();
            return Err(Box::new(
                err!(
                    E0267,
                    self.span(at, at + c.len_utf8()),
                    "`{trimmed}` is no format's name, and `{c}` is no letter of TACO's"
                )
                .label("this letter")
                .help(format!("the names are {}", known.join(", ")))
                .help("the letters are d (dense), s (compressed), u then c or q (a list of coordinates)"),
            ));
        }
        if trimmed.len() != rank || rank > MAX_RANK {
            return Err(Box::new(
                err!(
                    E0267,
                    self.span(0, letters.len()),
                    "the format has {} levels, and `{}` {rank} dimensions",
                    trimmed.len(),
                    self.tensor.text
                )
                .label("a letter for each dimension")
                .also(access.span, "read here")
                .help("the letters are d (dense), s (compressed), u then c or q (a list of coordinates)"),
            ));
        }
        let order = match order {
            Some(order) => self.order(order, letters.len() + 1, rank)?,
            None => (0..rank).collect(),
        };
        let mut levels: Vec<(&str, Vec<usize>)> = Vec::new();
        for (c, dimension) in trimmed.chars().zip(order) {
            let below_u = levels.last().is_some_and(|(level, _)| *level == "u");
            match (c, levels.last_mut()) {
                ('d', _) if !below_u => levels.push(("dense", vec![dimension])),
                ('s', _) if !below_u => levels.push(("compressed", vec![dimension])),
                ('u', _) if !below_u => levels.push(("u", vec![dimension])),
                ('c', Some((_, list))) if below_u => list.push(dimension),
                ('q', Some((level, list))) if below_u => {
                    list.push(dimension);
                    *level = "compressed";
                }
                _ => return Err(self.singleton().into()),
            }
        }
        if levels.iter().any(|(level, _)| *level == "u") {
            return Err(self.singleton().into());
        }
        let axes = |axes: &[usize]| {
            let letters = axes.iter().map(|d| (b'i' + *d as u8) as char);
            format!("({})", letters.map(String::from).collect::<Vec<_>>().join(", "))
        };
        let levels: Vec<String> =
            levels.iter().map(|(level, dims)| format!("{level} of {}", axes(dims))).collect();
        let text = format!("[{}]", levels.join(", "));
        self.named(&text, rank)
    }

    /// The name of the format that these levels are, or their list where they store the dimensions in order.
    fn named(&self, text: &str, rank: usize) -> Result<String, Refusal> {
        let wanted = Format::parse(text, rank).map_err(|why| self.refusal(&why.to_string()))?;
        let same = |name: &&str| Format::parse(name, rank).is_ok_and(|found| found == wanted);
        if let Some(name) = NAMES.iter().map(|named| named.name).find(same) {
            return Ok(name.to_owned());
        }
        let shown = wanted.to_string();
        if shown.contains(" of ") {
            return Err(Box::new(
                self.refusal(&format!("programs have no word for the format {shown}")).note(
                    "dimensions in another order than the indices' are stored by `csc` and `dcsc` alone",
                ),
            ));
        }
        Ok(shown)
    }

    fn singleton(&self) -> Diagnostic {
        self.refusal("a singleton stands only in a list of coordinates")
            .note("that is `u`, then `c` for each dimension between, then `q`; `p` has no counterpart here")
    }

    /// The order of dimensions after the second colon.
    fn order(&self, text: &str, start: usize, rank: usize) -> Result<Vec<usize>, Refusal> {
        let numbers: Option<Vec<usize>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
        let permutes = |order: &Vec<usize>| order.len() == rank && (0..rank).all(|d| order.contains(&d));
        numbers.filter(permutes).ok_or_else(|| {
            Box::new(
                err!(
                    E0267,
                    self.span(start, start + text.len()),
                    "the order of {rank} dimensions has each of their numbers, from 0, once"
                )
                .label("not such an order")
                .help(format!(
                    "as in `{}`",
                    (0..rank).rev().map(|d| d.to_string()).collect::<Vec<_>>().join(",")
                )),
            )
        })
    }
}
