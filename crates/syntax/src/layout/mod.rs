//! The canonical layout: where the spaces and line ends go.
//!
//! The one idea: layout works on a list of [`Piece`]s, tokens with their comments, and never adds, drops
//! or reorders one; so laying a program out cannot change it. The formatter makes pieces from a text, the
//! printer from a tree, and both look the same.
//!
//! Indentation is four spaces. A bracket's contents go on lines of their own when they do not fit, and
//! always when a block holds a `;`; a chain of operators breaks before its loosest ones. At most one
//! blank line is kept, between statements and items.

mod doc;
mod spaces;

pub(crate) use doc::{Comment, Doc, render};

use crate::parser::{JOINER, is_clause_word, level};
use crate::token::TokenKind;

/// A token to lay out. `text` need not be the kind's spelling: the printer's mathematical notation
/// differs.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    /// The comments on the lines before it.
    pub(crate) leading: Vec<Comment>,
    /// The comments after it on its line.
    pub(crate) trailing: Vec<Comment>,
    /// A blank line stands before it, after its leading comments.
    pub(crate) blank_before: bool,
}

impl Piece {
    pub(crate) fn new(kind: TokenKind, text: impl Into<String>) -> Piece {
        Piece { kind, text: text.into(), leading: Vec::new(), trailing: Vec::new(), blank_before: false }
    }

    /// Whether a blank line stands before it and its comments.
    fn starts_paragraph(&self) -> bool {
        self.leading.first().map_or(self.blank_before, |comment| comment.blank_before)
    }
}

/// What the pieces are, as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Items.
    File,
    /// One expression or type.
    Expr,
    /// Steps of a schedule.
    Steps,
}

/// Lays the pieces out; `None` puts everything on one line. Brackets must be balanced.
pub(crate) fn lay_out(pieces: &[Piece], shape: Shape, width: Option<usize>) -> String {
    let layout = Layout { pieces };
    let (units, _) = layout.units(0);
    let docs = match shape {
        Shape::File => layout.file(&units),
        Shape::Expr => layout.content(&units, Context::Program),
        Shape::Steps => layout.content(&units, Context::Script),
    };
    render(&docs, width)
}

/// Pieces grouped by their brackets.
#[derive(Clone, Debug)]
enum Unit {
    Piece(usize),
    Bracket {
        open: usize,
        close: usize,
        inner: Vec<Unit>,
    },
    /// A binder: its word and ranges, and its body.
    Bind {
        head: Vec<Unit>,
        body: Box<Unit>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Program,
    Script,
}

struct Layout<'a> {
    pieces: &'a [Piece],
}

