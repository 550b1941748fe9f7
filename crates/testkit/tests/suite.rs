//! The Markdown suite as tests: one a case, and one a case and C compiler.
//!
//! `UPDATE_EXPECT=1` writes what the programs give into the documents; look at the difference before keeping it.
//! `ATL_SUITE` names another folder of documents, for trying things out.
#![allow(clippy::print_stderr, reason = "a test program reports to the terminal")]

use atl_driver::backends;
use atl_testkit::suite::document::Kind;
use atl_testkit::suite::{Document, documents, embedded, run, updated};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let ours = || Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/suite")).to_owned();
    let root = std::env::var_os("ATL_SUITE").map_or_else(ours, PathBuf::from);
    let found = match documents(&root) {
        Ok(found) => found,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let arguments = Arguments::from_args();
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|v| v == "1") {
        return update(&found, arguments.filter.as_deref().unwrap_or_default());
    }
    libtest_mimic::run(&arguments, found.iter().flat_map(trials).collect()).exit_code()
}

/// The tests of a document. Those of C are listed as ignored where there is no compiler.
fn trials(document: &Document) -> Vec<Trial> {
    let missing = (backends::c::BACKEND.unavailable)().is_some();
    let mut trials = Vec::new();
    for case in &document.cases {
        let name = format!("{}:{} {}", document.name, case.line, case.title);
        let here = case.clone();
        trials.push(Trial::test(name.clone(), move || run(&here, &embedded()).map_err(Failed::from)));
        if case.expectations.iter().any(|e| e.kind == Kind::Output) {
            let mut here = case.clone();
            here.expectations.retain(|e| matches!(e.kind, Kind::Output | Kind::Warning));
            let c = Trial::test(name, move || run(&here, &[&backends::c::BACKEND]).map_err(Failed::from));
            trials.push(c.with_kind("c").with_ignored_flag(missing));
        }
    }
    trials
}

/// Write what the programs give.
fn update(found: &[Document], filter: &str) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for document in found.iter().filter(|d| d.name.contains(filter)) {
        let written = match updated(document) {
            Ok(text) if text == document.text => Ok(()),
            Ok(text) => std::fs::write(&document.path, text).map_err(|e| e.to_string()),
            Err(why) => Err(why),
        };
        if let Err(why) = written {
            eprintln!("{why}");
            code = ExitCode::FAILURE;
        }
    }
    code
}
