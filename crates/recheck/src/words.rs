//! Lines and words: the outermost form of a file.
//!
//! A line is read at a time, and its length is bounded before it is kept. Every number and every string has one
//! spelling, so equal lines are equal texts.

use crate::prelude::*;
use std::io::{BufRead, Read};
use std::iter::Peekable;
use std::str::{FromStr, Split};

/// The lines of a file, one at a time.
pub(crate) struct Lines<R> {
    input: R,
    bytes: u64,
    /// The number of the line read last, from 1.
    pub(crate) number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines { input, bytes: 0, number: 0 }
    }

    /// The next line without its line feed, or `None` at the end of the file.
    pub(crate) fn read(&mut self) -> Checked<Option<String>> {
        let mut line = Vec::new();
        self.number += 1;
        let read = (&mut self.input).take(limits::LINE_BYTES).read_until(b'\n', &mut line);
        self.bytes += read.map_err(|error| format!("the file cannot be read: {}", error.kind()))? as u64;
        let small = self.bytes <= limits::FILE_BYTES && self.number <= limits::LINES;
        require(small, "the file is larger than the limits allow")?;
        if line.is_empty() {
            return Ok(None);
        }
        let whole = line.pop() == Some(b'\n');
        require(whole, "the line has no line feed, or is longer than the limits allow")?;
        let text = String::from_utf8(line).map_err(|_| "the line is not UTF-8")?;
        require(!text.contains(char::is_control), "the line holds a control character")?;
        Ok(Some(text))
    }

    /// The next line, which must be there.
    pub(crate) fn expect(&mut self) -> Checked<String> {
        self.read()?.ok_or("the file ends too early".into())
    }
}

/// The words of a line that are not read yet.
pub(crate) struct Words<'l>(Peekable<Split<'l, char>>);

impl<'l> Words<'l> {
    pub(crate) fn of(line: &'l str) -> Self {
        Words(line.split(' ').peekable())
    }

    /// The next word.
    pub(crate) fn next(&mut self) -> Checked<&'l str> {
        let word = self.0.next().ok_or("the line has too few words")?;
        require(!word.is_empty(), "words are not separated by exactly one space")?;
        Ok(word)
    }

    /// Whether no word is left.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.0.peek().is_none()
    }

    /// Every word was read.
    pub(crate) fn end(&mut self) -> Checked<()> {
        require(self.is_at_end(), "the line has too many words")
    }

    /// The next word is this one.
    pub(crate) fn keyword(&mut self, word: &str) -> Checked<()> {
        if self.next()? == word { Ok(()) } else { refuse(format!("`{word}` was expected")) }
    }

    /// The next word is an integer.
    pub(crate) fn integer<T: FromStr>(&mut self) -> Checked<T> {
        integer(self.next()?)
    }

    /// The next word is a string, quotes and escapes included.
    pub(crate) fn string(&mut self) -> Checked<&'l str> {
        let word = self.next()?;
        unescaped(word)?;
        Ok(word)
    }

    /// The next word is a letter and a number below `count`.
    pub(crate) fn reference(&mut self, letter: char, count: usize) -> Checked<usize> {
        let word = self.next()?;
        let number = word.strip_prefix(letter).ok_or("a reference to a line of another kind")?;
        let number: usize = integer(number)?;
        require(number < count, "a reference to the line itself, or to a later one")?;
        Ok(number)
    }
}

/// An integer: decimal, spelt in the one way.
pub(crate) fn integer<T: FromStr>(word: &str) -> Checked<T> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let shortest = word == "0" || !digits.starts_with('0');
    require(plain && shortest, "an integer is not in the form of the format")?;
    word.parse().or(refuse("an integer is out of range"))
}

/// The text that a string stands for.
pub(crate) fn unescaped(word: &str) -> Checked<String> {
    let wrong = "a string is not in the form of the format";
    let inner = word.strip_prefix('"').and_then(|w| w.strip_suffix('"'));
    let mut rest = inner.ok_or(wrong)?.chars();
    let mut text = String::new();
    while let Some(c) = rest.next() {
        text.push(match c {
            '"' | ' ' => return refuse(wrong),
            '\\' => match rest.next() {
                Some(c @ ('"' | '\\')) => c,
                Some('u') => {
                    let (digits, after) =
                        rest.as_str().strip_prefix('{').and_then(|r| r.split_once('}')).ok_or(wrong)?;
                    rest = after.chars();
                    let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).ok_or(wrong)?;
                    let needed = c == ' ' || c.is_control();
                    require(needed && format!("{:x}", u32::from(c)) == digits, wrong)?;
                    c
                }
                _ => return refuse(wrong),
            },
            c => c,
        });
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_one_spelling() {
        let good = [("0", 0), ("7", 7), ("-12", -12), ("9223372036854775807", i64::MAX)];
        for (word, value) in good {
            assert_eq!(integer(word), Ok(value), "{word}");
        }
        for word in ["", "-", "-0", "01", "+1", " 1", "1_0", "--1", "9223372036854775808", "\u{661}"] {
            assert!(integer::<i64>(word).is_err(), "{word}");
        }
        assert!(integer::<u32>("-1").is_err());
    }

    #[test]
    fn strings_have_one_spelling() {
        assert_eq!(unescaped(r#""a\"b\\c\u{20}d""#).unwrap(), "a\"b\\c d");
        for word in
            ["a", "\"", "\"a", "\"a\"b\"", r#""\""#, r#""\n""#, r#""\u{41}""#, r#""\u{020}""#, r#""\u{1B}""#]
        {
            assert!(unescaped(word).is_err(), "{word}");
        }
        assert_eq!(unescaped(r#""\u{1b}""#).unwrap(), "\u{1b}");
    }

    #[test]
    fn words_are_separated_by_one_space() {
        let check = |line: &str| {
            let mut words = Words::of(line);
            while !words.is_at_end() {
                words.next()?;
            }
            words.end()
        };
        assert!(check("a b c").is_ok());
        for line in ["", " a", "a ", "a  b"] {
            assert!(check(line).is_err(), "{line:?}");
        }
    }
}
