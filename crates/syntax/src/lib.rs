//! Lexer, parser, abstract syntax, printer and formatter of `.atl` files.
//!
//! The parser never fails and never panics: it returns a tree and diagnostics, whatever the input.
//! [`ast`] is what other crates consume; the token list of a [`Parse`] is lossless, and the formatter
//! works on that, so it cannot lose a comment or change a program.
//!
//! ```
//! use atl_diag::FileId;
//! use atl_syntax::ast::Item;
//!
//! let parse = atl_syntax::parse_file(FileId(0), "fn id(a: f32[N]) -> f32[N] { gen i < N { a[i] } }");
//! assert!(parse.diagnostics.is_empty());
//! assert!(matches!(&parse.tree.items[..], [Item::Function(f)] if f.name.text == "id"));
//! ```

pub mod ast;
mod format;
mod layout;
mod lexer;
mod parser;
mod print;
mod token;

pub use format::{WIDTH, format};
pub use lexer::{MAX_BYTES, lex};
pub use parser::{MAX_HEIGHT, MAX_NESTING, Parse, parse_expr, parse_file, parse_pattern, parse_steps};
pub use print::{
    Notation, Style, print_expr, print_file, print_function, print_item, print_step, print_type,
};
pub use token::{Token, TokenKind};

#[cfg(test)]
mod tests {
    use proptest::test_runner::{Config, RngSeed};

    /// So many cases, the same ones every time.
    pub(crate) fn config(cases: u32) -> Config {
        Config { cases, rng_seed: RngSeed::Fixed(0), failure_persistence: None, ..Config::default() }
    }
}
