//! Recurrences: `iterate`, and `scan`.

use super::Parser;
use super::binders::{Bound, typed};
use crate::ast::{Expr, ExprKind, Rounds, Shared};
use crate::token::TokenKind;
use atl_diag::Span;

impl Parser<'_> {
    /// `iterate t < n from x = e, y = f until p { s, r } in b`; the word is the next token.
    pub(super) fn iterate(&mut self) -> Expr {
        let start = self.bump();
        let (rounds, block, height) = self.rounds(start);
        let body = self.eat(TokenKind::In).then(|| Box::new(self.expr()));
        self.height = if body.is_some() { height.max(self.height) } else { height } + 1;
        let span = start.to(self.last_span());
        let (states, steps) = (rounds.states.len(), rounds.steps.len());
        if steps != states {
            self.complain_states(block, (states, steps));
            return Expr::new(ExprKind::Error, span);
        }
        Expr::new(ExprKind::Iterate { rounds: Box::new(rounds), body }, span)
    }

    /// `scan t < n from x = e, y = f { s, r } give g`; the word is the next token.
    pub(super) fn scan(&mut self) -> Expr {
        let start = self.bump();
        let (rounds, block, height) = self.rounds(start);
        let give = self.at_word("give").then(|| {
            self.bump();
            Box::new(self.expr())
        });
        self.height = if give.is_some() { height.max(self.height) } else { height } + 1;
        let span = start.to(self.last_span());
        let (states, steps) = (rounds.states.len(), rounds.steps.len());
        if let Some(until) = &rounds.until {
            self.complain_until_of_scan(until.span);
            return Expr::new(ExprKind::Error, span);
        }
        if steps != states {
            self.complain_states_of_scan(block, (states, steps));
            return Expr::new(ExprKind::Error, span);
        }
        Expr::new(ExprKind::Scan { rounds: Box::new(rounds), give }, span)
    }

    /// `t < n from x = e, y = f until p { let v = d; s, r }` or `.. { (s, r) }`, where its braces are, and
    /// how high it is.
    fn rounds(&mut self, start: Span) -> (Rounds, Span, usize) {
        let index = self.binder();
        let mut height = self.height;
        if self.at_word("from") {
            self.bump();
        } else {
            self.unexpected("`from`, and what the states begin as");
        }
        let mut states = Vec::new();
        loop {
            let name = self.name("the name of a state");
            let ty = self.declared_type();
            self.expect(TokenKind::Eq);
            states.push((name, typed(ty, self.expr())));
            height = height.max(self.height);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.complain_same(&states.iter().map(|(name, _)| name).collect::<Vec<_>>(), "states");
        let until = self.at_word("until").then(|| {
            self.bump();
            let condition = self.expr();
            height = height.max(self.height);
            condition
        });
        let open = self.span();
        let (mut lets, mut steps) = (Vec::new(), Vec::new());
        if self.expect(TokenKind::OpenBrace) {
            if states.len() > 1 {
                lets = self.shared(&mut height);
            }
            steps = self.list(open, TokenKind::CloseBrace, |parser| {
                let step = parser.expr();
                height = height.max(parser.height);
                step
            });
            // `(s, r)` are two steps: states are no tuple unless there is one of them.
            if let [Expr { kind: ExprKind::Tuple(each), .. }] = &mut steps[..]
                && each.len() == states.len()
                && states.len() > 1
            {
                steps = std::mem::take(each);
            }
        }
        let block = open.to(self.last_span());
        (Rounds { index, states, until, lets, steps, span: start.to(block) }, block, height)
    }

    /// The `let`s in front of several steps.
    fn shared(&mut self, height: &mut usize) -> Vec<Shared> {
        let mut lets = Vec::new();
        while self.at(TokenKind::Let) {
            let start = self.bump();
            let bound = self.bound();
            self.expect(TokenKind::Eq);
            let value = self.expr();
            *height = (*height).max(self.height);
            self.semicolon("the value of", &bound.name());
            let (names, value, attributes) = match bound {
                Bound::One(name, ty, attributes) => (vec![name], typed(ty, value), attributes),
                Bound::Parts(names) => {
                    self.complain_same(&names.iter().collect::<Vec<_>>(), "values");
                    (names, value, Vec::new())
                }
                Bound::Rec(name, _) => (vec![name], value, Vec::new()),
            };
            let span = start.to(value.span);
            lets.push(Shared { names, attributes, value, span });
        }
        lets
    }
}
