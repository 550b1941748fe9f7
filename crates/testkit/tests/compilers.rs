//! Random programs with short axes and conditions, compiled by every C compiler of the machine: each gives the bits of the
//! interpreter of loops.
//!
//! A slice with fixed seeds; `ATL_COMPILERS=N` tries N times as many, and `ATL_SEED` is where they begin. What the flags are
//! for is seen with `ATL_FLAGS=plain`, which leaves out those that the shape of a kernel asks for: the number that is wrong then
//! is printed, and not held against anybody.
#![allow(clippy::print_stderr)]

use atl_backend_c::{CSource, flags, print_kernel, safe_flags};
use atl_driver::backends::{c::printer_options, loops};
use atl_driver::doctor::trials::{Call, Trial, compilers, differing};
use atl_driver::{Lowered, Program};
use atl_interp::Value;
use atl_kernel::Rounding;
use atl_runtime::cc::Compiler;
use atl_testkit::array::Array;
use atl_testkit::branches::{Branches, branches};
use atl_testkit::choices::Choices;
use atl_testkit::oracle;
use atl_testkit::parallel::in_parallel;

/// How many programs a slice has.
const SLICE: u64 = 60;

/// How many programs are compiled together, in a slice and in a long search.
const BATCHES: [u64; 2] = [30, 100];

/// A program that was tried, and its text with its seed for whoever is to see it.
struct Case {
    trial: Trial,
    text: String,
}

fn bytes(array: &Array) -> Vec<u8> {
    let cell = |value: &Value| value.bits().to_le_bytes()[..value.scalar().size()].to_vec();
    array.data.iter().flat_map(cell).collect()
}

/// The program under its schedule, or as it is written if that is refused.
fn lowered(program: &Branches) -> Result<(Lowered, String), String> {
    let lower = |scheduled: bool| {
        let file = program.file(scheduled);
        let schedule = program.schedule.filter(|_| scheduled).map(|_| "s");
        let lowered = Program::parse("branches.atl", &file).and_then(|p| p.scheduled("f", schedule)?.lower());
        lowered.map(|lowered| (lowered, file)).map_err(|why| why.to_string())
    };
    let bitwise = |found: &(Lowered, String)| found.0.rounding != Rounding::Real;
    lower(true).ok().filter(bitwise).map_or_else(|| lower(false), Ok)
}

/// The case of a seed.
fn case(seed: u64) -> Case {
    let mut choices = Choices::new(seed);
    let program = branches(&mut choices);
    let fail = |why: String| -> ! { panic!("seed {seed}\n{}\n{why}", program.file(true)) };
    let (lowered, text) = lowered(&program).unwrap_or_else(|why| fail(why));
    let calls = program.arguments(&lowered.function, &mut choices);
    case_of((seed, text), &lowered, calls)
}

/// The case of loops, at these sizes and arguments.
fn case_of((seed, text): (u64, String), lowered: &Lowered, calls: Vec<(i64, oracle::Arguments)>) -> Case {
    let fail = |why: String| -> ! { panic!("seed {seed}\n{text}\n{why}") };
    let mut kernel = lowered.kernel.clone();
    kernel.name = format!("f_{seed}").as_str().into();
    let source = print_kernel(&kernel, &printer_options(lowered.rounding, false));
    let source = source.unwrap_or_else(|violations| fail(format!("{violations:?}")));
    let elem = lowered.function.result.elem.scalar;
    let call = |(n, arguments): (i64, oracle::Arguments)| {
        let expected = oracle::run(lowered, &loops::BACKEND, &arguments);
        let expected = expected.unwrap_or_else(|why| fail(format!("at {n}: {why:?}")));
        Call {
            sizes: kernel.sizes.iter().map(|_| n).collect(),
            inputs: arguments.arrays.iter().map(|(_, array)| bytes(array)).collect(),
            expected: bytes(&expected),
            elem,
        }
    };
    let calls = calls.into_iter().map(call).collect();
    Case { trial: Trial { source, calls }, text: format!("seed {seed}\n{text}") }
}

/// Integers that are added up side by side, in registers, in states of rounds, and in a few cells; and several
/// to one sum, which the flags leave alone.
const SUMS: [&str; 7] = [
    "{ let s = sum i < N { a[i, 0] }; let t = sum i < N { a[i, 1] }; s + 2 * t }",
    "{ iterate i < N from s = E(1), t = E(2) { s + a[i, 0], t + a[i, 1] } in s * 3 + t }",
    "{ iterate i < N from s = E(1), t = E(2), u = E(3) { s - a[i, 0], t * a[i, 1], u + s + a[i, 2] } in s + t + u }",
    "{ sum i < N, j < 4 { a[i, j] } }",
    "{ sum i < N { let s = (sum j < 4 { a[i, j] }); let t = (sum j < 3 { a[i, j] * a[i, j + 1] }); s * t } }",
    "{ iterate i < N from s = E(1) { s + a[i, 0] * a[i, 1] + a[i, 2] - a[i, 3] } in s }",
    "{ let r = (iterate i < N from s = gen c < 4 { E(0) } { gen c < 4 { s[c] + a[i, c] } } in s); sum c < 4 { r[c] } }",
];

