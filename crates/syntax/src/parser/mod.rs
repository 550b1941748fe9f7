//! The parser: recursive descent over the tokens, precedence climbing for operators.
//!
//! It never fails. Where the text is wrong it reports once, says what was expected, and goes on: at the
//! partner of an open bracket, at `;`, at the next item. Nesting is bounded by [`MAX_NESTING`], so no text
//! can exhaust the stack, neither here nor in whatever walks the tree afterwards.
//!
//! `expr` holds the grammar of expressions and its precedences, `item` that of items, `step` that of
//! schedules; this file holds the cursor, the lists and the recovery they share.

mod binders;
mod complaints;
mod expr;
mod item;
mod rounds;
mod step;

pub(crate) use expr::{SCALARS, level};
pub(crate) use step::{JOINER, is_clause_word};

use atl_diag::{Diagnostic, FileId, Span, err};

use crate::ast::{Expr, File, Name, Step};
use crate::lexer::lex;
use crate::token::{Token, TokenKind};
use std::sync::{Mutex, PoisonError};

/// How deep brackets and blocks may nest.
pub const MAX_NESTING: usize = 256;

/// How deep a tree may be. A chain such as `a + b + c + …` is, as deep as it is long; the parser goes over it without nesting.
pub const MAX_HEIGHT: usize = 800;

/// More diagnostics than anyone reads are not kept.
const MAX_DIAGNOSTICS: usize = 100;

/// A tree, its tokens, and what was wrong with the text.
#[derive(Clone, Debug)]
pub struct Parse<T> {
    /// The tree; where the text was wrong it holds `Error` nodes or leaves things out.
    pub tree: T,
    /// The tokens, lossless.
    pub tokens: Vec<Token>,
    /// What was wrong, in the order of the text; empty when nothing was.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Parse<T> {
    /// The tree, if the text was right.
    pub fn into_result(self) -> Result<T, Vec<Diagnostic>> {
        if self.diagnostics.iter().any(Diagnostic::is_error) { Err(self.diagnostics) } else { Ok(self.tree) }
    }
}

/// Parses a whole file.
pub fn parse_file(file: FileId, text: &str) -> Parse<File> {
    parse(file, text, Place::Program, |parser| parser.file())
}

/// Parses one expression of a program.
pub fn parse_expr(file: FileId, text: &str) -> Parse<Expr> {
    parse(file, text, Place::Program, |parser| parser.expr())
}

/// Parses one pattern or argument of a schedule: an expression where `_`, labels, ranges, level lists and
/// layouts are allowed.
pub fn parse_pattern(file: FileId, text: &str) -> Parse<Expr> {
    parse(file, text, Place::Script, |parser| parser.argument_value())
}

/// Parses steps of a schedule, as typed at a prompt; the last `;` may be left out.
pub fn parse_steps(file: FileId, text: &str) -> Parse<Vec<Step>> {
    parse(file, text, Place::Script, |parser| parser.steps(TokenKind::End))
}

fn parse<T: Send>(
    file: FileId,
    text: &str,
    place: Place,
    rule: impl FnOnce(&mut Parser<'_>) -> T + Send,
) -> Parse<T> {
    let (tokens, mut diagnostics) = lex(file, text);
    let (tree, found) = on_deep_stack(tokens.len(), || {
        let mut parser = Parser::new(file, text, &tokens, place);
        let tree = rule(&mut parser);
        if !parser.at(TokenKind::End) {
            parser.unexpected("the end of the text");
        }
        (tree, parser.diagnostics)
    });
    diagnostics.extend(found);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
    Parse { tree, tokens, diagnostics }
}

/// The stack of a parse, in bytes: [`MAX_NESTING`] levels of 12 KiB, as an unoptimised build needs them,
/// several times over.
const STACK: usize = 16 << 20;

/// Texts this short cannot nest deep.
const FEW_TOKENS: usize = 64;

/// Runs a parse where the deepest nesting that is allowed cannot exhaust the stack, whatever thread the
/// caller is on; on that of the caller if it has the room, or if there is no memory for another.
fn on_deep_stack<T: Send>(tokens: usize, parse: impl FnOnce() -> T + Send) -> T {
    if tokens <= FEW_TOKENS || atl_stack::room() >= STACK {
        return parse();
    }
    let work = Mutex::new(Some(parse));
    let once = || {
        let parse = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        parse.map(|parse| parse())
    };
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("parser".to_owned()).stack_size(STACK);
        match thread.spawn_scoped(scope, once) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => once(),
        }
    });
    parsed.expect("a parse is taken once")
}

