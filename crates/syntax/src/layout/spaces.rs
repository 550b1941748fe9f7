//! Where a space stands between two pieces of a line.
//!
//! The one idea: what two neighbours are decides it, but for a few whose meaning the pieces before them say: a sign, a
//! colon, an angle bracket, a word before a value in parentheses.

use super::{Context, Layout};
use crate::parser::{SCALARS, is_clause_word};
use crate::token::TokenKind;

impl Layout<'_> {
    /// Whether a space stands between two neighbouring pieces.
    pub(super) fn spaced(&self, before: usize, after: usize, context: Context) -> bool {
        use TokenKind as T;
        let (last, next) = (&self.pieces[before], &self.pieces[after]);
        let prefix = matches!(last.kind, T::Minus | T::Not | T::Tilde)
            && !before.checked_sub(1).is_some_and(|at| self.ends_operand(at, context));
        let layout_colon = last.kind == T::Colon
            && matches!(next.kind, T::OpenParen | T::Int)
            && before.checked_sub(1).is_some_and(|at| matches!(self.pieces[at].kind, T::CloseParen | T::Int))
            && !self.ends_theorem_head(before);
        let stroke = match (last.kind, next.kind) {
            (_, T::Slash) => Some(after),
            (T::Slash, _) => Some(before),
            _ => None,
        };
        // A loop in a `let` that is called like a clause, `by/i`: no clause begins with a stroke.
        let in_name = context == Context::Script
            && stroke
                .and_then(|at| at.checked_sub(1))
                .is_some_and(|at| is_clause_word(&self.pieces[at].text));
        if in_name
            || prefix
            || layout_colon
            || self.is_angle(before) && last.kind == T::Less
            || self.is_angle(after)
        {
            return false;
        }
        match (last.kind, next.kind) {
            (T::DotDot, T::OpenBrace | T::In) => true,
            (T::At | T::DotDot, _) => false,
            (_, T::DotDot | T::Comma | T::Semicolon | T::Colon) => false,
            (_, T::OpenBracket | T::GuardBracket) => {
                !self.ends_operand(before, context) && !self.is_angle(before)
            }
            (T::Ident, T::OpenParen) => !self.ends_operand(before, context) || self.is_word(before),
            (T::Greater, T::OpenParen) => !self.is_angle(before),
            (_, T::DotBrace) => false,
            (_, T::OpenBrace) => next.text == "{",
            _ => true,
        }
    }

    /// Whether this is a word of the language before a value in parentheses, and no function: `give (a,
    /// b)`, and those of a monoid.
    fn is_word(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map(|at| self.pieces[at].kind);
        let begins = matches!(before(1), Some(TokenKind::OpenBrace | TokenKind::Semicolon));
        let item = || self.pieces[..at].iter().rev().map(|piece| piece.kind).find(|kind| kind.begins_item());
        match self.pieces[at].text.as_str() {
            "give" => before(1) == Some(TokenKind::CloseBrace),
            "on" => matches!(before(2), Some(TokenKind::Monoid | TokenKind::Semiring)),
            "zero" | "one" | "add" | "mul" => {
                begins && matches!(item(), Some(TokenKind::Monoid | TokenKind::Semiring))
            }
            _ => false,
        }
    }

    /// Whether this colon is the one between a theorem's parameters and its statement.
    fn ends_theorem_head(&self, colon: usize) -> bool {
        let mut open = 0usize;
        for piece in self.pieces[..colon].iter().rev() {
            match piece.kind {
                kind if kind.is_closer() => open += 1,
                kind if kind.closer().is_some() => match open.checked_sub(1) {
                    Some(left) => open = left,
                    None => return false,
                },
                TokenKind::Theorem => return true,
                kind if kind.begins_item() || kind == TokenKind::Semicolon => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether a piece is a bracket of `min_plus<f32>`.
    pub(super) fn is_angle(&self, at: usize) -> bool {
        let opens = |at: usize| {
            self.pieces[at].kind == TokenKind::Less
                && self.pieces.get(at + 1).is_some_and(|piece| SCALARS.contains(&piece.text.as_str()))
                && self.pieces.get(at + 2).is_some_and(|piece| piece.kind == TokenKind::Greater)
        };
        let kind = |at: usize| self.pieces[at].kind;
        let of_types = |at: usize| at >= 2 && kind(at - 2) == TokenKind::Fn && kind(at) == TokenKind::Less;
        let is_type = |at: &usize| {
            use TokenKind::{Any, Colon, Comma, DotDot, Ident};
            matches!(kind(*at), Ident | Any | Colon | Comma | DotDot)
        };
        match kind(at) {
            TokenKind::Less => opens(at) || of_types(at),
            TokenKind::Greater => {
                let before = (0..at).rev().find(|at| !is_type(at));
                at.checked_sub(2).is_some_and(opens) || before.is_some_and(of_types)
            }
            _ => false,
        }
    }

    pub(super) fn ends_operand(&self, at: usize, context: Context) -> bool {
        self.pieces[at].kind.ends_operand()
            && !(context == Context::Script && is_clause_word(&self.pieces[at].text))
            && !self.is_of(at)
    }

    /// Whether this is the `of` between a level and its axes.
    fn is_of(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| self.pieces[before].kind);
        self.pieces[at].text == "of" && matches!(before, Some(TokenKind::Ident | TokenKind::CloseParen))
    }
}
