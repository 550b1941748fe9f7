//! Lexer, parser, abstract syntax and formatter of `.atl` files.
//!
//! The parser never fails and never panics: it returns a tree and diagnostics, whatever the input.

pub mod ast;
