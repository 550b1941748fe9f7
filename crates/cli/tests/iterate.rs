//! `atl run --iterate`: how it ends, what it keeps, and states in formats.

use crate::common::Folder;

const PROGRAM: &str = "\
/// A rod with fixed ends.
fn heat(x: f64[N]) -> f64[N] where N >= 2 {
    gen i < N { select(i == 0 || i == N - 1, x[i], 0.5 * (x?[i - 1] + x?[i + 1])) }
}

fn flip(x: f64[N]) -> f64[N] { gen i < N { -x[i] } }

fn spread(A: f64[N, N] as csr, x: f64[N]) -> f64[N] { gen i < N { 0.5 * x[i] + sum j < N { A[i, j] * x[j] } } }

/// Paths of twice as many edges.
fn longer(R: or_and<bool>[N, N] as csr) -> or_and<bool>[N, N] as csr {
    gen i < N, j < N { R[i, j] + sum k < N { R[i, k] * R[k, j] } }
}

fn halve(R: f64[N, N] as csr) -> f64[N, N] as csr { gen i < N, j < N { 0.5 * R[i, j] } }
";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("i.atl", PROGRAM);
    folder.write("x.csv", "0\n9\n9\n9\n8\n");
    folder
}

#[test]
fn an_iteration_ends_where_a_call_changes_little() {
    let folder = folder("iterate_until");
    let run = |bound: &str| {
        let words = ["run", "i.atl", "--fn", "heat", "--in", "x=x.csv", "--iterate", "x", "--until", bound];
        let output = folder.command(&words).output().expect("the command runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    // The slowest part falls by cos(pi / 4) with each call.
    for (bound, calls) in [
        ("max |x' - x| < 1e-6", 43..46),
        ("max|x-x'|<1e-3", 23..27),
        ("sum |x' - x| < 1e-6", 44..50),
        ("max |x' - x| < 1e-6 * max |x|", 36..42),
        ("sum |x' - x| < 1e-6 * sum |x|", 34..40),
    ] {
        let (code, _, stderr) = run(bound);
        assert_eq!(code, Some(0), "{bound}: {stderr}");
        let call: u32 =
            stderr.split("call ").nth(1).and_then(|s| s.split(' ').next()?.parse().ok()).expect("a number");
        assert!(calls.contains(&call) && stderr.contains("changed less than the bound"), "{bound}: {stderr}");
    }
    for wrong in ["1e-6", "max |y' - y| < 1", "max |x' - x| < 0", ""] {
        let (code, _, stderr) = run(wrong);
        assert!(code == Some(2) && stderr.contains("max |x' - x| < 1e-8"), "{wrong}: {stderr}");
    }
    let (_, stdout, stderr) = run("max |x' - x| < 1e-300");
    assert!(stdout == "[0. 2. 4. 6. 8.]\n" && stderr.contains("changed nothing"), "{stdout}{stderr}");
}

#[test]
fn one_that_does_not_end_says_how_much_it_changes_and_keeps_its_state() {
    let folder = folder("iterate_limit");
    let line = "run i.atl --fn flip --in x=x.csv --iterate x --at-most 25 --checkpoint s.npy --every 7";
    let diagnostic = folder.refused(line, "E0539");
    assert!(diagnostic.contains("--until \"max |x' - x| < 1e-8\""), "{diagnostic}");
    assert!(diagnostic.contains("`x` after 25 calls is in s.npy; `--in x=s.npy` goes on"), "{diagnostic}");
    assert_eq!(
        folder.done("run i.atl --fn flip --in x=s.npy --iterate x --times 0"),
        "[-0. -9. -9. -9. -8.]\n"
    );
    let words = "run i.atl --fn heat --in x=x.csv --iterate x --at-most 9 --until";
    let mut words: Vec<&str> = words.split(' ').collect();
    words.push("sum |x' - x| < 1e-6 * sum |x|");
    let output = folder.command(&words).output().expect("the command runs");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.code() == Some(1) && stderr.contains("the last call changed it by "), "{stderr}");
    for place in ["no/s.npy", "s.png", "s.JPG"] {
        let line = format!("run i.atl --fn flip --in x=x.csv --iterate x --checkpoint {place}");
        let diagnostic = folder.refused(&line, "E0522");
        assert!(diagnostic.contains("the state cannot be kept"), "{diagnostic}");
        assert!(diagnostic.contains("--checkpoint") && !diagnostic.contains("--out"), "{diagnostic}");
    }
    // What is to be typed is of the parameter that is repeated.
    folder.write("u.atl", "fn twist(u: f64[N]) -> f64[N] { gen i < N { -u[i] } }\n");
    let diagnostic = folder.refused("run u.atl --in u=x.csv --iterate u --at-most 9", "E0539");
    assert!(diagnostic.contains("--until \"max |u' - u| < 1e-8\""), "{diagnostic}");
    let words = "run u.atl --in u=x.csv --iterate u --at-most 9 --until";
    let words: Vec<&str> = words.split(' ').chain(["sum |u' - u| < 1e-6 * sum |u|"]).collect();
    let output = folder.command(&words).output().expect("the command runs");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert!(stderr.contains("in the measure of `sum |u' - u| < 1e-6 * sum |u|`"), "{stderr}");
    assert_eq!(folder.atl("run i.atl --fn flip --in x=x.csv --checkpoint s.npy").code, Some(2));
    // What is kept is the state after a call: to go on with it gives what would have been.
    folder.done("run i.atl --fn heat --in x=x.csv --iterate x --times 25 --checkpoint t.npy --every 10");
    let all = folder.done("run i.atl --fn heat --in x=x.csv --iterate x --times 25");
    assert_eq!(folder.done("run i.atl --fn heat --in x=t.npy --iterate x --times 5"), all);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_state() {
    let folder = folder("iterate_interrupt");
    let line =
        "run i.atl --fn flip --in x=x.csv --iterate x --at-most 1000000000000 --checkpoint s.npy --every 100";
    let words: Vec<&str> = line.split(' ').collect();
    let mut command = folder.command(&words);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("the command runs");
    // It has begun when there is a state.
    while !folder.path("s.npy").exists() {
        assert!(child.try_wait().is_ok_and(|status| status.is_none()), "it runs on");
        std::thread::yield_now();
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("interrupted: `x` after ") && stderr.contains("`--in x=s.npy` goes on"),
        "{stderr}"
    );
    let state = folder.done("run i.atl --fn flip --in x=s.npy --iterate x --times 0");
    assert!(state.contains("9.") && state.contains("8."), "{state}");
}

#[test]
fn states_have_formats() {
    let folder = folder("iterate_formats");
    let mtx = |entries: &[(u32, u32)]| {
        let lines: String = entries.iter().map(|(i, j)| format!("{i} {j} 1\n")).collect();
        format!("%%MatrixMarket matrix coordinate real general\n5 5 {}\n{lines}", entries.len())
    };
    folder.write("r.mtx", mtx(&[(1, 2), (2, 3), (3, 4), (5, 5)]));
    for backend in ["cranelift", "interp", "c"] {
        let line =
            format!("run i.atl --fn longer --in R=r.mtx --iterate R --backend {backend} --out all.mtx");
        let outcome = folder.atl(&line);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("`R` is stable: call 3 changed nothing"), "{}", outcome.stderr);
        folder.done("convert all.mtx all.csv --format dense");
        assert_eq!(folder.read("all.csv"), "0,1,1,1,0\n0,0,1,1,0\n0,0,0,1,0\n0,0,0,0,0\n0,0,0,0,1\n");
    }
    folder.done(
        "run i.atl --fn longer --in R=r.mtx --iterate R --times 1 --out one.mtx --checkpoint c.mtx --every 1",
    );
    assert_eq!(folder.read("one.mtx"), folder.read("c.mtx"));
    // A relation without entries, and no call at all.
    folder.write("none.mtx", mtx(&[]));
    assert!(
        folder
            .atl("run i.atl --fn longer --in R=none.mtx --iterate R")
            .stderr
            .contains("call 1 changed nothing")
    );
    folder.done("run i.atl --fn longer --in R=r.mtx --iterate R --times 0 --out zero.mtx");
    folder.done("convert zero.mtx zero.csv --format dense");
    assert_eq!(folder.read("zero.csv"), "0,1,0,0,0\n0,0,1,0,0\n0,0,0,1,0\n0,0,0,0,0\n0,0,0,0,1\n");
    let words = "run i.atl --fn halve --in R=r.mtx --iterate R --out h.mtx --until";
    let mut words: Vec<&str> = words.split(' ').collect();
    words.push("max |R' - R| < 0.1");
    let output = folder.command(&words).output().expect("the command runs");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert!(stderr.contains("call 4 changed less"), "{stderr}");
    // One of them has none.
    folder.refused("run i.atl --fn spread --in A=r.mtx --in x=x.csv --iterate A", "E0538");
    assert_eq!(folder.atl("run i.atl --fn longer --in R=r.mtx --iterate R --since").code, Some(2));
}
