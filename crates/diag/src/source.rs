//! Files and places in them.
//!
//! A [`Span`] is two byte offsets in one file. Line and column exist only when something is shown, and
//! are computed from the text by [`SourceMap::position`].

use std::ops::Range;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(pub u32);

/// A range of bytes of one file, `start <= end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end: end.max(start) }
    }

    /// The smallest span that holds both; `self` when they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span just before this one.
    pub fn at_start(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The empty span just after this one.
    pub fn at_end(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// Whether no byte is in it.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The same bytes as a range of `usize`.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place as people count it: both numbers start at 1, columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
}

/// The texts that spans point into.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Source>,
}

impl SourceMap {
    /// No files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file under the name that diagnostics show.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// The name of a file; empty for an unknown one.
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |source| source.name.as_str())
    }

    /// The text of a file; empty for an unknown one.
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |source| source.text.as_str())
    }

    /// The names and texts of all files.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|source| (source.name.as_str(), source.text.as_str()))
    }

    /// The texts of all files.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|source| source.text.as_str())
    }

    /// The text under a span; empty when the span lies outside its file or splits a character.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.range()).unwrap_or("")
    }

    /// Line and column of a byte of a file; offsets past the end count as the end.
    pub fn position(&self, file: FileId, offset: u32) -> Position {
        let text = self.text(file);
        let mut end = (offset as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, offset: u32, line: usize, column: usize) {
        let mut sources = SourceMap::new();
        let file = sources.add("t", text);
        assert_eq!(sources.position(file, offset), Position { line, column });
    }

    #[test]
    fn positions_count_lines_and_characters() {
        check("", 0, 1, 1);
        check("ab\ncd", 0, 1, 1);
        check("ab\ncd", 2, 1, 3);
        check("ab\ncd", 3, 2, 1);
        check("αβ\ncd", 4, 1, 3);
        check("αβ", 1, 1, 1);
        check("ab", 99, 1, 3);
    }

    #[test]
    fn slices_outside_the_file_are_empty() {
        let mut sources = SourceMap::new();
        let file = sources.add("t", "abc");
        assert_eq!(sources.slice(Span::new(file, 1, 3)), "bc");
        assert_eq!(sources.slice(Span::new(file, 2, 9)), "");
        assert_eq!(sources.slice(Span::new(FileId(7), 0, 1)), "");
    }
}
