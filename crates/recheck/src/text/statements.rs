//! Statements: from tokens to trees.

use super::lexer::Token;
use super::parser::Parser;
use super::syntax::{Declaration, Expr, Form, Given, Loop, Node, Statement, is_free, is_type};
use super::{Read, numbers, outside};

impl Parser {
    /// Statements up to the brace that closes them.
    pub(super) fn block(&mut self) -> Read<Vec<Statement>> {
        self.expect("{")?;
        self.deeper(|this| {
            let mut statements = Vec::new();
            while !this.has("}") {
                statements.push(this.statement()?);
            }
            Ok(statements)
        })
    }

    fn statement(&mut self) -> Read<Statement> {
        let line = self.line();
        self.operators = 0;
        if let Some(Token::Pragma(text)) = self.peek(0) {
            let form = Form::Pragma(text.clone());
            self.at += 1;
            return Ok(Statement { line, form });
        }
        if let Some(Token::Name(name)) = self.peek(0)
            && ["while", "do", "switch", "break", "continue", "goto"].contains(&name.as_str())
        {
            return outside(line, format!("the statement `{name}`"));
        }
        let form = if self.is(0, "{") {
            Form::Block(self.block()?)
        } else if self.has("if") {
            self.expect("(")?;
            let condition = self.expr()?;
            self.expect(")")?;
            let then = self.body()?;
            let otherwise = if self.has("else") { Some(self.block()?) } else { None };
            Form::If(condition, then, otherwise)
        } else if self.has("for") {
            self.for_loop()?
        } else if self.has("return") {
            let value = self.expr()?;
            self.expect(";")?;
            Form::Return(value)
        } else if self.is(0, "(") && self.is(1, "void") {
            self.at += 2;
            self.expect(")")?;
            self.name()?;
            self.expect(";")?;
            Form::Void
        } else if self.is(0, "const") || (self.is_type(0) && !self.is(1, "(")) {
            Form::Declare(Box::new(self.declaration()?))
        } else {
            let target = self.expr()?;
            match (target.node, ["=", "+=", "*="].into_iter().find(|operator| self.is(0, operator))) {
                (Node::Call(name, operands), None) => {
                    self.expect(";")?;
                    Form::Call(name, operands)
                }
                (node, Some(operator)) => {
                    self.at += 1;
                    let value = self.expr()?;
                    self.expect(";")?;
                    Form::Assign(Expr { line: target.line, node }, operator, value)
                }
                _ => return outside(line, "an expression that is no statement"),
            }
        };
        Ok(Statement { line, form })
    }

    /// A block, or one statement.
    fn body(&mut self) -> Read<Vec<Statement>> {
        if self.is(0, "{") { self.block() } else { self.deeper(|this| Ok(vec![this.statement()?])) }
    }

    fn for_loop(&mut self) -> Read<Form> {
        let line = self.line();
        self.expect("(")?;
        self.expect("int64_t")?;
        let variable = self.name()?;
        self.expect("=")?;
        let first = self.expr()?;
        let end = if self.has(",") {
            let name = self.name()?;
            if self.has(";") {
                return Ok(Form::Skipping(Box::new(self.blocks(first, [variable, name])?)));
            }
            self.expect("=")?;
            Some((name, self.expr()?))
        } else {
            None
        };
        self.expect(";")?;
        let condition = self.expr()?;
        self.expect(";")?;
        let again = self.name()?;
        let step = if self.has("++") {
            1
        } else {
            self.expect("+=")?;
            match self.expr()?.node {
                Node::Integer(step, _) if (1..=64).contains(&step) => u32::try_from(step).unwrap_or(1),
                _ => return outside(line, "a loop with this step"),
            }
        };
        self.expect(")")?;
        let is_own = variable == "atl_k" || is_free(&variable);
        if again != variable || !is_own {
            return outside(line, "a loop of this variable");
        }
        Ok(Form::For(Box::new(Loop { variable, first, end, condition, step, body: self.body()? })))
    }

    fn declaration(&mut self) -> Read<Declaration> {
        let line = self.line();
        let is_constant = self.has("const");
        let ty = self.name()?;
        if !is_type(&ty) {
            return outside(line, "a declaration of this type");
        }
        let is_pointer = self.has("*");
        if is_pointer {
            self.expect("restrict")?;
        }
        let name = self.name()?;
        let cells = if self.has("[") {
            let Some(Token::Number(text)) = self.peek(0).cloned() else {
                return outside(line, "an array of this size");
            };
            self.at += 1;
            self.expect("]")?;
            match numbers::constant(&text) {
                Some(Node::Integer(cells, _)) => u64::try_from(cells).ok(),
                _ => return outside(line, "an array of this size"),
            }
        } else {
            None
        };
        if self.has("__attribute__") {
            self.attribute(line)?;
        }
        let value = if !self.has("=") {
            None
        } else if self.has("{") {
            self.zero()?;
            Some(Given::Zeros)
        } else {
            Some(Given::Value(self.expr()?))
        };
        self.expect(";")?;
        Ok(Declaration { is_constant, ty, is_pointer, name, cells, value })
    }

    /// `((unused))` or `((aligned(64)))`, which mean nothing.
    fn attribute(&mut self, line: u64) -> Read<()> {
        self.expect("(")?;
        self.expect("(")?;
        if !self.has("unused") {
            self.expect("aligned")?;
            self.expect("(")?;
            if self.peek(0) != Some(&Token::Number("64".to_owned())) {
                return outside(line, "another alignment");
            }
            self.at += 1;
            self.expect(")")?;
        }
        self.expect(")")?;
        self.expect(")")
    }
}