impl Layout<'_> {
    // Grouping.

    /// The units from a piece up to the next closing bracket, and where that is.
    fn units(&self, mut at: usize) -> (Vec<Unit>, usize) {
        let mut units = Vec::new();
        while at < self.pieces.len() && !self.pieces[at].kind.is_closer() {
            if self.pieces[at].kind.closer().is_some() {
                let (inner, close) = self.units(at + 1);
                units.push(Unit::Bracket { open: at, close: close.min(self.pieces.len() - 1), inner });
                at = close;
            } else {
                units.push(Unit::Piece(at));
            }
            at += 1;
        }
        (group_binders(self.pieces, units), at)
    }

    fn first(&self, unit: &Unit) -> usize {
        match unit {
            Unit::Piece(at) => *at,
            Unit::Bracket { open, .. } => *open,
            Unit::Bind { head, .. } => self.first(&head[0]),
        }
    }

    fn last(&self, unit: &Unit) -> usize {
        match unit {
            Unit::Piece(at) => *at,
            Unit::Bracket { close, .. } => *close,
            Unit::Bind { body, .. } => self.last(body),
        }
    }

    fn is(&self, unit: &Unit, kind: TokenKind) -> bool {
        matches!(unit, Unit::Piece(at) if self.pieces[*at].kind == kind)
    }

    // Items.

    fn file(&self, units: &[Unit]) -> Vec<Doc> {
        let mut starts: Vec<usize> = (0..units.len())
            .filter(|&at| matches!(&units[at], Unit::Piece(piece) if self.pieces[*piece].kind.begins_item()))
            .collect();
        starts.push(units.len());
        let mut docs = Vec::new();
        for pair in starts.windows(2) {
            let item = &units[pair[0]..pair[1]];
            let first = &self.pieces[self.first(&item[0])];
            let small = |kind: TokenKind| {
                matches!(kind, TokenKind::Import | TokenKind::Format | TokenKind::Use | TokenKind::Const)
            };
            if pair[0] > 0 {
                let both_small = small(first.kind)
                    && units[..pair[0]]
                        .iter()
                        .rev()
                        .find_map(|unit| match unit {
                            Unit::Piece(at) if self.pieces[*at].kind.begins_item() => {
                                Some(self.pieces[*at].kind)
                            }
                            _ => None,
                        })
                        .is_some_and(small);
                let near = both_small && !first.starts_paragraph();
                docs.push(if near { Doc::Hard } else { Doc::Blank });
            }
            docs.extend(self.item(item));
        }
        for end in units.iter().filter(|unit| self.is(unit, TokenKind::End)) {
            let piece = &self.pieces[self.first(end)];
            if !piece.leading.is_empty() {
                docs.push(if piece.starts_paragraph() { Doc::Blank } else { Doc::Hard });
                docs.extend(piece.leading.iter().cloned().map(Doc::Leading));
            }
        }
        docs.push(Doc::Hard);
        docs
    }

    fn item(&self, units: &[Unit]) -> Vec<Doc> {
        let units = match units {
            [units @ .., end] if self.is(end, TokenKind::End) => units,
            units => units,
        };
        let first = self.first(&units[0]);
        let is_on_tuples = self.pieces.get(first + 2).is_some_and(|piece| piece.text == "on");
        let context = match self.pieces[first].kind {
            TokenKind::Semiring if is_on_tuples => Context::Program,
            TokenKind::Schedule | TokenKind::Def | TokenKind::Theorem | TokenKind::Semiring => {
                Context::Script
            }
            _ => Context::Program,
        };
        let Some((Unit::Bracket { open, close, inner }, head)) = units.split_last() else {
            return self.operators(units, Context::Program);
        };
        if self.pieces[*open].kind != TokenKind::OpenBrace {
            return self.operators(units, Context::Program);
        }
        let clause =
            head.iter().position(|unit| self.is(unit, TokenKind::Where) || self.is(unit, TokenKind::If));
        let (head, clause) = head.split_at(clause.unwrap_or(head.len()));
        let mut docs = self.operators(head, Context::Program);
        if !clause.is_empty() {
            let mut inner = vec![Doc::Line];
            inner.push(Doc::Group(vec![Doc::Nest(self.list(clause, Context::Program))]));
            docs.push(Doc::Group(vec![Doc::Nest(inner)]));
        }
        docs.push(Doc::Space);
        docs.extend(self.block(*open, *close, inner, context));
        docs
    }

    // Contents of brackets.

    /// Statements on lines of their own, or a list, or one expression.
    fn content(&self, units: &[Unit], context: Context) -> Vec<Doc> {
        let mut docs = Vec::new();
        for statement in self.statements(units, context) {
            if !docs.is_empty() {
                let paragraph = self.pieces[self.first(&statement[0])].starts_paragraph();
                docs.push(if paragraph { Doc::Blank } else { Doc::Hard });
            }
            docs.extend(match context {
                // The claims of a monoid, which are a list.
                Context::Program if self.pieces[self.first(&statement[0])].text == "laws" => {
                    vec![Doc::Group(vec![Doc::Nest(self.list(statement, context))])]
                }
                Context::Program => self.list(statement, context),
                Context::Script => self.step(statement),
            });
        }
        docs
    }

    /// Statements end with `;`; a step may also end with its last block.
    fn statements<'u>(&self, units: &'u [Unit], context: Context) -> Vec<&'u [Unit]> {
        let mut statements = Vec::new();
        let mut from = 0;
        for (at, unit) in units.iter().enumerate() {
            let joined = units.get(at + 1).is_some_and(|next| self.joins(next));
            let semicolon = units.get(at + 1).is_some_and(|next| self.is(next, TokenKind::Semicolon));
            let block = context == Context::Script && self.is_block(unit) && !joined && !semicolon;
            if block || self.is(unit, TokenKind::Semicolon) {
                statements.push(&units[from..=at]);
                from = at + 1;
            }
        }
        statements.extend((from < units.len()).then(|| &units[from..]));
        statements
    }

    /// Whether this is the block of a step.
    fn is_block(&self, unit: &Unit) -> bool {
        matches!(unit, Unit::Bracket { open, .. } if self.pieces[*open].kind == TokenKind::OpenBrace)
    }

    /// Whether this word joins a block to the one before it.
    fn joins(&self, unit: &Unit) -> bool {
        self.is(unit, TokenKind::Ident) && self.pieces[self.first(unit)].text == JOINER
    }

    /// Elements separated by commas.
    fn list(&self, units: &[Unit], context: Context) -> Vec<Doc> {
        let mut docs = Vec::new();
        for element in units.split_inclusive(|unit| self.is(unit, TokenKind::Comma)) {
            if !docs.is_empty() {
                docs.push(Doc::Line);
            }
            docs.extend(self.operators(element, context));
        }
        docs
    }

    /// `name arguments clause*;`, or `name arguments clause* { steps } or { steps }`
    fn step(&self, units: &[Unit]) -> Vec<Doc> {
        let blocks = units.iter().position(|unit| self.is_block(unit)).unwrap_or(units.len());
        let (units, blocks) = units.split_at(blocks);
        let mut docs = self.directive(units);
        for unit in blocks {
            if !self.is(unit, TokenKind::Semicolon) {
                docs.push(Doc::Space);
            }
            match unit {
                Unit::Bracket { open, close, inner } => {
                    docs.extend(self.block(*open, *close, inner, Context::Script));
                }
                unit => docs.extend(self.unit(unit, Context::Script)),
            }
        }
        docs
    }

    /// `{`, statements on lines of their own, `}`.
    fn block(&self, open: usize, close: usize, inner: &[Unit], context: Context) -> Vec<Doc> {
        let mut docs = self.piece(open);
        if !inner.is_empty() || !self.pieces[close].leading.is_empty() {
            let mut body = vec![Doc::Hard];
            body.extend(self.content(inner, context));
            body.extend(self.before_close(close));
            docs.extend([Doc::Nest(body), Doc::Hard]);
        }
        docs.extend(self.close(close));
        docs
    }

    /// `name arguments clause*;`
    fn directive(&self, units: &[Unit]) -> Vec<Doc> {
        let mut docs = Vec::new();
        let mut from = 0;
        for at in 1..=units.len() {
            let clause = units.get(at).is_none_or(|unit| self.is_clause(unit));
            if !clause && at != 1 {
                continue;
            }
            if from > 0 && !self.is(&units[from], TokenKind::Semicolon) {
                docs.push(Doc::Line);
            }
            docs.extend(self.list(&units[from..at], Context::Script));
            from = at;
        }
        // The comments before the first word stand as far out as it does.
        let first = docs.iter().position(|doc| matches!(doc, Doc::Text(_))).map_or(0, |at| at + 1);
        let rest = docs.split_off(first);
        docs.push(Doc::Nest(rest));
        vec![Doc::Group(docs)]
    }

    fn is_clause(&self, unit: &Unit) -> bool {
        matches!(unit, Unit::Piece(at) if is_clause_word(&self.pieces[*at].text))
    }

    /// A chain of operators, broken before the loosest.
    fn operators(&self, units: &[Unit], context: Context) -> Vec<Doc> {
        let levels: Vec<Option<u8>> =
            (0..units.len()).map(|at| self.infix_level(units, at, context)).collect();
        let Some(loosest) = levels.iter().flatten().min().copied() else {
            return self.sequence(units, context);
        };
        let cuts: Vec<usize> = (0..units.len()).filter(|&at| levels[at] == Some(loosest)).collect();
        let mut docs = self.operators(&units[..cuts[0]], context);
        let mut rest = Vec::new();
        for (index, &cut) in cuts.iter().enumerate() {
            let end = cuts.get(index + 1).copied().unwrap_or(units.len());
            let operator = self.first(&units[cut]);
            if self.pieces[operator].text == "·" || context == Context::Script && self.is_loop(units, cut) {
                rest.extend(self.piece(operator));
            } else {
                rest.push(Doc::Line);
                rest.extend(self.piece(operator));
                rest.push(Doc::Space);
            }
            rest.extend(self.operators(&units[cut + 1..end], context));
        }
        docs.push(Doc::Nest(rest));
        vec![Doc::Group(docs)]
    }

    /// Whether the operator here is the stroke of a loop's name, `bx/y`.
    fn is_loop(&self, units: &[Unit], at: usize) -> bool {
        let name = |unit: Option<&Unit>| unit.is_some_and(|unit| self.is(unit, TokenKind::Ident));
        self.is(&units[at], TokenKind::Slash) && name(units.get(at - 1)) && name(units.get(at + 1))
    }

    /// How loosely a unit binds as an infix operator; `None` when it is not one.
    fn infix_level(&self, units: &[Unit], at: usize, context: Context) -> Option<u8> {
        let Unit::Piece(piece) = units[at] else { return None };
        let level = match self.pieces[piece].kind {
            TokenKind::OrOr => level::OR,
            TokenKind::AndAnd => level::AND,
            TokenKind::PlusPlus => level::CONCAT,
            TokenKind::Bar => level::BIT_OR,
            TokenKind::Caret => level::BIT_XOR,
            TokenKind::Ampersand => level::BIT_AND,
            TokenKind::ShiftLeft | TokenKind::ShiftRight => level::SHIFT,
            TokenKind::Plus | TokenKind::Minus => level::ADD,
            TokenKind::Star | TokenKind::Slash | TokenKind::Percent => level::MUL,
            TokenKind::EqEq
            | TokenKind::NotEq
            | TokenKind::Less
            | TokenKind::LessEq
            | TokenKind::Greater
            | TokenKind::GreaterEq => level::COMPARE,
            _ => return None,
        };
        let after_operand = at > 0 && self.ends_operand(self.last(&units[at - 1]), context);
        (after_operand && !self.is_angle(piece)).then_some(level)
    }

    /// Units one after the other.
    fn sequence(&self, units: &[Unit], context: Context) -> Vec<Doc> {
        let mut docs = Vec::new();
        for (index, unit) in units.iter().enumerate() {
            if index > 0 && self.spaced(self.last(&units[index - 1]), self.first(unit), context) {
                docs.push(Doc::Space);
            }
            docs.extend(self.unit(unit, context));
        }
        docs
    }

    fn unit(&self, unit: &Unit, context: Context) -> Vec<Doc> {
        match unit {
            Unit::Piece(at) => self.piece(*at),
            Unit::Bind { head, body } => {
                let mut docs = vec![Doc::Group(vec![Doc::Nest(self.list(head, context))])];
                if self.pieces[self.first(body)].text == "{" {
                    docs.push(Doc::Space);
                }
                docs.extend(self.unit(body, context));
                docs
            }
            Unit::Bracket { open, close, inner } => {
                let mut docs = self.piece(*open);
                let edge =
                    if self.pieces[*open].kind == TokenKind::OpenBrace { Doc::Line } else { Doc::SoftLine };
                // Inside a bracket of a schedule there are expressions, not steps.
                let mut body = vec![edge.clone()];
                body.extend(self.content(inner, Context::Program));
                body.extend(self.before_close(*close));
                docs.push(Doc::Nest(body));
                if !self.pieces[*close].text.is_empty() {
                    docs.push(edge);
                }
                let close = &self.pieces[*close];
                docs.push(Doc::Text(close.text.clone()));
                let mut docs = vec![Doc::Group(docs)];
                docs.extend(close.trailing.iter().cloned().map(Doc::Trailing));
                docs
            }
        }
    }

    // Pieces with their comments.

    fn piece(&self, at: usize) -> Vec<Doc> {
        let piece = &self.pieces[at];
        let mut docs = self.comments_before(at);
        docs.push(Doc::Text(piece.text.clone()));
        docs.extend(piece.trailing.iter().cloned().map(Doc::Trailing));
        docs
    }

    fn comments_before(&self, at: usize) -> Vec<Doc> {
        let piece = &self.pieces[at];
        let mut docs: Vec<Doc> = Vec::new();
        for (index, comment) in piece.leading.iter().enumerate() {
            let blank_before = comment.blank_before && index > 0;
            docs.push(Doc::Leading(Comment { blank_before, ..comment.clone() }));
        }
        if piece.blank_before && !docs.is_empty() {
            docs.push(Doc::Blank);
        }
        docs
    }

    /// The comments before a closing bracket, inside it.
    fn before_close(&self, at: usize) -> Vec<Doc> {
        self.pieces[at].leading.iter().cloned().map(Doc::Leading).collect()
    }

    /// A closing bracket without the comments before it.
    fn close(&self, at: usize) -> Vec<Doc> {
        let piece = &self.pieces[at];
        let mut docs = vec![Doc::Text(piece.text.clone())];
        docs.extend(piece.trailing.iter().cloned().map(Doc::Trailing));
        docs
    }
}

