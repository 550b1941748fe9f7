//! Tokens of the C text: names, numbers, marks and pragmas, each with its line.
//!
//! Line comments, character constants, other strings than `""` and all other directives are outside of the
//! subset.

use super::{Read, outside};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    /// As it is spelt.
    Number(String),
    Mark(&'static str),
    /// The empty string.
    Empty,
    /// What follows `#pragma`.
    Pragma(String),
}

/// The longest first.
const MARKS: [&str; 39] = [
    "+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||", "(", ")", "[", "]", "{", "}", ";", ",", "?", ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|",
    "^",
];

/// Marks of one operand.
const UNARY: [&str; 2] = ["!", "~"];

/// The tokens of a text that begins at this line.
pub(super) fn tokens(text: &str, first: u64) -> Read<Vec<(Token, u64)>> {
    let (mut tokens, mut line, mut rest, mut at_start) = (Vec::new(), first, text, true);
    while let Some(c) = rest.chars().next() {
        if c == '\n' {
            (line, rest, at_start) = (line + 1, &rest[1..], true);
        } else if c == ' ' {
            rest = &rest[1..];
        } else if c == '#' {
            let end = rest.find('\n').unwrap_or(rest.len());
            let pragma =
                rest[..end].strip_prefix("#pragma ").filter(|_| at_start && !rest[..end].ends_with('\\'));
            let Some(pragma) = pragma else { return outside(line, "a directive") };
            tokens.push((Token::Pragma(pragma.to_owned()), line));
            rest = &rest[end..];
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(end) = comment.find("*/") else { return outside(line, "a comment without an end") };
            if comment[..end].contains('\n') {
                return outside(line, "a comment of several lines");
            }
            rest = &comment[end + 2..];
        } else {
            at_start = false;
            let (token, length) = token(rest, line)?;
            tokens.push((token, line));
            rest = &rest[length..];
        }
    }
    Ok(tokens)
}

fn token(text: &str, line: u64) -> Read<(Token, usize)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = text.chars().next().unwrap_or(' ');
    if first.is_ascii_digit() {
        let length = number(text);
        return Ok((Token::Number(text[..length].to_owned()), length));
    }
    if is_word(first) {
        let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
        return Ok((Token::Name(text[..length].to_owned()), length));
    }
    if text.starts_with("\"\"") {
        return Ok((Token::Empty, 2));
    }
    if text.starts_with("//") {
        return outside(line, "a comment to the end of a line");
    }
    match MARKS.iter().chain(&UNARY).find(|mark| text.starts_with(**mark)) {
        Some(mark) => Ok((Token::Mark(mark), mark.len())),
        None => outside(line, format!("the character {first:?}")),
    }
}

/// The length of a number: a sign belongs to it after the letter of an exponent.
fn number(text: &str) -> usize {
    let (mut length, mut before) = (0, ' ');
    let is_hexadecimal = text.starts_with("0x");
    for c in text.chars() {
        let exponent = if is_hexadecimal { 'p' } else { 'e' };
        let belongs = c.is_ascii_alphanumeric() || c == '.' || (matches!(c, '+' | '-') && before == exponent);
        if !belongs {
            break;
        }
        (length, before) = (length + 1, c);
    }
    length
}
