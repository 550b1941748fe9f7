//! Expressions: from tokens to trees, by C's precedences.

use super::lexer::Token;
use super::syntax::{Constant, Expr, Node, is_type};
use super::{Read, numbers, outside};

/// The nesting of expressions and of statements.
const DEPTH: u32 = 400;

/// The most operators of a statement, of which each may be one level deeper.
const OPERATORS: u32 = 10_000;

/// Tokens, and how far they are read.
pub(super) struct Parser {
    pub(super) tokens: Vec<(Token, u64)>,
    pub(super) at: usize,
    pub(super) depth: u32,
    /// The operators of the statement so far.
    pub(super) operators: u32,
}

/// Operators of two operands by how tightly they bind, the loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser {
    pub(super) fn line(&self) -> u64 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |(_, line)| *line)
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|(token, _)| token)
    }

    /// Is the token this mark, or this name?
    pub(super) fn is(&self, ahead: usize, text: &str) -> bool {
        match self.peek(ahead) {
            Some(Token::Mark(mark)) => *mark == text,
            Some(Token::Name(name)) => name == text,
            _ => false,
        }
    }

    /// The token, if it is this one.
    pub(super) fn has(&mut self, text: &str) -> bool {
        let found = self.is(0, text);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Read<()> {
        let line = self.line();
        if self.has(text) { Ok(()) } else { outside(line, format!("no `{text}` where one is expected")) }
    }

    pub(super) fn name(&mut self) -> Read<String> {
        let line = self.line();
        match self.peek(0) {
            Some(Token::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => outside(line, "no name where one is expected"),
        }
    }

    /// The type whose name comes next.
    pub(super) fn is_type(&self, ahead: usize) -> bool {
        matches!(self.peek(ahead), Some(Token::Name(name)) if is_type(name))
    }

    /// What is inside is nested one deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.depth += 1;
        if self.depth > DEPTH {
            return outside(self.line(), "nesting that is too deep");
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    pub(super) fn expr(&mut self) -> Read<Expr> {
        self.deeper(|this| {
            let line = this.line();
            let condition = this.binary(0)?;
            if !this.has("?") {
                return Ok(condition);
            }
            let then = this.expr()?;
            this.expect(":")?;
            let otherwise = this.expr()?;
            Ok(Expr { line, node: Node::Choice(Box::new([condition, then, otherwise])) })
        })
    }

    fn binary(&mut self, level: usize) -> Read<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.is(0, operator)) {
            let line = self.line();
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expr { line, node: Node::Binary(operator, Box::new(left), Box::new(right)) };
            self.operators += 1;
            if self.operators > OPERATORS {
                return outside(line, "a statement of too many operators");
            }
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Expr> {
        let line = self.line();
        if let Some(operator) = ["!", "-", "~"].into_iter().find(|operator| self.has(operator)) {
            let operand = self.deeper(Parser::unary)?;
            return Ok(Expr { line, node: Node::Unary(operator, Box::new(operand)) });
        }
        if self.has("*") {
            return self.vector(line);
        }
        if self.has("&") {
            let cell = self.cell()?;
            return Ok(Expr { line, node: Node::Address(Box::new(cell)) });
        }
        if self.is(0, "(") && self.is_type(1) && self.is(2, ")") {
            self.at += 1;
            let ty = self.name()?;
            self.expect(")")?;
            if self.has("{") {
                self.zero()?;
                return Ok(Expr { line, node: Node::Zero(ty) });
            }
            let operand = self.deeper(Parser::unary)?;
            return Ok(Expr { line, node: Node::Cast(ty, Box::new(operand)) });
        }
        self.postfix()
    }

    /// `0}`
    pub(super) fn zero(&mut self) -> Read<()> {
        let line = self.line();
        if self.peek(0) != Some(&Token::Number("0".to_owned())) {
            return outside(line, "braces around something else than 0");
        }
        self.at += 1;
        self.expect("}")
    }

    /// What follows `*`: a pointer to a vector, made of the address of a cell.
    fn vector(&mut self, line: u64) -> Read<Expr> {
        self.expect("(")?;
        self.has("const");
        if !self.is_type(0) {
            return outside(line, "a pointer that is not to a vector");
        }
        let ty = self.name()?;
        self.expect("*")?;
        self.expect(")")?;
        self.expect("&")?;
        let cell = self.cell()?;
        Ok(Expr { line, node: Node::Vector(ty, Box::new(cell)) })
    }

    fn cell(&mut self) -> Read<Expr> {
        let cell = self.postfix()?;
        match cell.node {
            Node::Cell(..) => Ok(cell),
            _ => outside(cell.line, "the address of something else than a cell"),
        }
    }

    fn postfix(&mut self) -> Read<Expr> {
        let line = self.line();
        let node = match self.peek(0).cloned() {
            Some(Token::Number(text)) => {
                self.at += 1;
                match numbers::constant(&text) {
                    Some(node) => node,
                    None => return outside(line, format!("the constant `{text}`")),
                }
            }
            Some(Token::Mark("(")) => {
                self.at += 1;
                let inner = self.expr()?;
                self.expect(")")?;
                // A cell in parentheses is the same cell, and nothing else is built on it.
                return Ok(inner);
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                match self.peek(0) {
                    Some(Token::Mark("(")) => self.call(name)?,
                    Some(Token::Mark("[")) => {
                        self.at += 1;
                        let index = self.expr()?;
                        self.expect("]")?;
                        if self.is(0, "[") {
                            return outside(line, "a cell of a cell");
                        }
                        Node::Cell(name, Box::new(index))
                    }
                    _ => named(name),
                }
            }
            _ => return outside(line, "no expression where one is expected"),
        };
        Ok(Expr { line, node })
    }

    /// The operand of a macro of 64 bits: digits, which get a suffix.
    fn long(&mut self, line: u64, is_signed: bool) -> Read<Node> {
        let is_negative = is_signed && self.has("-");
        let Some(Token::Number(text)) = self.peek(0).cloned() else {
            return outside(line, "a macro of something else than a constant");
        };
        self.at += 1;
        match numbers::constant(&text) {
            Some(Node::Integer(value, _)) if !text.ends_with('u') => {
                let value = if is_negative { -value } else { value };
                if is_signed && i64::try_from(value).is_err() {
                    return outside(line, format!("the constant `{text}`"));
                }
                Ok(Node::Integer(value, if is_signed { Constant::Long } else { Constant::UnsignedLong }))
            }
            _ => outside(line, format!("the constant `{text}`")),
        }
    }

    fn call(&mut self, name: String) -> Read<Node> {
        let line = self.line();
        self.expect("(")?;
        let mut operands = Vec::new();
        if name == "INT64_C" || name == "UINT64_C" {
            let node = self.long(line, name == "INT64_C")?;
            self.expect(")")?;
            return Ok(node);
        }
        if name == "__builtin_nan" || name == "__builtin_nanf" {
            if self.peek(0) != Some(&Token::Empty) {
                return outside(line, "a NaN with a text");
            }
            self.at += 1;
        } else if name == "sizeof" || name == "__builtin_convertvector" {
            if name != "sizeof" {
                operands.push(self.expr()?);
                self.expect(",")?;
            }
            if !self.is_type(0) {
                return outside(line, "something else than a type");
            }
            let ty = self.name()?;
            operands.push(Expr { line, node: Node::Name(ty) });
        } else if !self.is(0, ")") {
            operands.push(self.expr()?);
            while self.has(",") {
                operands.push(self.expr()?);
            }
        }
        self.expect(")")?;
        Ok(match (name.as_str(), operands.as_slice()) {
            ("__builtin_nanf", []) => Node::Single(f32::NAN.to_bits()),
            ("__builtin_nan", []) => Node::Double(f64::NAN.to_bits()),
            ("__builtin_inff", []) => Node::Single(f32::INFINITY.to_bits()),
            ("__builtin_inf", []) => Node::Double(f64::INFINITY.to_bits()),
            _ => Node::Call(name, operands),
        })
    }
}

/// A name, or a constant of `<stdint.h>`.
fn named(name: String) -> Node {
    match name.as_str() {
        "INT32_MIN" => Node::Integer(i128::from(i32::MIN), Constant::Int),
        "INT64_MIN" => Node::Integer(i128::from(i64::MIN), Constant::Long),
        _ => Node::Name(name),
    }
}
