//! Trees to text, in the notation of programs or of the papers.
//!
//! Programs built from kernel terms are shown through this. In [`Notation::Ascii`], printing and parsing
//! again is the identity, and parentheses stand only where the grammar needs them (and around a guard
//! after a prefix operator, for the eye). [`Notation::Math`] is for reading:
//! `⊞ i < n. ∑ k < K. a[i, k]·b[k, j]`, `[p]·e`, `⌊i / 2⌋`.
//!
//! The printer makes pieces and leaves spaces and line ends to the layout, which the formatter shares; so
//! a printed program is also a formatted one.

mod expr;
mod item;

use crate::ast::{Expr, File, Function, Item, Step, Type};
use crate::format::WIDTH;
use crate::layout::{Comment, Piece, Shape, lay_out};
use crate::token::TokenKind;

/// How mathematics is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// As in programs.
    Ascii,
    /// As in the papers.
    Math,
}

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// The notation.
    pub notation: Notation,
    /// The longest line, in characters; `None` puts everything on one line.
    pub width: Option<usize>,
}

impl Style {
    /// As the formatter does it.
    pub const SOURCE: Style = Style { notation: Notation::Ascii, width: Some(WIDTH) };
    /// On one line, for messages.
    pub const LINE: Style = Style { notation: Notation::Ascii, width: None };
    /// In the notation of the papers.
    pub const MATH: Style = Style { notation: Notation::Math, width: Some(WIDTH) };
}

/// An expression or a pattern.
pub fn print_expr(expr: &Expr, style: Style) -> String {
    print(style, Shape::Expr, |printer| printer.expr(expr))
}

/// A type, its format included.
pub fn print_type(ty: &Type, style: Style) -> String {
    print(style, Shape::Expr, |printer| printer.ty(ty))
}

/// A function, ending in a line end.
pub fn print_function(function: &Function, style: Style) -> String {
    print(style, Shape::File, |printer| printer.function(function))
}

/// An item, ending in a line end.
pub fn print_item(item: &Item, style: Style) -> String {
    print(style, Shape::File, |printer| printer.item(item))
}

/// A file.
pub fn print_file(file: &File, style: Style) -> String {
    print(style, Shape::File, |printer| file.items.iter().for_each(|item| printer.item(item)))
}

/// A step of a schedule with its `;`.
pub fn print_step(step: &Step, style: Style) -> String {
    print(style, Shape::Steps, |printer| printer.step(step))
}

fn print(style: Style, shape: Shape, rule: impl FnOnce(&mut Printer)) -> String {
    let mut printer = Printer {
        notation: style.notation,
        pieces: Vec::new(),
        doc: Vec::new(),
        index: false,
        before_in: false,
    };
    rule(&mut printer);
    lay_out(&printer.pieces, shape, style.width)
}

struct Printer {
    notation: Notation,
    pieces: Vec<Piece>,
    /// The documentation comment that goes before the next piece.
    doc: Vec<Comment>,
    /// The expression at hand is an index, a bound or a predicate.
    index: bool,
    /// Is what is printed the ranges of a sum in a monoid, which `in` follows?
    before_in: bool,
}

impl Printer {
    fn piece(&mut self, kind: TokenKind, text: &str) {
        let leading = std::mem::take(&mut self.doc);
        self.pieces.push(Piece { leading, ..Piece::new(kind, text) });
    }

    /// A piece that is written differently in mathematics.
    fn either(&mut self, kind: TokenKind, ascii: &str, math: &str) {
        let text = if self.notation == Notation::Math { math } else { ascii };
        self.piece(kind, text);
    }

    /// `a, b, c`
    fn separated<T>(&mut self, elements: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                self.piece(TokenKind::Comma, ",");
            }
            print(self, element);
        }
    }
}

#[cfg(test)]
mod tests;
