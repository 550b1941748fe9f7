//! Reading the text form.
//!
//! Index terms, predicates and values share one expression grammar; the place where an expression stands
//! says which of the three it has to be ([`super::elaborate`]). Names are not resolved here: that is
//! the validator's.

use super::elaborate::{to_bool, to_int, to_val};
use super::lex::{Spanned, Token, lex};
use super::print::Level;
use crate::meeting::Walk;
use crate::{
    Access, Axis, Bool, BufferParam, ForAll, Init, Int, Kernel, Literal, LoopKind, Name, ReduceOp, Run,
    Share, Stmt, Storage, StoreMode, Swizzle, Val,
};
use atl_kernel::Scalar;
use std::fmt;

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

/// An expression before it is known to be an index term, a predicate or a value.
pub(super) enum Expr {
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
pub(super) struct Spot {
    pub(super) expr: Expr,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Spot {
    /// An error at this expression.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.line, column: self.column, message: message.into() })
    }
}

/// Deepest nesting of expressions and statements that is read.
const DEPTH_LIMIT: usize = 200;

/// Reads a kernel.
///
/// ```
/// let text = "kernel fill(N)\n  out f32 y[N]\n{\n  reset y = 1.0f32\n}\n";
/// assert_eq!(atl_loops::parse_kernel(text)?.to_string(), text);
/// # Ok::<(), atl_loops::ParseError>(())
/// ```
pub fn parse_kernel(text: &str) -> Result<Kernel, ParseError> {
    let mut parser = Parser { tokens: lex(text)?, at: 0, depth: 0 };
    let kernel = parser.kernel()?;
    match parser.peek() {
        Token::End => Ok(kernel),
        _ => parser.expected("the end of the text"),
    }
}

struct Parser {
    tokens: Vec<Spanned>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].token
    }

    fn error<T>(&self, message: String) -> Result<T, ParseError> {
        let Spanned { line, column, .. } = self.tokens[self.at];
        Err(ParseError { line, column, message })
    }

    fn expected<T>(&self, what: &str) -> Result<T, ParseError> {
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

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = matches!(self.peek(), Token::Punct(p) if *p == punct);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punct: &str) -> Result<(), ParseError> {
        if self.eat(punct) { Ok(()) } else { self.expected(&format!("`{punct}`")) }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if w == word);
        if found {
            self.advance();
        }
        found
    }

    fn word(&mut self, what: &str) -> Result<String, ParseError> {
        let Token::Word(word) = self.peek() else { return self.expected(what) };
        let word = word.clone();
        self.advance();
        Ok(word)
    }

    fn name(&mut self) -> Result<Name, ParseError> {
        let at = self.at;
        let name = Name::from(self.word("a name")?);
        if !name.is_well_formed() {
            self.at = at;
            return self.expected("a name");
        }
        Ok(name)
    }

    fn scalar(&mut self) -> Result<Scalar, ParseError> {
        let at = self.at;
        let word = self.word("an element type")?;
        Scalar::parse(&word).ok_or(()).or_else(|()| {
            self.at = at;
            self.expected("an element type")
        })
    }

    fn nested<T>(
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

    fn comma_separated<T>(
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

    /// The range of a variable after its name.
    fn range(&mut self) -> Result<(Int, Int), ParseError> {
        if !self.eat_word("in") {
            return self.expected("`in`");
        }
        let lo = self.int()?;
        self.expect("..")?;
        Ok((lo, self.int()?))
    }

    fn extents(&mut self) -> Result<Vec<Int>, ParseError> {
        if self.eat("[") { self.comma_separated("]", Parser::int) } else { Ok(Vec::new()) }
    }

    fn block(&mut self) -> Result<Stmt, ParseError> {
        self.expect("{")?;
        self.block_rest()
    }

    /// A block after its brace.
    fn block_rest(&mut self) -> Result<Stmt, ParseError> {
        let mut stmts = Vec::new();
        while !self.eat("}") {
            stmts.push(self.nested(Parser::stmt)?);
        }
        Ok(Stmt::seq(stmts))
    }

    fn stmt(&mut self) -> Result<Stmt, ParseError> {
        let Token::Word(word) = self.peek() else { return self.expected("a statement") };
        // What follows a word tells a statement from a store to a buffer of that name.
        let is_store = matches!(
            self.peek_second(),
            Token::Punct("[" | "=" | "+=" | "*=" | "min=" | "max=" | "||=" | "&&=")
        );
        match word.as_str() {
            _ if is_store => self.store(),
            "for" | "parallel" | "vector" | "unroll" | "search" | "meet" | "until" | "block" | "thread" => {
                self.for_loop()
            }
            "if" => self.conditional(),
            "alloc" => self.alloc(),
            "reset" => {
                self.advance();
                Ok(Stmt::Reset { buf: self.name()?, init: self.init()? })
            }
            "forget" => {
                self.advance();
                let buf = self.name()?;
                self.expect("[")?;
                let lo = self.int()?;
                self.expect("..")?;
                let hi = self.int()?;
                self.expect("]")?;
                Ok(Stmt::Forget { buf, lo, hi })
            }
            "push" => {
                self.advance();
                let buf = self.name()?;
                self.expect("=")?;
                Ok(Stmt::Push { buf, value: self.val()? })
            }
            "visit" => self.visit(),
            "merge" => self.merge(),
            "prefetch" => {
                self.advance();
                let (buf, index) = self.cell()?;
                Ok(Stmt::Prefetch { buf, index })
            }
            _ => self.expected("a statement"),
        }
    }

    fn for_loop(&mut self) -> Result<Stmt, ParseError> {
        let mut kind = LoopKind::Serial;
        if self.eat_word("parallel") {
            kind = LoopKind::Parallel(if self.eat("(") { self.share()? } else { Share::Static });
        } else if self.eat_word("unroll") {
            kind = LoopKind::Unroll;
        } else if self.eat_word("block") {
            kind = LoopKind::Block(self.axis()?);
        } else if self.eat_word("thread") {
            kind = LoopKind::Thread(self.axis()?);
        } else if self.eat_word("vector") {
            kind = LoopKind::Vector { width: if self.eat("(") { Some(self.width()?) } else { None } };
        } else if self.eat_word("until") {
            self.expect("(")?;
            kind = LoopKind::Until(self.name()?);
            self.expect(")")?;
        } else if self.eat_word("search") {
            let all = self.eat_word("all");
            let along = if self.eat("(") { Some(self.along()?) } else { None };
            kind = LoopKind::Search { all, along, walk: Walk::Search };
        } else if self.eat_word("meet") {
            let walk = if self.eat_word("merge") { Walk::Merge } else { Walk::BySizes };
            self.expect("(")?;
            kind = LoopKind::Search { all: false, along: Some(self.along()?), walk };
        }
        if !self.eat_word("for") {
            return self.expected("`for`");
        }
        let var = self.name()?;
        let (lo, hi) = self.range()?;
        Ok(Stmt::For { var, lo, hi, kind, body: Box::new(self.block()?) })
    }

    fn visit(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let var = self.name()?;
        if !self.eat_word("of") {
            return self.expected("`of`");
        }
        Ok(Stmt::Visit { var, buf: self.name()?, body: Box::new(self.block()?) })
    }

    fn merge(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let keys = if self.eat("(") { self.comma_separated(")", Parser::name)? } else { vec![self.name()?] };
        if !self.eat_word("of") {
            return self.expected("`of`");
        }
        let mut runs = vec![self.run()?];
        while self.eat(",") {
            runs.push(self.run()?);
        }
        Ok(Stmt::Merge { keys, runs, body: Box::new(self.block()?) })
    }

    /// One of the runs of a merge.
    fn run(&mut self) -> Result<Run, ParseError> {
        let place = self.name()?;
        let (lo, hi) = self.range()?;
        if !self.eat_word("at") {
            return self.expected("`at`");
        }
        self.expect("(")?;
        let key = self.comma_separated(")", Parser::int)?;
        if !self.eat_word("as") {
            return self.expected("`as`");
        }
        let has = self.name()?;
        let cond = if self.eat_word("if") { self.bool()? } else { Bool::Lit(true) };
        Ok(Run { place, lo, hi, key, has, cond })
    }

    fn share(&mut self) -> Result<Share, ParseError> {
        if !self.eat_word("dynamic") {
            return self.expected("`dynamic`");
        }
        self.expect(")")?;
        Ok(Share::Dynamic)
    }

    fn axis(&mut self) -> Result<Axis, ParseError> {
        self.expect("(")?;
        let Some(axis) = Axis::ALL.into_iter().find(|axis| self.eat_word(axis.name())) else {
            return self.expected("`x`, `y` or `z`");
        };
        self.expect(")")?;
        Ok(axis)
    }

    fn along(&mut self) -> Result<Name, ParseError> {
        let var = self.name()?;
        self.expect(")")?;
        Ok(var)
    }

    fn width(&mut self) -> Result<u32, ParseError> {
        let width = match self.peek() {
            Token::Digits(digits) => digits.parse().ok(),
            _ => None,
        };
        let Some(width) = width else { return self.expected("a number of lanes") };
        self.advance();
        self.expect(")")?;
        Ok(width)
    }

    fn conditional(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let cond = self.bool()?;
        let then = Box::new(self.block()?);
        let otherwise = if self.eat_word("else") { Some(Box::new(self.block()?)) } else { None };
        Ok(Stmt::If { cond, then, otherwise })
    }

    fn alloc(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let storage = if self.eat_word("heap") {
            Storage::Heap
        } else if self.eat_word("stack") {
            Storage::Stack
        } else if self.eat_word("register") {
            Storage::Register
        } else if self.eat_word("touched") {
            Storage::Touched
        } else if self.eat_word("shared") {
            Storage::Shared(self.swizzle()?)
        } else {
            return self.expected("`heap`, `stack`, `register`, `touched` or `shared`");
        };
        let scalar = self.scalar()?;
        let buf = self.name()?;
        let extents = self.extents()?;
        let init = self.init()?;
        Ok(Stmt::Alloc { buf, scalar, extents, storage, init, body: Box::new(self.block()?) })
    }

    /// `swizzle(B, M, S)`, or nothing.
    fn swizzle(&mut self) -> Result<Swizzle, ParseError> {
        if !self.eat_word("swizzle") {
            return Ok(Swizzle::NONE);
        }
        self.expect("(")?;
        let bits = self.int()?.constant();
        self.expect(",")?;
        let base = self.int()?.constant();
        self.expect(",")?;
        let shift = self.int()?.constant();
        let unsigned = |n: Option<i64>| n.and_then(|n| u32::try_from(n).ok());
        let found = unsigned(bits).zip(unsigned(base)).zip(shift.and_then(|n| i32::try_from(n).ok()));
        match found.and_then(|((bits, base), shift)| Swizzle::try_new(bits, base, shift)) {
            Some(swizzle) => self.expect(")").map(|()| swizzle),
            None => self.expected("the numbers of a swizzle"),
        }
    }

    fn init(&mut self) -> Result<Init, ParseError> {
        if self.eat_word("uninit") {
            return Ok(Init::Uninit);
        }
        self.expect("=")?;
        Ok(Init::Value(self.val()?))
    }

    /// A cell of a buffer; the only one of a buffer of rank 0.
    fn cell(&mut self) -> Result<(Name, Int), ParseError> {
        let buf = self.name()?;
        let mut index = Int::Lit(0);
        if self.eat("[") {
            index = self.int()?;
            self.expect("]")?;
        }
        Ok((buf, index))
    }

    fn store(&mut self) -> Result<Stmt, ParseError> {
        let (buf, index) = self.cell()?;
        let Token::Punct(assignment) = *self.peek() else { return self.expected("an assignment") };
        let mode = match assignment {
            "=" => StoreMode::Set,
            "+=" => StoreMode::Reduce(ReduceOp::Add),
            "*=" => StoreMode::Reduce(ReduceOp::Mul),
            "min=" => StoreMode::Reduce(ReduceOp::Min),
            "max=" => StoreMode::Reduce(ReduceOp::Max),
            "||=" => StoreMode::Reduce(ReduceOp::Or),
            "&&=" => StoreMode::Reduce(ReduceOp::And),
            _ => return self.expected("an assignment"),
        };
        self.advance();
        Ok(Stmt::Store { buf, index, value: self.val()?, mode })
    }

    fn int(&mut self) -> Result<Int, ParseError> {
        to_int(&self.infix(Level::Or)?)
    }

    fn bool(&mut self) -> Result<Bool, ParseError> {
        to_bool(&self.infix(Level::Or)?)
    }

    fn val(&mut self) -> Result<Val, ParseError> {
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
            Token::Number(digits, scalar) => match parse_literal(&format!("{sign}{digits}"), *scalar) {
                Some(literal) => Expr::Literal(literal),
                None => return self.error(format!("`{sign}{digits}` is no literal of type {scalar}")),
            },
            Token::Special(Literal::F32(f32::INFINITY)) if sign == "-" => {
                Expr::Literal(Literal::F32(f32::NEG_INFINITY))
            }
            Token::Special(Literal::F64(f64::INFINITY)) if sign == "-" => {
                Expr::Literal(Literal::F64(f64::NEG_INFINITY))
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

fn parse_literal(digits: &str, scalar: Scalar) -> Option<Literal> {
    match scalar {
        Scalar::F32 => digits.parse().ok().map(Literal::F32),
        Scalar::F64 => digits.parse().ok().map(Literal::F64),
        Scalar::I32 => digits.parse().ok().map(Literal::I32),
        Scalar::I64 => digits.parse().ok().map(Literal::I64),
        Scalar::U8 => digits.parse().ok().map(Literal::U8),
        Scalar::Bool => None,
    }
}
