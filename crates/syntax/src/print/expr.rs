//! Expressions, with the parentheses that the grammar needs.
//!
//! Two things decide about parentheses: how tightly the surroundings bind, and what follows. A `let`, a
//! label and, in mathematics, a binder reach as far right as they can; a guard takes all the factors
//! that follow it. Such an expression stands bare only where nothing follows that it could take.

use super::{Notation, Printer};
use crate::ast::{
    AccessKind, Attribute, BinaryOp, Binder, BinderOp, CompareOp, Expr, ExprKind, Rounds, UnaryOp,
};
use crate::parser::level;
use crate::token::TokenKind;

/// Where an expression stands: how tight its operators must be, and what may follow it.
#[derive(Clone, Copy)]
struct Surroundings {
    loosest: u8,
    /// Something follows before the next closing bracket.
    followed: bool,
    /// A factor follows.
    factor_follows: bool,
}

const FREE: Surroundings = Surroundings { loosest: 0, followed: false, factor_follows: false };

impl Surroundings {
    fn at(self, loosest: u8) -> Surroundings {
        Surroundings { loosest, ..self }
    }

    /// The place left of an infix operator of this level.
    fn left_of(operator: u8) -> Surroundings {
        Surroundings { loosest: operator, followed: true, factor_follows: operator == level::MUL }
    }
}

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        self.at(expr, FREE);
    }

    /// An operand of a comparison that is written without one around it: the side of a theorem.
    pub(super) fn side(&mut self, expr: &Expr) {
        self.at(expr, Surroundings::left_of(level::CONCAT));
    }

    /// Prints what is an index, a bound or a predicate: there, `/` is floor division.
    pub(super) fn as_index(&mut self, print: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.index, true);
        print(self);
        self.index = outer;
    }

    /// Whether `/` is shown as the floor of a fraction.
    fn floors(&self) -> bool {
        self.index && self.notation == Notation::Math
    }

    fn at(&mut self, expr: &Expr, place: Surroundings) {
        if self.needs_parentheses(expr, place) {
            self.piece(TokenKind::OpenParen, "(");
            self.bare(expr, FREE);
            self.piece(TokenKind::CloseParen, ")");
        } else {
            self.bare(expr, place);
        }
    }

    fn needs_parentheses(&self, expr: &Expr, place: Surroundings) -> bool {
        match &expr.kind {
            ExprKind::Layout { .. } | ExprKind::Range(..) => place.loosest > 0,
            ExprKind::Compare(..) => place.loosest > level::COMPARE,
            ExprKind::Binary(BinaryOp::Div, ..) if self.floors() => false,
            ExprKind::Binary(op, ..) => place.loosest > op.level(),
            ExprKind::Unary(..) => place.loosest > level::PREFIX,
            ExprKind::Guard { .. } => place.loosest >= level::POSTFIX || place.factor_follows,
            ExprKind::Let { .. }
            | ExprKind::LetParts { .. }
            | ExprKind::Labelled { .. }
            | ExprKind::Rec { .. }
            | ExprKind::Iterate { body: Some(_), .. }
            | ExprKind::Scan { give: Some(_), .. } => place.followed || place.loosest >= level::PREFIX,
            // Its `in` would be the sum's.
            ExprKind::Iterate { body: None, .. } => self.before_in,
            ExprKind::Bind { .. } if self.notation == Notation::Math => {
                place.followed || place.loosest >= level::PREFIX
            }
            _ => false,
        }
    }

    fn bare(&mut self, expr: &Expr, place: Surroundings) {
        match &expr.kind {
            ExprKind::Error | ExprKind::Hole => self.piece(TokenKind::Underscore, "_"),
            ExprKind::Int(value) => self.piece(TokenKind::Int, &value.to_string()),
            ExprKind::Float(text) => self.piece(TokenKind::Float, text),
            ExprKind::Imaginary(text) => self.piece(TokenKind::Imaginary, &format!("{text}i")),
            ExprKind::Bool(true) => self.piece(TokenKind::True, "true"),
            ExprKind::Bool(false) => self.piece(TokenKind::False, "false"),
            ExprKind::Name(text) => self.piece(TokenKind::Ident, text),
            ExprKind::Label(text) => self.piece(TokenKind::Label, &format!("'{text}")),
            ExprKind::Unary(op, operand) => {
                match op {
                    UnaryOp::Neg => self.piece(TokenKind::Minus, "-"),
                    UnaryOp::Not => self.either(TokenKind::Not, "!", "¬"),
                    UnaryOp::BitNot => self.piece(TokenKind::Tilde, "~"),
                }
                // `-[p] * e` is right, but reads as if the sign were the bracket's alone.
                let guard = matches!(operand.kind, ExprKind::Guard { .. });
                self.at(operand, place.at(if guard { level::POSTFIX } else { level::PREFIX }));
            }
            ExprKind::Binary(op, lhs, rhs) => self.binary(*op, lhs, rhs, place),
            ExprKind::Compare(first, rest) => {
                self.at(first, Surroundings::left_of(level::COMPARE + 1));
                for (index, (op, operand)) in rest.iter().enumerate() {
                    self.comparison(*op);
                    let last = index + 1 == rest.len();
                    let inner = if last { place } else { Surroundings::left_of(level::COMPARE) };
                    self.at(operand, inner.at(level::COMPARE + 1));
                }
            }
            ExprKind::Access { kind, base, indices } => {
                self.at(base, Surroundings::left_of(level::POSTFIX));
                match kind {
                    AccessKind::Plain => self.piece(TokenKind::OpenBracket, "["),
                    AccessKind::Guarded => self.piece(TokenKind::GuardBracket, "?["),
                }
                self.as_index(|printer| printer.separated(indices, Self::expr));
                self.piece(TokenKind::CloseBracket, "]");
            }
            ExprKind::Call { callee, args } => match (&args[..], callee.text.as_str(), self.notation) {
                ([numerator, denominator], "ceil_div", Notation::Math) => {
                    self.fraction("⌈", numerator, denominator, "⌉");
                }
                _ => {
                    self.piece(TokenKind::Ident, &callee.text);
                    self.parenthesised(args);
                }
            },
            ExprKind::Convert { to, value } => {
                self.element_type(to);
                self.piece(TokenKind::OpenParen, "(");
                self.expr(value);
                self.piece(TokenKind::CloseParen, ")");
            }
            ExprKind::Guard { predicate, body } => {
                self.piece(TokenKind::OpenBracket, "[");
                self.as_index(|printer| printer.expr(predicate));
                self.piece(TokenKind::CloseBracket, "]");
                self.either(TokenKind::Star, "*", "·");
                self.at(body, place.at(level::MUL));
            }
            ExprKind::Bind { op, binders, body } => self.bind(*op, binders, body, place),
            ExprKind::Fold { op, monoid, binders, body } => {
                self.piece(TokenKind::keyword(op.word()).unwrap_or(TokenKind::Sum), op.word());
                let outer = std::mem::replace(&mut self.before_in, true);
                self.as_index(|printer| printer.separated(binders, Self::binder));
                self.before_in = outer;
                self.piece(TokenKind::In, "in");
                self.piece(TokenKind::Ident, &monoid.text);
                self.piece(TokenKind::OpenBrace, "{");
                self.expr(body);
                self.piece(TokenKind::CloseBrace, "}");
            }
            ExprKind::Let { name, attributes, value, body } => {
                self.piece(TokenKind::Let, "let");
                self.piece(TokenKind::Ident, &name.text);
                self.bound(attributes, value);
                self.piece(TokenKind::Semicolon, ";");
                self.at(body, place.at(0));
            }
            ExprKind::Typed { value, .. } => self.at(value, place),
            ExprKind::LetParts { names, value, body } => {
                self.piece(TokenKind::Let, "let");
                self.piece(TokenKind::OpenParen, "(");
                self.separated(names, |printer, name| printer.piece(TokenKind::Ident, &name.text));
                self.piece(TokenKind::CloseParen, ")");
                self.either(TokenKind::Eq, "=", "≔");
                self.expr(value);
                self.piece(TokenKind::Semicolon, ";");
                self.at(body, place.at(0));
            }
            ExprKind::Iterate { rounds, body } => {
                self.piece(TokenKind::Ident, "iterate");
                self.rounds(rounds);
                if let Some(body) = body {
                    self.piece(TokenKind::In, "in");
                    self.at(body, place.at(0));
                }
            }
            ExprKind::Scan { rounds, give } => {
                self.piece(TokenKind::Ident, "scan");
                self.rounds(rounds);
                if let Some(give) = give {
                    self.piece(TokenKind::Ident, "give");
                    self.at(give, place.at(0));
                }
            }
            ExprKind::Rec { name, of, value, body } => {
                self.piece(TokenKind::Ident, "rec");
                self.piece(TokenKind::Ident, &name.text);
                self.piece(TokenKind::Colon, ":");
                self.element_type(of);
                self.either(TokenKind::Eq, "=", "≔");
                self.expr(value);
                self.piece(TokenKind::Semicolon, ";");
                self.at(body, place.at(0));
            }
            ExprKind::Labelled { label, body } => {
                self.piece(TokenKind::Label, &format!("'{}", label.text));
                self.piece(TokenKind::Colon, ":");
                self.at(body, place.at(0));
            }
            ExprKind::Tuple(elements) => self.parenthesised(elements),
            ExprKind::Layout { shape, stride } => {
                self.at(shape, Surroundings::left_of(level::OR));
                self.piece(TokenKind::Colon, ":");
                self.at(stride, place.at(level::OR));
            }
            ExprKind::Of { level, axes } => {
                self.expr(level);
                self.piece(TokenKind::Ident, "of");
                self.expr(axes);
            }
            ExprKind::List(elements) => {
                self.piece(TokenKind::OpenBracket, "[");
                self.separated(elements, Self::expr);
                self.piece(TokenKind::CloseBracket, "]");
            }
            ExprKind::Range(lo, hi) => {
                if let Some(lo) = lo {
                    self.at(lo, Surroundings::left_of(level::OR));
                }
                self.piece(TokenKind::DotDot, "..");
                if let Some(hi) = hi {
                    self.at(hi, place.at(level::OR));
                }
            }
        }
    }

    /// What follows `iterate` and `scan`, up to the closing brace.
    fn rounds(&mut self, rounds: &Rounds) {
        self.as_index(|printer| printer.binder(&rounds.index));
        self.piece(TokenKind::Ident, "from");
        self.separated(&rounds.states, |printer, (name, init)| {
            printer.piece(TokenKind::Ident, &name.text);
            printer.bound(&[], init);
        });
        if let Some(until) = &rounds.until {
            self.piece(TokenKind::Ident, "until");
            self.expr(until);
        }
        self.piece(TokenKind::OpenBrace, "{");
        for shared in &rounds.lets {
            self.piece(TokenKind::Let, "let");
            match &shared.names[..] {
                [name] => self.piece(TokenKind::Ident, &name.text),
                names => {
                    self.piece(TokenKind::OpenParen, "(");
                    self.separated(names, |printer, name| printer.piece(TokenKind::Ident, &name.text));
                    self.piece(TokenKind::CloseParen, ")");
                }
            }
            self.bound(&shared.attributes, &shared.value);
            self.piece(TokenKind::Semicolon, ";");
        }
        // A `let` here would be one that all steps share.
        let is_let = |step: &Expr| matches!(step.kind, ExprKind::Let { .. } | ExprKind::LetParts { .. });
        let alone = rounds.steps.len() == 1;
        self.separated(&rounds.steps, |printer, step| match is_let(step) && !alone {
            true => printer.parenthesised(std::slice::from_ref(step)),
            false => printer.expr(step),
        });
        self.piece(TokenKind::CloseBrace, "}");
    }

    /// What follows a name that is bound: `: T @stack = e`.
    fn bound(&mut self, attributes: &[Attribute], value: &Expr) {
        let (ty, value) = match &value.kind {
            ExprKind::Typed { ty, value } => (Some(ty), &**value),
            _ => (None, value),
        };
        if let Some(ty) = ty {
            self.piece(TokenKind::Colon, ":");
            self.ty(ty);
        }
        self.attributes(attributes);
        self.either(TokenKind::Eq, "=", "≔");
        self.expr(value);
    }

    fn parenthesised(&mut self, elements: &[Expr]) {
        self.piece(TokenKind::OpenParen, "(");
        self.separated(elements, Self::expr);
        self.piece(TokenKind::CloseParen, ")");
    }

    /// A chain of operators of one level, without recursion along it: terms made by unrolling are long.
    fn binary(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, place: Surroundings) {
        if op == BinaryOp::Div && self.floors() {
            return self.fraction("⌊", lhs, rhs, "⌋");
        }
        let level = op.level();
        let mut chain = vec![(op, rhs)];
        let mut first = lhs;
        while let ExprKind::Binary(op, lhs, rhs) = &first.kind
            && op.level() == level
            && !(*op == BinaryOp::Div && self.floors())
        {
            chain.push((*op, rhs));
            first = lhs;
        }
        self.at(first, Surroundings::left_of(level));
        while let Some((op, rhs)) = chain.pop() {
            self.operator(op);
            let inner = if chain.is_empty() { place } else { Surroundings::left_of(level) };
            // Behind `a *`, a bracket guards factors alone, and no bracket divides.
            let is_divided = matches!(op, BinaryOp::Div | BinaryOp::Rem) || divides(rhs);
            let is_apart = matches!(rhs.kind, ExprKind::Guard { .. }) && is_divided;
            self.at(rhs, inner.at(if is_apart { level::POSTFIX } else { level + 1 }));
        }
    }

    fn operator(&mut self, op: BinaryOp) {
        match op {
            BinaryOp::Or => self.either(TokenKind::OrOr, "||", "∨"),
            BinaryOp::And => self.either(TokenKind::AndAnd, "&&", "∧"),
            BinaryOp::Concat => self.either(TokenKind::PlusPlus, "++", "⧺"),
            BinaryOp::Add => self.piece(TokenKind::Plus, "+"),
            BinaryOp::Sub => self.piece(TokenKind::Minus, "-"),
            BinaryOp::Mul => self.either(TokenKind::Star, "*", "·"),
            BinaryOp::Div => self.piece(TokenKind::Slash, "/"),
            BinaryOp::Rem => self.either(TokenKind::Percent, "%", "mod"),
            BinaryOp::BitOr => self.piece(TokenKind::Bar, "|"),
            BinaryOp::BitXor => self.piece(TokenKind::Caret, "^"),
            BinaryOp::BitAnd => self.piece(TokenKind::Ampersand, "&"),
            BinaryOp::Shl => self.piece(TokenKind::ShiftLeft, "<<"),
            BinaryOp::Shr => self.piece(TokenKind::ShiftRight, ">>"),
        }
    }

    fn fraction(&mut self, open: &str, numerator: &Expr, denominator: &Expr, close: &str) {
        self.piece(TokenKind::OpenParen, open);
        self.at(numerator, Surroundings::left_of(level::MUL));
        self.piece(TokenKind::Slash, "/");
        self.at(denominator, FREE.at(level::MUL + 1));
        self.piece(TokenKind::CloseParen, close);
    }

    fn comparison(&mut self, op: CompareOp) {
        match op {
            CompareOp::Eq => self.either(TokenKind::EqEq, "==", "="),
            CompareOp::Ne => self.either(TokenKind::NotEq, "!=", "≠"),
            CompareOp::Lt => self.piece(TokenKind::Less, "<"),
            CompareOp::Le => self.either(TokenKind::LessEq, "<=", "≤"),
            CompareOp::Gt => self.piece(TokenKind::Greater, ">"),
            CompareOp::Ge => self.either(TokenKind::GreaterEq, ">=", "≥"),
        }
    }

    fn bind(&mut self, op: BinderOp, binders: &[Binder], body: &Expr, place: Surroundings) {
        match op {
            BinderOp::Gen => self.either(TokenKind::Gen, "gen", "⊞"),
            BinderOp::Sum => self.either(TokenKind::Sum, "sum", "∑"),
            BinderOp::Prod => self.either(TokenKind::Prod, "prod", "∏"),
            BinderOp::Max => self.piece(TokenKind::Ident, "max"),
            BinderOp::Min => self.piece(TokenKind::Ident, "min"),
            BinderOp::Any => self.either(TokenKind::Any, "any", "∃"),
            BinderOp::All => self.either(TokenKind::All, "all", "∀"),
        }
        self.as_index(|printer| printer.separated(binders, Self::binder));
        self.either(TokenKind::OpenBrace, "{", ".");
        match self.notation {
            Notation::Ascii => self.expr(body),
            Notation::Math => self.at(body, place.at(0)),
        }
        self.either(TokenKind::CloseBrace, "}", "");
    }

    fn binder(&mut self, binder: &Binder) {
        let bound = Surroundings::left_of(level::CONCAT);
        let name = |printer: &mut Self| {
            let kind = if binder.name.text == "_" { TokenKind::Underscore } else { TokenKind::Ident };
            printer.piece(kind, &binder.name.text);
        };
        match (&binder.lo, self.notation) {
            (None, _) => {
                name(self);
                if binder.hi.is_some() {
                    self.piece(TokenKind::Less, "<");
                }
            }
            (Some(lo), Notation::Ascii) => {
                name(self);
                self.piece(TokenKind::In, "in");
                self.at(lo, bound);
                self.piece(TokenKind::DotDot, "..");
            }
            (Some(lo), Notation::Math) => {
                self.at(lo, bound);
                self.piece(TokenKind::LessEq, "≤");
                name(self);
                self.piece(TokenKind::Less, "<");
            }
        }
        match binder.hi.as_ref().map(|hi| &hi.kind) {
            Some(ExprKind::Range(list, None)) => {
                list.iter().for_each(|list| self.at(list, bound));
                self.piece(TokenKind::DotDot, "..");
            }
            _ => binder.hi.iter().for_each(|hi| self.at(hi, bound)),
        }
        self.attributes(&binder.attributes);
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.piece(TokenKind::At, "@");
            self.piece(TokenKind::Ident, &attribute.name.text);
            if !attribute.args.is_empty() {
                self.parenthesised(&attribute.args);
            }
        }
    }
}

/// Is there a division in the chain of factors that begins here, or that a bracket in it guards?
fn divides(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => true,
        ExprKind::Binary(BinaryOp::Mul, lhs, rhs) => {
            divides(lhs) || matches!(rhs.kind, ExprKind::Guard { .. }) && divides(rhs)
        }
        ExprKind::Guard { body, .. } => divides(body),
        _ => false,
    }
}
