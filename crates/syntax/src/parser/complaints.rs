//! What each mistake in an expression is called, and what to write instead.
//!
//! Kept apart from the grammar for the reader's sake, and because building a diagnostic takes much stack,
//! which the recursive rules must not.

use atl_diag::{Diagnostic, Span, err};

use super::{Parser, Place};
use crate::ast::{Binder, BinderOp, Expr, Name};
use crate::token::TokenKind;

/// What to write for a slice.
const SLICE: &str =
    "a part of a tensor is a loop over it: `gen i in lo..hi { x[i] }`; fewer indices give whole rows, `x[i]`";

impl Parser<'_> {
    /// Reports infix operators that other languages spell differently.
    pub(super) fn complain_spelling(&mut self) {
        let span = self.span();
        match self.peek() {
            TokenKind::StarStar => self.complain(
                err!(E0111, span, "there is no operator `**`")
                    .help("a power is a product: `x * x`; a root is `sqrt(x)`"),
            ),
            TokenKind::Eq => self.complain(
                err!(E0114, span, "`=` does not compare")
                    .label("binds a name, in `let` only")
                    .help("a name is bound by `let y = x;`")
                    .suggest("equality is `==`", span, "=="),
            ),
            TokenKind::Ident => {
                let symbol = if self.at_word("and") { "&&" } else { "||" };
                let word = self.nth_text(0).to_owned();
                self.complain(err!(E0113, span, "`{word}` is not an operator").suggest(
                    format!("write `{symbol}`"),
                    span,
                    symbol,
                ));
            }
            _ => {}
        }
    }

    /// Advice for a token that another language would have allowed here.
    pub(super) fn with_habit(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.nth_text(0) {
            "return" => diagnostic.help("a body is an expression; its value is the result"),
            "else" => diagnostic.help("a choice between two values is `select(p, a, b)`"),
            "@" => diagnostic.help(
                "a matrix product is written out: `gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } }`",
            ),
            ":" => diagnostic.help(SLICE),
            "_" => diagnostic.help("what is not used has a name, too: `let (a, unused) = ..;`"),
            "as" => diagnostic.help("a conversion is written as a function: `f32(i)`"),
            "{" if self.before(0) == ")" => diagnostic.help("a loop runs `i < n`, from 0 to n - 1, or `i in lo..hi`"),
            "(" if matches!(self.before(0), "sum" | "prod" | "any" | "all") => {
                diagnostic.help(format!("it runs over an index: `{} i < n {{ x[i] }}`", self.before(0)))
            }
            "=" if matches!(self.before(0), "+" | "-" | "*" | "/") => {
                diagnostic.help("values do not change: give the new one a name, `let t = s + x[0];`, or add up with `sum i < n { x[i] }`")
            }
            _ if self.before(0) == ")" && self.before(2) == "(" && super::SCALARS.contains(&self.before(1)) => {
                diagnostic.help(format!("a conversion is written as a function: `{}(i)`", self.before(1)))
            }
            _ if self.before(0) == "return" => diagnostic.help("a body is an expression, whose value is the result: leave `return` out"),
            _ => diagnostic,
        }
    }

    /// Reports a range between brackets in a program.
    pub(super) fn complain_slice(&mut self) {
        if self.place == Place::Program {
            self.complain(
                err!(E0121, self.span(), "a range belongs to the patterns of schedules")
                    .label("a program is written out in full")
                    .help(SLICE),
            );
        }
    }

    pub(super) fn complain_not(&mut self) {
        let span = self.span();
        self.complain(err!(E0113, span, "`not` is not an operator").suggest("write `!`", span, "!"));
    }

    pub(super) fn complain_no_index(&mut self, open: Span) {
        let brackets = open.to(self.last_span());
        self.complain(
            err!(E0103, brackets, "expected an index between `[` and `]`")
                .help("the whole tensor is its name alone"),
        );
    }

    /// Reports a list of sizes after a function's name, and skips it.
    pub(super) fn complain_size_list(&mut self, list: Span) {
        self.complain(
            err!(E0103, list, "sizes are not listed after a function's name")
                .help("a name that stands in a parameter's type, as `N` in `x: f32[N]`, is a size")
                .suggest("leave the list out", list, ""),
        );
    }

    pub(super) fn complain_if(&mut self) {
        self.complain(
            err!(E0120, self.span(), "there is no `if` expression")
                .help("a choice between two values is `select(p, a, b)`")
                .help("a value that is zero where `p` fails is `[p] * e`"),
        );
    }

    pub(super) fn complain_too_large(&mut self) {
        self.complain(
            err!(E0108, self.span(), "`{}` is too large a whole number", self.nth_text(0))
                .note(format!("the largest is {}", u64::MAX))
                .help("write it as a floating-point number, with a fraction or an exponent"),
        );
    }

    pub(super) fn complain_for(&mut self) {
        self.complain(
            err!(E0116, self.span(), "there is no `for` loop")
                .help("`gen i < n { e }` makes a tensor, `sum i < n { e }` adds up")
                .help("`iterate i < n from x = e { s }` makes `s` of the old `x` in each round"),
        );
    }

    pub(super) fn complain_conversion(&mut self, open: Span, values: usize) {
        let brackets = open.to(self.last_span());
        self.complain(
            err!(E0103, brackets, "a conversion takes one value, found {values}")
                .help("`f32(e)` converts `e`"),
        );
    }

    /// Reports a form that only schedules have, when this is not one.
    pub(super) fn script_only(&mut self, what: &str) {
        if self.place == Place::Program {
            self.complain(
                err!(E0121, self.span(), "{what} belongs to the patterns of schedules")
                    .label("a program is written out in full"),
            );
        }
    }

    pub(super) fn complain_empty(&mut self, brackets: Span) {
        self.complain(err!(E0103, brackets, "expected an expression between `(` and `)`"));
    }

    pub(super) fn complain_no_predicate(&mut self, brackets: Span) {
        self.complain(
            err!(E0103, brackets, "expected a predicate between `[` and `]`")
                .help("`[p] * e` is `e` where `p` holds, and zero elsewhere"),
        );
    }

    pub(super) fn complain_predicates(&mut self, bracket: Span, predicates: &[Expr]) {
        let texts: Vec<&str> =
            predicates.iter().map(|predicate| self.text.get(predicate.span.range()).unwrap_or("")).collect();
        self.complain(err!(E0118, bracket, "a bracket holds one predicate").suggest(
            "several that must all hold are joined by `&&`",
            bracket,
            format!("[{}]", texts.join(" && ")),
        ));
    }

    pub(super) fn complain_guard(&mut self, bracket: Span) {
        let factor = if self.begins_operand(0) { " *" } else { " * 1" };
        self.complain(
            err!(E0118, bracket, "Iverson's bracket `[p]` is multiplied by what it guards")
                .label("guards nothing")
                .suggest("write `[p] * e`", bracket.at_end(), factor),
        );
    }

    pub(super) fn complain_divisor(&mut self, bracket: Span) {
        self.complain(
            err!(E0118, bracket, "Iverson's bracket `[p]` does not divide")
                .label("a selection, not a number")
                .note("where `p` fails it would be a division by zero")
                .help("put the quotient under it, `[p] * (a / b)`, or the divisor between parentheses, `a / ([p] * b)`"),
        );
    }

    pub(super) fn complain_let(&mut self, start: Span, name: &Name) {
        self.complain(
            err!(E0117, self.span(), "nothing follows this `let`")
                .label("expected an expression")
                .also(start.to(name.span), "binds a name that nothing uses")
                .help(format!("the value of the block is its last expression; perhaps `{}`", name.text)),
        );
    }

    pub(super) fn complain_states(&mut self, round: Span, (states, steps): (usize, usize)) {
        let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (states, steps) = (many(states, "state"), many(steps, "step"));
        self.complain(
            err!(E0126, round, "an iteration of {states} has {steps}")
                .label("a step for each state, in their order")
                .help("`iterate t < n from x = a, y = b { y, x + y } in x`: both steps read the old `x` and `y`"),
        );
    }

    pub(super) fn complain_states_of_scan(&mut self, round: Span, (states, steps): (usize, usize)) {
        let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (states, steps) = (many(states, "state"), many(steps, "step"));
        self.complain(
            err!(E0126, round, "a scan of {states} has {steps}")
                .label("a step for each state, in their order")
                .help(
                    "`scan t < n from x = a, y = b { y, x + y } give x`: both steps read the old `x` and `y`",
                ),
        );
    }

    /// What is bound together has different names.
    pub(super) fn complain_same(&mut self, names: &[&Name], what: &str) {
        for (k, name) in names.iter().enumerate() {
            if let Some(first) =
                names[..k].iter().find(|first| first.text == name.text && !name.text.is_empty())
            {
                self.complain(
                    err!(E0206, name.span, "two {what} are called `{}`", name.text)
                        .also(first.span, "the first one")
                        .help("give each a name of its own"),
                );
            }
        }
    }

    pub(super) fn complain_until_of_scan(&mut self, condition: Span) {
        self.complain(
            err!(E0127, condition, "a scan has no `until`")
                .label("would leave elements without a value")
                .note("a scan has an element for each round, and rounds after the last one would give none")
                .help("where only the last state is wanted, write `iterate`; to keep a state from here on, choose in the step: `select(p, x, s)`"),
        );
    }

    pub(super) fn complain_rec_type(&mut self, name: &Name) {
        self.complain(
            err!(E0128, name.span.at_end(), "`{}` has no type of its elements", name.text)
                .label("expected `:` and a type")
                .note("the elements are computed of earlier ones, so their type cannot be read off")
                .help(format!(
                    "`rec {}: f64 = gen i < n {{ .. }};`, or whatever type they are of",
                    name.text
                )),
        );
    }

    pub(super) fn complain_range(&mut self, name: &Name) {
        let index = if name.text.is_empty() { "i" } else { &name.text };
        self.complain(
            err!(E0116, self.span(), "expected the range of `{index}`, found {}", self.found())
                .label("expected `<` or `in`")
                .help(format!("`{index} < n` runs from 0 to n - 1; `{index} in lo..hi` from lo to hi - 1")),
        );
    }

    /// Reports `gen i in n {`; the next token is `n`.
    pub(super) fn complain_whole_range(&mut self, binders: &[Binder]) {
        let index = binders.last().map_or("i", |binder| binder.name.text.as_str());
        let end = self.nth_text(0);
        self.complain(
            err!(E0116, self.span(), "expected a range after `in`, found {}", self.found())
                .label("a number of iterations")
                .help(format!(
                    "`{index} < {end}` runs from 0 to {end} - 1; `{index} in lo..hi` from lo to hi - 1"
                )),
        );
    }

    /// Reports, as the `position`-th diagnostic, a body that lacks its braces.
    pub(super) fn complain_bare_body(&mut self, position: usize, start: Span, op: BinderOp, body: Span) {
        let braced = format!("{{ {} }}", self.text.get(body.range()).unwrap_or(""));
        let diagnostic = err!(E0115, body.at_start(), "the body of `{}` stands in braces", op.word())
            .label("expected `{`")
            .also(start, "the body of this")
            .suggest("put the body in braces", body, braced);
        self.diagnostics.insert(position.min(self.diagnostics.len()), diagnostic);
    }

    pub(super) fn complain_block_semicolon(&mut self) {
        let span = self.span();
        self.complain(
            err!(E0117, span, "a block ends with an expression, not with `;`")
                .label("only a `let` ends with `;`")
                .suggest("remove it", span, ""),
        );
    }
}
