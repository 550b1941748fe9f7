//! Measurements of this project: `cargo run --release -p atl-benches -- all|compile|dense|kernel|proofs`.
//!
//! One idea: a claim about speed is a file that a command writes. Each measurement prints a table and writes
//! `benches/results/NAME.json` with the machine's kind, the compiler and the commit; `benches/README.md` says how to read
//! them. Nothing here decides whether a build passes: times on shared machines are reported, not gated.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod compile;
mod dense;
mod json;
mod kernel;
mod machine;
mod programs;
mod proofs;
mod statistics;

use json::Json;
use std::path::Path;
use std::process::ExitCode;

/// Terms nest deeply, and the kernel follows them by recursion.
const STACK: usize = 256 << 20;

/// A measurement: its name, and what it prints and finds.
type Measurement = (&'static str, fn(&Options) -> Result<Json, String>);

const TABLE: &[Measurement] = &[
    ("compile", |_| compile::run()),
    ("dense", |options| dense::run(&options.dense)),
    ("kernel", |_| kernel::run()),
    ("proofs", |_| proofs::run()),
];

const USAGE: &str = "usage: atl-benches all|compile|dense|kernel|proofs ..
       of dense: [--only WORDS] [--threads 1,2] [--rounds N]
       with --only, nothing is written to results/";

/// What the command line says.
struct Options {
    names: Vec<String>,
    dense: dense::Wanted,
}

impl Options {
    fn parse(words: impl Iterator<Item = String>) -> Option<Options> {
        let wanted = dense::Wanted { only: String::new(), threads: vec![1, 2], rounds: 41 };
        let mut options = Options { names: Vec::new(), dense: wanted };
        let mut words = words;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--only" => options.dense.only = words.next()?,
                "--rounds" => options.dense.rounds = words.next()?.parse().ok().filter(|n| *n > 0)?,
                "--threads" => {
                    let threads = words.next()?;
                    let threads = threads.split(',').map(|n| n.parse().ok().filter(|n| *n > 0));
                    options.dense.threads = threads.collect::<Option<_>>()?;
                }
                name if name == "all" || TABLE.iter().any(|(known, _)| *known == name) => {
                    options.names.push(word)
                }
                _ => return None,
            }
        }
        (!options.names.is_empty()).then_some(options)
    }

    fn asks_for(&self, name: &str) -> bool {
        self.names.iter().any(|asked| asked == "all" || asked == name)
    }
}

fn main() -> ExitCode {
    let Some(options) = Options::parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let work = move || -> Result<(), String> {
        for (name, measure) in TABLE {
            if options.asks_for(name) {
                // Before measuring: others may commit.
                let machine = machine::describe()?;
                let found = measure(&options)?;
                if *name != "dense" || options.dense.only.is_empty() {
                    write(name, machine, found)?;
                }
            }
        }
        Ok(())
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let failure = match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => return ExitCode::SUCCESS,
        Ok(Ok(Err(why))) => why,
        Ok(Err(_)) => "a measurement panicked".to_owned(),
        Err(why) => format!("no thread with a stack of {STACK} bytes: {why}"),
    };
    eprintln!("{failure}");
    ExitCode::FAILURE
}

/// Writes `results/NAME.json`.
fn write(name: &str, machine: Json, results: Json) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let path = folder.join(format!("{name}.json"));
    let whole = Json::object([("machine", machine), ("results", results)]);
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, format!("{whole}\n")))
        .map_err(|why| format!("{}: {why}", path.display()))
}
