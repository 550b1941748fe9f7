//! Data as people have it: paths of any bytes, folders that cannot be written, pictures of many bits, and too little memory.
#![cfg(unix)]

use crate::common::Folder;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

/// Adds one to each number.
const PROGRAM: &str = "fn f(a: i64[N]) -> i64[N] { gen i < N { a[i] + 1 } }\n";

fn said(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn paths_have_any_bytes() {
    let folder = Folder::new("data_paths");
    let strange = folder.path("").join(OsStr::from_bytes(b"b\xffd"));
    std::fs::create_dir_all(&strange).expect("made");
    let within = |name: &str| strange.join(name);
    std::fs::write(within("f.atl"), PROGRAM).expect("written");
    std::fs::write(within("a.csv"), "2,4,6\n").expect("written");
    let with = |before: &str, name: &str| {
        let mut word = OsString::from(before);
        word.push(within(name));
        word
    };
    let run = |words: &[OsString]| {
        let (code, stdout, stderr) = said(folder.command(&[]).args(words));
        assert_eq!(code, Some(0), "{stderr}");
        stdout
    };
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let mut line = words(&["run"]);
    line.extend([with("", "f.atl"), "--in".into(), with("a=", "a.csv")]);
    assert_eq!(run(&line), "[3 5 7]\n");
    line.extend(["--out".into(), with("", "y.npz")]);
    assert_eq!(run(&line), "");
    assert!(
        run(&[words(&["convert"]), vec![with("", "y.npz"), with("", "z.csv")]].concat()).contains("i64[3]")
    );
    assert_eq!(std::fs::read_to_string(within("z.csv")).expect("written"), "3\n5\n7\n");
    std::fs::write(within("t.csv"), "k,v\n1,5\n2,6\n").expect("written");
    let mut line = words(&["query", "select sum(v) as s from t"]);
    line.extend([with("t=", "t.csv"), "--out".into(), with("", "answer.csv")]);
    assert_eq!(run(&line), "");
    assert_eq!(std::fs::read_to_string(within("answer.csv")).expect("written"), "s\n11\n");
    let mut line = words(&["query", "select sum(v) as s from t", "--tables"]);
    line.push(strange.clone().into());
    assert_eq!(run(&line), "s\n11\n");
    let mut line = words(&["tensor", "y(i) = a(i)", "--type", "i64"]);
    line.extend(["-i".into(), with("a=", "a.csv"), "-o".into(), with("y=", "t.csv")]);
    assert_eq!(run(&line), "");
    assert_eq!(std::fs::read_to_string(within("t.csv")).expect("written"), "2\n4\n6\n");
    // The name before `=` is one of the program.
    let mut line = words(&["run", "p.atl", "--in"]);
    line.push(OsStr::from_bytes(b"\xff=a.csv").into());
    let (code, _, stderr) = said(folder.command(&[]).args(line));
    assert_eq!(code, Some(2), "{stderr}");
}

#[test]
fn a_cache_that_cannot_be_used_is_told_of_and_done_without() {
    let folder = Folder::new("data_cache");
    folder.write("f.atl", PROGRAM);
    folder.write("a.csv", "2,4,6\n");
    folder.write("file", "in the way");
    let words = ["run", "f.atl", "--in", "a=a.csv", "--backend", "c"];
    let temporary = folder.path("temporary");
    std::fs::create_dir_all(&temporary).expect("made");
    let ask = |set: &[(&str, &str)]| {
        let mut command = folder.command(&words);
        command.env_remove("ATL_CACHE").env_remove("XDG_CACHE_HOME").env_remove("HOME");
        command.env("TMPDIR", &temporary).envs(set.iter().copied());
        let (code, stdout, stderr) = said(&mut command);
        assert_eq!((code, stdout.as_str()), (Some(0), "[3 5 7]\n"), "{set:?} {stderr}");
        let left = std::fs::read_dir(&temporary).expect("listed").count();
        assert_eq!(left, 0, "{set:?} leaves nothing behind");
        stderr
    };
    let file = folder.path("file").display().to_string();
    let below = format!("{file}/below");
    for set in [
        &[("HOME", "/proc/none")][..],
        &[("ATL_CACHE", &file)],
        &[("ATL_CACHE", &below)],
        &[("XDG_CACHE_HOME", &below)],
        &[],
    ] {
        let stderr = ask(set);
        assert_eq!(stderr.matches("note: ").count(), 1, "{set:?}: {stderr}");
        assert!(stderr.contains("kept for this run alone") && stderr.contains("ATL_CACHE"), "{stderr}");
    }
    let fresh = folder.path("fresh").display().to_string();
    assert_eq!(ask(&[("ATL_CACHE", &fresh)]), "");
}

#[test]
fn pictures_of_sixteen_bits_are_written_as_they_are_read() {
    let folder = Folder::new("data_pictures");
    folder.write("g.csv", "0,255\n256,65535\n");
    let line = "convert g.csv g.png --type i32";
    let outcome = folder.atl(line);
    assert!(outcome.stderr.contains("samples have 16 bits"), "{}", outcome.stderr);
    folder.done("convert g.png back.csv");
    assert_eq!(folder.read("back.csv"), "0,255\n256,65535\n");
    folder.write("i.atl", "fn i(a: i32[H, W]) -> i32[H, W] { gen y < H, x < W { a[y, x] } }");
    let outcome = folder.atl("run i.atl --in a=g.png --out again.png");
    assert!(outcome.stderr.contains("samples have 16 bits"), "{}", outcome.stderr);
    folder.done("convert again.png again.csv");
    assert_eq!(folder.read("again.csv"), "0,255\n256,65535\n");
    let outcome = folder.atl("run i.atl --in a=g.png --out lossy.jpg");
    assert!(outcome.stderr.contains("2 of 4 samples were below 0 or above 255"), "{}", outcome.stderr);
    folder.write("f.csv", "-1,0.5\n1,300\n");
    let outcome = folder.atl("convert f.csv f.png");
    assert!(outcome.stderr.contains("2 of 4 samples"), "{}", outcome.stderr);
    folder.write("f.csv", "0,0.5\n1,0.25\n");
    let outcome = folder.atl("convert f.csv f.png");
    assert!(outcome.stderr.contains("multiply by 255"), "{}", outcome.stderr);
}

/// Whatever the limit, the command does what it is asked or is refused.
#[test]
fn memory_that_runs_out_is_a_refusal() {
    let folder = Folder::new("data_memory");
    folder.write("g.atl", "fn g(n: size) -> f64[n, n] { gen i < n, j < n { 1.0 } }\nfn s(a: f64[N]) -> f64 { sum i < N { a[i] } }\n");
    let numbers: String = (0..200_000).map(|k| format!("{k}.5\n")).collect();
    folder.write("a.csv", numbers);
    let entries: String = (1..=100_000).map(|k| format!("{k} {k} 1.5\n")).collect();
    folder.write(
        "m.mtx",
        format!("%%MatrixMarket matrix coordinate real general\n100000 100000 100000\n{entries}"),
    );
    let table: String = (0..100_000).map(|k| format!("{k},x{k}\n")).collect();
    folder.write("t.csv", format!("a,b\n{table}"));
    let lines = [
        "run g.atl --fn g --set n=20000 --backend cranelift --out y.npy",
        "run g.atl --fn s --in a=a.csv --backend cranelift",
        "convert m.mtx m.npy",
        "convert m.mtx m.npz --format csr",
        "query 'select count(*) as n from t where b = b' t=t.csv --backend cranelift",
    ];
    for line in lines {
        for megabytes in [1, 100, 250, 300, 320, 340, 400] {
            let script =
                format!("ulimit -v {}; exec '{}' {line}", megabytes << 10, env!("CARGO_BIN_EXE_atl"));
            let mut command = Command::new("sh");
            let (code, _, stderr) = said(command.arg("-c").arg(script).current_dir(folder.path("")));
            // Below a few megabytes the system itself does not load the program.
            let is_loaded = megabytes >= 100;
            assert!(!is_loaded || matches!(code, Some(0 | 1)), "{megabytes} MiB, {line}: {code:?} {stderr}");
            assert!(!stderr.contains("atl has a bug"), "{megabytes} MiB, {line}: {stderr}");
            assert!(!is_loaded || code == Some(0) || !stderr.is_empty(), "{megabytes} MiB, {line}: no word");
        }
    }
}
