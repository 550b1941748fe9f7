//! Text to tokens.
//!
//! Every byte ends up in some token. What cannot be read becomes a token all the same, with a
//! diagnostic, so the parser always has a whole list to work on.
//!
//! A name may hold dots between its parts (`y.o`), because splitting the loop `y` makes loops so named.

use atl_diag::{Diagnostic, FileId, Span, err};

use crate::token::{Token, TokenKind};

/// The longest text that is read, in bytes; spans are 32 bits wide.
pub const MAX_BYTES: usize = 16 << 20;

/// The tokens of a text, and what is wrong with them. Texts over [`MAX_BYTES`] give one diagnostic and
/// no tokens.
pub fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, text, at: 0, tokens: Vec::new(), diagnostics: Vec::new() };
    if text.len() > MAX_BYTES {
        lexer.diagnostics.push(
            err!(
                E0110,
                Span::new(file, 0, 0),
                "the text is {} bytes long; at most {MAX_BYTES} are read",
                text.len()
            )
            .help("data belongs in `.npy`, `.mtx` or `.tns` files, which a program takes as arguments"),
        );
        return (lexer.tokens, lexer.diagnostics);
    }
    while lexer.at < text.len() {
        let start = lexer.at;
        let kind = lexer.token();
        debug_assert!(lexer.at > start);
        lexer.tokens.push(Token { kind, start: offset(start), end: offset(lexer.at) });
    }
    (lexer.tokens, lexer.diagnostics)
}

/// Texts are at most [`MAX_BYTES`] long, so their offsets fit.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn begins_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// The radix of a number that is not decimal.
fn radix(text: &str) -> Option<u32> {
    match text.get(..2)? {
        "0x" => Some(16),
        "0b" => Some(2),
        _ => None,
    }
}

