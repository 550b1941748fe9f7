//! The command: what it prints where, and its exit status.

use std::process::{Command, Stdio};

/// The exit status, the standard output and the standard error of `recheck` with these words.
fn recheck(words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_recheck")).args(words).output().expect("the command runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn without_a_file_nothing_is_checked() {
    let (code, out, err) = recheck(&[]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("usage: recheck FILE.atlp [--text FILE.c] .."), "{err}");
    assert_eq!(recheck(&["--help"]), (Some(0), err, String::new()));
    assert_eq!(recheck(&["--help", "Cargo.toml"]).0, Some(2), "files are not passed over");
}

#[test]
fn the_exit_status_is_that_of_the_worst_file() {
    let (code, out, err) = recheck(&["nothing.atlp", "Cargo.toml"]);
    assert_eq!(code, Some(2));
    assert!(err.starts_with("nothing.atlp: "), "{err}");
    assert!(out.starts_with("Cargo.toml: refused: "), "{out}");
    assert_eq!(recheck(&["Cargo.toml"]).0, Some(1));
}

#[test]
fn a_text_belongs_to_the_file_before_it() {
    let (code, _, err) = recheck(&["Cargo.toml", "--text"]);
    assert_eq!(code, Some(2));
    assert!(err.starts_with("usage: "), "{err}");
    let (code, out, err) = recheck(&["Cargo.toml", "--text", "nothing.c"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("nothing.c: "), "{err}");
    assert_eq!(recheck(&["Cargo.toml", "--text", "Cargo.toml"]).0, Some(1));
}

#[test]
fn the_exit_status_is_the_same_when_nobody_reads_on() {
    // More than a pipe holds.
    let mut child = Command::new(env!("CARGO_BIN_EXE_recheck"))
        .args(["Cargo.toml"; 5000])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}
