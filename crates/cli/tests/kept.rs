//! Loops that an earlier run derived: they are taken from the cache where nothing has changed, and derived where anything has.

use crate::common::{Folder, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `--verbose` says of loops.
const KEPT: &str = "are those that an earlier run kept";
const DERIVED: &str = "were derived now";

const PROGRAM: &str = "\
import \"scale.atl\";

fn spmv(a: f64[N, M] as csr, x: f64[M]) -> f64[N] {
    gen i < N { scaled(sum j < M { a[i, j] * x[j] }) }
}

schedule rows of spmv { rounding real; sparsify a; }
schedule assumed of spmv { rounding real; assume N == 2; sparsify a; }
";

const SCALE: &str = "fn scaled(x: f64) -> f64 { 2 * x }";

const RUN: &str = "run p.atl --fn spmv --in a=a.mtx --in x=x.csv --verbose";

struct Cached(Folder);

impl Cached {
    fn new(test: &str) -> Cached {
        let folder = Folder::new(&format!("kept_{test}"));
        folder.write("p.atl", PROGRAM);
        folder.write("scale.atl", SCALE);
        folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 2\n2 2 3\n");
        folder.write("x.csv", "1\n10\n");
        Cached(folder)
    }

    /// What a command does with this cache.
    fn outcome(mut command: Command, cache: &Path) -> Outcome {
        let output = command.env("ATL_CACHE", cache).output().expect("the command runs");
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    fn atl(&self, line: &str) -> Outcome {
        let words: Vec<&str> = line.split_whitespace().collect();
        Cached::outcome(self.0.command(&words), &self.0.path("cache"))
    }

    fn run(&self, options: &str) -> Outcome {
        let backend = if options.contains("--backend") { "" } else { "--backend cranelift" };
        self.atl(&format!("{RUN} {backend} {options}"))
    }

    /// What is printed under these options, and were the loops kept?
    fn check(&self, options: &str, expected: &str, kept: bool) {
        printed(&self.run(options), expected, kept);
    }

    /// The files of this name in the cache.
    fn files(&self, name: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.path("cache")).expect("listed");
        let paths = entries.map(|entry| entry.expect("read").path().join(name));
        paths.filter(|path| path.is_file()).collect()
    }
}

/// It succeeded and printed this, and its loops were all kept, or all derived.
fn printed(run: &Outcome, expected: &str, kept: bool) {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{}", run.stderr);
    assert_eq!((run.stderr.contains(KEPT), run.stderr.contains(DERIVED)), (kept, !kept), "{}", run.stderr);
}

#[test]
fn what_is_dear_in_a_schedule_that_is_chosen_is_said_by_each_run() {
    let cached = Cached::new("dear");
    let program =
        "fn spmv(a: f64[N, M] as csr, x: f64[M]) -> f64[N] { gen i < N { sum j < M { a[i, j] / x[j] } } }";
    cached.0.write("p.atl", program);
    for word in [DERIVED, KEPT] {
        let run = cached.atl(&format!("{RUN} --schedule auto --backend cranelift"));
        assert!(run.stderr.contains(word), "{}", run.stderr);
        let said =
            ["E0419", "`a` is traversed densely", "because a quotient", "multiply it by the reciprocal"];
        assert!(said.iter().all(|part| run.stderr.contains(part)), "{}", run.stderr);
    }
}

#[test]
fn a_second_run_derives_nothing() {
    let cached = Cached::new("second");
    cached.check("--schedule rows", "[42. 60.]", false);
    cached.check("--schedule rows", "[42. 60.]", true);
    cached.check("--schedule assumed", "[42. 60.]", false);
    cached.check("--schedule assumed", "[42. 60.]", true);
    // Options about the derivation require one; a function without a schedule has none.
    cached.check("--schedule rows --rounding real", "[42. 60.]", false);
    assert_eq!(cached.run("--schedule rows --rounding bitwise").code, Some(1));
    cached.check("--schedule rows --backend interp", "[42. 60.]", false);
    cached.check("", "[42. 60.]", false);
    cached.check("", "[42. 60.]", false);
}

#[test]
fn loops_that_are_kept_are_printed_as_they_were_derived() {
    let cached = Cached::new("printed");
    let print = |forms: &str| {
        let run = cached.run(&format!("--schedule rows --print {forms}"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        (run.stdout, run.stderr.contains(KEPT))
    };
    let (first, kept) = print("loops,c,schedule");
    assert!(!kept && first.contains("kernel spmv(") && first.contains("int32_t spmv("), "{first}");
    assert!(first.contains("schedule rows of spmv { rounding real; sparsify a; }"), "{first}");
    assert_eq!(print("loops,c,schedule"), (first, true));
    // What is about terms is derived, and the loops with it.
    let (terms, _) = print("program,scheduled,derivation");
    assert_eq!(print("program,scheduled,derivation").0, terms);
    let expression = |form: &str| {
        let line = format!("tensor y(i)=A(i,j)*x(j) -f=A:ds --print {form} --verbose");
        let run = cached.atl(&line);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    };
    for form in ["loops", "c", "schedule"] {
        assert_eq!(expression(form), expression(form), "{form}");
    }
}

#[test]
fn what_a_schedule_assumes_is_checked_of_kept_loops_too() {
    let cached = Cached::new("assumed");
    cached.check("--schedule assumed", "[42. 60.]", false);
    cached.0.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n");
    let refused = cached.run("--schedule assumed");
    assert_eq!(refused.code, Some(1), "{}{}", refused.stdout, refused.stderr);
}

#[test]
fn whatever_is_changed_is_derived() {
    let cached = Cached::new("changed");
    cached.check("--schedule rows", "[42. 60.]", false);
    cached.0.write("scale.atl", SCALE.replace('2', "3"));
    cached.check("--schedule rows", "[63. 90.]", false);
    cached.0.write("p.atl", PROGRAM.replace("a[i, j] * x[j]", "a[i, j] * x[j] * 2"));
    cached.check("--schedule rows", "[126. 180.]", false);
    cached.0.write(
        "p.atl",
        PROGRAM.replace("rounding real; sparsify a;", "rounding real; sparsify a; parallel i;"),
    );
    cached.check("--schedule rows", "[63. 90.]", false);
    cached.0.write("p.atl", PROGRAM);
    cached.0.write("scale.atl", SCALE);
    cached.check("--schedule rows", "[42. 60.]", true);
}

#[test]
fn damaged_entries_are_derived_again() {
    let cached = Cached::new("damaged");
    cached.check("--schedule rows", "[42. 60.]", false);
    for (name, from, to) in [
        ("text", "2.0f64", "9.0f64"),
        ("text", "kernel", "kernels"),
        ("key", "rows", "cols"),
        ("seal", "1", "2"),
    ] {
        let mut damaged = 0;
        for path in cached.files(name) {
            let text = fs::read_to_string(&path).expect("text");
            damaged += usize::from(text.contains(from));
            fs::write(&path, text.replace(from, to)).expect("damaged");
        }
        assert!(damaged > 0, "{name} {from}");
        cached.check("--schedule rows", "[42. 60.]", false);
        cached.check("--schedule rows", "[42. 60.]", true);
    }
}

#[test]
fn no_damage_is_believed() {
    let cached = Cached::new("flipped");
    cached.check("--schedule rows", "[42. 60.]", false);
    for name in ["text", "key", "seal"] {
        let files = cached.files(name);
        let length = |path: &PathBuf| fs::read(path).expect("read").len();
        let longest = files.iter().map(length).max().expect("an entry");
        for k in (0..longest).step_by(longest.div_ceil(5)) {
            for path in cached.files(name) {
                let mut bytes = fs::read(&path).expect("read");
                if let Some(byte) = bytes.get_mut(k) {
                    *byte ^= 1;
                }
                fs::write(&path, bytes).expect("damaged");
            }
            cached.check("--schedule rows", "[42. 60.]", false);
        }
    }
    cached.check("--schedule rows", "[42. 60.]", true);
}

#[test]
fn another_executable_derives() {
    let cached = Cached::new("executable");
    let own = cached.0.path("own-atl");
    let atl = |program: &Path| {
        let mut command = Command::new(program);
        command
            .args(RUN.split_whitespace())
            .args(["--backend", "cranelift", "--schedule", "rows"])
            .current_dir(cached.0.path("."));
        Cached::outcome(command, &cached.0.path("cache"))
    };
    fs::copy(env!("CARGO_BIN_EXE_atl"), &own).expect("copied");
    printed(&atl(Path::new(env!("CARGO_BIN_EXE_atl"))), "[42. 60.]", false);
    printed(&atl(&own), "[42. 60.]", false);
    printed(&atl(&own), "[42. 60.]", true);
    let changed = fs::File::options().append(true).open(&own).expect("open");
    std::io::Write::write_all(&mut { changed }, &[0]).expect("one byte more");
    printed(&atl(&own), "[42. 60.]", false);
    printed(&atl(&own), "[42. 60.]", true);
    fs::remove_file(&own).expect("removed");
}

#[test]
fn a_cache_that_cannot_be_used_is_passed_by() {
    let cached = Cached::new("unusable");
    cached.0.write("cache", "a file in the way");
    for _ in 0..2 {
        cached.check("--schedule rows", "[42. 60.]", false);
    }
}

#[test]
fn expressions_and_queries_are_derived_once() {
    let cached = Cached::new("others");
    cached.0.write("t.csv", "k,v\na,1\nb,2\na,3\n");
    cached.0.write("u.csv", "k,w\na,5\n");
    for kept in [false, true] {
        let tensor = "tensor y(i)=a(i,j)*x(j) -f a:csr -i a=a.mtx -i x=x.csv --backend cranelift --verbose";
        printed(&cached.atl(tensor), "[21. 30.]", kept);
        let keeps =
            "tensor c(i,j)=a(i,j)*x(j) -f a:csr -f c:csr -i a=a.mtx -i x=x.csv --backend cranelift --verbose";
        let run = cached.atl(keeps);
        assert_eq!((run.code, run.stderr.contains(KEPT)), (Some(0), kept), "{}", run.stderr);
        let sql = "select t.k, sum(t.v * u.w) from t, u where t.k = u.k group by t.k";
        let query = ["query", sql, "t=t.csv", "u=u.csv", "--backend", "cranelift", "--verbose"];
        let query = Cached::outcome(cached.0.command(&query), &cached.0.path("cache"));
        printed(&query, "k,column2 a,20", kept);
    }
}
