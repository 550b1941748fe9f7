//! Items, types and steps.

use super::Printer;
use crate::ast::{
    Argument, ElementType, Expr, Format, Function, Item, Level, Name, Param, Step, Type, TypeKind,
};
use crate::layout::Comment;
use crate::parser::JOINER;
use crate::token::TokenKind;

impl Printer {
    pub(super) fn item(&mut self, item: &Item) {
        match item {
            Item::Import(item) => {
                let path = item.path.replace('\\', "\\\\").replace('"', "\\\"");
                let path = path.replace('\n', "\\n").replace('\t', "\\t");
                self.piece(TokenKind::Import, "import");
                self.piece(TokenKind::Str, &format!("\"{path}\""));
            }
            Item::Use(item) => {
                self.piece(TokenKind::Use, "use");
                self.piece(TokenKind::Ident, &item.module.text);
                self.piece(TokenKind::DotBrace, ".{");
                self.separated(&item.names, |printer, name| printer.piece(TokenKind::Ident, &name.text));
                self.piece(TokenKind::CloseBrace, "}");
                self.piece(TokenKind::Semicolon, ";");
            }
            Item::Const(item) => {
                self.head(&item.doc, TokenKind::Const, "const", &item.name);
                self.piece(TokenKind::Colon, ":");
                self.ty(&item.ty);
                self.piece(TokenKind::Eq, "=");
                self.expr(&item.value);
                self.piece(TokenKind::Semicolon, ";");
            }
            Item::Format(item) => {
                self.head(&item.doc, TokenKind::Format, "format", &item.name);
                self.piece(TokenKind::Eq, "=");
                self.format(&item.format);
                self.piece(TokenKind::Semicolon, ";");
            }
            Item::Function(item) => self.function(item),
            Item::Schedule(item) => {
                self.head(&item.doc, TokenKind::Schedule, "schedule", &item.name);
                self.piece(TokenKind::Ident, "of");
                self.piece(TokenKind::Ident, &item.of.text);
                self.script(&item.steps);
            }
            Item::Monoid(item) => {
                let (kind, word) = match &item.product {
                    None => (TokenKind::Monoid, "monoid"),
                    Some(_) => (TokenKind::Semiring, "semiring"),
                };
                self.head(&item.doc, kind, word, &item.name);
                self.piece(TokenKind::Ident, "on");
                self.piece(TokenKind::OpenParen, "(");
                self.separated(&item.fields, |printer, (name, of)| {
                    printer.piece(TokenKind::Ident, &name.text);
                    printer.piece(TokenKind::Colon, ":");
                    printer.element_type(of);
                });
                self.piece(TokenKind::CloseParen, ")");
                self.piece(TokenKind::OpenBrace, "{");
                let (one, mul) = item.product.as_ref().map(|product| (&product.0, &product.1)).unzip();
                let parts =
                    [("zero", Some(&item.zero)), ("one", one), ("add", Some(&item.add)), ("mul", mul)];
                for (word, value) in parts {
                    let Some(value) = value else { continue };
                    self.piece(TokenKind::Ident, word);
                    self.expr(value);
                    self.piece(TokenKind::Semicolon, ";");
                }
                if !item.laws.is_empty() {
                    self.piece(TokenKind::Ident, "laws");
                    self.separated(&item.laws, |printer, law| printer.piece(TokenKind::Ident, &law.text));
                    self.piece(TokenKind::Semicolon, ";");
                }
                self.piece(TokenKind::CloseBrace, "}");
            }
            Item::Semiring(item) => {
                self.head(&item.doc, TokenKind::Semiring, "semiring", &item.name);
                self.script(&item.fields);
            }
            Item::Def(item) => {
                self.head(&item.doc, TokenKind::Def, "def", &item.name);
                if !item.params.is_empty() {
                    self.piece(TokenKind::OpenParen, "(");
                    self.separated(&item.params, |printer, param| {
                        printer.piece(TokenKind::Ident, &param.text);
                    });
                    self.piece(TokenKind::CloseParen, ")");
                }
                self.script(&item.steps);
            }
            Item::Theorem(item) => {
                self.head(&item.doc, TokenKind::Theorem, "theorem", &item.name);
                if !item.params.is_empty() {
                    self.params(&item.params);
                }
                self.piece(TokenKind::Colon, ":");
                self.side(&item.lhs);
                self.either(TokenKind::EqEq, "==", "=");
                self.side(&item.rhs);
                if !item.conditions.is_empty() {
                    self.piece(TokenKind::If, "if");
                    self.conditions(&item.conditions);
                }
                self.script(&item.proof);
            }
        }
    }

    pub(super) fn function(&mut self, function: &Function) {
        self.head(&function.doc, TokenKind::Fn, "fn", &function.name);
        if !function.type_params.is_empty() {
            self.piece(TokenKind::Less, "<");
            self.separated(&function.type_params, |printer, param| {
                printer.piece(TokenKind::Ident, &param.name.text);
                match &*param.bound.text {
                    "" => {}
                    ".." => printer.piece(TokenKind::DotDot, ".."),
                    bound => {
                        printer.piece(TokenKind::Colon, ":");
                        printer.piece(TokenKind::keyword(bound).unwrap_or(TokenKind::Ident), bound);
                    }
                }
            });
            self.piece(TokenKind::Greater, ">");
        }
        self.params(&function.params);
        if let Some(result) = &function.result {
            self.either(TokenKind::Arrow, "->", "→");
            self.ty(result);
        }
        if !function.preconditions.is_empty() {
            self.piece(TokenKind::Where, "where");
            self.conditions(&function.preconditions);
        }
        self.piece(TokenKind::OpenBrace, "{");
        self.expr(&function.body);
        self.piece(TokenKind::CloseBrace, "}");
    }

