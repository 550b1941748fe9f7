//! Index notation, `y(i) = A(i,j) * x(j)`: text to tree.
//!
//! ```text
//! statement = access '=' expr
//! expr      = term { ('+' | '-') term }
//! term      = factor { '*' factor }
//! factor    = '-' factor | '(' expr ')' | number | sum | access
//! sum       = 'sum' '(' index ',' { index ',' } expr ')' | 'sum' index { ',' index } '{' expr '}'
//! access    = name [ '(' [ index { ',' index } ] ')' ]            with '[' and ']' for the parentheses, too
//! ```
//! The tokens are those of programs. The first mistake is the one reported: the texts are short.

use crate::tree::{Access, Expr, Kind, Refusal, Sign, Statement, Sums};
use atl_diag::{Diagnostic, FileId, Span, err};
use atl_syntax::ast::Name;
use atl_syntax::{Token, TokenKind, lex};

/// How deep brackets and signs may nest.
const MAX_NESTING: usize = 64;

/// Reads a statement.
pub(crate) fn parse(file: FileId, text: &str) -> Result<Statement, Refusal> {
    let (tokens, wrong) = lex(file, text);
    if let Some(first) = wrong.into_iter().find(Diagnostic::is_error) {
        return Err(Box::new(first));
    }
    let tokens = tokens.into_iter().filter(|t| t.kind != TokenKind::Whitespace).collect();
    let mut reader = Reader { file, text, tokens, at: 0, depth: 0, sums: Sums::LeftOut };
    let statement = reader.statement()?;
    match reader.peek() {
        TokenKind::End => Ok(statement),
        _ => Err(reader.unexpected("an operator or the end")),
    }
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    sums: Sums,
}

