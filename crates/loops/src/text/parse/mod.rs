//! Reading the text form.
//!
//! Index terms, predicates and values share one expression grammar; the place where an expression stands
//! says which of the three it has to be ([`super::elaborate`]). Names are not resolved here: that is
//! the validator's.

mod cursor;
mod expressions;
mod statements;

use super::lex::{Token, lex};
use crate::{Access, BufferParam, ForAll, Int, Kernel};
use cursor::Parser;
use std::fmt;

pub(super) use expressions::{Expr, Spot};

/// Why a text is not a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}
/// Reads a kernel.
///
/// ```
/// let text = "kernel fill(N)\n  out f32 y[N]\n{\n  reset y = 1.0f32\n}\n";
/// assert_eq!(atl_loops::parse_kernel(text)?.to_string(), text);
/// # Ok::<(), atl_loops::ParseError>(())
/// ```
pub fn parse_kernel(text: &str) -> Result<Kernel, ParseError> {
    let mut parser = Parser::new(lex(text)?);
    let kernel = parser.kernel()?;
    match parser.peek() {
        Token::End => Ok(kernel),
        _ => parser.expected("the end of the text"),
    }
}
impl Parser {
    fn kernel(&mut self) -> Result<Kernel, ParseError> {
        if !self.eat_word("kernel") {
            return self.expected("`kernel`");
        }
        let name = self.name()?;
        self.expect("(")?;
        let sizes = self.comma_separated(")", Parser::name)?;
        let mut params = Vec::new();
        let (mut requires, mut requires_all) = (Vec::new(), Vec::new());
        while !self.eat("{") {
            if self.eat_word("requires") {
                let is_for_all = matches!(self.peek(), Token::Word(word) if word == "all")
                    && matches!(self.peek_second(), Token::Word(_) | Token::Punct("{"));
                if is_for_all {
                    self.advance();
                    requires_all.push(self.for_all()?);
                } else {
                    requires.push(self.bool()?);
                }
                continue;
            }
            let access = match self.word("`in`, `out`, `requires` or `{`")?.as_str() {
                "in" => Access::Read,
                "out" if self.eat_word("stream") => Access::Stream,
                "out" if self.eat_word("append") => Access::Append,
                "out" => Access::Write,
                _ => {
                    self.at -= 1;
                    return self.expected("`in`, `out`, `requires` or `{`");
                }
            };
            let over = (access.is_output() && self.eat_word("over")).then(|| self.name()).transpose()?;
            let scalar = self.scalar()?;
            let name = self.name()?;
            let extents = if access == Access::Append { vec![Int::Lit(0)] } else { self.extents()? };
            params.push(BufferParam { scalar, access, name, extents, over });
        }
        let body = self.block_rest()?;
        Ok(Kernel { name, sizes, params, requires, requires_all, body })
    }

    /// A requirement on arrays after `all`.
    fn for_all(&mut self) -> Result<ForAll, ParseError> {
        let binder = |parser: &mut Parser| {
            let name = parser.name()?;
            let (lo, hi) = parser.range()?;
            Ok((name, lo, hi))
        };
        let binders = self.comma_separated("{", binder)?;
        let cond = self.bool()?;
        self.expect("}")?;
        Ok(ForAll { binders, cond })
    }
}