#[test]
fn integers_that_are_added_up_side_by_side_are_whole() {
    let mut cases = Vec::new();
    for (k, body) in SUMS.into_iter().enumerate() {
        for (t, elem) in ["i16", "i32", "i64", "u8", "u32"].into_iter().enumerate() {
            let text = format!("fn f(a: {elem}[N, 4]) -> {elem} {}", body.replace('E', elem));
            let program = Program::parse("sums.atl", &text).unwrap_or_else(|why| panic!("{why}"));
            let lowered = program.scheduled("f", None).and_then(|scheduled| scheduled.lower());
            let lowered = lowered.unwrap_or_else(|why| panic!("{why}\n{text}"));
            let mut choices = Choices::new(k as u64);
            let param = &lowered.function.params[0];
            let mut arguments = |n: i64| {
                let array = Array::random(param.ty.elem, &[n as usize, 4], &mut choices);
                (n, oracle::Arguments { sizes: vec![], arrays: vec![(param.name.clone(), array)] })
            };
            let calls = [0, 1, 3, 8, 15, 16, 17, 33, 64, 100, 132, 136, 257].map(&mut arguments);
            cases.push(case_of((10 * k as u64 + t as u64, text), &lowered, calls.into()));
        }
    }
    for compiler in compilers() {
        assert_eq!(wrong(&compiler, &cases, |source| source.flags.clone()), Vec::<String>::new());
    }
}

/// The texts of the cases that differ by this compiler.
fn wrong(compiler: &Compiler, cases: &[Case], flags: impl Fn(&CSource) -> Vec<&'static str>) -> Vec<String> {
    let trials: Vec<Trial> = cases.iter().map(|case| case.trial.clone()).collect();
    let found = differing(compiler, &trials, flags).unwrap_or_else(|why| panic!("{why}"));
    found.iter().map(|k| format!("{}: {}", compiler.command(), cases[*k].text)).collect()
}

fn number(variable: &str, or: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(or)
}

/// The flags without those that a kernel's shape asks for.
fn plain(source: &CSource) -> Vec<&'static str> {
    let openmp = source.flags.contains(&"-fopenmp");
    flags(&atl_backend_c::Options { openmp, ..Default::default() })
}

#[test]
fn every_compiler_gives_the_interpreters_bits() {
    let compilers = compilers();
    if compilers.is_empty() {
        eprintln!("skipped: no C compiler");
        return;
    }
    eprintln!(
        "compilers: {}; looked for more versions of gcc and clang",
        compilers.iter().map(Compiler::command).collect::<Vec<_>>().join(", ")
    );
    let (first, count) = (number("ATL_SEED", 0), SLICE * number("ATL_COMPILERS", 1));
    let without = std::env::var("ATL_FLAGS").is_ok_and(|text| text == "plain");
    let long = count > 10 * SLICE;
    let batch = BATCHES[usize::from(long)];
    let batches = (first..first + count).step_by(batch as usize);
    let found = in_parallel(batches, |seed| {
        let cases: Vec<Case> = (seed..(seed + batch).min(first + count)).map(case).collect();
        let by = |compiler: &Compiler| {
            let wrong =
                wrong(compiler, &cases, |source| if without { plain(source) } else { source.flags.clone() });
            if !wrong.is_empty() {
                eprintln!("{}", wrong.join("\n"));
            }
            wrong.len()
        };
        let sums = compilers.iter().map(by).collect::<Vec<usize>>();
        if long {
            eprintln!("seeds {seed} to {}: {sums:?} differ", seed + batch - 1);
        }
        sums
    });
    let sums: Vec<usize> = (0..compilers.len()).map(|k| found.iter().map(|by| by[k]).sum()).collect();
    for (compiler, sum) in compilers.iter().zip(&sums) {
        eprintln!("{}: {sum} of {count} programs differ", compiler.command());
    }
    assert!(without || sums.iter().all(|sum| *sum == 0), "they are printed above");
}

/// The safe flags give the same bits as the others, and a fault that is planted is seen.
#[test]
fn safe_flags_agree_and_a_planted_fault_is_seen() {
    let Some(compiler) = compilers().into_iter().next() else {
        eprintln!("skipped: no C compiler");
        return;
    };
    let mut cases: Vec<Case> = (0..10).map(case).collect();
    let safe = |source: &CSource| {
        let openmp = source.flags.contains(&"-fopenmp");
        safe_flags(&atl_backend_c::Options { openmp, ..Default::default() })
    };
    assert_eq!(wrong(&compiler, &cases, safe), Vec::<String>::new());
    let last = cases.last_mut().expect("ten cases");
    last.trial.source.c = last.trial.source.c.replacen("= 0; i <", "= 1; i <", 1);
    assert_eq!(wrong(&compiler, &cases, |source| source.flags.clone()).len(), 1);
}
