//! Checked compilation against compilers that are wrong on purpose: the fault is found, told, reported, and nothing wrong is computed.
#![cfg(unix)]

use crate::common::{Folder, Outcome, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Functions with the kinds of loops that there are: vectors, sums, conditions, integers, results in formats.
const PROGRAM: &str = "\
fn pick(m: bool[N, 3], a: f32[N, 3], b: f32[N, 3]) -> f32[N, 3] {
    gen i < N, c < 3 { select(m[i, c], a[i, c] - b[i, c], b[i, c]) }
}

fn product(a: f64[N, K], x: f64[K]) -> f64[N] {
    gen i < N { sum k < K { a[i, k] * x[k] } }
}

fn mixed(a: f64[N], b: f64[N]) -> f64[N] {
    gen i < N { a[i] * b[i] + a[i] / 3 }
}

fn shift(x: i32[N]) -> i32[N] {
    gen i < N { x[N - 1 - i] / 3 - x[i] }
}

schedule wide of shift { split i by 64; unroll i.i; }

fn square(a: f64[N, K], b: f64[K, M]) -> f64[N, M] {
    gen i < N, j < M { sum k < K { a[i, k] * b[k, j] } }
}

schedule heavy of square { tile i, j by 16, 16; split k by 256; reorder i.o, j.o, k.o, k.i, i.i, j.i; }

fn spmv(a: f64[N, M] as csr, x: f64[M]) -> f64[N] {
    gen i < N { sum j < M { a[i, j] * x[j] } }
}

schedule rows of spmv { sparsify a; }

fn both(a: f64[N, M] as csr, b: f64[N, M] as csr) -> f64[N, M] as csr {
    gen i < N, j < M { a[i, j] * b[i, j] }
}

schedule meet of both { sparsify a, b; }
";

/// A folder whose compiler carries out this line of shell before it compiles `kernel.c`, and takes these words beside its own.
struct Wrong(Folder);

impl Wrong {
    fn new(test: &str, line: &str, words: &str) -> Wrong {
        let folder = Folder::new(&format!("validate_{test}"));
        folder.write("p.atl", PROGRAM);
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *kernel.c*) echo compiled >> {}; {line};; esac\nexec cc \"$@\" {words}\n",
            folder.path("log").display()
        );
        folder.write("cc", script);
        fs::set_permissions(folder.path("cc"), fs::Permissions::from_mode(0o700)).expect("made executable");
        Wrong(folder)
    }

    fn atl(&self, line: &str) -> Outcome {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = self.0.command(&words);
        command.env("ATL_CACHE", self.0.path("cache")).env("CC", self.0.path("cc"));
        let output = command.output().expect("the command runs");
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// How often C was compiled.
    fn compiled(&self) -> usize {
        fs::read_to_string(self.0.path("log")).map_or(0, |log| log.lines().count())
    }

    /// Is the code of a function, by its arguments on the command line, found to be wrong?
    fn finds(&self, function: &str) -> bool {
        let found = self.atl(&format!("bench p.atl --fn {function} --size 4 --rounds 1"));
        assert_eq!(found.code, Some(0), "{function}\n{}", found.stderr);
        found.stderr.contains("warning[E0615]")
    }
}

