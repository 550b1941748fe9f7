//! Where in its tokens a reader is, and the smallest things that it reads: marks, words, names.

use super::ParseError;
use crate::Name;
use crate::text::lex::{Spanned, Token};
use atl_kernel::Scalar;

/// Deepest nesting of expressions and statements that is read.
const DEPTH_LIMIT: usize = 200;
/// A reader of tokens.
pub(super) struct Parser {
    pub(super) tokens: Vec<Spanned>,
    pub(super) at: usize,
    depth: usize,
}
impl Parser {
    pub(super) fn new(tokens: Vec<Spanned>) -> Parser {
        Parser { tokens, at: 0, depth: 0 }
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    pub(super) fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].token
    }

    pub(super) fn error<T>(&self, message: String) -> Result<T, ParseError> {
        let Spanned { line, column, .. } = self.tokens[self.at];
        Err(ParseError { line, column, message })
    }

    pub(super) fn expected<T>(&self, what: &str) -> Result<T, ParseError> {
        let found = match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Digits(digits) => format!("`{digits}`"),
            Token::Number(digits, scalar) => format!("`{digits}{scalar}`"),
            Token::Special(literal) => format!("`{literal}`"),
            Token::Punct(punct) => format!("`{punct}`"),
            Token::End => "the end of the text".to_owned(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn eat(&mut self, punct: &str) -> bool {
        let found = matches!(self.peek(), Token::Punct(p) if *p == punct);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, punct: &str) -> Result<(), ParseError> {
        if self.eat(punct) { Ok(()) } else { self.expected(&format!("`{punct}`")) }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if w == word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn word(&mut self, what: &str) -> Result<String, ParseError> {
        let Token::Word(word) = self.peek() else { return self.expected(what) };
        let word = word.clone();
        self.advance();
        Ok(word)
    }

    pub(super) fn name(&mut self) -> Result<Name, ParseError> {
        let at = self.at;
        let name = Name::from(self.word("a name")?);
        if !name.is_well_formed() {
            self.at = at;
            return self.expected("a name");
        }
        Ok(name)
    }

    pub(super) fn scalar(&mut self) -> Result<Scalar, ParseError> {
        let at = self.at;
        let word = self.word("an element type")?;
        Scalar::parse(&word).ok_or(()).or_else(|()| {
            self.at = at;
            self.expected("an element type")
        })
    }

    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Parser) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth == DEPTH_LIMIT {
            return self.error("this is nested too deeply".to_owned());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub(super) fn comma_separated<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Parser) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }
}
