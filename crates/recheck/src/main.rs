//! `recheck FILE.atlp ..`: check proof files, and print what they claim. After a file, `--text FILE.c` compares a C text with
//! its loops.
//!
//! The exit status is 0 if every file is a proof, 1 if one is not or if a text differs from the loops, 2 if
//! one cannot be read or none is given. A text for which there is no evidence does not count.

#![allow(clippy::print_stderr)]

use atl_recheck::Text;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Write};
use std::process::ExitCode;

/// How it is called.
const USAGE: &str = "usage: recheck FILE.atlp [--text FILE.c] ..   checks proof files, and prints what they claim; \
                     compares C texts with the loops of the files before them";

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    if paths.is_empty() {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    } else if paths == ["--help"] {
        print(USAGE);
        return ExitCode::SUCCESS;
    }
    let mut worst = 0;
    let mut paths = paths.into_iter().peekable();
    while let Some(path) = paths.next() {
        let text = if paths.next_if(|next| next == "--text").is_some() {
            let Some(text) = paths.next() else {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            };
            Some(text)
        } else {
            None
        };
        worst = worst.max(checked(&path, text.as_deref()));
    }
    ExitCode::from(worst)
}

/// What is printed of a file, and of a text; the exit status.
fn checked(path: &OsStr, text: Option<&OsStr>) -> u8 {
    let name = path.to_string_lossy();
    let unreadable = |name: &OsStr, error: &dyn Display| {
        eprintln!("{}: {error}", name.to_string_lossy());
        2
    };
    let file = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) => return unreadable(path, &error),
    };
    let found = match text.map(|text| (text, std::fs::read_to_string(text))) {
        None => atl_recheck::check(file).map(|claim| (claim, None)),
        Some((text, Err(error))) => return unreadable(text, &error),
        Some((_, Ok(text))) => atl_recheck::check_text(file, &text).map(|(claim, text)| (claim, Some(text))),
    };
    match found {
        Ok((claim, text)) => {
            print(format_args!("{name}: proved\n{claim}"));
            text.iter().for_each(print);
            u8::from(matches!(text, Some(Text::Differs(_))))
        }
        Err(refusal) => {
            print(format_args!("{name}: refused: {refusal}"));
            1
        }
    }
}

/// Prints a line. The exit status says what the files are, whether somebody reads on or not.
fn print(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
