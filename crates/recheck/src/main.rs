//! `recheck FILE.atlp ..`: check proof files, and print what they claim.
//!
//! The exit status is 0 if every file is a proof, 1 if one is not, 2 if one cannot be read or none is given.

#![allow(clippy::print_stderr)]

use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Write};
use std::process::ExitCode;

/// How it is called.
const USAGE: &str = "usage: recheck FILE.atlp ..   checks proof files, and prints what they claim";

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
    for path in paths {
        let name = path.to_string_lossy();
        let file = match File::open(&path) {
            Ok(file) => BufReader::new(file),
            Err(error) => {
                eprintln!("{name}: {error}");
                worst = 2;
                continue;
            }
        };
        match atl_recheck::check(file) {
            Ok(claim) => print(format_args!("{name}: proved\n{claim}")),
            Err(refusal) => {
                print(format_args!("{name}: refused: {refusal}"));
                worst = worst.max(1);
            }
        }
    }
    ExitCode::from(worst)
}

/// Prints a line. The exit status says what the files are, whether somebody reads on or not.
fn print(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
