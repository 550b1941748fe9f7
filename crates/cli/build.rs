//! The version, with the commit where the command is built from a checkout.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = git(&["rev-parse", "--short=10", "HEAD"]).filter(|_| is_own());
    let full = commit.map_or(version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=ATL_VERSION={full}");
    println!("cargo::rerun-if-changed=build.rs");
    // A commit, and going to another one, leave a line there.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// Is the checkout that of this program, and not one around an unpacked archive of it?
fn is_own() -> bool {
    git(&["ls-files", "--error-unmatch", "build.rs"]).is_some()
}

/// What git says, in the folder of the crate.
fn git(args: &[&str]) -> Option<String> {
    let said = Command::new("git").args(args).output().ok().filter(|said| said.status.success())?;
    let said = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    (!said.is_empty()).then_some(said)
}
