//! `atl build`: the artefacts, and a C program that uses them.

use crate::common::{Folder, json};
use std::process::Command;

/// Builds, compiles the example with the command that is printed, runs it, and gives what it printed.
fn example(folder: &Folder, line: &str, name: &str) -> String {
    let report = json::parse(&folder.done(&format!("{line} -o out --json")));
    let link = report.field("link").text().to_owned();
    assert!(folder.read(&format!("out/{name}.md")).contains("-lm"), "the page says how to link");
    let words: Vec<&str> = link.split(' ').collect();
    let strict = ["-Wall", "-Wextra", "-Werror", "-std=c11"];
    let compiled = Command::new(words[0])
        .args(strict)
        .args(&words[1..])
        .current_dir(folder.path("out"))
        .output()
        .expect("runs");
    assert!(compiled.status.success(), "{link}\n{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(folder.path(&format!("out/example_{name}"))).output().expect("runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text")
}

#[test]
fn the_example_links_and_computes() {
    let folder = Folder::new("build");
    // Made-up data: elements 1/8, 2/8, .., 7/8 in turn, in eight rows of eight.
    let element = |k: usize| ((k % 7) + 1) as f64 / 8.0;
    let rows: Vec<f64> = (0..8).map(|i| (0..8).map(|j| element(8 * i + j)).sum()).collect();
    let shown: String = rows.iter().map(|x| format!("{x} ")).collect();
    let expected = format!("{shown}\n8 elements, sum {}\n", rows.iter().sum::<f64>());
    assert_eq!(example(&folder, "build p.atl --schedule wide", "rows"), expected);
    assert_eq!(example(&folder, "build p.atl --fn rows", "rows"), expected);
    assert_eq!(example(&folder, "build p.atl --fn ramp", "ramp"), "0 1 2 3 4 5 6 7 \n8 elements, sum 28\n");
}

/// What a loader reads agrees with the header and the program.
#[test]
fn the_signature_is_printed() {
    let folder = Folder::new("build_signature");
    let report = json::parse(&folder.done("build p.atl --fn rows -o out --json"));
    let signature = report.field("signature");
    assert_eq!(signature.field("version").number(), 1.0);
    assert_eq!(signature.field("function").text(), "rows");
    let c = signature.field("c");
    let parameters: Vec<String> =
        c.field("parameters").list().iter().map(|p| p.field("type").text().to_owned()).collect();
    let header = folder.read("out/rows.h");
    assert!(parameters.iter().all(|ty| header.contains(ty.as_str())), "{parameters:?}\n{header}");
    assert!(header.contains(&format!("{}(const int64_t *sizes", c.field("call").text())), "{header}");
    let sizes = signature.field("sizes").list().len() + signature.field("arrays").list().len();
    assert_eq!(parameters.len(), sizes + 1, "the result is the last");
}

#[test]
fn the_example_of_a_matrix_without_entries_adds_up_what_is_finite() {
    let folder = Folder::new("build_empty");
    folder.write(
        "p.atl",
        "fn near(d: min_plus<f64>[V], w: min_plus<f64>[U, V] as csr) -> min_plus<f64>[U] {
            gen i < U { sum j < V { w[i, j] * d[j] } } }",
    );
    let found = example(&folder, "build p.atl", "near");
    assert!(found.ends_with("inf \n8 elements, sum 0 of the 0 that are finite\n"), "{found}");
}

/// The headers of C99 do not declare what C11 allocates aligned memory with.
#[test]
fn scratch_is_allocated_in_older_c_too() {
    let folder = Folder::new("build_older");
    folder.write(
        "p.atl",
        "fn f(x: f32[N]) -> f32[N] { let t = gen i < N { x[i] + x[i] }; gen i < N { t[i] + t[N - 1 - i] } }",
    );
    folder.done("build p.atl --schedule none -o out");
    assert!(folder.read("out/f.c").contains("aligned_alloc"), "there is scratch");
    let outputs = ["-std=c99", "-std=gnu99", "-std=c11"].map(|standard| {
        let program = format!("example{standard}");
        let compiled = Command::new("cc")
            .args([standard, "-Wall", "-Wextra", "-Werror", "-o", &program, "example_f.c", "f.c", "-lm"])
            .current_dir(folder.path("out"))
            .output()
            .expect("runs");
        assert!(compiled.status.success(), "{standard}\n{}", String::from_utf8_lossy(&compiled.stderr));
        let run = Command::new(folder.path(&format!("out/{program}"))).output().expect("runs");
        assert!(run.status.success(), "{standard}");
        String::from_utf8(run.stdout).expect("text")
    });
    assert!(outputs[0].contains("8 elements"), "{}", outputs[0]);
    assert!(outputs.iter().all(|output| *output == outputs[0]), "{outputs:?}");
}

#[test]
fn every_artefact_is_written() {
    let folder = Folder::new("build_files");
    let listed = folder.done("build p.atl --schedule sums -o deep/out");
    let names: Vec<&str> =
        listed.lines().map(|line| line.strip_prefix("deep/out/").expect("in the folder")).collect();
    let expected = [
        "rows.c",
        "rows.h",
        "librows.a",
        "librows.so",
        "rows.md",
        "example_rows.c",
        "rows.atlp",
        "rows.certificate.txt",
    ];
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| folder.path(&format!("deep/out/{name}")).is_file()));
    let certificate = folder.read("deep/out/rows.certificate.txt");
    assert!(
        certificate.contains("rows as written ≡ rows under sums") && certificate.contains("add_assoc"),
        "{certificate}"
    );
    assert!(folder.read("deep/out/rows.md").contains("rounding `real`"));
}

#[test]
fn without_a_compiler_there_is_still_the_source() {
    let folder = Folder::new("build_no_compiler");
    let output = folder
        .command(&["build", "p.atl", "--fn", "rows", "-o", "out"])
        .env("CC", "no-such-compiler")
        .output();
    let output = output.expect("the command runs");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no libraries were made"));
    assert!(folder.path("out/rows.c").is_file() && !folder.path("out/librows.a").exists());
    let run = folder
        .command(&["run", "p.atl", "--fn", "ramp", "--set", "n=2"])
        .env("CC", "no-such-compiler")
        .output();
    assert_eq!(String::from_utf8_lossy(&run.expect("the command runs").stdout), "[0 1]\n");
    let asked = ["run", "p.atl", "--fn", "ramp", "--set", "n=2", "--backend", "c"];
    let run = folder.command(&asked).env("CC", "no-such-compiler").output().expect("the command runs");
    assert!(run.status.code() == Some(1) && String::from_utf8_lossy(&run.stderr).contains("E0602"));
}

#[cfg(unix)]
#[test]
fn tools_may_be_named_from_where_one_stands() {
    let folder = Folder::new("build_own_tools");
    for tool in ["cc", "ar"] {
        folder.write(tool, format!("#!/bin/sh\nexec {tool} \"$@\"\n"));
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(folder.path(tool), executable).expect("made executable");
    }
    let build = folder
        .command(&["build", "p.atl", "--fn", "rows", "-o", "out"])
        .envs([("CC", "./cc"), ("AR", "./ar"), ("ATL_CACHE", "cache")])
        .output()
        .expect("the command runs");
    let said = String::from_utf8_lossy(&build.stderr);
    assert!(build.status.success() && folder.path("out/librows.a").is_file(), "{said}");
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let folder = Folder::new("build_refuses");
    assert!(folder.refused("build p.atl --fn rows -o p.atl", "E0610").contains("it is a file"));
    folder.refused("build p.atl -o out", "E0512");
}
