//! Measurements of this project: `cargo run --release -p atl-benches -- all|compile|kernel|proofs|speed`.
//!
//! One idea: a claim about speed is a file that a command writes. Each measurement prints a table and writes
//! `benches/results/NAME.json` with the machine's kind, the compiler and the commit; `benches/README.md` says how to read
//! them. Nothing here decides whether a build passes: times on shared machines are reported, not gated.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod compile;
mod contender;
mod json;
mod kernel;
mod machine;
mod native;
mod programs;
mod proofs;
mod roofline;
mod speed;
mod statistics;

use json::Json;
use std::path::Path;
use std::process::ExitCode;

/// Terms nest deeply, and the kernel follows them by recursion.
const STACK: usize = 256 << 20;

/// A measurement: its name, and what it prints and finds.
type Measurement = (&'static str, fn() -> Result<Json, String>);

const TABLE: &[Measurement] =
    &[("compile", compile::run), ("kernel", kernel::run), ("proofs", proofs::run), ("speed", speed::run)];

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let known = |name: &String| name == "all" || TABLE.iter().any(|(known, _)| known == name);
    if asked.is_empty() || !asked.iter().all(known) {
        eprintln!("usage: atl-benches all|compile|kernel|proofs|speed ..");
        return ExitCode::from(2);
    }
    let work = move || -> Result<(), String> {
        for (name, measure) in TABLE {
            if asked.iter().any(|a| a == "all" || a == name) {
                // Before measuring: OpenMP may bind this thread to a core, and others may commit.
                let machine = machine::describe()?;
                write(name, machine, measure()?)?;
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
