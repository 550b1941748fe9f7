//! Items.

use atl_diag::{Span, err};

use super::expr::level;
use super::{Parser, Place};
use crate::ast::{
    BinaryOp, Const, Def, Expr, ExprKind, File, Format, FormatDecl, Function, Import, Item, Monoid, Name,
    Param, Schedule, Semiring, Theorem, Type, TypeKind, TypeParam, Use,
};
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut items = Vec::new();
        while !self.at(TokenKind::End) {
            let doc = self.doc();
            let start = self.span();
            self.place = Place::Program;
            let item = match self.peek() {
                TokenKind::Fn => Item::Function(self.function(doc)),
                TokenKind::Schedule => Item::Schedule(self.schedule(doc)),
                TokenKind::Semiring if self.nth_text(2) == "on" => Item::Monoid(self.monoid(doc)),
                TokenKind::Semiring => Item::Semiring(self.semiring(doc)),
                TokenKind::Monoid => Item::Monoid(self.monoid(doc)),
                TokenKind::Def => Item::Def(self.def(doc)),
                TokenKind::Theorem => Item::Theorem(self.theorem(doc)),
                TokenKind::Import => Item::Import(self.import()),
                TokenKind::Format => Item::Format(self.format(doc)),
                TokenKind::Use => Item::Use(self.use_of()),
                TokenKind::Const => Item::Const(self.constant(doc)),
                _ => {
                    self.not_an_item();
                    continue;
                }
            };
            debug_assert!(self.span() != start || self.at(TokenKind::End));
            items.push(item);
        }
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        File { items, span: Span::new(self.file, 0, end) }
    }

    /// The documentation comment that ends just before the next token.
    fn doc(&self) -> Vec<String> {
        let Some(&next) = self.significant.get(self.position) else { return Vec::new() };
        let mut lines: Vec<String> = self.tokens[..next]
            .iter()
            .rev()
            .take_while(|token| token.kind.is_trivia())
            .filter(|token| token.kind == TokenKind::DocComment)
            .map(|token| {
                let line = self.text[token.range()].trim_start_matches('/').trim_end();
                line.strip_prefix(' ').unwrap_or(line).to_owned()
            })
            .collect();
        lines.reverse();
        lines
    }

    fn not_an_item(&mut self) {
        let found = self.found();
        let items =
            "`fn`, `schedule`, `const`, `def`, `theorem`, `format`, `semiring`, `monoid`, `use` or `import`";
        let diagnostic = if self.peek().is_closer() {
            err!(E0125, self.span(), "{found} closes nothing").help("remove it, or open its partner")
        } else {
            err!(E0122, self.span(), "expected an item, found {found}").label(format!("expected {items}"))
        };
        let function = ["func", "function", "fun", "pub", "let"].contains(&self.nth_text(0));
        self.complain(if function {
            diagnostic.help("a function is written `fn NAME(x: f32[N]) -> f32[N] { … }`")
        } else {
            diagnostic
        });
        while !self.at(TokenKind::End) && !self.peek().begins_item() {
            self.bump();
        }
    }

    fn import(&mut self) -> Import {
        let start = self.bump();
        let path = if self.at(TokenKind::Str) {
            let literal = self.nth_text(0);
            self.bump();
            unescape(literal)
        } else {
            self.unexpected("the path of a file, in quotes");
            String::new()
        };
        let span = start.to(self.last_span());
        self.eat(TokenKind::Semicolon);
        Import { path, span }
    }

    /// `use std.nn.{relu, softmax};`.
    fn use_of(&mut self) -> Use {
        let start = self.bump();
        let module = self.name("a module of the library, such as `std.nn`");
        let open = self.span();
        let names = if self.eat(TokenKind::DotBrace) {
            self.list(open, TokenKind::CloseBrace, |parser| parser.name("the name of a function"))
        } else {
            self.without_braces(&module);
            Vec::new()
        };
        let span = start.to(self.last_span());
        self.semicolon("the use of", &module);
        Use { module, names, span }
    }

    /// Complains of `use std.nn.relu`, which is no list.
    fn without_braces(&mut self, module: &Name) {
        match module.text.rsplit_once('.') {
            Some((of, name)) if of.contains('.') => {
                let refusal =
                    err!(E0103, module.span, "`use` has a list in braces, and `{}` is none", module.text);
                self.complain(refusal.suggest(
                    "put the name in braces",
                    module.span,
                    format!("{of}.{{{name}}}"),
                ));
            }
            _ => self.unexpected(TokenKind::DotBrace.describe()),
        }
    }

    /// `const NAME: type = value;`.
    fn constant(&mut self, doc: Vec<String>) -> Const {
        let start = self.bump();
        let name = self.name("the name of a constant");
        let ty = if self.expect(TokenKind::Colon) {
            self.ty()
        } else {
            Type { kind: TypeKind::Error, span: self.span().at_start() }
        };
        self.expect(TokenKind::Eq);
        let value = self.expr();
        let span = start.to(self.last_span());
        self.semicolon("the constant", &name);
        Const { doc, name, ty, value, span }
    }

    fn format(&mut self, doc: Vec<String>) -> FormatDecl {
        let start = self.bump();
        let name = self.name("the name of a format");
        self.expect(TokenKind::Eq);
        let format = self.format_value().unwrap_or(Format::Levels(Vec::new()));
        let span = start.to(self.last_span());
        self.semicolon("the format", &name);
        FormatDecl { doc, name, format, span }
    }

    /// `csr` or `[dense, compressed]`.
    fn format_value(&mut self) -> Option<Format> {
        let place = std::mem::replace(&mut self.place, Place::Script);
        let expr = self.operators(level::POSTFIX);
        self.place = place;
        let format = expr.as_format();
        if format.is_none() && expr.kind != ExprKind::Error {
            self.complain(
                err!(E0103, expr.span, "expected a format")
                    .label("a name such as `csr`, or a level list such as `[dense, compressed]`"),
            );
        }
        format
    }

    fn function(&mut self, doc: Vec<String>) -> Function {
        let start = self.bump();
        let name = self.name("the name of a function");
        let (list, mut type_params) = self.type_params();
        let params = self.params();
        let result = if self.eat(TokenKind::Arrow) {
            Some(self.results())
        } else {
            let place = self.span().at_start();
            self.complain(
                err!(E0119, place, "`{}` does not say what it returns", name.text)
                    .label(format!("expected `->` and a type, found {}", self.found()))
                    .help("write the element type and the sizes of the result: `-> f32[N, M]`"),
            );
            if self.eat(TokenKind::Colon) { Some(self.ty()) } else { None }
        };
        let is_element = |param: &TypeParam| {
            !param.bound.text.is_empty()
                || params.iter().map(|p| &p.ty).chain(&result).any(|ty| has_element(ty, &param.name.text))
        };
        if !type_params.iter().all(is_element) {
            self.complain_size_list(list);
            type_params.retain(is_element);
        }
        let preconditions = if self.eat(TokenKind::Where) { self.conditions() } else { Vec::new() };
        let body = self.block();
        Function {
            doc,
            name,
            type_params,
            params,
            result,
            preconditions,
            body,
            span: start.to(self.last_span()),
        }
    }

    /// `<T: float, U, S..>`, and where it stands.
    fn type_params(&mut self) -> (Span, Vec<TypeParam>) {
        let open = self.span();
        if !self.eat(TokenKind::Less) {
            return (open, Vec::new());
        }
        let found = self.list(open, TokenKind::Greater, |parser| {
            let name = parser.name("the name of an element type");
            let bound = if parser.at(TokenKind::DotDot) {
                Name::new("..", parser.bump())
            } else if !parser.eat(TokenKind::Colon) {
                Name::new("", name.span.at_end())
            } else if parser.at(TokenKind::Any) {
                Name::new("any", parser.bump())
            } else {
                parser.name("`int`, `float`, `number` or `any`")
            };
            let span = name.span.to(parser.last_span());
            TypeParam { name, bound, span }
        });
        (open.to(self.last_span()), found)
    }

    fn params(&mut self) -> Vec<Param> {
        let open = self.span();
        if !self.expect(TokenKind::OpenParen) {
            return Vec::new();
        }
        self.list(open, TokenKind::CloseParen, |parser| {
            let name = parser.name("the name of a parameter");
            let ty = if parser.expect(TokenKind::Colon) {
                parser.results()
            } else {
                Type { kind: TypeKind::Error, span: parser.span().at_start() }
            };
            let default = parser.eat(TokenKind::Eq).then(|| parser.expr());
            let span = name.span.to(parser.last_span());
            Param { name, ty, default, span }
        })
    }

    /// A type, or several results in parentheses, `(f32[N], best: i32[N])`.
    pub(super) fn results(&mut self) -> Type {
        if !self.at(TokenKind::OpenParen) {
            return self.ty();
        }
        let open = self.bump();
        let mut parts = self.list(open, TokenKind::CloseParen, |parser| {
            let is_named = parser.at(TokenKind::Ident) && parser.nth(1) == TokenKind::Colon;
            let name = is_named.then(|| parser.name("the name of a result"));
            if is_named {
                parser.expect(TokenKind::Colon);
            }
            (name, parser.results())
        });
        if self.at(TokenKind::OpenBracket) {
            // Of a tensor of tuples each field is a tensor.
            let open = self.bump();
            let shape = self.list(open, TokenKind::CloseBracket, |parser| parser.extent(Self::expr));
            for (_, ty) in &mut parts {
                if let TypeKind::Tensor { extents, .. } = &mut ty.kind {
                    extents.splice(0..0, shape.iter().cloned());
                }
            }
        }
        let span = open.to(self.last_span());
        match parts.len() {
            0 => {
                self.unexpected("the types of the results, such as `(f32[N], i32[N])`");
                Type { kind: TypeKind::Error, span }
            }
            1 => parts.remove(0).1,
            _ => Type { kind: TypeKind::Several(parts), span },
        }
    }

    pub(super) fn ty(&mut self) -> Type {
        let start = self.span();
        if !self.at(TokenKind::Ident) {
            self.unexpected("a type, such as `f32[N, M]`");
            return Type { kind: TypeKind::Error, span: start.at_start() };
        }
        if self.at_word("size") {
            return Type { kind: TypeKind::Size, span: self.bump() };
        }
        let element = self.element_type();
        let extents = if self.at(TokenKind::OpenBracket) {
            let open = self.bump();
            self.list(open, TokenKind::CloseBracket, |parser| parser.extent(Self::expr))
        } else {
            Vec::new()
        };
        let format = if self.eat(TokenKind::As) {
            self.format_value().map(Box::new)
        } else if self.eat(TokenKind::In) {
            Some(Box::new(Format::Layout(Box::new(self.layout()))))
        } else {
            None
        };
        Type { kind: TypeKind::Tensor { element, extents, format }, span: start.to(self.last_span()) }
    }

    /// Predicates separated by `,` or `&&`.
    fn conditions(&mut self) -> Vec<Expr> {
        let mut conditions = Vec::new();
        loop {
            let condition = self.expr();
            split_conjunction(condition, &mut conditions);
            if !self.eat(TokenKind::Comma) {
                return conditions;
            }
        }
    }

    fn schedule(&mut self, doc: Vec<String>) -> Schedule {
        let start = self.bump();
        let name = self.name("the name of a schedule");
        let of = if self.at_word("of") {
            self.bump();
            self.name("the name of the function it schedules")
        } else {
            self.unexpected("`of` and the name of a function");
            Name::new("", self.span().at_start())
        };
        let steps = self.script();
        Schedule { doc, name, of, steps, span: start.to(self.last_span()) }
    }

    /// `monoid NAME on (v: f64, i: i32) { zero e; add f; laws g; }`, or `semiring NAME on (..) { zero e; one
    /// e; add f; mul f; laws g; }`; the word is the next token.
    fn monoid(&mut self, doc: Vec<String>) -> Monoid {
        let is_semiring = self.at(TokenKind::Semiring);
        let start = self.bump();
        let name = self.name("the name of a monoid");
        if self.at_word("on") {
            self.bump();
        } else {
            self.unexpected("`on` and the fields of an element, `(v: f64, i: i32)`");
        }
        let open = self.span();
        let mut fields = Vec::new();
        if self.expect(TokenKind::OpenParen) {
            fields = self.list(open, TokenKind::CloseParen, |parser| {
                let name = parser.name("the name of a field");
                parser.expect(TokenKind::Colon);
                (name, parser.element_type())
            });
        }
        let open = self.span();
        self.expect(TokenKind::OpenBrace);
        let zero = self.field_of_monoid("zero", "what a sum over nothing is");
        let one = is_semiring.then(|| self.field_of_monoid("one", "what a product of nothing is"));
        let add = self.field_of_monoid("add", "what two elements `a` and `b` are together");
        let mul = is_semiring.then(|| self.field_of_monoid("mul", "what the product of `a` and `b` is"));
        let laws = self.laws_of_monoid();
        self.close(open, TokenKind::CloseBrace, "");
        let (product, span) = (one.zip(mul).map(Box::new), start.to(self.last_span()));
        Monoid { doc, name, fields, zero, add, product, laws, span }
    }

    /// `laws associative, commutative;`, if that is there.
    fn laws_of_monoid(&mut self) -> Vec<Name> {
        if !self.at_word("laws") {
            return Vec::new();
        }
        self.bump();
        let mut laws = vec![self.name("the name of a law")];
        while self.eat(TokenKind::Comma) {
            laws.push(self.name("the name of a law"));
        }
        let last = Name::new("laws", self.last_span());
        self.semicolon("the claims of", &last);
        laws
    }

    /// `word e;`.
    fn field_of_monoid(&mut self, word: &str, what: &str) -> Expr {
        if !self.at_word(word) {
            self.unexpected(&format!("`{word}` and {what}"));
            return Expr::new(ExprKind::Error, self.span().at_start());
        }
        self.bump();
        let value = self.expr();
        self.semicolon("the value of", &Name::new(word, value.span));
        value
    }

    fn semiring(&mut self, doc: Vec<String>) -> Semiring {
        let start = self.bump();
        let name = self.name("the name of a semiring");
        let fields = self.script();
        Semiring { doc, name, fields, span: start.to(self.last_span()) }
    }

    fn def(&mut self, doc: Vec<String>) -> Def {
        let start = self.bump();
        let name = self.name("the name of a tactic");
        let params = if self.at(TokenKind::OpenParen) {
            let open = self.bump();
            self.list(open, TokenKind::CloseParen, |parser| parser.name("the name of a parameter"))
        } else {
            Vec::new()
        };
        let steps = self.script();
        Def { doc, name, params, steps, span: start.to(self.last_span()) }
    }

    fn theorem(&mut self, doc: Vec<String>) -> Theorem {
        let start = self.bump();
        let name = self.name("the name of a theorem");
        let params = if self.at(TokenKind::OpenParen) { self.params() } else { Vec::new() };
        self.expect(TokenKind::Colon);
        let lhs = self.operators(level::CONCAT);
        if self.at(TokenKind::Eq) {
            let span = self.span();
            self.complain(err!(E0114, span, "the sides of a theorem are joined by `==`").suggest(
                "write `==`",
                span,
                "==",
            ));
            self.bump();
        } else {
            self.expect(TokenKind::EqEq);
        }
        let rhs = self.operators(level::CONCAT);
        let conditions = if self.eat(TokenKind::If) { self.conditions() } else { Vec::new() };
        let proof = self.script();
        Theorem { doc, name, params, lhs, rhs, conditions, proof, span: start.to(self.last_span()) }
    }

    /// `{ step; … }`.
    fn script(&mut self) -> Vec<crate::ast::Step> {
        let open = self.span();
        if !self.expect(TokenKind::OpenBrace) {
            return Vec::new();
        }
        self.place = Place::Script;
        let steps = self.steps(TokenKind::CloseBrace);
        self.close(open, TokenKind::CloseBrace, "a step or ");
        self.place = Place::Program;
        steps
    }
}

fn split_conjunction(condition: Expr, into: &mut Vec<Expr>) {
    match condition.kind {
        ExprKind::Binary(BinaryOp::And, lhs, rhs) => {
            split_conjunction(*lhs, into);
            split_conjunction(*rhs, into);
        }
        kind => into.push(Expr::new(kind, condition.span)),
    }
}

/// The text that a string literal stands for.
fn unescape(literal: &str) -> String {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(escaped) => out.push(escaped),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

/// Has the type elements that are called so?
fn has_element(ty: &Type, name: &str) -> bool {
    match &ty.kind {
        TypeKind::Tensor { element, .. } => element.scalar.text == name,
        TypeKind::Several(parts) => parts.iter().any(|(_, ty)| has_element(ty, name)),
        TypeKind::Size | TypeKind::Error => false,
    }
}
