//! Expressions.
//!
//! Precedence, loosest first; all operators group to the left:
//!
//! | level | operators |
//! |---|---|
//! | 1 | `\|\|` |
//! | 2 | `&&` |
//! | 3 | `== != < <= > >=`, chained: `0 <= i < n` |
//! | 4 | `++` |
//! | 5 | `\|` |
//! | 6 | `^` |
//! | 7 | `&` |
//! | 8 | `<< >>` |
//! | 9 | `+ -` |
//! | 10 | `* / %` |
//! | 11 | prefix `-`, `!` and `~` |
//! | 12 | `x[i]`, `x?[i]`, `f(a)` |
//!
//! As in Python and Rust, and not as in C, the operators on bits bind more tightly than comparisons: `a & b
//! == c` is `(a & b) == c`.
//!
//! A bracket where an operand must begin is Iverson's, and it takes the whole multiplicative chain that
//! follows: `[p] * a * b + c` is `([p] * (a * b)) + c`, and `x * [p] * y * z` is `x * ([p] * (y * z))`.
//! `let`, `rec`, a label, the `in` of an iteration and the `give` of a scan reach as far right as they can.

use super::{MAX_HEIGHT, Parser, Place, is_clause_word};
use crate::ast::{AccessKind, BinaryOp, BinderOp, CompareOp, ElementType, Expr, ExprKind, Name, UnaryOp};
use crate::token::TokenKind;

/// The names of scalar types, which are also the names of conversions.
pub(crate) const SCALARS: [&str; 15] = [
    "f16", "bf16", "f32", "f64", "c64", "c128", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool",
];

/// The level of an operator; see the module's table.
pub(crate) mod level {
    pub(crate) const OR: u8 = 1;
    pub(crate) const AND: u8 = 2;
    pub(crate) const COMPARE: u8 = 3;
    pub(crate) const CONCAT: u8 = 4;
    pub(crate) const BIT_OR: u8 = 5;
    pub(crate) const BIT_XOR: u8 = 6;
    pub(crate) const BIT_AND: u8 = 7;
    pub(crate) const SHIFT: u8 = 8;
    pub(crate) const ADD: u8 = 9;
    pub(crate) const MUL: u8 = 10;
    pub(crate) const PREFIX: u8 = 11;
    pub(crate) const POSTFIX: u8 = 12;
}

enum Infix {
    Binary(BinaryOp),
    Compare(CompareOp),
}

impl BinaryOp {
    /// How tightly it binds.
    pub(crate) fn level(self) -> u8 {
        match self {
            BinaryOp::Or => level::OR,
            BinaryOp::And => level::AND,
            BinaryOp::Concat => level::CONCAT,
            BinaryOp::BitOr => level::BIT_OR,
            BinaryOp::BitXor => level::BIT_XOR,
            BinaryOp::BitAnd => level::BIT_AND,
            BinaryOp::Shl | BinaryOp::Shr => level::SHIFT,
            BinaryOp::Add | BinaryOp::Sub => level::ADD,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => level::MUL,
        }
    }
}

impl Infix {
    fn level(&self) -> u8 {
        match self {
            Infix::Binary(op) => op.level(),
            Infix::Compare(_) => level::COMPARE,
        }
    }
}

