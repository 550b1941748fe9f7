//! Texts of numbers, line by line, from a source that is read as it is needed.
//!
//! One idea: bytes in a window that slides over the source. A line is lent, not copied. Nothing is believed
//! of the source: a line has a bounded length, so that a file without ends of lines does not fill the memory.

use std::io::{ErrorKind, Read};

use super::super::Reason;
use super::super::refusal::{Fault, Place, Refusal};
use super::line::{Line, is_space};

/// How many bytes are read at once.
const WINDOW: usize = 1 << 18;

/// The greatest length of a line.
const MAX_LINE: usize = 1 << 20;

/// The lines of a source.
pub(super) struct Lines<R> {
    source: R,
    window: Vec<u8>,
    /// What of the window is not yet lent.
    start: usize,
    end: usize,
    exhausted: bool,
    /// Of the line that was lent last, from 1.
    number: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Lines<R> {
        Lines { source, window: vec![0; WINDOW], start: 0, end: 0, exhausted: false, number: 0 }
    }

    /// The line behind all that were lent.
    pub(super) fn behind(&self) -> Place {
        Place::Line(self.number + 1)
    }

    /// The next line that has a token, and neither is blank nor begins with the mark of comments.
    pub(super) fn content(&mut self, comment: u8) -> Result<Option<Line<'_>>, Reason> {
        loop {
            let Some((start, end)) = self.advance()? else { return Ok(None) };
            let mut line = &self.window[start..end];
            while let [first, rest @ ..] = line
                && is_space(*first)
            {
                line = rest;
            }
            if line.first().is_some_and(|&first| first != comment) {
                // The line is sliced again: a borrow that is returned from a loop would last for all of it.
                return Ok(Some(Line::new(self.number, &self.window[start..end])));
            }
        }
    }

    /// The next line, whatever it holds.
    pub(super) fn line(&mut self) -> Result<Option<Line<'_>>, Reason> {
        let line = self.advance()?;
        Ok(line.map(|(start, end)| Line::new(self.number, &self.window[start..end])))
    }

    /// Where in the window the next line is, without its end.
    fn advance(&mut self) -> Result<Option<(usize, usize)>, Reason> {
        let mut searched = self.start;
        loop {
            let found = self.window[searched..self.end].iter().position(|&byte| byte == b'\n');
            let (end, next) = match found {
                Some(at) => (searched + at, searched + at + 1),
                None if self.exhausted && self.start == self.end => return Ok(None),
                None if self.exhausted => (self.end, self.end),
                None => {
                    searched = self.end - self.start;
                    self.refill()?;
                    continue;
                }
            };
            self.number += 1;
            let start = std::mem::replace(&mut self.start, next);
            return Ok(Some((start, end)));
        }
    }

    /// Moves what is left to the front of the window, and reads on behind it.
    fn refill(&mut self) -> Result<(), Reason> {
        self.window.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end > MAX_LINE {
            let expected = format!("at most {MAX_LINE} bytes in a line");
            return Err(Refusal::new(Fault::Syntax, self.behind(), "a longer line", expected).into());
        }
        if self.end == self.window.len() {
            self.window.resize(2 * self.end, 0);
        }
        let read = loop {
            match self.source.read(&mut self.window[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result.map_err(Reason::Io)?,
            }
        };
        self.end += read;
        self.exhausted = read == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::natural;
    use super::*;

    /// A source that gives one byte at a time, with an interruption before each.
    struct Slow<'a>(&'a [u8], bool);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            to[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    /// The tokens of the lines with content, and their numbers.
    fn check(text: &str, expected: &[(u64, &[&str])]) {
        let mut lines = Lines::new(Slow(text.as_bytes(), false));
        let mut found: Vec<(u64, Vec<String>)> = Vec::new();
        while let Some(mut line) = lines.content(b'#').expect("short lines") {
            let tokens = std::iter::from_fn(|| line.token());
            let tokens = tokens.map(|token| String::from_utf8_lossy(token).into_owned()).collect();
            found.push((line.number, tokens));
        }
        let expected: Vec<(u64, Vec<String>)> = expected
            .iter()
            .map(|(line, tokens)| (*line, tokens.iter().map(|token| token.to_string()).collect()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn lines_and_tokens() {
        check("", &[]);
        check("a", &[(1, &["a"])]);
        check("a b\r\n\r\n  # c\n\td  \n\n", &[(1, &["a", "b"]), (4, &["d"])]);
        check("#a\n \nb\nc", &[(3, &["b"]), (4, &["c"])]);
    }

    #[test]
    fn long_texts_slide_through_the_window() {
        let text: String = (0..200_000u64).map(|k| format!("{k} {}\n", k * k)).collect();
        let mut lines = Lines::new(text.as_bytes());
        let mut count = 0;
        while let Some(mut line) = lines.content(b'#').expect("short lines") {
            let mut next = || line.token().and_then(natural);
            let (first, second) = (next(), next());
            assert_eq!((first, second), (Some(count), Some(count * count)), "line {count}");
            count += 1;
        }
        assert_eq!(count, 200_000);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let endless = std::io::repeat(b'1');
        assert!(
            matches!(Lines::new(endless).line(), Err(Reason::Refused(refusal)) if refusal.place == Place::Line(1))
        );
    }
}