    /// The documentation comment, the keyword and the name of an item.
    fn head(&mut self, doc: &[String], kind: TokenKind, keyword: &str, name: &Name) {
        self.doc = doc
            .iter()
            .map(|line| Comment {
                text: format!("/// {line}").trim_end().to_owned(),
                ends_line: true,
                blank_before: false,
            })
            .collect();
        self.piece(kind, keyword);
        self.piece(TokenKind::Ident, &name.text);
    }

    fn params(&mut self, params: &[Param]) {
        self.piece(TokenKind::OpenParen, "(");
        self.separated(params, |printer, param| {
            printer.piece(TokenKind::Ident, &param.name.text);
            printer.piece(TokenKind::Colon, ":");
            printer.ty(&param.ty);
            if let Some(default) = &param.default {
                printer.either(TokenKind::Eq, "=", "≔");
                printer.expr(default);
            }
        });
        self.piece(TokenKind::CloseParen, ")");
    }

    fn conditions(&mut self, conditions: &[Expr]) {
        self.as_index(|printer| printer.separated(conditions, Self::expr));
    }

    pub(super) fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Error => self.piece(TokenKind::Underscore, "_"),
            TypeKind::Size => self.piece(TokenKind::Ident, "size"),
            TypeKind::Several(parts) => {
                self.piece(TokenKind::OpenParen, "(");
                self.separated(parts, |printer, (name, ty)| {
                    if let Some(name) = name {
                        printer.piece(TokenKind::Ident, &name.text);
                        printer.piece(TokenKind::Colon, ":");
                    }
                    printer.ty(ty);
                });
                self.piece(TokenKind::CloseParen, ")");
            }
            TypeKind::Tensor { element, extents, format } => {
                self.element_type(element);
                if !extents.is_empty() {
                    self.piece(TokenKind::OpenBracket, "[");
                    self.as_index(|printer| printer.separated(extents, Self::expr));
                    self.piece(TokenKind::CloseBracket, "]");
                }
                match format.as_deref() {
                    None => {}
                    Some(Format::Layout(layout)) => {
                        self.piece(TokenKind::In, "in");
                        self.expr(layout);
                    }
                    Some(format) => {
                        self.piece(TokenKind::As, "as");
                        self.format(format);
                    }
                }
            }
        }
    }

    pub(super) fn element_type(&mut self, element: &ElementType) {
        if let Some(semiring) = &element.semiring {
            self.piece(TokenKind::Ident, &semiring.text);
            self.piece(TokenKind::Less, "<");
        }
        self.piece(TokenKind::Ident, &element.scalar.text);
        if element.semiring.is_some() {
            self.piece(TokenKind::Greater, ">");
        }
    }

    fn format(&mut self, format: &Format) {
        match format {
            Format::Named(name) => self.level(name),
            Format::Layout(layout) => self.expr(layout),
            Format::Levels(levels) => {
                self.piece(TokenKind::OpenBracket, "[");
                self.separated(levels, Self::level);
                self.piece(TokenKind::CloseBracket, "]");
            }
        }
    }

    fn level(&mut self, level: &Level) {
        self.piece(TokenKind::Ident, &level.name.text);
        if !level.args.is_empty() {
            self.piece(TokenKind::OpenParen, "(");
            self.separated(&level.args, Self::expr);
            self.piece(TokenKind::CloseParen, ")");
        }
        if let Some(axes) = &level.of {
            self.piece(TokenKind::Ident, "of");
            self.expr(axes);
        }
    }

    fn script(&mut self, steps: &[Step]) {
        self.piece(TokenKind::OpenBrace, "{");
        for step in steps {
            self.step(step);
        }
        self.piece(TokenKind::CloseBrace, "}");
    }

    pub(super) fn step(&mut self, step: &Step) {
        self.piece(TokenKind::Ident, &step.name.text);
        self.separated(&step.args, Self::argument);
        for clause in &step.clauses {
            let kind = TokenKind::keyword(&clause.word.text).unwrap_or(TokenKind::Ident);
            self.piece(kind, &clause.word.text);
            self.separated(&clause.args, Self::argument);
        }
        for (number, block) in step.blocks.iter().enumerate() {
            if number > 0 {
                self.piece(TokenKind::Ident, JOINER);
            }
            self.script(&block.steps);
        }
        if step.blocks.is_empty() {
            self.piece(TokenKind::Semicolon, ";");
        }
    }

    fn argument(&mut self, argument: &Argument) {
        if let Some(name) = &argument.name {
            self.piece(TokenKind::Ident, &name.text);
            self.piece(TokenKind::Eq, "=");
        }
        self.expr(&argument.value);
    }
}
