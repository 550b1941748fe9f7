//! Tokens of the text form.

use super::ParseError;
use crate::Literal;
use atl_kernel::Scalar;

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// A name or a word of the language.
    Word(String),
    /// A number without a type: digits, kept as written.
    Digits(String),
    /// A number with its type: digits as written, then the type.
    Number(String, Scalar),
    /// A literal that is no digits: an infinity or a NaN.
    Special(Literal),
    /// Punctuation.
    Punct(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it starts, counted in lines and columns from 1.
pub(super) struct Spanned {
    pub(super) token: Token,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Longest first. `min=` and `max=` are read where words are.
const PUNCTUATION: [&str; 29] = [
    "||=", "&&=", "..", "+=", "*=", "==", "!=", "<=", ":=", "||", "&&", "<", "=", "!", "+", "-", "*", "/",
    "%", "(", ")", "[", "]", "{", "}", ",", "?", ":", ".",
];

/// Splits the text; the last token is [`Token::End`].
pub(super) fn lex(text: &str) -> Result<Vec<Spanned>, ParseError> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut rest = line;
        loop {
            rest = rest.trim_start();
            let column = line.len() - rest.len() + 1;
            if rest.is_empty() || rest.starts_with("//") {
                break;
            }
            let (token, length) = lex_one(rest).ok_or_else(|| ParseError {
                line: number + 1,
                column,
                message: format!("no token starts with `{}`", rest.chars().next().unwrap_or(' ')),
            })?;
            tokens.push(Spanned { token, line: number + 1, column });
            rest = &rest[length..];
        }
    }
    tokens.push(Spanned { token: Token::End, line: text.lines().count().max(1), column: 1 });
    Ok(tokens)
}

fn lex_one(rest: &str) -> Option<(Token, usize)> {
    let first = rest.chars().next()?;
    if first.is_ascii_digit() {
        return lex_number(rest);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let word = prefix(rest, |c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
        let after = &rest[word.len()..];
        for assignment in ["min=", "max="] {
            if word.len() == 3 && rest.starts_with(assignment) && !after.starts_with("==") {
                return Some((Token::Punct(assignment), assignment.len()));
            }
        }
        if let Some((literal, length)) = lex_special(word, after) {
            return Some((Token::Special(literal), word.len() + length));
        }
        return Some((Token::Word(word.to_owned()), word.len()));
    }
    let punct = PUNCTUATION.into_iter().find(|punct| rest.starts_with(punct))?;
    Some((Token::Punct(punct), punct.len()))
}

fn prefix(text: &str, keep: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !keep(c)).unwrap_or(text.len())]
}

/// `f32.inf` or `f32.nan(0x7fc00000)`, after the `f32`.
fn lex_special(word: &str, after: &str) -> Option<(Literal, usize)> {
    let scalar = Scalar::parse(word).filter(|scalar| scalar.is_float())?;
    if after.starts_with(".inf") {
        return Some((Literal::greatest(scalar), ".inf".len()));
    }
    let bits = prefix(after.strip_prefix(".nan(0x")?, |c| c.is_ascii_hexdigit());
    let length = ".nan(0x".len() + bits.len();
    let bits = u64::from_str_radix(bits, 16).ok().filter(|bits| *bits <= u64::MAX >> (64 - scalar.bits()))?;
    let literal = Literal::of_bits(scalar, bits);
    (literal.is_nan() && after[length..].starts_with(')')).then_some((literal, length + 1))
}

fn lex_number(rest: &str) -> Option<(Token, usize)> {
    let mut length = prefix(rest, |c| c.is_ascii_digit()).len();
    let fraction = rest[length..].strip_prefix('.').map(|after| prefix(after, |c| c.is_ascii_digit()));
    if let Some(fraction) = fraction.filter(|fraction| !fraction.is_empty()) {
        length += 1 + fraction.len();
    }
    if let Some(after) = rest[length..].strip_prefix('e') {
        let digits = after.strip_prefix('-').unwrap_or(after);
        let exponent = prefix(digits, |c| c.is_ascii_digit());
        if !exponent.is_empty() {
            length += 1 + (after.len() - digits.len()) + exponent.len();
        }
    }
    let digits = rest[..length].to_owned();
    let suffix = prefix(&rest[length..], |c| c.is_ascii_alphanumeric() || c == '_');
    if suffix.is_empty() {
        return Some((Token::Digits(digits), length));
    }
    Some((Token::Number(digits, Scalar::parse(suffix)?), length + suffix.len()))
}
