//! Other compilers and libraries: what they make of a function, as shared libraries with the type of our own
//! kernels.
//!
//! One idea: nothing of theirs is linked or needed. A Python script beside this one (`dense/peers`) asks
//! those that are installed to compile for the sizes at hand, and prints where the libraries are; what is
//! missing is skipped, and said.

use super::cases::Case;
use crate::race::native::{Call, Native};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Who wrote it, what it is called, and the code.
pub(crate) struct Peer {
    pub(crate) author: String,
    pub(crate) name: String,
    pub(crate) native: Native,
}

/// Names the Python that has the peers; the repository's own if it is not set.
const PYTHON: &str = "ATL_PEERS_PYTHON";

/// What the installed ones make of a case. What is missing is printed.
pub(crate) fn peers(case: &Case, call: &Call) -> Result<Vec<Peer>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = std::env::var_os(PYTHON).map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    if !python.exists() {
        println!("  skipped: other compilers, for there is no {PYTHON} and no .venv; see benches/README.md");
        return Ok(Vec::new());
    }
    let sizes = case.sizes.iter().zip(&call.sizes).map(|(name, n)| format!("{name}={n}"));
    let output = Command::new(&python)
        .arg(root.join("benches/dense/peers/build.py"))
        .args(["--case", case.name, "--threads", &call.threads.to_string(), "--out"])
        .arg(root.join("target/peers"))
        .args(sizes)
        .output()
        .map_err(|why| format!("{}: {why}", python.display()))?;
    if !output.status.success() {
        return Err(format!("the peers' script failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let mut peers = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.split('\t').collect::<Vec<_>>().as_slice() {
            ["library", author, name, path] => peers.push(Peer {
                author: (*author).to_owned(),
                name: (*name).to_owned(),
                native: Native::peer(Path::new(path), call)?,
            }),
            ["skipped", author, why] => println!("  skipped: {author}: {why}"),
            _ => return Err(format!("the peers' script printed `{line}`")),
        }
    }
    Ok(peers)
}
