//! A line's words, and how numbers, strings and names are spelt. Strict: each value has one spelling.

use atl_kernel::{Laws, Rounding};
use std::fmt::Write;
use std::str::{FromStr, Split};

/// Why a line is refused, or what was read.
pub(crate) type Read<T> = Result<T, String>;

/// The words of a line, one after the other.
pub(crate) struct Words<'a>(Split<'a, char>);

impl<'a> Words<'a> {
    pub(crate) fn of(line: &'a str) -> Words<'a> {
        Words(line.split(' '))
    }

    pub(crate) fn word(&mut self) -> Read<&'a str> {
        self.more().ok_or_else(|| "a word is missing at the end".to_owned())
    }

    /// The next word, if there is one.
    pub(crate) fn more(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    /// All words that are left.
    pub(crate) fn rest(&mut self) -> Vec<&'a str> {
        self.0.by_ref().collect()
    }

    pub(crate) fn end(&mut self) -> Read<()> {
        self.more().map_or(Ok(()), |word| Err(format!("`{word}` is too much")))
    }

    pub(crate) fn number<T: FromStr>(&mut self) -> Read<T> {
        number(self.word()?)
    }

    /// The number of an earlier line of this letter, of which there are `known`.
    pub(crate) fn reference(&mut self, letter: char, known: usize) -> Read<u32> {
        reference(self.word()?, letter, known)
    }

    pub(crate) fn string(&mut self) -> Read<String> {
        unquoted(self.word()?)
    }
}

/// An integer in its one spelling.
pub(crate) fn number<T: FromStr>(word: &str) -> Read<T> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let canonical = digits.bytes().all(|b| b.is_ascii_digit())
        && !digits.is_empty()
        && (!digits.starts_with('0') || word == "0");
    let value = canonical.then(|| word.parse().ok()).flatten();
    value.ok_or_else(|| format!("`{word}` is not a number of this range"))
}

/// The number of an earlier line of this letter.
pub(crate) fn reference(word: &str, letter: char, known: usize) -> Read<u32> {
    let k: u32 = match word.strip_prefix(letter) {
        Some(digits) => number(digits)?,
        None => return Err(format!("`{word}` where a line `{letter}` is to be named")),
    };
    if (k as usize) < known { Ok(k) } else { Err(format!("`{word}` is not an earlier line")) }
}

/// A string between quotes; whatever could end a word, a line or the string is written as an escape.
pub fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if escaped(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn escaped(c: char) -> bool {
    c == ' ' || c.is_control()
}

fn unquoted(word: &str) -> Read<String> {
    let wrong = || format!("`{word}` is not a string");
    let inside = word.strip_prefix('"').and_then(|w| w.strip_suffix('"')).ok_or_else(wrong)?;
    let mut out = String::new();
    let mut rest = inside;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            out.push(c);
        } else if let Some(after) = rest.strip_prefix("u{") {
            let (hex, after) = after.split_once('}').ok_or_else(wrong)?;
            let code = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
            out.push(code.ok_or_else(wrong)?);
            rest = after;
        } else {
            let c = rest.chars().next().ok_or_else(wrong)?;
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    // One spelling: what is written differently, is refused.
    if quoted(&out) == word { Ok(out) } else { Err(wrong()) }
}

/// A set of laws: names in the table's order, or `none`.
pub(crate) fn laws(set: Laws) -> String {
    if set.is_empty() { "none".to_owned() } else { set.names().join(" ") }
}

/// The set of laws that is spelt so.
pub(crate) fn read_laws(text: &str) -> Read<Laws> {
    let mut set = Laws::NONE;
    for word in text.split(' ').filter(|_| text != "none") {
        let known = Laws::TABLE.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        set = set.and(known.ok_or_else(|| format!("there is no law `{word}`"))?.1);
    }
    if laws(set) == text { Ok(set) } else { Err("the laws are not in order".to_owned()) }
}

/// The rounding class with this name.
pub(crate) fn read_rounding(word: &str) -> Read<Rounding> {
    let all = [Rounding::Bitwise, Rounding::Finite, Rounding::Real];
    all.into_iter().find(|r| r.name() == word).ok_or_else(|| format!("there is no rounding class `{word}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str, spelt: &str) {
        assert_eq!(quoted(text), spelt);
        assert_eq!(unquoted(spelt).as_deref(), Ok(text));
    }

    #[test]
    fn strings_have_one_spelling() {
        round_trip("", "\"\"");
        round_trip("i.o", "\"i.o\"");
        round_trip("a b", "\"a\\u{20}b\"");
        round_trip("\"\\\n", "\"\\\"\\\\\\u{a}\"");
        for wrong in [
            "\"",
            "",
            "x",
            "\"a",
            "\"\\u{61}\"",
            "\"\\u{0a}\"",
            "\"\\n\"",
            "\"\\\"",
            "\"\\u{d800}\"",
            "\"a\"b\"",
        ] {
            assert!(unquoted(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_have_one_spelling() {
        assert_eq!(number::<i64>("-12"), Ok(-12));
        assert_eq!(number::<u32>("0"), Ok(0));
        for wrong in ["", "-", "-0", "+1", "01", "1e3", "9223372036854775808", " 1"] {
            assert!(number::<i64>(wrong).is_err(), "{wrong}");
        }
        assert!(number::<u32>("-1").is_err());
    }

    #[test]
    fn laws_have_one_order() {
        assert_eq!(read_laws("none"), Ok(Laws::NONE));
        assert_eq!(read_laws("add_0_l add_comm"), Ok(Laws::ADD_0_L.and(Laws::ADD_COMM)));
        for wrong in ["", "add_comm add_0_l", "add_0_l add_0_l", "none none", "ADD_0_L", "add"] {
            assert!(read_laws(wrong).is_err(), "{wrong}");
        }
    }
}
