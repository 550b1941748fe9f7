//! Reading expressions, by precedence, and the ranges made of them.

use super::ParseError;
use super::cursor::Parser;
use crate::text::elaborate::{to_bool, to_int, to_val};
use crate::text::lex::{Spanned, Token};
use crate::text::print::Level;
use crate::{Bool, Int, Literal, Val};

/// An expression before it is known to be an index term, a predicate or a value.
pub(in crate::text) enum Expr {
    Digits(String),
    Literal(Literal),
    Word(String),
    Cell(String, Box<Spot>),
    Prefix(&'static str, Box<Spot>),
    Infix(&'static str, Box<Spot>, Box<Spot>),
    Ternary(Box<Spot>, Box<Spot>, Box<Spot>),
    Call(String, Vec<Spot>),
}

/// An expression and where it starts.
pub(in crate::text) struct Spot {
    pub(in crate::text) expr: Expr,
    pub(in crate::text) line: usize,
    pub(in crate::text) column: usize,
}

impl Spot {
    /// An error at this expression.
    pub(in crate::text) fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.line, column: self.column, message: message.into() })
    }
}
impl Parser {
    /// The range of a variable after its name.
    pub(super) fn range(&mut self) -> Result<(Int, Int), ParseError> {
        if !self.eat_word("in") {
            return self.expected("`in`");
        }
        let lo = self.int()?;
        self.expect("..")?;
        Ok((lo, self.int()?))
    }

    pub(super) fn extents(&mut self) -> Result<Vec<Int>, ParseError> {
        if self.eat("[") { self.comma_separated("]", Parser::int) } else { Ok(Vec::new()) }
    }

    pub(super) fn int(&mut self) -> Result<Int, ParseError> {
        to_int(&self.infix(Level::Or)?)
    }

    pub(super) fn bool(&mut self) -> Result<Bool, ParseError> {
        to_bool(&self.infix(Level::Or)?)
    }

    pub(super) fn val(&mut self) -> Result<Val, ParseError> {
        to_val(&self.infix(Level::Or)?)
    }

    fn spot(&self, expr: Expr, start: usize) -> Spot {
        let Spanned { line, column, .. } = self.tokens[start];
        Spot { expr, line, column }
    }

    /// An expression whose operators all bind at least as tightly as `level`.
    fn infix(&mut self, level: Level) -> Result<Spot, ParseError> {
        let start = self.at;
        let mut left = self.nested(Parser::unary)?;
        loop {
            let Token::Punct(op) = *self.peek() else { return Ok(left) };
            let Some(binding) = infix_level(op).filter(|binding| *binding >= level) else { return Ok(left) };
            self.advance();
            let right = self.nested(|parser| parser.infix(binding.next()))?;
            left = self.spot(Expr::Infix(op, Box::new(left), Box::new(right)), start);
            if binding == Level::Cmp
                && matches!(*self.peek(), Token::Punct(op) if infix_level(op) == Some(Level::Cmp))
            {
                return self.error("comparisons do not chain".to_owned());
            }
        }
    }

    fn unary(&mut self) -> Result<Spot, ParseError> {
        let start = self.at;
        for op in ["-", "!"] {
            if !self.eat(op) {
                continue;
            }
            if op == "-"
                && let Some(expr) = self.number("-")?
            {
                return Ok(self.spot(expr, start));
            }
            let operand = self.nested(Parser::unary)?;
            return Ok(self.spot(Expr::Prefix(op, Box::new(operand)), start));
        }
        self.atom()
    }

    /// A number, if one comes next.
    fn number(&mut self, sign: &str) -> Result<Option<Expr>, ParseError> {
        let expr = match self.peek() {
            Token::Digits(digits) => Expr::Digits(format!("{sign}{digits}")),
            Token::Number(digits, scalar) => match Literal::parse(*scalar, &format!("{sign}{digits}")) {
                Some(literal) => Expr::Literal(literal),
                None => return self.error(format!("`{sign}{digits}` is no literal of type {scalar}")),
            },
            Token::Special(literal) if sign == "-" && !literal.is_nan() => {
                Expr::Literal(Literal::least(literal.scalar()))
            }
            Token::Special(literal) if sign.is_empty() => Expr::Literal(*literal),
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(expr))
    }

    fn atom(&mut self) -> Result<Spot, ParseError> {
        let start = self.at;
        if let Some(expr) = self.number("")? {
            return Ok(self.spot(expr, start));
        }
        if self.eat("(") {
            let first = self.infix(Level::Or)?;
            if !self.eat("?") {
                self.expect(")")?;
                return Ok(first);
            }
            let then = self.infix(Level::Or)?;
            self.expect(":")?;
            let otherwise = self.infix(Level::Or)?;
            self.expect(")")?;
            return Ok(self.spot(Expr::Ternary(Box::new(first), Box::new(then), Box::new(otherwise)), start));
        }
        let word = self.word("an expression")?;
        let expr = match word.as_str() {
            "true" => Expr::Literal(Literal::Bool(true)),
            "false" => Expr::Literal(Literal::Bool(false)),
            _ if self.eat("(") => {
                Expr::Call(word, self.comma_separated(")", |parser| parser.infix(Level::Or))?)
            }
            _ if self.eat("[") => {
                let index = self.infix(Level::Or)?;
                self.expect("]")?;
                Expr::Cell(word, Box::new(index))
            }
            _ => Expr::Word(word),
        };
        Ok(self.spot(expr, start))
    }
}

fn infix_level(op: &str) -> Option<Level> {
    Some(match op {
        "||" => Level::Or,
        "&&" => Level::And,
        "==" | "!=" | "<" | "<=" => Level::Cmp,
        "+" | "-" => Level::Sum,
        "*" | "/" | "%" => Level::Product,
        _ => return None,
    })
}
