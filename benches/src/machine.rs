//! On what a result was measured: the machine's kind, the compiler, the commit. Never its name or place.

use crate::json::object;
use atl_runtime::cc::Compiler;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// The fields that every result begins with.
pub(crate) fn describe() -> Result<Value, String> {
    let compiler = Compiler::find().map_err(|why| why.to_string())?;
    let cores = std::thread::available_parallelism().map_err(|why| why.to_string())?;
    Ok(object([
        ("processor", json!(processor())),
        ("cores", json!(cores.get())),
        ("load", json!(load())),
        ("compiler", json!(compiler.version())),
        ("commit", json!(commit())),
    ]))
}

/// The model that the processor reports.
fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    model.map_or_else(|| "unknown".to_owned(), |m| m.trim_start_matches([' ', '\t', ':']).to_owned())
}

/// How many programs wanted to run, on average over the last minute: more than the cores, and times are too
/// long.
fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().next().unwrap_or("unknown").to_owned()
}

/// The commit, with `-dirty` if the files differ from it.
fn commit() -> String {
    let git = Command::new("git")
        .args(["describe", "--always", "--dirty", "--exclude", "*"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    match git {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}