/// Faults, each with the function and schedule in which it shows.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    // A loop that runs once too often, and one that ends too early.
    ("le", "sed -i 's/i < N; i++/i <= N; i++/' kernel.c", "", "shift --schedules source"),
    ("early", "sed -i 's/i < N; i++/i < N - 1; i++/' kernel.c", "", "product --schedules source"),
    ("inner", "sed -i 's/k < K; k++/k + 1 < K; k++/' kernel.c", "", "product --schedules source"),
    // A store that is missing, operands in another order, a condition the other way round.
    ("store", "sed -i 's/^\\( *\\)out\\[.*;$/\\1;/' kernel.c", "", "shift --schedules source"),
    (
        "operands",
        "sed -i 's/a\\[\\([^]]*\\)\\] - b\\[\\([^]]*\\)\\]/b[\\2] - a[\\1]/' kernel.c",
        "",
        "pick --schedules source",
    ),
    (
        "condition",
        "sed -i 's/ ? \\(.*\\) : \\(.*\\);/ ? \\2 : \\1;/' kernel.c",
        "",
        "pick --schedules source",
    ),
    // The last iterations of tiles of 64, which only large sizes have.
    ("tile", "sed -i 's/< 64; /< 63; /' kernel.c", "", "shift --schedules wide"),
    // The second of tiles that are too many steps for the interpreter, and too many operations where all sizes are large.
    ("heavy", "sed -i 's/io < (N + 15) [/] 16/io < 1/' kernel.c", "", "square --schedules heavy"),
    // Stored entries: the end of a row, and a coordinate of a result.
    (
        "row",
        "sed -i 's/a2_pos\\[i + 1\\] - a2_pos\\[i\\]/a2_pos[i + 1] - a2_pos[i] - 1/' kernel.c",
        "",
        "spmv --schedules rows",
    ),
    (
        "entry",
        "sed -i '0,/atl_array \\*/! s/= (int32_t)/= 1 + (int32_t)/' kernel.c",
        "",
        "both --schedules meet",
    ),
    // Flags that allow what the theorem does not.
    ("fast", ":", "-ffast-math -O3", "mixed --schedules source"),
    ("fused", ":", "-ffp-contract=fast -mfma", "mixed --schedules source"),
    ("half", ":", "-Ddouble=float", "product --schedules source"),
];

