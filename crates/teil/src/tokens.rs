//! Tokens of TeIL, of the language of fluid dynamics and of the guard's notations, and a cursor over them.
//!
//! They are those of no `.atl` file: `red+` is one word here, and `#` and `^` are operators. So this is a
//! lexer of its own, of words, numbers and signs. What begins no token is refused where it stands, for the
//! first mistake is the one reported.

use crate::Refusal;
use atl_diag::{Code, Diagnostic, FileId, Severity, Span};

/// The longest text, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// How deep expressions may nest. What is made of one nests a few times deeper, and the reader of programs
/// allows more.
pub const MAX_NESTING: usize = 128;

/// Signs of more than one character; a longer one comes before those that begin it.
const SIGNS: &[&str] = &["+=!", "+=", "*=!", "*=", "<=", ">=", "==", "->", "..", "red+", "red*"];

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A name or a word of the language.
    Word,
    /// A number without a fraction.
    Whole,
    /// A number with a fraction or an exponent.
    Fraction,
    /// A sign.
    Sign,
    /// The end of the text.
    End,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    class: Class,
    span: Span,
}

/// A text as tokens, and a place in it.
pub struct Cursor<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    end: Span,
    code: Code,
    depth: usize,
}

impl<'t> Cursor<'t> {
    /// A text from its beginning; what cannot be read is refused with this code.
    pub fn new(file: FileId, text: &'t str, code: Code) -> Result<Cursor<'t>, Refusal> {
        let end = u32::try_from(text.len().min(MAX_BYTES)).unwrap_or(0);
        let end = Span::new(file, end, end);
        let mut cursor = Cursor { text, tokens: vec![], at: 0, end, code, depth: 0 };
        if text.len() > MAX_BYTES {
            let message = format!("the text is {} bytes long; at most {MAX_BYTES} are read", text.len());
            return Err(cursor.refusal(Span::new(file, 0, 0), message));
        }
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            let length = |accept: &dyn Fn(char) -> bool| rest.find(|c| !accept(c)).unwrap_or(rest.len());
            let (class, bytes) = if c.is_whitespace() {
                at += c.len_utf8();
                continue;
            } else if rest.starts_with("//") {
                at += length(&|c| c != '\n');
                continue;
            } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                (if sign.starts_with('r') { Class::Word } else { Class::Sign }, sign.len())
            } else if c.is_ascii_alphabetic() || c == '_' {
                (Class::Word, length(&|c| c.is_ascii_alphanumeric() || c == '_'))
            } else if c.is_ascii_digit() {
                number(rest)
            } else {
                (Class::Sign, c.len_utf8())
            };
            let span = Span::new(file, at as u32, (at + bytes) as u32);
            if class == Class::Sign && !c.is_ascii_punctuation() {
                let shown: String = c.escape_debug().collect();
                return Err(cursor.refusal(span, format!("no token begins with `{shown}`")));
            }
            cursor.tokens.push(Token { class, span });
            at += bytes;
        }
        Ok(cursor)
    }

    fn refusal(&self, span: Span, message: String) -> Refusal {
        Box::new(Diagnostic::new(self.code, Severity::Error, message).at(span))
    }

    /// All of the text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Where its tokens are.
    pub fn spans(&self) -> Vec<Span> {
        self.tokens.iter().map(|token| token.span).collect()
    }

    /// What the next token is.
    pub fn class(&self) -> Class {
        self.tokens.get(self.at).map_or(Class::End, |token| token.class)
    }

    /// The text of the token after this number of tokens; empty at the end.
    pub fn ahead(&self, n: usize) -> &'t str {
        self.tokens.get(self.at + n).map_or("", |token| self.text.get(token.span.range()).unwrap_or_default())
    }

    /// The text of the next token.
    pub fn peek(&self) -> &'t str {
        self.ahead(0)
    }

    /// Where the next token is.
    pub fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    /// Where the last token was.
    pub fn last(&self) -> Span {
        let before = self.at.checked_sub(1).and_then(|k| self.tokens.get(k));
        before.map_or(self.end, |token| token.span)
    }

    /// Goes on by one token, which was this.
    pub fn take(&mut self) -> (&'t str, Span) {
        let token = (self.peek(), self.span());
        self.at += 1;
        token
    }

    /// Whether the next token is this; if so, goes on.
    pub fn eat(&mut self, text: &str) -> bool {
        let here = self.peek() == text;
        self.at += usize::from(here);
        here
    }

    /// Demands a token.
    pub fn need(&mut self, text: &str) -> Result<(), Refusal> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// Demands a word that is a name.
    pub fn name(&mut self, what: &str) -> Result<(&'t str, Span), Refusal> {
        match self.class() {
            Class::Word => Ok(self.take()),
            _ => Err(self.unexpected(what)),
        }
    }

    /// Demands a whole number.
    pub fn whole(&mut self, what: &str) -> Result<(u64, Span), Refusal> {
        if self.class() != Class::Whole {
            return Err(self.unexpected(what));
        }
        let (text, span) = self.take();
        match text.parse().ok().filter(|n| *n < 1 << 40) {
            Some(n) => Ok((n, span)),
            None => Err(self.refusal(span, format!("`{text}` is too large for {what}"))),
        }
    }

    /// The refusal of the next token.
    pub fn unexpected(&self, expected: &str) -> Refusal {
        let found = match self.class() {
            Class::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.peek()),
        };
        let mut refusal = self.refusal(self.span(), format!("expected {expected}, found {found}"));
        *refusal = refusal.label(format!("expected {expected}"));
        refusal
    }

    /// Begins something that may nest; [`leave`](Self::leave) ends it.
    pub fn enter(&mut self) -> Result<(), Refusal> {
        if self.depth == MAX_NESTING {
            let mut refusal =
                self.refusal(self.span(), format!("the expression nests deeper than {MAX_NESTING}"));
            *refusal = refusal.help("name a part of it, and compute that first");
            return Err(refusal);
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends what [`enter`](Self::enter) began.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// The class and the bytes of the number that a text begins with.
fn number(text: &str) -> (Class, usize) {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let (mut class, mut bytes) = (Class::Whole, digits(0));
    if text[bytes..].starts_with('.') && digits(bytes + 1) > 0 {
        (class, bytes) = (Class::Fraction, bytes + 1 + digits(bytes + 1));
    }
    if text[bytes..].starts_with(['e', 'E']) {
        let sign = usize::from(text[bytes + 1..].starts_with(['+', '-']));
        let exponent = digits(bytes + 1 + sign);
        if exponent > 0 {
            (class, bytes) = (Class::Fraction, bytes + 1 + sign + exponent);
        }
    }
    (class, bytes)
}
