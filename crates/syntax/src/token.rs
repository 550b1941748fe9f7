//! Tokens.
//!
//! The token list of a text is lossless: the texts of all tokens, white space and comments included,
//! put together are the text. The formatter works on it; the parser skips the trivia.

use std::ops::Range;

/// A token: its kind and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

impl Token {
    /// Its bytes as a range of `usize`.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Declares the kinds: those with a fixed spelling, then the others.
macro_rules! kinds {
    (fixed { $($fixed:ident $text:literal)* } keywords { $($keyword:ident $word:literal)* }
     other { $($(#[$meta:meta])* $other:ident $words:literal)* }) => {
        /// The kinds of tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum TokenKind {
            $(#[doc = concat!("`", $text, "`")] $fixed,)*
            $(#[doc = concat!("The keyword `", $word, "`")] $keyword,)*
            $($(#[$meta])* $other,)*
        }

        impl TokenKind {
            /// The kinds that are always spelled the same, keywords excepted, with their spelling.
            pub(crate) const FIXED: &[(TokenKind, &str)] = &[$((TokenKind::$fixed, $text),)*];

            /// The keyword that a word is.
            pub(crate) fn keyword(word: &str) -> Option<TokenKind> {
                match word {
                    $($word => Some(TokenKind::$keyword),)*
                    _ => None,
                }
            }

            /// How a message calls it.
            pub fn describe(self) -> &'static str {
                match self {
                    $(TokenKind::$fixed => concat!("`", $text, "`"),)*
                    $(TokenKind::$keyword => concat!("`", $word, "`"),)*
                    $(TokenKind::$other => $words,)*
                }
            }

            /// Whether it is a keyword.
            pub fn is_keyword(self) -> bool {
                matches!(self, $(TokenKind::$keyword)|*)
            }
        }
    };
}

kinds! {
    // A spelling comes before those that begin it: the lexer takes the first that fits.
    fixed {
        Arrow "->" AndAnd "&&" OrOr "||" EqEq "==" NotEq "!=" LessEq "<=" GreaterEq ">="
        ShiftLeft "<<" ShiftRight ">>" PlusPlus "++" StarStar "**" DotDot ".." DotBrace ".{" GuardBracket "?["
        OpenParen "(" CloseParen ")" OpenBracket "[" CloseBracket "]" OpenBrace "{" CloseBrace "}"
        Comma "," Semicolon ";" Colon ":" Eq "=" Less "<" Greater ">" Not "!" At "@"
        Plus "+" Minus "-" Star "*" Slash "/" Percent "%" Ampersand "&" Bar "|" Caret "^" Tilde "~"
    }
    keywords {
        Gen "gen" Sum "sum" Prod "prod" Any "any" All "all" Let "let" True "true" False "false"
        Fn "fn" Schedule "schedule" Def "def" Theorem "theorem" Import "import" Use "use" Const "const" Format "format" Semiring "semiring" Monoid "monoid"
        Where "where" In "in" As "as" If "if"
    }
    other {
        /// A name, dots between its parts included.
        Ident "a name"
        /// `_`
        Underscore "`_`"
        /// A whole number.
        Int "a number"
        /// A number with a fraction or an exponent.
        Float "a number"
        /// A number with `i` after it.
        Imaginary "a number"
        /// `"text"`
        Str "a string"
        /// `'name`
        Label "a label"
        /// Blanks and line ends.
        Whitespace "white space"
        /// `// …`
        LineComment "a comment"
        /// `/// …`
        DocComment "a documentation comment"
        /// `/* … */`, nesting
        BlockComment "a comment"
        /// What no token begins with.
        Unknown "an unknown character"
        /// The end of the text.
        End "the end of the text"
    }
}

impl TokenKind {
    /// Whether the parser skips it.
    pub fn is_trivia(self) -> bool {
        matches!(self, TokenKind::Whitespace | TokenKind::Unknown) || self.is_comment()
    }

    /// Whether it is a comment of any sort.
    pub fn is_comment(self) -> bool {
        matches!(self, TokenKind::LineComment | TokenKind::DocComment | TokenKind::BlockComment)
    }

    /// The closing bracket that belongs to an opening one.
    pub(crate) fn closer(self) -> Option<TokenKind> {
        match self {
            TokenKind::OpenParen => Some(TokenKind::CloseParen),
            TokenKind::OpenBracket | TokenKind::GuardBracket => Some(TokenKind::CloseBracket),
            TokenKind::OpenBrace | TokenKind::DotBrace => Some(TokenKind::CloseBrace),
            _ => None,
        }
    }

    /// Whether it is a closing bracket.
    pub(crate) fn is_closer(self) -> bool {
        matches!(self, TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace)
    }

    /// Whether an item begins with it.
    pub(crate) fn begins_item(self) -> bool {
        matches!(
            self,
            TokenKind::Fn
                | TokenKind::Schedule
                | TokenKind::Def
                | TokenKind::Theorem
                | TokenKind::Import
                | TokenKind::Use
                | TokenKind::Const
                | TokenKind::Format
                | TokenKind::Semiring
                | TokenKind::Monoid
        )
    }

    /// Whether an operand may end with it, so that what follows is an infix or postfix operator.
    pub(crate) fn ends_operand(self) -> bool {
        self.is_closer()
            || matches!(
                self,
                TokenKind::Ident
                    | TokenKind::Underscore
                    | TokenKind::Int
                    | TokenKind::Float
                    | TokenKind::Imaginary
                    | TokenKind::True
                    | TokenKind::False
                    | TokenKind::Label
            )
    }
}
