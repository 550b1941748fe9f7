//! Steps of schedules: `NAME arguments clause* ;`, or with blocks `NAME arguments clause* { … } or { … }`.

use atl_diag::err;

use super::{MAX_NESTING, Parser};
use crate::ast::{Argument, Block, Clause, Expr, ExprKind, Name, Step};
use crate::token::TokenKind;

/// The words that begin a clause with arguments.
const CLAUSES: [&str; 9] = ["along", "around", "as", "at", "by", "from", "in", "to", "with"];

/// The clauses that are one word.
const FLAGS: [&str; 4] = ["backwards", "everywhere", "first", "last"];

/// The word that joins a block to the one before it.
pub(crate) const JOINER: &str = "or";

/// Whether a clause begins with this word.
pub(crate) fn is_clause_word(word: &str) -> bool {
    CLAUSES.contains(&word) || FLAGS.contains(&word)
}

impl Parser<'_> {
    /// Steps up to this token, which is left.
    pub(super) fn steps(&mut self, end: TokenKind) -> Vec<Step> {
        let mut steps = Vec::new();
        while !self.at(end) && !self.at(TokenKind::End) && !self.peek().begins_item() {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            let before = self.position;
            if self.at(TokenKind::Ident) {
                steps.push(self.step());
            } else {
                self.unexpected("a step, such as `tile y, x by 64, 64;`");
                self.skip_to(TokenKind::Semicolon);
                self.eat(TokenKind::Semicolon);
                if self.peek().is_closer() && !self.at(end) {
                    self.bump();
                }
            }
            if self.position == before {
                break;
            }
        }
        steps
    }

    fn step(&mut self) -> Step {
        let name = Name::new(self.nth_text(0), self.bump());
        let args =
            if self.at_clause() && !self.at_name_like_clause() { Vec::new() } else { self.arguments() };
        let mut clauses = Vec::new();
        while self.at_clause() {
            clauses.push(self.clause());
        }
        if self.at(TokenKind::OpenBrace) {
            let blocks = self.blocks();
            return Step { span: name.span.to(self.last_span()), name, args, clauses, blocks };
        }
        let span = name.span.to(self.last_span());
        if self.at(TokenKind::Ident) && !self.on_new_line() {
            let word = self.nth_text(0).to_owned();
            let unknown = err!(E0124, self.span(), "`{word}` does not begin a clause")
                .label("unknown word")
                .note(format!("the words are {}, {}", CLAUSES.join(", "), FLAGS.join(", ")));
            let written = (name.text.as_str(), word.as_str());
            self.complain(match written {
                ("repeat" | "try" | "first_of" | "either", _) => {
                    unknown.help(format!("steps of a `{0}` stand in braces: `{0} {{ split i by 8; }}`", name.text))
                }
                ("rw", _) => unknown.help(
                    "it is `rw RULE`, with what the rule takes after `with`: `rw split_sum with k = 8`; `atl explain RULE` says what that is",
                ),
                (_, "into" | "of" | "factor" | "size") => unknown.help("numbers of a step stand after `by`: `split i by 8;`"),
                _ => unknown.help("several arguments are separated by `,`, two steps by `;`"),
            });
            self.skip_to(TokenKind::Semicolon);
        }
        if matches!(self.peek(), TokenKind::Int) && !self.on_new_line() {
            self.complain(
                err!(E0124, self.span(), "a number stands where a clause may begin")
                    .label("nothing says what it is for")
                    .suggest("numbers of a step stand after `by`", self.span().at_start(), "by "),
            );
            self.skip_to(TokenKind::Semicolon);
        }
        // The last step of a text typed at a prompt needs no `;`.
        if !self.at(TokenKind::End) || self.eat(TokenKind::Semicolon) {
            self.semicolon("the step", &name);
            if !self.at(TokenKind::Ident) && !self.at(TokenKind::CloseBrace) {
                self.skip_to(TokenKind::Semicolon);
                self.eat(TokenKind::Semicolon);
            }
        }
        Step { name, args, clauses, blocks: Vec::new(), span }
    }

    /// `{ step; … } or { step; … }`.
    fn blocks(&mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        self.depth += 1;
        loop {
            let open = self.bump();
            if self.depth > MAX_NESTING {
                self.too_deep();
                break;
            }
            let steps = self.steps(TokenKind::CloseBrace);
            self.close(open, TokenKind::CloseBrace, "a step or ");
            blocks.push(Block { steps, span: open.to(self.last_span()) });
            if !self.at_word(JOINER) {
                break;
            }
            self.bump();
            if !self.at(TokenKind::OpenBrace) {
                self.unexpected("`{` and the steps to try instead");
                break;
            }
        }
        self.depth -= 1;
        blocks
    }

    fn at_clause(&self) -> bool {
        is_clause_word(self.nth_text(0))
    }

    /// Is the word of a clause, where arguments begin, a loop or `let` of that name: `inline by`, `vectorize at/i by 8`,
    /// `compute at at y`? No clause begins with what follows here. One word alone, as in `simplify first`, is a clause.
    fn at_name_like_clause(&self) -> bool {
        let ends = |n: usize| {
            matches!(
                self.nth(n),
                TokenKind::Semicolon
                    | TokenKind::Comma
                    | TokenKind::End
                    | TokenKind::CloseBrace
                    | TokenKind::Slash
            )
        };
        let is_word = |n: usize| is_clause_word(self.nth_text(n));
        let is_flag = |n: usize| FLAGS.contains(&self.nth_text(n));
        match is_flag(0) {
            true => is_word(1) || matches!(self.nth(1), TokenKind::Comma | TokenKind::Slash),
            false => ends(1) || is_flag(1) || is_word(1) && !ends(2),
        }
    }

    fn clause(&mut self) -> Clause {
        let word = Name::new(self.nth_text(0), self.bump());
        let args = if FLAGS.contains(&word.text.as_str()) { Vec::new() } else { self.arguments() };
        let span = word.span.to(self.last_span());
        Clause { word, args, span }
    }

    /// Does a keyword stand where only a name can: with nothing after it that would make it more?
    fn at_keyword_as_name(&self) -> bool {
        let other = matches!(self.peek(), TokenKind::True | TokenKind::False | TokenKind::As | TokenKind::In);
        let alone = match self.nth(1) {
            TokenKind::Semicolon | TokenKind::Comma | TokenKind::End | TokenKind::CloseBrace => true,
            _ => is_clause_word(self.nth_text(1)) && !["<", "in"].contains(&self.nth_text(2)),
        };
        self.peek().is_keyword() && !other && alone
    }

    fn keyword_as_name(&mut self) -> Expr {
        let name = self.name("a name");
        Expr::new(ExprKind::Name(name.text), name.span)
    }

    fn arguments(&mut self) -> Vec<Argument> {
        let mut arguments = Vec::new();
        if matches!(
            self.peek(),
            TokenKind::Semicolon | TokenKind::End | TokenKind::OpenBrace | TokenKind::CloseBrace
        ) {
            return arguments;
        }
        loop {
            let start = self.span();
            let name = (self.at(TokenKind::Ident) && self.nth(1) == TokenKind::Eq).then(|| {
                let name = Name::new(self.nth_text(0), self.bump());
                self.bump();
                name
            });
            let value =
                if self.at_keyword_as_name() { self.keyword_as_name() } else { self.argument_value() };
            arguments.push(Argument { name, value, span: start.to(self.last_span()) });
            if !self.eat(TokenKind::Comma) {
                return arguments;
            }
        }
    }
}
