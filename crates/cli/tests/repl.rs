//! `atl repl` from a pipe.

use crate::common::{Folder, Outcome, json};
use std::io::Write;
use std::process::Stdio;

/// A prompt that reads these lines.
fn typed(folder: &Folder, words: &str, lines: impl AsRef<[u8]>) -> Outcome {
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut command = folder.command(&words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command runs");
    let mut input = child.stdin.take().expect("it has an input");
    input.write_all(lines.as_ref()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// A folder with the blur of the examples as `blur.atl`.
fn blur(test: &str) -> Folder {
    let folder = Folder::new(test);
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    folder.write("blur.atl", std::fs::read(examples.join("blur.atl")).expect("the example can be read"));
    folder
}

/// What the theorem of a schedule relies on, as JSON.
fn theorem(folder: &Folder, file: &str, schedule: &str) -> String {
    let explained = json::parse(&folder.done(&format!("explain {file} --schedule {schedule} --json")));
    format!("{:?} {:?}", explained.field("theorem"), explained.field("scheduled"))
}

#[test]
fn a_derived_schedule_has_the_theorem_of_the_one_in_the_file() {
    let folder = blur("repl_derives");
    let lines = "\
tile y, x by 64, 64
compute bx at x.o
peel
unroll y.i
:undo
parallel y.o; vectorize x.i by 16; vectorize bx/x by 16
:save mine
:save apart apart.atl
:quit
";
    let outcome = typed(&folder, "repl blur.atl --fn blur", lines);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("atl> peel\n  proved: before ≡ after;  laws none;  rounding bitwise"));
    assert!(
        outcome.stdout.contains("\n    +                                 let bx = gen y < 66, x < 64 {\n")
    );
    assert!(outcome.stdout.contains("taken back: unroll y.i;\n"));
    for (file, schedule) in [("blur.atl", "mine"), ("apart.atl", "apart")] {
        assert_eq!(theorem(&folder, file, schedule), theorem(&folder, "blur.atl", "tiled"), "{schedule}");
    }
    assert!(
        folder
            .read("apart.atl")
            .starts_with("import \"blur.atl\"\n\nschedule apart of blur {\n    tile y, x")
    );
}

#[test]
fn refused_lines_leave_the_state_alone() {
    let folder = blur("repl_refuses");
    let lines = "tile y, z by 8, 8\ntile y, x by\n:undu\nsplit y by 8\n:script\n:save tiled\n:load nothing\n";
    let outcome = typed(&folder, "repl blur.atl --fn blur", lines);
    assert_eq!(outcome.code, Some(1));
    for code in ["E0303", "E0621", "E0622", "E0511"] {
        assert!(outcome.stderr.contains(&format!("error[{code}]")), "no {code} in\n{}", outcome.stderr);
    }
    assert!(
        outcome.stdout.contains("schedule draft of blur {\n    split y by 8;\n}\n"),
        "{}",
        outcome.stdout
    );
    assert_eq!(typed(&folder, "repl missing.atl", "").code, Some(1));
    let outcome = typed(&folder, "repl blur.atl --fn blur", ":rules bogus\n");
    assert!(outcome.code == Some(1) && outcome.stderr.contains("error[E0308]"), "{}", outcome.stderr);
}

#[test]
fn a_schedule_that_check_refuses_is_saved_with_a_warning() {
    let folder = Folder::new("repl_warns");
    let outcome =
        typed(&folder, "repl p.atl --fn rows", "vectorize j\n:save v v.atl\n:undo\n:save w w.atl\n");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("schedule v is written to v.atl\n"), "{}", outcome.stdout);
    assert!(outcome.stderr.starts_with("warning: `atl check` refuses the schedule v\nwarning[E0405]: "));
    assert_eq!(outcome.stderr.matches("`atl check` refuses").count(), 1, "{}", outcome.stderr);
    folder.refused("check v.atl", "E0405");
    folder.done("check w.atl");
}

#[test]
fn a_schedule_may_have_the_name_of_one_of_another_function() {
    let folder = Folder::new("repl_names");
    let outcome =
        typed(&folder, "repl p.atl --fn scale", "split i by 4\n:save wide\n:save wide\n:save rows\n");
    assert_eq!(outcome.stderr.matches("error[E0622]").count(), 2, "{}", outcome.stderr);
    folder.done("check p.atl");
    assert!(folder.done("show p.atl --fn scale --schedule wide").contains("i.i"));
}

#[test]
fn a_command_with_other_arguments_is_refused() {
    let folder = Folder::new("repl_usage");
    for (line, help) in [
        (":undo 3", "`:undo` takes no argument"),
        (":redo 3", "`:redo` takes no argument"),
        (":quit now", "`:quit` takes no argument"),
        (":save", "it is written `:save NAME [FILE]`"),
        (":show a b", "it is written `:show [STAGE]`"),
        (":undu", "`:help` lists the commands"),
        (":", "`:help` lists the commands"),
    ] {
        let outcome = typed(&folder, "repl p.atl --fn rows", format!("{line}\n"));
        let refusal = format!("error[E0621]: the prompt has no command `{line}`\n |\n = help: {help}\n");
        assert!(outcome.code == Some(1) && outcome.stderr.contains(&refusal), "{line}: {}", outcome.stderr);
    }
}

#[test]
fn what_is_no_text_ends_the_session() {
    let folder = blur("repl_bytes");
    let outcome = typed(&folder, "repl blur.atl --fn blur", b"split y by 8\n\xff\xfe\n:script\n");
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr.contains("error[E0623]: standard input cannot be read"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("atl> split y by 8") && !outcome.stdout.contains(":script"));
}

#[test]
fn a_schedule_that_was_loaded_is_taken_back_whole() {
    let folder = blur("repl_undo");
    let lines = "unroll y\n:load tiled\n:undo\n:script\n:redo\n:script\n:undo\n:undo\n:undo\n";
    let outcome = typed(&folder, "repl blur.atl --fn blur", lines);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{}", outcome.stdout);
    let session: Vec<&str> = outcome.stdout.lines().filter(|line| line.contains(": ")).collect();
    let said = |what: &str| session.iter().filter(|line| **line == what).count();
    assert_eq!(
        (said("taken back: :load tiled"), said("done again: :load tiled")),
        (2, 1),
        "{}",
        outcome.stdout
    );
    assert_eq!(said("taken back: unroll y;"), 1, "{}", outcome.stdout);
    assert!(outcome.stdout.contains("atl> :script\nschedule draft of blur {\n    unroll y;\n}\n"));
    assert!(outcome.stdout.contains("atl> :script\nschedule draft of blur {\n    tile y, x by"));
    assert!(outcome.stdout.ends_with("there is nothing to take back\n"), "{}", outcome.stdout);
}

#[test]
fn what_can_be_done_is_listed() {
    let folder = blur("repl_lists");
    let lines = "\
:load tiled
:redo
:sites
:rules let_inline
:rules sum_swap
:explain
:show loops
:show order
:help
rw let_inline at let bx = {
    _
}; _
";
    let outcome = typed(&folder, "repl blur.atl --fn blur", lines);
    for part in [
        "there is nothing to do again",
        "bx/y  gen y < 66",
        "rw let_inline\n    let bx = gen y < 66",
        "`sum_swap` applies nowhere",
        "vectorize bx/x by 16;\n    by ",
        "f32x16 for xi in 0..64",
        "the order of stores, N = 66, M = 66",
        ":undo, :redo",
        "atl> rw let_inline at let bx = {\n    _\n}; _\n",
    ] {
        assert!(outcome.stdout.contains(part), "no `{part}` in\n{}", outcome.stdout);
    }
    let gone_on = typed(&folder, "repl blur.atl --schedule fused", ":script\n");
    assert!(gone_on.stdout.contains("    rw access_gen everywhere;\n    simplify;\n}"), "{}", gone_on.stdout);
}
