//! The text of a query, and the places in it that the parser means.

use atl_diag::{Diagnostic, FileId, SourceMap, Span};
use sqlparser::ast::Spanned;

/// A refusal, boxed since it is large.
pub(crate) type Refusal = Box<Diagnostic>;

/// A text of SQL among the sources of diagnostics.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) file: FileId,
    lines: Vec<usize>,
    pub(crate) text: String,
}

impl Text {
    pub(crate) fn new(sources: &mut SourceMap, text: &str) -> Text {
        let file = sources.add("the query", text);
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Text { file, lines: std::iter::once(0).chain(starts).collect(), text: text.to_owned() }
    }

    /// The place that the parser means; all of the query where it names none.
    pub(crate) fn span(&self, span: sqlparser::tokenizer::Span) -> Span {
        let (start, end) = (self.offset(span.start), self.offset(span.end));
        match (start, end) {
            (Some(start), Some(end)) => Span::new(self.file, start, end),
            _ => Span::new(self.file, 0, u32::try_from(self.text.len()).unwrap_or(u32::MAX)),
        }
    }

    /// The byte of a line and a column, which count from 1, the column in characters.
    fn offset(&self, at: sqlparser::tokenizer::Location) -> Option<u32> {
        let line = usize::try_from(at.line).ok()?.checked_sub(1)?;
        let column = usize::try_from(at.column).ok()?.checked_sub(1)?;
        let start = *self.lines.get(line)?;
        let rest = &self.text[start..];
        let within = rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
        u32::try_from(start + within).ok()
    }

    pub(crate) fn of(&self, part: &impl Spanned) -> Span {
        self.span(part.span())
    }
}
