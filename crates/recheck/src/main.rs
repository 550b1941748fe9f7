//! `recheck FILE.atlp ..`: check proof files, and print what they claim.
//!
//! The exit status is 0 if every file is a proof, 1 if one is not, 2 if one cannot be read or none is given.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

/// How it is called.
const USAGE: &str = "usage: recheck FILE.atlp ..   checks proof files, and prints what they claim";

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    if paths.is_empty() {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    } else if paths == ["--help"] {
        println!("{USAGE}");
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
            Ok(claim) => println!("{name}: proved\n{claim}"),
            Err(refusal) => {
                println!("{name}: refused: {refusal}");
                worst = worst.max(1);
            }
        }
    }
    ExitCode::from(worst)
}
