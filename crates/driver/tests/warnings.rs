//! The printed C compiles without a warning: every example, unscheduled and under each of its schedules, and programs
//! that compilers once warned of. Most warnings come of reading the text; some, of values that are never set, come
//! of optimising it, which takes most of the time: of `OPTIMISED` examples' texts one is optimised, and with
//! `ATL_WARNINGS=1` each.
//!
//! Needs a C compiler named by `CC`, or `cc`; without one the test says so and passes.
#![allow(clippy::print_stderr)]

use atl_driver::Program;
use atl_driver::backends::c::{printer_options, source};
use atl_runtime::cc::{Compiler, OPENMP_FLAG, default_cache, supports_openmp};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

const STRICT: [&str; 7] =
    ["-std=gnu11", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wsign-conversion", "-Werror"];

const OPTIMISED: usize = 6;

/// A scalar and small arrays that stay empty where memory is short; what nothing reads; a name of the C library.
const ODD: &str = "\
fn scalar(x: f64[N]) -> f64[N] {
    let s = (let t = gen i < N { x[i] * 2 }; t?[0] * t?[1]);
    gen i < N { x[i] * s }
}

fn array(x: f64[N]) -> f64 {
    let s = gen i < 3 { (let t = gen j < N { x[j] * 2 }; t?[i] * t?[1]) };
    s[0] + s[1] + s[2]
}

fn unread(x: f64[N], y: f64[N]) -> f64[4] {
    let one = sum i < N { x[i] };
    let four = gen i < 4 { x?[i] };
    let large = gen i < N { x[i] };
    gen i < 4 { 1.0 }
}

fn memchr(x: f64[N]) -> f64[0] {
    gen i < 0 { x?[i] }
}

schedule on_the_stack of array {
    store s in stack;
}
";

/// Writes the C of every function and schedule; the names of the files.
fn write_all(name: &str, program: &Program, openmp: bool, folder: &Path) -> Vec<String> {
    let written = program.functions().iter().map(|f| (f.name.clone(), None));
    let scheduled = program.schedules().iter().map(|s| (s.of.text.clone(), Some(s.name.text.clone())));
    let sources = written.chain(scheduled).map(|(function, schedule)| {
        let lowered = program.scheduled(&function, schedule.as_deref()).and_then(|s| s.lower());
        let lowered = lowered.unwrap_or_else(|e| panic!("{name}: {e}"));
        let source = source(&lowered, &printer_options(lowered.rounding, openmp)).expect("it is printed");
        let file = format!("{name}.{function}.{}.c", schedule.unwrap_or_default());
        fs::write(folder.join(&file), source.c).expect("it is written");
        file
    });
    sources.collect()
}

fn examples() -> Vec<PathBuf> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    let folders = [root.to_owned(), root.join("derivations")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let paths = files.map(|file| file.expect("a file").path());
    let mut programs: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "atl")).collect();
    programs.sort();
    programs
}

#[test]
fn the_printed_c_compiles_without_a_warning() {
    let compiler = match Compiler::find() {
        Ok(compiler) => compiler.command(),
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let folder = std::env::temp_dir().join(format!("atl-warnings-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let openmp = supports_openmp(&default_cache());
    let mut files = write_all("odd", &Program::parse("odd.atl", ODD).expect("it parses"), openmp, &folder);
    let odd = files.len();
    for path in examples() {
        let program = atl_driver::load(&path).unwrap_or_else(|e| panic!("{e}"));
        let name = path.file_stem().expect("a name").to_string_lossy();
        files.extend(write_all(&name, &program, openmp, &folder));
    }
    assert!(files.len() > 60, "{files:?}");
    let compile = |files: &[&String], how: &[&str]| {
        let mut words = compiler.split(' ');
        let mut command = Command::new(words.next().expect("a command"));
        command.args(words).args(STRICT).args(openmp.then_some(OPENMP_FLAG)).args(how).args(files);
        let output = command.current_dir(&folder).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let every = if std::env::var("ATL_WARNINGS").is_ok_and(|all| all == "1") { 1 } else { OPTIMISED };
    let ways: [(&[&str], Vec<&String>); 2] = [
        (&["-fsyntax-only"], files.iter().collect()),
        (&["-O1", "-c"], files[..odd].iter().chain(files[odd..].iter().step_by(every)).collect()),
    ];
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for (how, files) in &ways {
            for files in files.chunks(files.len().div_ceil(cores)) {
                scope.spawn(|| compile(files, how));
            }
        }
    });
    fs::remove_dir_all(folder).expect("it is removed");
}