fn continues_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest().chars().nth(ahead)
    }

    fn eat_while(&mut self, accept: impl Fn(char) -> bool) {
        self.at += self.rest().chars().take_while(|&c| accept(c)).map(char::len_utf8).sum::<usize>();
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.file, offset(start), offset(self.at))
    }

    fn token(&mut self) -> TokenKind {
        let Some(c) = self.peek(0) else { return TokenKind::End };
        if c.is_whitespace() {
            self.eat_while(char::is_whitespace);
            return TokenKind::Whitespace;
        }
        if self.rest().starts_with("//") {
            return self.line_comment();
        }
        if self.rest().starts_with("/*") {
            return self.block_comment();
        }
        if begins_name(c) {
            return self.word();
        }
        if c.is_ascii_digit() {
            return self.number();
        }
        if c == '"' {
            return self.string();
        }
        if c == '\'' && self.peek(1).is_some_and(begins_name) {
            self.at += 1;
            self.eat_while(continues_name);
            return TokenKind::Label;
        }
        for &(kind, text) in TokenKind::FIXED {
            if self.rest().starts_with(text) {
                self.at += text.len();
                return kind;
            }
        }
        self.unknown()
    }

    fn line_comment(&mut self) -> TokenKind {
        let doc = self.rest().starts_with("///") && !self.rest().starts_with("////");
        self.eat_while(|c| c != '\n');
        if doc { TokenKind::DocComment } else { TokenKind::LineComment }
    }

    fn block_comment(&mut self) -> TokenKind {
        let start = self.at;
        let mut open = 0usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                open += 1;
                self.at += 2;
            } else if rest.starts_with("*/") {
                open -= 1;
                self.at += 2;
                if open == 0 {
                    return TokenKind::BlockComment;
                }
            } else if let Some(c) = rest.chars().next() {
                self.at += c.len_utf8();
            } else {
                let opener = Span::new(self.file, offset(start), offset(start + 2));
                self.diagnostics.push(
                    err!(E0106, opener, "this comment is never closed")
                        .label("opened here")
                        .help("close it with `*/`; comments nest, so each `/*` needs its own"),
                );
                return TokenKind::BlockComment;
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        loop {
            self.eat_while(continues_name);
            // A field of a tuple may have a number for its name.
            let begins_part = |c: char| begins_name(c) || c.is_ascii_digit();
            if self.peek(0) == Some('.') && self.peek(1).is_some_and(begins_part) {
                self.at += 1;
            } else {
                break;
            }
        }
        match &self.text[start..self.at] {
            "_" => TokenKind::Underscore,
            word => TokenKind::keyword(word).unwrap_or(TokenKind::Ident),
        }
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        let digit = |c: char| c.is_ascii_digit() || c == '_';
        if let Some(radix) = radix(self.rest()) {
            return self.whole_number(radix);
        }
        let mut kind = TokenKind::Int;
        self.eat_while(digit);
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            self.eat_while(digit);
            kind = TokenKind::Float;
        }
        let exponent = match (self.peek(0), self.peek(1)) {
            (Some('e' | 'E'), Some('+' | '-')) => {
                self.peek(2).is_some_and(|c| c.is_ascii_digit()).then_some(2)
            }
            (Some('e' | 'E'), Some(c)) if c.is_ascii_digit() => Some(1),
            _ => None,
        };
        if let Some(length) = exponent {
            self.at += length;
            self.eat_while(digit);
            kind = TokenKind::Float;
        }
        let good_end = self.at;
        let dangling_dot =
            self.peek(0) == Some('.') && self.peek(1) != Some('.') && !self.peek(1).is_some_and(begins_name);
        if dangling_dot {
            self.at += 1;
            let good = self.text[start..good_end].to_owned();
            let span = self.span_from(start);
            self.diagnostics.push(err!(E0107, span, "a number does not end with `.`").suggest(
                "write the zero",
                span,
                format!("{good}.0"),
            ));
            return TokenKind::Float;
        }
        if self.peek(0) == Some('i') && !self.peek(1).is_some_and(continues_name) {
            self.at += 1;
            return TokenKind::Imaginary;
        }
        if self.peek(0).is_some_and(continues_name) {
            self.eat_while(continues_name);
            let text = self.text[start..self.at].to_owned();
            let diagnostic = err!(E0107, self.span_from(start), "`{text}` is neither a number nor a name");
            self.diagnostics.push(
                if text.starts_with("0o") || text.starts_with("0X") || text.starts_with("0B") {
                    diagnostic
                        .help("numbers are decimal, or hexadecimal as in `0x1f`, or binary as in `0b1011`")
                } else {
                    diagnostic
                        .help("numbers have no suffix: a literal takes the element type that its place needs")
                },
            );
        }
        kind
    }

    /// A whole number in hexadecimal or binary digits, after `0x` or `0b`.
    fn whole_number(&mut self, radix: u32) -> TokenKind {
        let start = self.at;
        self.at += 2;
        let digits = self.at;
        self.eat_while(|c| c.is_digit(radix) || c == '_');
        let has_digits = self.text[digits..self.at].chars().any(|c| c.is_digit(radix));
        let ends = !self.peek(0).is_some_and(continues_name);
        self.eat_while(continues_name);
        if !has_digits || !ends {
            let text = &self.text[start..self.at];
            let accepted = if radix == 16 { "`0` to `9` and `a` to `f`" } else { "`0` and `1`" };
            self.diagnostics.push(
                err!(E0107, self.span_from(start), "`{text}` is neither a number nor a name")
                    .help(format!("the digits after `{}` are {accepted}", &text[..2])),
            );
        }
        TokenKind::Int
    }

    fn string(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                Some('"') => {
                    self.at += 1;
                    return TokenKind::Str;
                }
                Some('\\') if self.peek(1).is_some_and(|c| c != '\n') => {
                    self.at += 1 + self.peek(1).map_or(0, char::len_utf8);
                }
                Some(c) if c != '\n' => self.at += c.len_utf8(),
                _ => {
                    self.diagnostics.push(
                        err!(E0105, self.span_from(start), "this string is never closed")
                            .label("a string ends on the line it begins on")
                            .suggest("close it", self.span_from(start).at_end(), "\""),
                    );
                    return TokenKind::Str;
                }
            }
        }
    }

    fn unknown(&mut self) -> TokenKind {
        let start = self.at;
        let c = self.peek(0).unwrap_or(' ');
        self.at += c.len_utf8();
        let span = self.span_from(start);
        let ascii = match c {
            '×' | '·' | '⋅' => Some("*"),
            '−' | '–' => Some("-"),
            '÷' => Some("/"),
            '≤' => Some("<="),
            '≥' => Some(">="),
            '≠' => Some("!="),
            '∧' => Some("&&"),
            '∨' => Some("||"),
            '¬' => Some("!"),
            '⧺' => Some("++"),
            '∑' | 'Σ' => Some("sum"),
            '∏' | 'Π' => Some("prod"),
            '⊞' => Some("gen"),
            '…' => Some(".."),
            '’' | '‘' => Some("'"),
            _ => None,
        };
        let shown: String = c.escape_debug().collect();
        let diagnostic = err!(E0101, span, "no token begins with `{shown}`");
        self.diagnostics.push(match (c, ascii) {
            (_, Some(ascii)) => diagnostic.suggest(format!("`{shown}` is written `{ascii}`"), span, ascii),
            ('?', _) => diagnostic
                .help("a guarded read is `x?[i]`")
                .help("a choice between two values is `select(p, a, b)`"),
            ('.', _) => diagnostic
                .help("there are no methods: a transpose is `transpose(x)`, and a dot joins the parts of a loop's name, `y.o`"),
            ('#', _) => diagnostic.help("comments begin with `//`"),
            _ => diagnostic,
        });
        TokenKind::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, kinds: &[TokenKind], codes: &[&str]) {
        let (tokens, diagnostics) = lex(FileId(0), text);
        let found: Vec<TokenKind> =
            tokens.iter().map(|token| token.kind).filter(|kind| *kind != TokenKind::Whitespace).collect();
        assert_eq!(found, kinds, "{text}");
        let found: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert_eq!(found, codes, "{text}");
    }

    #[test]
    fn numbers_ranges_and_dotted_names() {
        use TokenKind::*;
        check("1 1.5 1e-3 2E4 1_000", &[Int, Float, Float, Float, Int], &[]);
        check("0..n", &[Int, DotDot, Ident], &[]);
        check("lo..hi", &[Ident, DotDot, Ident], &[]);
        check("y.o.i x/y.o", &[Ident, Ident, Slash, Ident], &[]);
        check("2i 3.5i 1e3i 0..2i", &[Imaginary, Imaginary, Imaginary, Int, DotDot, Imaginary], &[]);
        check("2if 0x1i", &[Int; 2], &["E0107"; 2]);
        check("1.", &[Float], &["E0107"]);
        check("0x1F_ff 0b1011 0xEDB88320", &[Int, Int, Int], &[]);
        check("3f32 1e 0o17 0x 0b12 0x1g 0b", &[Int; 7], &["E0107"; 7]);
    }

    #[test]
    fn operators_take_the_longest_spelling() {
        use TokenKind::*;
        check(
            "a++b + <= < -> - ?[ ** *",
            &[Ident, PlusPlus, Ident, Plus, LessEq, Less, Arrow, Minus, GuardBracket, StarStar, Star],
            &[],
        );
        check(
            "&& & || | ^ ~ << < >> >= >",
            &[AndAnd, Ampersand, OrOr, Bar, Caret, Tilde, ShiftLeft, Less, ShiftRight, GreaterEq, Greater],
            &[],
        );
    }

    #[test]
    fn comments_strings_labels() {
        use TokenKind::*;
        check(
            "// a\n/// b\n//// c\n/* d /* e */ */ x",
            &[LineComment, DocComment, LineComment, BlockComment, Ident],
            &[],
        );
        check("\"a\\\"b\" 'row _ _x", &[Str, Label, Underscore, Ident], &[]);
        check("\"a\nb", &[Str, Ident], &["E0105"]);
        check("/* a /* b */", &[BlockComment], &["E0106"]);
    }

    #[test]
    fn unknown_characters_are_reported_with_their_spelling() {
        use TokenKind::*;
        check("a × b ? c", &[Ident, Unknown, Ident, Unknown, Ident], &["E0101", "E0101"]);
    }

    #[test]
    fn texts_over_the_limit_are_refused() {
        let text = " ".repeat(MAX_BYTES + 1);
        check(&text, &[], &["E0110"]);
    }

    proptest! {
        #![proptest_config(crate::tests::config(400))]

        #[test]
        fn tokens_put_together_are_the_text(text in ".*|[a-z0-9.\"'/*\\[\\]?<>=&|+ \n\\\\-]*") {
            let (tokens, _) = lex(FileId(0), &text);
            let together: String = tokens.iter().map(|token| &text[token.range()]).collect();
            prop_assert_eq!(together, text);
        }
    }
}