/// Is it written as a predicate is, rather than as an element of an array?
fn is_condition(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Compare(..)
            | ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
            | ExprKind::Error
    )
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Expr {
        self.operators(level::OR)
    }

    /// Operands joined by operators that bind at least this tightly.
    pub(super) fn operators(&mut self, loosest: u8) -> Expr {
        let undivided = std::mem::take(&mut self.undivided);
        self.nested(|parser| {
            parser.undivided = undivided && parser.at(TokenKind::OpenBracket);
            let mut lhs = parser.prefix();
            let mut chaining = false;
            while let Some(infix) = parser.infix().filter(|infix| infix.level() >= loosest) {
                let divides = matches!(infix, Infix::Binary(BinaryOp::Div | BinaryOp::Rem));
                if undivided && divides {
                    break;
                }
                parser.complain_spelling();
                parser.bump();
                let height = parser.height;
                let multiplies = matches!(infix, Infix::Binary(BinaryOp::Mul));
                parser.right_factor = multiplies && parser.at(TokenKind::OpenBracket);
                let by_bracket = divides && parser.at(TokenKind::OpenBracket);
                parser.undivided = by_bracket;
                let rhs = parser.operators(infix.level() + 1);
                if by_bracket && matches!(rhs.kind, ExprKind::Guard { .. }) {
                    parser.complain_divisor(rhs.span);
                }
                let guards = std::mem::take(&mut parser.right_factor);
                parser.height = parser.height.max(height) + 1;
                let span = lhs.span.to(rhs.span);
                let kind = match (infix, lhs.kind) {
                    // `e * [p]` is `[p] * e`.
                    (_, kind) if guards => {
                        let body = Box::new(Expr::new(kind, lhs.span));
                        ExprKind::Guard { predicate: Box::new(rhs), body }
                    }
                    (Infix::Compare(op), ExprKind::Compare(first, mut rest)) if chaining => {
                        rest.push((op, rhs));
                        ExprKind::Compare(first, rest)
                    }
                    (Infix::Compare(op), kind) => {
                        chaining = true;
                        ExprKind::Compare(Box::new(Expr::new(kind, lhs.span)), vec![(op, rhs)])
                    }
                    (Infix::Binary(op), kind) => {
                        chaining = false;
                        ExprKind::Binary(op, Box::new(Expr::new(kind, lhs.span)), Box::new(rhs))
                    }
                };
                lhs = Expr::new(kind, span);
                if parser.height > MAX_HEIGHT {
                    return parser.too_deep();
                }
            }
            lhs
        })
    }

    /// The infix operator that the next token is. Spellings of other languages count as what they mean.
    fn infix(&self) -> Option<Infix> {
        Some(match self.peek() {
            TokenKind::OrOr => Infix::Binary(BinaryOp::Or),
            TokenKind::AndAnd => Infix::Binary(BinaryOp::And),
            TokenKind::PlusPlus => Infix::Binary(BinaryOp::Concat),
            TokenKind::Plus => Infix::Binary(BinaryOp::Add),
            TokenKind::Minus => Infix::Binary(BinaryOp::Sub),
            TokenKind::Star | TokenKind::StarStar => Infix::Binary(BinaryOp::Mul),
            TokenKind::Slash => Infix::Binary(BinaryOp::Div),
            TokenKind::Percent => Infix::Binary(BinaryOp::Rem),
            TokenKind::Ampersand => Infix::Binary(BinaryOp::BitAnd),
            TokenKind::Bar => Infix::Binary(BinaryOp::BitOr),
            TokenKind::Caret => Infix::Binary(BinaryOp::BitXor),
            TokenKind::ShiftLeft => Infix::Binary(BinaryOp::Shl),
            TokenKind::ShiftRight => Infix::Binary(BinaryOp::Shr),
            TokenKind::EqEq | TokenKind::Eq => Infix::Compare(CompareOp::Eq),
            TokenKind::NotEq => Infix::Compare(CompareOp::Ne),
            TokenKind::Less => Infix::Compare(CompareOp::Lt),
            TokenKind::LessEq => Infix::Compare(CompareOp::Le),
            TokenKind::Greater => Infix::Compare(CompareOp::Gt),
            TokenKind::GreaterEq => Infix::Compare(CompareOp::Ge),
            TokenKind::Ident if self.at_word("and") => Infix::Binary(BinaryOp::And),
            TokenKind::Ident if self.at_word("or") => Infix::Binary(BinaryOp::Or),
            _ => return None,
        })
    }

    /// A prefix operator and its operand, or an operand.
    fn prefix(&mut self) -> Expr {
        let start = self.span();
        let op = match self.peek() {
            TokenKind::Minus => UnaryOp::Neg,
            TokenKind::Not => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::BitNot,
            TokenKind::Ident
                if self.at_word("not")
                    && matches!(
                        self.nth(1),
                        TokenKind::Ident
                            | TokenKind::Int
                            | TokenKind::True
                            | TokenKind::False
                            | TokenKind::Not
                    ) =>
            {
                self.complain_not();
                UnaryOp::Not
            }
            _ => return self.postfix(),
        };
        self.bump();
        self.undivided = self.at(TokenKind::OpenBracket);
        let operand = self.operators(level::PREFIX);
        self.height += 1;
        let span = start.to(operand.span);
        Expr::new(ExprKind::Unary(op, Box::new(operand)), span)
    }

    /// An operand and the accesses that follow it.
    fn postfix(&mut self) -> Expr {
        let mut base = self.operand();
        loop {
            let kind = match self.peek() {
                TokenKind::OpenBracket => AccessKind::Plain,
                TokenKind::GuardBracket => AccessKind::Guarded,
                _ => return base,
            };
            let open = self.bump();
            let mut height = self.height;
            let indices = self.list(open, TokenKind::CloseBracket, |parser| {
                let index = parser.index();
                height = height.max(parser.height);
                index
            });
            if indices.is_empty() {
                self.complain_no_index(open);
                continue;
            }
            self.height = height + 1;
            let span = base.span.to(self.last_span());
            base = Expr::new(ExprKind::Access { kind, base: Box::new(base), indices }, span);
            if self.height > MAX_HEIGHT {
                return self.too_deep();
            }
        }
    }

    /// Whether the token so far ahead can begin an operand.
    pub(super) fn begins_operand(&self, ahead: usize) -> bool {
        matches!(
            self.nth(ahead),
            TokenKind::Ident
                | TokenKind::Int
                | TokenKind::Float
                | TokenKind::Imaginary
                | TokenKind::True
                | TokenKind::False
                | TokenKind::OpenParen
                | TokenKind::OpenBracket
                | TokenKind::Minus
                | TokenKind::Not
                | TokenKind::Tilde
                | TokenKind::Gen
                | TokenKind::Sum
                | TokenKind::Prod
                | TokenKind::Any
                | TokenKind::All
                | TokenKind::Let
                | TokenKind::Label
                | TokenKind::Underscore
        )
    }

    fn leaf(&mut self, kind: ExprKind) -> Expr {
        self.height = 1;
        Expr::new(kind, self.bump())
    }

    fn operand(&mut self) -> Expr {
        self.height = 1;
        match self.peek() {
            TokenKind::Int => self.int(),
            TokenKind::Float => {
                let text = self.nth_text(0).replace('_', "");
                // A malformed number is an error already; its digits are kept readable.
                let text = if text.parse::<f64>().is_ok() { text } else { "0.0".to_owned() };
                self.leaf(ExprKind::Float(text.trim_end_matches('.').to_owned()))
            }
            TokenKind::Imaginary => {
                let text = self.nth_text(0).replace('_', "");
                self.leaf(ExprKind::Imaginary(text.trim_end_matches('i').to_owned()))
            }
            TokenKind::True => self.leaf(ExprKind::Bool(true)),
            TokenKind::False => self.leaf(ExprKind::Bool(false)),
            TokenKind::Underscore => {
                self.script_only("`_`");
                self.leaf(ExprKind::Hole)
            }
            TokenKind::Label => self.label(),
            TokenKind::OpenParen => self.parentheses(),
            TokenKind::OpenBracket => self.bracket(),
            TokenKind::Let => self.let_in(),
            TokenKind::Gen => self.bind(BinderOp::Gen),
            TokenKind::Sum => self.bind(BinderOp::Sum),
            TokenKind::Prod => self.bind(BinderOp::Prod),
            TokenKind::Any => self.bind(BinderOp::Any),
            TokenKind::All => self.bind(BinderOp::All),
            TokenKind::Ident => self.word(),
            TokenKind::If => {
                self.complain_if();
                self.bump();
                self.skip_to(TokenKind::Semicolon);
                Expr::new(ExprKind::Error, self.last_span())
            }
            _ => {
                self.unexpected("an expression");
                Expr::new(ExprKind::Error, self.span().at_start())
            }
        }
    }

    fn int(&mut self) -> Expr {
        let text = self.nth_text(0).replace('_', "");
        let (digits, radix) = match (text.strip_prefix("0x"), text.strip_prefix("0b")) {
            (Some(digits), _) => (digits, 16),
            (_, Some(digits)) => (digits, 2),
            _ => (text.as_str(), 10),
        };
        // A malformed number is an error already; its digits are kept readable.
        let digits: String = digits.chars().take_while(|c| c.is_digit(radix)).collect();
        let value = u64::from_str_radix(if digits.is_empty() { "0" } else { &digits }, radix);
        let value = value.unwrap_or_else(|_| {
            self.complain_too_large();
            0
        });
        self.leaf(ExprKind::Int(value))
    }

    /// What begins with a name: a conversion, a reduction by `max` or `min`, a call, or the name alone.
    fn word(&mut self) -> Expr {
        let text = self.nth_text(0);
        let scalar = SCALARS.contains(&text);
        let converts_to_semiring = self.nth(1) == TokenKind::Less
            && SCALARS.contains(&self.nth_text(2))
            && self.nth(3) == TokenKind::Greater
            && self.nth(4) == TokenKind::OpenParen;
        if converts_to_semiring || (scalar && self.nth(1) == TokenKind::OpenParen) {
            return self.convert();
        }
        if matches!(self.nth(1), TokenKind::Ident | TokenKind::Underscore)
            && (matches!(self.nth(2), TokenKind::Less | TokenKind::In | TokenKind::LessEq | TokenKind::Eq)
                || matches!(self.nth(2), TokenKind::OpenBrace | TokenKind::Comma | TokenKind::At))
            && !(self.place == Place::Script && is_clause_word(self.nth_text(1)))
        {
            match text {
                "max" => return self.bind(BinderOp::Max),
                "min" => return self.bind(BinderOp::Min),
                "for" => {
                    self.complain_for();
                    return self.bind(BinderOp::Gen);
                }
                _ => {}
            }
        }
        if self.nth(1) == TokenKind::Ident {
            match text {
                "iterate" => return self.iterate(),
                "scan" if self.place != Place::Script || self.nth(2) == TokenKind::Less => {
                    return self.scan();
                }
                "rec" if self.at_rec() => return self.let_in(),
                _ => {}
            }
        }
        let name = Name::new(text, self.bump());
        if !self.at(TokenKind::OpenParen) {
            let span = name.span;
            return Expr::new(ExprKind::Name(name.text), span);
        }
        let args = self.args();
        let span = name.span.to(self.last_span());
        Expr::new(ExprKind::Call { callee: name, args }, span)
    }

    /// `(argument, …)`.
    pub(super) fn args(&mut self) -> Vec<Expr> {
        let open = self.bump();
        let mut height = 0;
        let args = self.list(open, TokenKind::CloseParen, |parser| {
            let arg = parser.layout();
            height = height.max(parser.height);
            arg
        });
        self.height = height + 1;
        args
    }

    fn convert(&mut self) -> Expr {
        let to = self.element_type();
        let open = self.span();
        let mut args = self.args();
        let span = to.span.to(self.last_span());
        if args.len() == 2 && matches!(to.scalar.text.as_str(), "c64" | "c128") {
            // The parts of a complex number.
            let value = Box::new(Expr::new(ExprKind::Tuple(args), span));
            return Expr::new(ExprKind::Convert { to, value }, span);
        }
        if args.len() != 1 {
            self.complain_conversion(open, args.len());
        }
        let value = args.pop().unwrap_or(Expr::new(ExprKind::Error, span.at_end()));
        Expr::new(ExprKind::Convert { to, value: Box::new(value) }, span)
    }

    /// `f32`, `min_plus<f32>`.
    pub(super) fn element_type(&mut self) -> ElementType {
        let first = self.name("an element type");
        if !self.eat(TokenKind::Less) {
            let span = first.span;
            return ElementType { semiring: None, scalar: first, span };
        }
        let scalar = self.name("the semiring's scalar type");
        self.expect(TokenKind::Greater);
        let span = first.span.to(self.last_span());
        ElementType { semiring: Some(first), scalar, span }
    }

    /// An expression, or a layout `shape:stride`.
    pub(super) fn layout(&mut self) -> Expr {
        let shape = self.expr();
        if !self.eat(TokenKind::Colon) {
            return shape;
        }
        let height = self.height;
        let stride = self.expr();
        self.height = self.height.max(height) + 1;
        let span = shape.span.to(stride.span);
        Expr::new(ExprKind::Layout { shape: Box::new(shape), stride: Box::new(stride) }, span)
    }

    /// An index: an expression, or in schedules a range.
    fn index(&mut self) -> Expr {
        let start = self.span();
        let lo = if self.at(TokenKind::DotDot) { None } else { Some(self.expr()) };
        if !self.at(TokenKind::DotDot) {
            return lo.unwrap_or(Expr::new(ExprKind::Error, start));
        }
        self.complain_slice();
        self.bump();
        let mut height = self.height;
        let hi = self.begins_operand(0).then(|| self.expr());
        height = height.max(self.height);
        self.height = height + 1;
        Expr::new(ExprKind::Range(lo.map(Box::new), hi.map(Box::new)), start.to(self.last_span()))
    }

    /// An argument of a directive: an expression with everything that schedules allow.
    pub(super) fn argument_value(&mut self) -> Expr {
        self.layout()
    }

    /// `'name: e`, or in patterns `'name`.
    fn label(&mut self) -> Expr {
        let text = self.nth_text(0).trim_start_matches('\'').to_owned();
        if self.nth(1) != TokenKind::Colon {
            self.script_only("a label without a body");
            return self.leaf(ExprKind::Label(text));
        }
        let label = Name::new(text, self.bump());
        self.bump();
        let body = self.expr();
        self.height += 1;
        let span = label.span.to(body.span);
        Expr::new(ExprKind::Labelled { label, body: Box::new(body) }, span)
    }

    /// `(e)` or a tuple.
    fn parentheses(&mut self) -> Expr {
        let open = self.bump();
        let mut height = 0;
        let mut elements = self.list(open, TokenKind::CloseParen, |parser| {
            let element = parser.layout();
            height = height.max(parser.height);
            element
        });
        let span = open.to(self.last_span());
        self.height = height;
        if elements.len() == 1
            && let Some(inner) = elements.pop()
        {
            return Expr::new(inner.kind, span);
        }
        if elements.is_empty() {
            self.complain_empty(span);
        }
        self.height += 1;
        Expr::new(ExprKind::Tuple(elements), span)
    }

    /// Iverson's bracket, or an array of its elements; in schedules a list.
    fn bracket(&mut self) -> Expr {
        let right = std::mem::take(&mut self.right_factor);
        let undivided = std::mem::take(&mut self.undivided) || right;
        let open = self.bump();
        let mut height = 0;
        let mut elements = self.list(open, TokenKind::CloseBracket, |parser| {
            let element = parser.level();
            height = height.max(parser.height);
            element
        });
        let bracket = open.to(self.last_span());
        let next = matches!(self.peek(), TokenKind::Star | TokenKind::OpenBracket | TokenKind::GuardBracket);
        if right
            && elements.len() == 1
            && !next
            && let Some(predicate) = elements.pop()
        {
            (self.height, self.right_factor) = (height + 1, true);
            return Expr::new(predicate.kind, bracket);
        }
        if self.place == Place::Script && (elements.len() != 1 || !self.at(TokenKind::Star)) {
            self.height = height + 1;
            return Expr::new(ExprKind::List(elements), bracket);
        }
        let multiplies = self.at(TokenKind::Star);
        let guards = elements.len() == 1 && multiplies;
        let several = elements.len() > 1 && !multiplies;
        if !guards && elements.first().is_some_and(|first| several || !is_condition(first)) {
            self.height = height + 1;
            return Expr::new(ExprKind::List(elements), bracket);
        }
        match elements.len() {
            0 => self.complain_no_predicate(bracket),
            1 => {}
            _ => self.complain_predicates(bracket, &elements),
        }
        let predicate = elements.pop().unwrap_or(Expr::new(ExprKind::Error, bracket));
        if !self.eat(TokenKind::Star) {
            self.complain_guard(bracket);
            if !self.begins_operand(0) {
                self.height = height + 1;
                return Expr::new(ExprKind::Error, bracket);
            }
        }
        self.undivided = undivided;
        let body = self.operators(level::MUL);
        self.height = self.height.max(height) + 1;
        let span = bracket.to(body.span);
        Expr::new(ExprKind::Guard { predicate: Box::new(predicate), body: Box::new(body) }, span)
    }

    /// An expression, or in the lists of schedules a level with what it is of.
    fn level(&mut self) -> Expr {
        let level = self.expr();
        if self.place != Place::Script || !self.at_word("of") {
            return level;
        }
        let height = self.height;
        self.bump();
        let axes = self.expr();
        self.height = self.height.max(height) + 1;
        let span = level.span.to(axes.span);
        Expr::new(ExprKind::Of { level: Box::new(level), axes: Box::new(axes) }, span)
    }
}
