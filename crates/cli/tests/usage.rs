//! Exit codes, help, and pipes that close.

use crate::common::Folder;
use std::process::Stdio;

#[test]
fn wrong_command_lines_exit_with_2() {
    let folder = Folder::new("usage_wrong");
    for line in [
        "",
        "nonsense",
        "check",
        "run p.atl --in a",
        "run p.atl --set =3",
        "run p.atl --backend abacus",
        "run p.atl --threads none",
        "run p.atl --rounding loose",
        "show p.atl --stage tokens",
        "build p.atl",
        "check p.atl p.atl",
    ] {
        let outcome = folder.atl(line);
        assert_eq!(outcome.code, Some(2), "atl {line}");
        assert!(
            outcome.stdout.is_empty() && outcome.stderr.contains("--help"),
            "atl {line}\n{}",
            outcome.stderr
        );
    }
}

#[test]
fn help_and_version_are_done() {
    let folder = Folder::new("usage_help");
    for line in ["--help", "help", "help run", "run --help", "bench -h"] {
        assert!(folder.done(line).contains("Usage"), "{line}");
    }
    assert!(folder.done("run --help").contains(".npy"), "the formats that an error page refers to");
    assert!(folder.done("--version").starts_with("atl "));
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let folder = Folder::new("usage_pipe");
    let mut command = folder.command(&["explain", "errors"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn deep_programs_are_computed_or_refused() {
    let folder = Folder::new("usage_deep");
    folder.write_npy("x.npy", &[2], &[1.0, 2.0]);
    let program = |count: usize| {
        let terms = vec!["x[i]"; count].join(" + ");
        format!(
            "fn f(x: f32[N]) -> f32[N] {{ gen i < N {{ {terms} }} }}\nschedule s of f {{ split i by 4; simplify; }}"
        )
    };
    for count in [250, 750] {
        folder.write("deep.atl", program(count));
        for backend in ["c", "cranelift", "interp", "loops"] {
            let line = format!("run deep.atl --schedule s --in x=x.npy --backend {backend}");
            assert_eq!(
                folder.done(&line).replace("[ ", "["),
                format!("[{count}. {}.]\n", 2 * count),
                "{backend}"
            );
        }
    }
    folder.write("deeper.atl", program(2000));
    folder.refused("check deeper.atl", "E0109");
}