/// Where an expression stands; some forms belong to schedules only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Program,
    Script,
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: &'a [Token],
    /// The tokens that are not trivia, as indices into `tokens`.
    significant: Vec<usize>,
    /// The next token, as an index into `significant`.
    position: usize,
    diagnostics: Vec<Diagnostic>,
    /// Where the last diagnostic of the parser was: one complaint a token is enough.
    complained_at: Option<usize>,
    place: Place,
    /// Is the bracket that comes next the right factor of a product? When it has been read: does it guard the left one?
    right_factor: bool,
    /// Does the chain of factors that comes next end before a division? So it does behind the bracket
    /// of a later factor: `a * [p] * b / c`
    /// divides the product.
    undivided: bool,
    /// How many rules are open.
    depth: usize,
    /// The height of the expression returned last.
    height: usize,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str, tokens: &'a [Token], place: Place) -> Parser<'a> {
        let significant = (0..tokens.len()).filter(|&index| !tokens[index].kind.is_trivia()).collect();
        Parser {
            file,
            text,
            tokens,
            significant,
            position: 0,
            diagnostics: Vec::new(),
            complained_at: None,
            place,
            right_factor: false,
            undivided: false,
            depth: 0,
            height: 0,
        }
    }

    // The cursor.

    fn token(&self, ahead: usize) -> Option<Token> {
        self.significant.get(self.position + ahead).map(|&index| self.tokens[index])
    }

    fn nth(&self, ahead: usize) -> TokenKind {
        self.token(ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn peek(&self) -> TokenKind {
        self.nth(0)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.peek() == kind
    }

    fn nth_text(&self, ahead: usize) -> &'a str {
        self.token(ahead).map_or("", |token| &self.text[token.range()])
    }

    /// Whether the next token is this word, keyword or not.
    fn at_word(&self, word: &str) -> bool {
        self.nth_text(0) == word
    }

    /// The text of the token so far before the last one.
    fn before(&self, back: usize) -> &'a str {
        let at = self.position.checked_sub(back + 1).and_then(|k| self.significant.get(k));
        at.map_or("", |&index| &self.text[self.tokens[index].range()])
    }

    /// The span of the next token; at the end of the text, the empty span after the last one.
    fn span(&self) -> Span {
        match self.token(0) {
            Some(token) => Span::new(self.file, token.start, token.end),
            None => self.last_span().at_end(),
        }
    }

    /// The span of the token before the next one.
    fn last_span(&self) -> Span {
        let last = self.position.checked_sub(1).and_then(|index| self.significant.get(index));
        last.map_or(Span::new(self.file, 0, 0), |&index| {
            Span::new(self.file, self.tokens[index].start, self.tokens[index].end)
        })
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        self.position = (self.position + 1).min(self.significant.len());
        span
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Whether a line ends between the last token and the next.
    fn on_new_line(&self) -> bool {
        let from = self.last_span().end as usize;
        let to = self.span().start as usize;
        self.text.get(from..to).is_some_and(|between| between.contains('\n'))
    }

    // Complaints.

    fn complain(&mut self, diagnostic: Diagnostic) {
        let repeated =
            |earlier: &Diagnostic| earlier.code == diagnostic.code && earlier.span() == diagnostic.span();
        let quiet = self.complained_at == Some(self.position)
            || self.after_unknown()
            || self.diagnostics.iter().any(repeated);
        if !quiet && self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.complained_at = Some(self.position);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether the lexer has complained about a character just before the next token.
    fn after_unknown(&self) -> bool {
        let upto = self.significant.get(self.position).copied().unwrap_or(self.tokens.len());
        let before = self.tokens[..upto].iter().rev().take_while(|token| token.kind.is_trivia());
        before.into_iter().any(|token| token.kind == TokenKind::Unknown)
    }

    /// The last token, if it is a keyword.
    fn keyword_before(&self) -> Option<&'a str> {
        let at = *self.significant.get(self.position.checked_sub(1)?)?;
        let token = self.tokens.get(at).filter(|token| token.kind.is_keyword())?;
        Some(&self.text[token.range()])
    }

    /// The next token as a message names it.
    fn found(&self) -> String {
        match self.peek() {
            TokenKind::End => "the end of the text".to_owned(),
            kind if kind.is_keyword() => format!("the keyword `{}`", self.nth_text(0)),
            _ => format!("`{}`", self.nth_text(0)),
        }
    }

    fn unexpected(&mut self, expected: &str) {
        let found = self.found();
        let diagnostic = match self.peek() {
            kind if kind.is_closer() && expected == "the end of the text" => {
                err!(E0125, self.span(), "{found} closes nothing").help("remove it, or open its partner")
            }
            _ => err!(E0103, self.span(), "expected {expected}, found {found}")
                .label(format!("expected {expected}")),
        };
        let diagnostic = self.with_habit(diagnostic);
        // Where a name could stand, somebody may have meant one.
        let diagnostic = match self.peek() {
            kind if kind.is_keyword() && !kind.begins_item() && !expected.starts_with('`') => {
                let word = self.keyword_before().unwrap_or_else(|| self.nth_text(0));
                diagnostic.help(format!("a name is no word of the language, as `{word}` is"))
            }
            _ => diagnostic,
        };
        self.complain(diagnostic);
    }

    fn expect(&mut self, kind: TokenKind) -> bool {
        let found = self.eat(kind);
        if !found {
            self.unexpected(kind.describe());
        }
        found
    }

    /// The `;` that ends what is called `what` and `name`; reported where it is missing, just after the last
    /// token.
    fn semicolon(&mut self, what: &str, name: &Name) {
        if self.eat(TokenKind::Semicolon) {
            return;
        }
        let what = format!("{what} `{}`", name.text);
        let end = self.last_span().at_end();
        if let Some(comment) = self.comment_holding(';') {
            return self.complain(floor_division(comment));
        }
        self.complain(err!(E0104, end, "missing `;` after {what}").label("expected `;` here").suggest(
            format!("end {what} with `;`"),
            end,
            ";",
        ));
    }

    /// A name. Keywords are reported and taken for one.
    fn name(&mut self, what: &str) -> Name {
        let text = self.nth_text(0).to_owned();
        match self.peek() {
            TokenKind::Ident => Name::new(text, self.bump()),
            kind if kind.is_keyword() && !kind.begins_item() => {
                self.complain(
                    err!(E0123, self.span(), "`{text}` is a keyword and cannot be {what}")
                        .label("choose another name"),
                );
                Name::new(text, self.bump())
            }
            _ => {
                self.unexpected(what);
                let span = self.span().at_start();
                self.eat(TokenKind::Underscore);
                Name::new("", span)
            }
        }
    }

    // Brackets and lists.

    /// `element, element, …` up to a closing bracket, which is taken; a trailing comma is allowed. The
    /// opening bracket has just been taken and is at `open`.
    fn list<T>(&mut self, open: Span, closer: TokenKind, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut elements = Vec::new();
        while !self.at(closer) && !self.at(TokenKind::End) {
            let before = self.position;
            elements.push(element(self));
            if !self.eat(TokenKind::Comma) || self.position == before {
                break;
            }
        }
        self.close(open, closer, "`,` or ");
        elements
    }

    /// The closing bracket that belongs to the one at `open`; when it is missing, reports and goes on
    /// after it, or before whatever shows that it will not come.
    fn close(&mut self, open: Span, closer: TokenKind, or: &str) {
        if self.eat(closer) {
            return;
        }
        let found = self.found();
        let opener = self.text.get(open.range()).unwrap_or("");
        let wanted = closer.describe();
        let last = self.peek() == TokenKind::End || self.peek().begins_item() || self.peek().is_closer();
        let comment = self.comment_holding(wanted.trim_matches('`').chars().next().unwrap_or(' '));
        match comment {
            Some(comment) if last => self.complain(floor_division(comment)),
            _ if last => self.complain(
                err!(E0102, open, "unclosed `{opener}`")
                    .label("opened here")
                    .also(self.span(), format!("expected {wanted} before {found}"))
                    .suggest("close it", self.last_span().at_end(), wanted.trim_matches('`')),
            ),
            _ => self.complain(
                self.with_habit(
                    err!(E0103, self.span(), "expected {or}{wanted}, found {found}")
                        .label(format!("expected {or}{wanted}"))
                        .also(open, "to close this"),
                ),
            ),
        }
        self.skip_to(closer);
        self.eat(closer);
    }

    /// Skips, over balanced brackets, to this kind of token, or to a place where skipping must end: a
    /// closing bracket of somebody else's, `;`, an item.
    fn skip_to(&mut self, kind: TokenKind) {
        let mut open = 0usize;
        while !self.at(TokenKind::End) && !self.peek().begins_item() {
            if open == 0 && (self.at(kind) || self.at(TokenKind::Semicolon) || self.peek().is_closer()) {
                return;
            }
            if self.peek().closer().is_some() {
                open += 1;
            } else if self.peek().is_closer() {
                open -= 1;
            }
            self.bump();
        }
    }

    /// A `//` comment that has swallowed this character, on the last lines before the next token: the
    /// trace of a floor division written `//`.
    fn comment_holding(&self, wanted: char) -> Option<Span> {
        let upto = self.significant.get(self.position).copied().unwrap_or(self.tokens.len());
        let line = self.tokens[..upto].iter().rev().take_while(|token| !token.kind.begins_item());
        let comment = line.take(64).filter(|token| token.kind == TokenKind::LineComment).find(|token| {
            let before = self.text[..token.start as usize].rsplit('\n').next().unwrap_or("").trim_end();
            let after_operand =
                before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ')' | ']' | '_'));
            after_operand && self.text[token.range()].contains(wanted)
        })?;
        Some(Span::new(self.file, comment.start, comment.end))
    }

    // Nesting.

    /// Runs a rule one level deeper; past the limit, gives up on the rest of the text.
    fn nested(&mut self, rule: impl FnOnce(&mut Self) -> Expr) -> Expr {
        self.depth += 1;
        let expr = if self.depth > MAX_NESTING { self.too_deep() } else { rule(self) };
        self.depth -= 1;
        expr
    }

    fn too_deep(&mut self) -> Expr {
        let span = self.span();
        self.complain(
            err!(
                E0109,
                span,
                "expressions nest more than {MAX_NESTING} deep here, or a chain is longer than {MAX_HEIGHT}"
            )
            .help("name the parts with `let`, or write a long sum as `sum i < n { … }`"),
        );
        self.position = self.significant.len();
        self.complained_at = Some(self.position);
        self.height = 1;
        Expr::new(crate::ast::ExprKind::Error, span)
    }
}

fn floor_division(comment: Span) -> Diagnostic {
    err!(E0112, comment, "`//` begins a comment, so what closes this line is lost")
        .label("a comment")
        .suggest(
            "division of indices is floor division: write `/`",
            Span::new(comment.file, comment.start, comment.start + 2),
            "/",
        )
}

#[cfg(test)]
mod tests;
