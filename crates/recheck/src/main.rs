//! `recheck FILE.atlp ..`: check proof files, and print what they claim.
//!
//! The exit status is 0 if every file is a proof, 1 if one is not, 2 if one cannot be read.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut worst = 0;
    for path in std::env::args_os().skip(1) {
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