#[test]
fn planted_faults_are_found() {
    let mut missed = Vec::new();
    for (name, line, words, function) in FAULTS {
        if !Wrong::new(name, line, words).finds(function) {
            missed.push(*name);
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn a_right_compiler_is_believed_once_it_is_checked() {
    let right = Wrong::new("right", ":", "");
    for function in ["pick", "product", "shift", "spmv", "both"] {
        let found = right.atl(&format!("bench p.atl --fn {function} --size 4 --rounds 1 --json"));
        believed(&found);
    }
}

/// Rounds amplify what fused operations round otherwise; that is served without them, and nobody is accused.
#[test]
fn chaotic_rounds_accuse_no_compiler() {
    let right = Wrong::new("chaotic", ":", "-mfma");
    right.0.write(
        "p.atl",
        "fn f(x: f64[N]) -> f64[N] { gen i < N { iterate t < 200 from y = x[i] { 1 - 1.9 * y * y } } }\n\
         schedule s of f { rounding real; }",
    );
    let found = right.atl("bench p.atl --schedules s --size 5 --rounds 1 --json");
    believed(&found);
}

/// The code of each schedule was compared and agrees, and no compiler is accused.
fn believed(found: &Outcome) {
    assert_eq!((found.code, found.stderr.contains("E0615")), (Some(0), false), "{}", found.stderr);
    for row in json::parse(&found.stdout).field("schedules").list() {
        assert_eq!(row.field("code").text(), "agrees", "{}", found.stdout);
    }
}

/// The numbers of rounds that are made up are small, whatever type they have.
#[test]
fn rounds_that_arrays_count_are_tried_with_few() {
    let right = Wrong::new("counted", ":", "");
    right.0.write(
        "p.atl",
        "fn f(n: i32[N]) -> i32[N] { gen i < N { iterate t < n[i] from s = i32(0) { s + 2 } } }\n\
         fn g(n: i32[N]) -> i32[N] { let m = gen i < N { 1000000 * n[i] }; gen i < N { sum t < m[i] { i32(t) } } }",
    );
    right.0.write("n.csv", "3\n0\n-2\n");
    let run = |function: &str| right.atl(&format!("run p.atl --fn {function} --in n=n.csv --schedule none"));
    assert_eq!(run("f").stdout, "[6 0 0]\n");
    assert_eq!(run("g").code, Some(0));
}

/// A compiler may link code that has denormal numbers become zero in the whole process, the interpreter's too, which would then agree.
#[test]
fn denormal_numbers_stay_whatever_flags_the_compiler_is_given() {
    for (name, before, after) in [("before", " -ffast-math", ""), ("after", "", "-ffast-math")] {
        let fast = Wrong::new(name, ":", after);
        fast.0.write("p.atl", "fn half(x: f32[N]) -> f32[N] { gen i < N { x[i] * 0.5 } }");
        fast.0.write_npy("x.npy", &[2], &[1e-40, 3.0]);
        let mut command = fast.0.command(&["run", "p.atl", "--in", "x=x.npy"]);
        command.env("ATL_CACHE", fast.0.path("cache"));
        command.env("CC", format!("{}{before}", fast.0.path("cc").display()));
        let output = command.output().expect("the command runs");
        let found = String::from_utf8(output.stdout).expect("text");
        assert_eq!(found, "[5.0e-41 1.5e+00]\n", "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// What is wrong is not used, whatever the flags: the numbers are those of the loops, now and at the next call, which compares nothing.
#[test]
fn wrong_code_never_serves_and_the_verdict_is_kept() {
    let wrong = Wrong::new("kept", "sed -i 's/k < K; k++/k + 1 < K; k++/' kernel.c", "");
    wrong.0.write("p.atl", "fn total(n: size) -> i32[n] { gen i < n { sum k < 5 { i32(i + k) } } }");
    wrong.0.write(
        "cc",
        fs::read_to_string(wrong.0.path("cc"))
            .expect("text")
            .replace("k < K", "k < 5")
            .replace("k + 1 < K", "k < 4"),
    );
    let right = wrong.0.done("run p.atl --set n=4 --backend loops");
    let first = wrong.atl("run p.atl --set n=4 --verbose");
    assert_eq!((first.code, &first.stdout), (Some(0), &right), "{}", first.stderr);
    assert!(first.stderr.contains("the embedded back end serves"), "{}", first.stderr);
    assert!(first.stderr.contains("back end `cranelift` gave what the interpreter"), "{}", first.stderr);
    let compiled = wrong.compiled();
    assert_eq!(compiled, 2, "with the usual flags, and with safe ones");
    let second = wrong.atl("run p.atl --set n=4");
    assert_eq!((second.code, &second.stdout), (Some(0), &right), "{}", second.stderr);
    assert!(second.stderr.contains("warning[E0615]"), "{}", second.stderr);
    assert_eq!(wrong.compiled(), compiled, "nothing is compiled again");
    // Who asks for it gets what the compiler made.
    let believed = wrong.atl("run p.atl --set n=4 --no-validate");
    assert!(believed.code == Some(0) && believed.stdout != right, "{}", believed.stdout);
    assert!(believed.stderr.is_empty(), "{}", believed.stderr);
    let built = wrong.atl("build p.atl -o out");
    assert!(built.code == Some(1) && built.stderr.contains("error[E0615]"), "{}", built.stderr);
    assert!(!wrong.0.path("out/libtotal.so").exists());
}

/// The code of safe flags serves where that is right; the file that is named shows the fault by itself.
#[test]
fn safe_flags_serve_where_they_are_right_and_the_report_shows_the_fault() {
    let plant = "case \"$*\" in *-O3*) sed -i 's/x\\[i\\] \\* x\\[i\\]/x[i] + x[i]/' kernel.c;; esac";
    let wrong = Wrong::new("safe", plant, "");
    wrong.0.write("p.atl", "fn square(x: f32[N]) -> f32[N] { gen i < N { x[i] * x[i] } }");
    wrong.0.write_npy("x.npy", &[3], &[3.0, 4.0, -5.0]);
    let found = wrong.atl("run p.atl --schedule none --in x=x.npy");
    assert_eq!((found.code, found.stdout.as_str()), (Some(0), "[ 9. 16. 25.]\n"), "{}", found.stderr);
    assert!(found.stderr.contains("safe flags") && found.stderr.contains("-O3"), "{}", found.stderr);
    let report = found.stderr.split('`').find(|word| word.ends_with("wrong.c")).expect("a file is named");
    // The report has the C as it was printed; the compiler's fault is planted once more.
    let text = fs::read_to_string(report).expect("it is there");
    let differing = |text: &str| {
        wrong.0.write("report.c", text);
        let fault = wrong.0.path("fault");
        let source = wrong.0.path("report.c");
        let compiled =
            Command::new("cc").args(["-O1", "-o"]).arg(&fault).arg(source).arg("-lm").output().expect("runs");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Command::new(&fault).output().expect("runs").status.code()
    };
    assert_eq!(differing(&text), Some(0));
    assert_eq!(differing(&text.replace("x[i] * x[i]", "x[i] + x[i]")), Some(1));
    let built = wrong.atl("build p.atl --schedule none -o out");
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    assert!(built.stderr.contains("the libraries' code gave what the interpreter"), "{}", built.stderr);
}

/// Masked loads of several lanes, as GCC 11 and 12 have them for processors with AVX2 where nothing keeps them from it.
#[test]
fn a_fault_that_compilers_have_is_found() {
    let wrong = Wrong::new("lanes", ":", "");
    let script = "#!/bin/sh\nfor word; do shift; case $word in -fno-tree-*) ;; *) set -- \"$@\" \"$word\";; esac; done\nexec cc \"$@\"\n";
    wrong.0.write("cc", script);
    let program = "fn keep(m: bool[H, 4], img: f32[H, 4]) -> f32[H, 4] {
        gen y < H, c < 4 { select(m[y, c], img[y, c], 0) } }";
    wrong.0.write("p.atl", program);
    let found = wrong.atl("bench p.atl --size 4 --rounds 1");
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let version = Command::new("cc").arg("--version").output().expect("there is a compiler");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let has_it = version.contains("Free Software Foundation") && version.contains(" 12.");
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    if has_it && processor.contains(" avx2 ") {
        assert!(found.stderr.contains("warning[E0615]"), "{}", found.stderr);
    }
}

#[test]
fn a_compiler_that_does_not_come_back_is_stopped() {
    let slow = Wrong::new("slow", "while :; do :; done", "");
    slow.0.write("p.atl", "fn ramp(n: size) -> i32[n] { gen i < n { i32(i) } }");
    let mut command = slow.0.command(&["run", "p.atl", "--set", "n=3"]);
    command.env("ATL_CACHE", slow.0.path("cache")).env("CC", slow.0.path("cc")).env("ATL_CC_SECONDS", "1");
    let output = command.output().expect("the command runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout == b"[0 1 2]\n", "{stderr}");
    assert!(stderr.contains("warning[E0616]") && stderr.contains("was stopped after"), "{stderr}");
}

/// Tiles that are unrolled whole become as many copies as they have cells.
#[test]
fn what_is_unrolled_is_bounded() {
    let right = Wrong::new("unrolled", ":", "");
    let tiles = |n: usize| {
        format!(
            "fn f(N: size, M: size) -> i32[N, M] {{ gen y < N, x < M {{ i32(x + y) }} }}
             schedule s of f {{ tile y, x by {n}, {n}; unroll y.i; unroll x.i; }}"
        )
    };
    for (n, is_told) in [(8, false), (64, true)] {
        right.0.write("p.atl", tiles(n));
        let found = right.atl("bench p.atl --schedules s --size 70 --rounds 1 --json");
        assert_eq!(found.code, Some(0), "{}", found.stderr);
        assert_eq!(found.stderr.contains("the loop `yi` is not unrolled in C"), is_told, "{}", found.stderr);
        assert!(!found.stderr.contains("E0616"), "{}", found.stderr);
    }
}