/// Puts each binder together with its ranges and its body.
fn group_binders(pieces: &[Piece], units: Vec<Unit>) -> Vec<Unit> {
    let kind = |unit: &Unit| match unit {
        Unit::Piece(at) => Some(pieces[*at].kind),
        _ => None,
    };
    let is_body = |unit: &Unit| matches!(unit, Unit::Bracket { open, .. } if pieces[*open].kind == TokenKind::OpenBrace);
    let mut grouped: Vec<Unit> = Vec::new();
    // Where in `grouped` the binders begin that have not met their bodies.
    let mut begun: Vec<usize> = Vec::new();
    let kinds: Vec<Option<TokenKind>> = units.iter().map(kind).collect();
    let texts: Vec<&str> = units
        .iter()
        .map(|unit| match unit {
            Unit::Piece(at) => pieces[*at].text.as_str(),
            _ => "",
        })
        .collect();
    let opens: Vec<bool> = units.iter().map(is_body).collect();
    let is_range = |at: usize| {
        let kind = kinds.get(at).copied().flatten();
        let named = matches!(kind, Some(TokenKind::Less | TokenKind::In | TokenKind::Comma | TokenKind::At));
        named || opens.get(at) == Some(&true)
    };
    for (at, unit) in units.into_iter().enumerate() {
        let ahead = |by: usize| kinds.get(at + by).copied().flatten();
        let after = texts.get(at + 1).copied();
        let word = match kinds[at] {
            // `T: any`, an element type of a function.
            Some(TokenKind::Any) if matches!(ahead(1), Some(TokenKind::Greater | TokenKind::Comma)) => false,
            Some(TokenKind::Gen | TokenKind::Sum | TokenKind::Prod | TokenKind::Any | TokenKind::All) => true,
            Some(TokenKind::Ident) if matches!(texts[at], "iterate" | "scan") => {
                matches!(ahead(1), Some(TokenKind::Ident)) && ahead(2) == Some(TokenKind::Less)
            }
            Some(TokenKind::Ident) => {
                matches!(texts[at], "max" | "min")
                    && matches!(ahead(1), Some(TokenKind::Ident | TokenKind::Underscore))
                    && is_range(at + 2)
                    && !after.is_some_and(is_clause_word)
            }
            _ => false,
        };
        if word {
            begun.push(grouped.len());
        }
        if is_body(&unit)
            && let Some(start) = begun.pop()
        {
            let head = grouped.split_off(start);
            grouped.push(Unit::Bind { head, body: Box::new(unit) });
        } else {
            grouped.push(unit);
        }
    }
    grouped
}
