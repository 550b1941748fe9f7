//! House-keeping: `cargo xtask tidy` and `cargo xtask book`.
//!
//! `tidy` holds what the compiler and clippy do not: which crate may use which, how large files may be, that
//! tables and folders agree, that generated pages are current. `book` writes those pages. Both read the files
//! that git knows and nothing else, use the standard library only, and say the same twice.
//!
//! Read [`tidy`] for the list of checks; a new check is a file there and a line in its table.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command: printing is what it does

mod book;
mod module_docs;
mod rust_text;
mod tidy;
mod tree;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy [CHECK]…    every check, or those named
       cargo xtask book [--check]   write the generated pages, or compare them";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let tree = match tree::Tree::load() {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("xtask: {error}");
            return ExitCode::FAILURE;
        }
    };
    let done = match args.as_slice() {
        ["tidy", names @ ..] => tidy::run(&tree, names),
        ["book"] => book::write(&tree),
        ["book", "--check"] => tidy::run(&tree, &["generated-pages"]),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