impl Reader<'_> {
    fn peek(&self) -> TokenKind {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> TokenKind {
        self.tokens.get(self.at + n).map_or(TokenKind::End, |t| t.kind)
    }

    /// Where the next token is.
    fn span(&self) -> Span {
        let end = self.text.len() as u32;
        self.tokens
            .get(self.at)
            .map_or(Span::new(self.file, end, end), |t| Span::new(self.file, t.start, t.end))
    }

    /// Where the last token was.
    fn last(&self) -> Span {
        let before = self.at.checked_sub(1).and_then(|k| self.tokens.get(k));
        before.map_or(Span::new(self.file, 0, 0), |t| Span::new(self.file, t.start, t.end))
    }

    fn slice(&self, span: Span) -> String {
        self.text.get(span.range()).unwrap_or_default().to_owned()
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let here = self.peek() == kind;
        self.at += usize::from(here);
        here
    }

    fn need(&mut self, kind: TokenKind, what: &str) -> Result<(), Refusal> {
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    fn unexpected(&self, expected: &str) -> Refusal {
        let (found, span) = (self.peek(), self.span());
        let refusal = err!(E0260, span, "expected {expected}, found {}", found.describe());
        let refusal = refusal.label(format!("expected {expected}"));
        Box::new(match found {
            TokenKind::Slash => {
                refusal.help("there are no quotients: multiply by an operand that holds the reciprocal")
            }
            TokenKind::LineComment | TokenKind::DocComment | TokenKind::BlockComment => {
                refusal.help("index notation has no comments; there are no quotients either")
            }
            TokenKind::PlusPlus | TokenKind::StarStar => refusal.help("the operators are `+`, `-` and `*`"),
            TokenKind::Eq => refusal.help("there is one `=`, after the result"),
            _ if found.is_keyword() => refusal.help("this word belongs to programs; choose another name"),
            _ => refusal.help(
                "index notation is `y(i) = A(i,j) * x(j)`, with `+`, `-`, `*`, numbers, `sum(j, ..)` and `sum j { .. }`",
            ),
        })
    }

    fn statement(&mut self) -> Result<Statement, Refusal> {
        let result = self.access("the result's name")?;
        if self.peek() == TokenKind::Plus && self.ahead(1) == TokenKind::Eq {
            let name = &result.tensor.text;
            let at = self.span().to(Span { start: self.span().end, end: self.span().end + 1, ..self.span() });
            return Err(Box::new(
                err!(E0266, at, "`{name}` has no earlier value to add to")
                    .label("`+=` updates")
                    .note("a result is what the right side says, all of it")
                    .help(format!(
                        "write `=`, and give the earlier value as an operand: `{name}(..) = {name}0(..) + ..`"
                    )),
            ));
        }
        self.need(TokenKind::Eq, "`=`")?;
        Ok(Statement { result, body: self.expr()?, sums: self.sums })
    }

    fn expr(&mut self) -> Result<Expr, Refusal> {
        let first = self.term()?;
        let mut terms = vec![(Sign::Plus, first)];
        loop {
            let sign = match self.peek() {
                TokenKind::Plus => Sign::Plus,
                TokenKind::Minus => Sign::Minus(self.span()),
                _ => break,
            };
            self.at += 1;
            terms.push((sign, self.term()?));
        }
        let span = terms[0].1.span.to(self.last());
        Ok(match terms.len() {
            1 => terms.remove(0).1,
            _ => Expr { kind: Kind::Add(terms), span },
        })
    }

    /// Signs of factors become one of the product, so that a sum over it stands inside the sign, as in
    /// `b - A * x`.
    fn term(&mut self) -> Result<Expr, Refusal> {
        let mut factors = vec![self.factor()?];
        while self.eat(TokenKind::Star) {
            factors.push(self.factor()?);
        }
        if factors.len() == 1 {
            return Ok(factors.remove(0));
        }
        let span = factors[0].span.to(self.last());
        let mut negative = false;
        for factor in &mut factors {
            while let Kind::Neg(inner) = &factor.kind {
                *factor = (**inner).clone();
                negative = !negative;
            }
        }
        let product = Expr { kind: Kind::Mul(factors), span };
        Ok(match negative {
            true => Expr { kind: Kind::Neg(Box::new(product)), span },
            false => product,
        })
    }

    fn factor(&mut self) -> Result<Expr, Refusal> {
        if self.depth == MAX_NESTING {
            let span = self.span();
            return Err(Box::new(
                err!(E0109, span, "brackets and signs nest deeper than {MAX_NESTING}")
                    .help("name a part of it, and compute that first"),
            ));
        }
        self.depth += 1;
        let factor = self.unbounded_factor();
        self.depth -= 1;
        factor
    }

    fn unbounded_factor(&mut self) -> Result<Expr, Refusal> {
        let start = self.span();
        let kind = match self.peek() {
            TokenKind::Minus => {
                self.at += 1;
                Kind::Neg(Box::new(self.factor()?))
            }
            TokenKind::OpenParen => {
                self.at += 1;
                let inner = self.expr()?;
                self.need(TokenKind::CloseParen, "an operator or `)`")?;
                inner.kind
            }
            TokenKind::Int | TokenKind::Float => {
                self.at += 1;
                Kind::Number(self.slice(start))
            }
            TokenKind::Sum => self.sum()?,
            _ => Kind::Access(self.access("an operand, a number, `-` or `(`")?),
        };
        Ok(Expr { kind, span: start.to(self.last()) })
    }

    /// `sum(j, k, e)`, or `sum j, k { e }` as in programs.
    fn sum(&mut self) -> Result<Kind, Refusal> {
        self.at += 1;
        if self.peek() == TokenKind::Ident {
            self.sums = Sums::Written;
            let mut indices = vec![self.name("an index")?];
            while self.eat(TokenKind::Comma) {
                indices.push(self.name("an index")?);
            }
            self.need(TokenKind::OpenBrace, "`,` or `{` and what is summed")?;
            let body = self.expr()?;
            self.need(TokenKind::CloseBrace, "an operator or `}`")?;
            return Ok(Kind::Sum(indices, Box::new(body)));
        }
        self.need(TokenKind::OpenParen, "`(`")?;
        let mut indices = vec![self.name("an index")?];
        self.need(TokenKind::Comma, "`,` and what is summed")?;
        while self.peek() == TokenKind::Ident && self.ahead(1) == TokenKind::Comma {
            indices.push(self.name("an index")?);
            self.at += 1;
        }
        let body = self.expr()?;
        self.need(TokenKind::CloseParen, "an operator or `)`")?;
        Ok(Kind::Sum(indices, Box::new(body)))
    }

    fn access(&mut self, what: &str) -> Result<Access, Refusal> {
        let tensor = self.name(what)?;
        let closer = match self.peek() {
            TokenKind::OpenParen => TokenKind::CloseParen,
            TokenKind::OpenBracket => TokenKind::CloseBracket,
            _ => return Ok(Access { span: tensor.span, tensor, indices: vec![] }),
        };
        self.at += 1;
        let mut indices = Vec::new();
        while self.peek() != closer || !indices.is_empty() {
            indices.push(self.name("an index")?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.need(closer, &format!("`,` or {}", closer.describe()))?;
        Ok(Access { span: tensor.span.to(self.last()), tensor, indices })
    }

    /// A name without dots.
    fn name(&mut self, what: &str) -> Result<Name, Refusal> {
        let span = self.span();
        let text = self.slice(span);
        if self.peek() != TokenKind::Ident || text.contains('.') {
            return Err(self.unexpected(what));
        }
        self.at += 1;
        Ok(Name::new(text, span))
    }
}
