//! Measurements of this project:
//! `cargo run --release -p atl-benches -- all|compile|dense|formats|graphs|kernel|proofs|queries|sparse|tuned`.
//!
//! One idea: a claim about speed is a file that a command writes. Each measurement prints a table and writes
//! `benches/results/NAME.json` with the machine's kind, the compiler and the commit; `benches/README.md` says
//! how to read them. Nothing here decides whether a build passes: times on shared machines are reported, not
//! gated.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod compile;
mod dense;
mod formats;
mod graphs;
mod json;
mod kernel;
mod machine;
mod programs;
mod proofs;
mod queries;
mod race;
mod sparse;
mod statistics;
mod tuned;

use crate::json::object;
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;

/// Terms nest deeply, and the kernel follows them by recursion.
const STACK: usize = 256 << 20;

/// A measurement: its name, and what does it and writes what it finds.
type Measurement = (&'static str, fn(&Options) -> Result<(), String>);

const TABLE: &[Measurement] = &[
    ("compile", |_| whole("compile", compile::run)),
    ("dense", |options| dense::run(&options.races)),
    ("formats", |_| whole("formats", formats::run)),
    ("graphs", |options| graphs::run(&options.races)),
    ("kernel", |_| whole("kernel", kernel::run)),
    ("proofs", |_| whole("proofs", proofs::run)),
    ("queries", |options| queries::run(&options.races)),
    ("sparse", |options| sparse::run(&options.races)),
    ("tuned", |_| whole("tuned", tuned::run)),
];

/// By how much a quick look makes tensors smaller.
const QUICK: usize = 16;

const USAGE: &str =
    "usage: atl-benches all|compile|dense|formats|graphs|kernel|proofs|queries|sparse|tuned ..
       of dense, graphs, queries and sparse: [--only WORDS] [--rounds N] [--look]
       of dense and sparse: [--threads 1,2]
       of sparse: [--quick], small tensors
       with --look or --quick, nothing is written to results/";

/// A measurement with one result.
fn whole(name: &str, measure: fn() -> Result<Value, String>) -> Result<(), String> {
    // Before measuring: others may commit.
    let machine = machine::describe()?;
    write(name, machine, measure()?)
}

/// What the command line says.
struct Options {
    names: Vec<String>,
    races: race::Wanted,
}

impl Options {
    fn parse(words: impl Iterator<Item = String>) -> Option<Options> {
        let keep = |name: &str, race: Value| write(name, machine::describe()?, race);
        let races = race::Wanted { only: String::new(), threads: vec![1, 2], rounds: 41, scale: 1, keep };
        let mut options = Options { names: Vec::new(), races };
        let mut words = words;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--only" => options.races.only = words.next()?,
                "--look" => options.races.keep = |_, _| Ok(()),
                "--quick" => {
                    options.races.scale = QUICK;
                    options.races.keep = |_, _| Ok(());
                }
                "--rounds" => options.races.rounds = words.next()?.parse().ok().filter(|n| *n > 0)?,
                "--threads" => {
                    let threads = words.next()?;
                    let threads = threads.split(',').map(|n| n.parse().ok().filter(|n| *n > 0));
                    options.races.threads = threads.collect::<Option<_>>()?;
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
                measure(&options)?;
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
fn write(name: &str, machine: Value, results: Value) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let path = folder.join(format!("{name}.json"));
    let whole = object([("machine", machine), ("results", results)]);
    std::fs::create_dir_all(path.parent().unwrap_or(&folder))
        .and_then(|()| std::fs::write(&path, json::text(&whole) + "\n"))
        .map_err(|why| format!("{}: {why}", path.display()))
}
