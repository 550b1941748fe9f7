//! Expressions that bind names: `let`, `rec`, `gen`, `sum` and the other reductions, and blocks.

use super::expr::level;
use super::{MAX_HEIGHT, Parser};
use crate::ast::{Attribute, Binder, BinderOp, ElementType, Expr, ExprKind, Name, Type};
use crate::token::TokenKind;
use atl_diag::Span;

/// What a `let` binds.
pub(super) enum Bound {
    One(Name, Option<Type>, Vec<Attribute>),
    Parts(Vec<Name>),
    /// Of `rec`, with the type of the elements.
    Rec(Name, ElementType),
}

impl Bound {
    /// The first name, for messages.
    pub(super) fn name(&self) -> Name {
        match self {
            Bound::One(name, ..) | Bound::Rec(name, _) => name.clone(),
            Bound::Parts(names) => names.first().cloned().unwrap_or_else(|| Name::new("", Span::default())),
        }
    }
}

/// A value with the type that is declared of its name, if one is.
pub(super) fn typed(ty: Option<Type>, value: Expr) -> Expr {
    let Some(ty) = ty else { return value };
    let span = value.span;
    Expr::new(ExprKind::Typed { ty: Box::new(ty), value: Box::new(value) }, span)
}

impl Parser<'_> {
    /// One `let` after the other, as many as there are: a chain is as high as it is long, but it is no nesting to be parsed.
    pub(super) fn let_in(&mut self) -> Expr {
        let mut lets = Vec::new();
        while self.at(TokenKind::Let) || self.at_rec() {
            let is_rec = !self.at(TokenKind::Let);
            let start = self.bump();
            let bound = if is_rec { self.recursive() } else { self.bound() };
            self.expect(TokenKind::Eq);
            let value = self.expr();
            let name = bound.name();
            self.semicolon("the value of", &name);
            if matches!(self.peek(), TokenKind::CloseBrace | TokenKind::End) {
                self.complain_let(start, &name);
            }
            lets.push((start, bound, value, self.height));
            if lets.len() > MAX_HEIGHT {
                return self.too_deep();
            }
        }
        let mut body = self.expr();
        for (start, bound, value, height) in lets.into_iter().rev() {
            self.height = self.height.max(height) + 1;
            let span = start.to(body.span);
            let (value, inside) = (Box::new(value), Box::new(body));
            let kind = match bound {
                Bound::One(name, ty, attributes) => {
                    let value = Box::new(typed(ty, *value));
                    ExprKind::Let { name, attributes, value, body: inside }
                }
                Bound::Parts(names) => ExprKind::LetParts { names, value, body: inside },
                Bound::Rec(name, of) => ExprKind::Rec { name, of, value, body: inside },
            };
            body = Expr::new(kind, span);
        }
        if self.height > MAX_HEIGHT {
            return self.too_deep();
        }
        body
    }

    /// Is this `rec x: …`?
    pub(super) fn at_rec(&self) -> bool {
        self.at_word("rec")
            && self.nth(1) == TokenKind::Ident
            && matches!(self.nth(2), TokenKind::Colon | TokenKind::Eq)
    }

    /// What a `rec` binds: a name, and what its elements are.
    fn recursive(&mut self) -> Bound {
        let name = self.name("a name");
        if self.eat(TokenKind::Colon) {
            return Bound::Rec(name, self.element_type());
        }
        self.complain_rec_type(&name);
        let span = name.span.at_end();
        Bound::Rec(name, ElementType { semiring: None, scalar: Name::new("", span), span })
    }

    /// What a `let` binds: a name with attributes, or a name for each of several results.
    pub(super) fn bound(&mut self) -> Bound {
        if !self.at(TokenKind::OpenParen) {
            let name = self.name("a name");
            let ty = self.declared_type();
            return Bound::One(name, ty, self.attributes());
        }
        let open = self.bump();
        let mut names = self.list(open, TokenKind::CloseParen, |parser| parser.name("a name"));
        match names.pop() {
            Some(only) if names.is_empty() => Bound::One(only, None, self.attributes()),
            last => Bound::Parts(names.into_iter().chain(last).collect()),
        }
    }

    /// `: T`, if a type is declared here.
    pub(super) fn declared_type(&mut self) -> Option<Type> {
        self.eat(TokenKind::Colon).then(|| self.results())
    }

    /// `@name(args)`, any number of them.
    pub(super) fn attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        while self.at(TokenKind::At) {
            let start = self.bump();
            let name = self.name("the name of an attribute");
            let args = if self.at(TokenKind::OpenParen) { self.args() } else { Vec::new() };
            attributes.push(Attribute { name, args, span: start.to(self.last_span()) });
        }
        attributes
    }

    /// `gen i < n, j in lo..hi { e }`; the word is the next token.
    pub(super) fn bind(&mut self, op: BinderOp) -> Expr {
        let start = self.bump();
        let mut binders = vec![self.binder_before_monoid()];
        let mut height = self.height;
        while self.eat(TokenKind::Comma) {
            binders.push(self.binder_before_monoid());
            height = height.max(self.height);
        }
        if self.eat(TokenKind::In) {
            if matches!(op, BinderOp::Sum | BinderOp::Prod) {
                let monoid = self.name("the name of a monoid");
                let body = Box::new(self.block());
                self.height = self.height.max(height) + 1;
                return Expr::new(ExprKind::Fold { op, monoid, binders, body }, start.to(self.last_span()));
            }
            self.complain_whole_range(&binders);
            self.bump();
        }
        let body = if self.at(TokenKind::OpenBrace) { self.block() } else { self.bare_body(start, op) };
        self.height = self.height.max(height) + 1;
        let span = start.to(self.last_span());
        Expr::new(ExprKind::Bind { op, binders, body: Box::new(body) }, span)
    }

    /// The body of a binder that lacks its braces.
    pub(super) fn bare_body(&mut self, start: Span, op: BinderOp) -> Expr {
        self.eat(TokenKind::Colon);
        let from = self.span();
        if !self.begins_operand(0) {
            self.unexpected("`{` and a body");
            return Expr::new(ExprKind::Error, from.at_start());
        }
        let position = self.diagnostics.len();
        let body = self.expr();
        self.complain_bare_body(position, start, op, body.span);
        body
    }

    /// `i < n`, `i in lo..hi`, `i`.
    pub(super) fn binder(&mut self) -> Binder {
        self.binder_before(false)
    }

    /// The same; what follows may be `in m {`, with the name of a monoid.
    fn binder_before_monoid(&mut self) -> Binder {
        let follows = [1, 2, 3].map(|ahead| self.nth(ahead));
        self.binder_before(follows == [TokenKind::In, TokenKind::Ident, TokenKind::OpenBrace])
    }

    fn binder_before(&mut self, is_left_out: bool) -> Binder {
        let start = self.span();
        let name = if self.at(TokenKind::Underscore) {
            self.script_only("`_` as a loop's name");
            Name::new("_", self.bump())
        } else {
            self.name("the name of an index")
        };
        let mut height = 0;
        let mut bound = |parser: &mut Self| {
            let bound = parser.operators(level::CONCAT);
            height = height.max(parser.height);
            bound
        };
        let (lo, hi) = if is_left_out {
            (None, None)
        } else if self.eat(TokenKind::Less) {
            (None, Some(self.extent(&mut bound)))
        } else if self.eat(TokenKind::In) {
            let lo = bound(self);
            self.expect(TokenKind::DotDot);
            (Some(lo), Some(bound(self)))
        } else if matches!(self.peek(), TokenKind::OpenBrace | TokenKind::Comma | TokenKind::At) {
            (None, None)
        } else {
            self.complain_range(&name);
            if matches!(self.peek(), TokenKind::LessEq | TokenKind::Eq | TokenKind::EqEq) {
                self.bump();
            }
            let first = if self.at(TokenKind::OpenBrace) {
                Expr::new(ExprKind::Error, self.span().at_start())
            } else {
                bound(self)
            };
            if self.eat(TokenKind::DotDot) { (Some(first), Some(bound(self))) } else { (None, Some(first)) }
        };
        let attributes = self.attributes();
        self.height = height;
        Binder { name, lo, hi, attributes, span: start.to(self.last_span()) }
    }

    /// An extent, or a list of them, `S..` or `..`.
    pub(super) fn extent(&mut self, mut parse: impl FnMut(&mut Self) -> Expr) -> Expr {
        if self.at(TokenKind::DotDot) {
            return Expr::new(ExprKind::Range(None, None), self.bump());
        }
        let extent = parse(self);
        if !self.eat(TokenKind::DotDot) {
            return extent;
        }
        let span = extent.span.to(self.last_span());
        Expr::new(ExprKind::Range(Some(Box::new(extent)), None), span)
    }

    /// `{ e }`.
    pub(super) fn block(&mut self) -> Expr {
        let open = self.span();
        if !self.expect(TokenKind::OpenBrace) {
            return Expr::new(ExprKind::Error, open.at_start());
        }
        let body = self.expr();
        if self.at(TokenKind::Semicolon) {
            self.complain_block_semicolon();
            self.bump();
        }
        let height = self.height;
        self.close(open, TokenKind::CloseBrace, "an operator or ");
        self.height = height;
        body
    }
}
