//! The kernels of the dense examples at every size from 0 to 70, and at random larger ones, under every schedule: by the
//! loops' interpreter, which traps whatever compiled code must not do, and by the C compiler, against plain Rust.
//!
//! Every size in turn takes every value, with the others small; then all sizes are equal; then they are random. How many
//! of the latter run is a matter of the work that they are, and no call is too much work. `ATL_SIZES=N` does N times as much work, for a
//! longer search than the tests make.
#![allow(clippy::print_stderr)]

mod meanings;

use atl_driver::backends::{Backend, c, loops};
use atl_driver::{Arguments, Buffer, Compile, Compiled, DType, Output, Program};
use atl_testkit::choices::Choices;
use meanings::Meaning;
use std::path::Path;

/// Every value up to this.
const MOST: i64 = 70;

/// A function of an example.
struct Case {
    file: &'static str,
    function: &'static str,
    meaning: Meaning,
    /// How much work a call is at these sizes, none of them zero, as the function is written.
    work: fn(&[f64]) -> f64,
    /// Values for the sizes that do not move, in the function's order. With each, only the sizes marked here move.
    bases: &'static [(&'static [i64], &'static str)],
    /// Further sizes, for the schedules that are for certain sizes only: as written, these would be too much work.
    promised: &'static [&'static [i64]],
    /// The largest difference allowed, by the greater of one and the value. Arrays hold eighths: sums are exact.
    tolerance: f64,
}

/// How much a back end does: the work of one call at most, and of all calls at random and equal sizes together.
#[derive(Clone, Copy)]
struct Budget {
    call: f64,
    all: f64,
}

fn budgets() -> [(&'static Backend, Budget); 2] {
    let times: f64 = std::env::var("ATL_SIZES").ok().and_then(|n| n.parse().ok()).unwrap_or(1.0);
    let budget = |call: f64, all: f64| Budget { call: call * times, all: all * times };
    [(&loops::BACKEND, budget(2.5e3, 2e4)), (&c::BACKEND, budget(5e4, 5e5))]
}

/// All sizes to try, in the order in which they are tried; those before the number must be.
fn sizes(case: &Case, choices: &mut Choices) -> (Vec<Vec<i64>>, usize) {
    let mut all = Vec::new();
    for (base, moving) in case.bases {
        for (k, _) in moving.bytes().enumerate().filter(|(_, mark)| *mark == b'*') {
            all.extend((0..=MOST).map(|n| {
                let mut sizes = base.to_vec();
                sizes[k] = n;
                sizes
            }));
        }
    }
    let must = all.len();
    let rank = case.bases[0].0.len();
    all.extend((0..=MOST).map(|n| vec![n; rank]));
    let mut random = |most: usize| -> Vec<i64> { (0..rank).map(|_| choices.below(most) as i64).collect() };
    for _ in 0..20 {
        all.push(random(MOST as usize + 1));
        all.push(random(12));
        all.push(random(400));
    }
    (all, must)
}

/// The arguments at these sizes, of eighths without a period; none if the function has no meaning there.
fn arguments(program: &Program, case: &Case, sizes: &[i64], choices: &mut Choices) -> Option<Arguments> {
    let function = program.function(Some(case.function), None).expect("the example has the function");
    let names = function.sizes.iter().map(|s| s.name.clone());
    let mut arguments =
        Arguments { sizes: names.zip(sizes.iter().copied()).collect(), ..Arguments::default() };
    arguments.complete(program, function, 0).ok()?;
    for (_, array) in &mut arguments.arrays {
        for cell in array.as_mut_slice::<f32>().expect("an array of f32") {
            *cell = choices.below(17) as f32 / 8.0 - 1.0;
        }
    }
    Some(arguments)
}

/// What is wrong with a result, if anything.
fn difference(found: &Buffer, expected: &[f64], tolerance: f64) -> Option<String> {
    let found = found.as_slice::<f32>().expect("a result of f32");
    if found.len() != expected.len() {
        return Some(format!("{} cells, not {}", found.len(), expected.len()));
    }
    let wrong = |(x, y): (&f32, &f64)| {
        let gap = (f64::from(*x) - y).abs();
        gap.is_nan() || gap > tolerance * y.abs().max(1.0)
    };
    let at = found.iter().zip(expected).position(wrong)?;
    Some(format!("cell {at} is {}, not {}", found[at], expected[at]))
}

/// Run a kernel at sizes that its schedule does not exclude, into memory full of what is no number.
fn run(kernel: &Compiled, arguments: &Arguments) -> Option<Buffer> {
    let bound = kernel.call(&arguments.arrays(), &arguments.sizes()).bind().ok()?;
    let mut output = Buffer::zeros(DType::F32, bound.shape()).expect("there is memory");
    output.as_mut_slice::<f32>().expect("a result of f32").fill(f32::NAN);
    let done = bound.run(Output::Dense(output.view_mut()));
    done.unwrap_or_else(|why| panic!("at {:?}: {why}", arguments.sizes()));
    Some(output)
}

/// A call with what it must give.
struct Call {
    arguments: Arguments,
    work: f64,
    expected: Vec<f64>,
    /// Is it for the schedules of certain sizes alone?
    promised: bool,
}

/// All calls worth making, and how many of them are at sizes that must be tried.
fn calls(program: &Program, case: &Case, most: f64) -> (Vec<Call>, usize) {
    let mut choices = Choices::new(1);
    let (all, must) = sizes(case, &mut choices);
    let (mut calls, mut first) = (Vec::new(), 0);
    let promised = case.promised.iter().map(|sizes| (sizes.to_vec(), true));
    let all = all.into_iter().map(|sizes| (sizes, false)).chain(promised);
    for (k, (sizes, promised)) in all.enumerate() {
        let work = (case.work)(&sizes.iter().map(|n| *n.max(&1) as f64).collect::<Vec<_>>());
        if work > most && !promised {
            continue;
        }
        let Some(arguments) = arguments(program, case, &sizes, &mut choices) else { continue };
        let shape: Vec<usize> = sizes.iter().map(|n| *n as usize).collect();
        let arrays = arguments.arrays.iter().map(|(_, a)| a.as_slice::<f32>().expect("an array of f32"));
        let expected = (case.meaning)(&shape, &arrays.collect::<Vec<_>>());
        calls.push(Call { arguments, work, expected, promised });
        first += usize::from(k < must);
    }
    (calls, first)
}

fn check(case: &Case) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(case.file);
    let program = atl_driver::load(path).expect("the example is accepted");
    let lowered = |name: Option<&str>| program.scheduled(case.function, name).and_then(|s| s.lower());
    let most = budgets().iter().map(|(_, budget)| budget.call).fold(0.0, f64::max);
    let (calls, must) = calls(&program, case, most);
    assert!(must > MOST as usize, "only {must} sizes are tried");
    let own = program.schedules().iter().filter(|s| s.of.text == case.function);
    for schedule in std::iter::once(None).chain(own.map(Some)) {
        let name = schedule.map(|s| s.name.text.as_str());
        let lowered = lowered(name).expect("the schedule is accepted");
        let text =
            |s: &atl_syntax::ast::Schedule| program.sources().text(s.span.file)[s.span.range()].to_owned();
        let assumes = schedule.is_some_and(|s| text(s).contains("assume"));
        for (backend, budget) in budgets() {
            if let Some(why) = (backend.unavailable)() {
                eprintln!("skipped: {}: {why}", backend.name);
                continue;
            }
            let kernel = lowered.compile(backend, Default::default()).expect("it compiles");
            let (mut left, mut ran) = (budget.all, 0);
            for (k, Call { arguments, work, expected, promised }) in calls.iter().enumerate() {
                let allowed = if k < must { budget.call } else { budget.call.min(left) };
                let skipped = if *promised { !assumes } else { *work > allowed };
                if skipped {
                    continue;
                }
                let Some(found) = run(&kernel, arguments) else { continue };
                left -= if k < must || *promised { 0.0 } else { *work };
                ran += 1;
                if let Some(why) = difference(&found, expected, case.tolerance) {
                    let (name, at) = (name.unwrap_or("source"), arguments.sizes());
                    panic!("{name} of {} on {} at {at:?}: {why}", case.function, backend.name);
                }
            }
            let least = match (assumes, case.promised) {
                (false, _) => 50,
                (true, []) => 10,
                (true, _) => 3,
            };
            assert!(ran >= least, "{name:?} ran at {ran} sizes on {}", backend.name);
        }
    }
}

#[test]
fn results_that_differ_are_found() {
    let buffer = |cells: &[f32]| Buffer::from_slice(cells, &[cells.len()]).expect("a buffer");
    assert_eq!(difference(&buffer(&[1.0, 2.0]), &[1.0, 2.0], 0.0), None);
    assert!(difference(&buffer(&[1.0, 2.5]), &[1.0, 2.0], 0.1).is_some());
    assert!(difference(&buffer(&[1.0, f32::NAN]), &[1.0, 2.0], 0.1).is_some());
    assert!(difference(&buffer(&[1.0]), &[1.0, 2.0], 0.1).is_some());
}

macro_rules! cases {
    ($($test:ident: $file:literal $function:literal $meaning:ident $tolerance:literal
        |$sizes:ident| $work:expr; [$($base:expr),+] $([$($promised:expr),+])?;)+) => {$(
        #[test]
        fn $test() {
            check(&Case {
                file: $file,
                function: $function,
                meaning: meanings::$meaning,
                work: |$sizes| $work,
                bases: &[$($base),+],
                promised: &[$($($promised),+)?],
                tolerance: $tolerance,
            });
        }
    )+};
}

fn product(sizes: &[f64]) -> f64 {
    sizes.iter().product()
}

cases! {
    blur: "blur.atl" "blur" blur 1e-6 |s| 9.0 * product(s); [(&[3, 4], "**")];
    matmul: "matmul.atl" "matmul" matmul 0.0 |s| product(s); [(&[3, 2, 5], "***")];
    conv1d_layer: "conv_layers.atl" "conv1d_layer" conv1d 0.0 |s| product(s);
        [(&[1, 1, 3, 1, 2], "****."), (&[1, 1, 70, 1, 1], "....*"), (&[1, 2, 2, 5, 3], "..*..")];
    conv2d_layer: "conv_layers.atl" "conv2d_layer" conv2d 0.0 |s| product(s);
        [(&[1, 1, 2, 3, 1, 2, 2], "*****.."), (&[1, 1, 70, 1, 1, 1, 1], ".....*."), (&[1, 1, 1, 70, 1, 1, 1], "......*"),
        (&[1, 1, 3, 4, 1, 3, 3], "...**..")]
        [&[0, 1, 3, 58, 1, 3, 3], &[1, 1, 3, 58, 1, 3, 3], &[1, 2, 4, 58, 3, 3, 3], &[2, 1, 6, 58, 9, 3, 3]];
    correlate: "im2col.atl" "correlate" conv1d 0.0 |s| product(s);
        [(&[1, 1, 3, 1, 2], "****."), (&[1, 1, 70, 1, 1], "....*"), (&[1, 2, 2, 5, 3], "..*..")];
    add: "elementwise.atl" "add" add 0.0 |s| product(s); [(&[1], "*")];
    multiply_add: "elementwise.atl" "multiply_add" multiply_add 0.0 |s| product(s); [(&[1], "*")];
    interpolate: "interpolation.atl" "interpolate" interpolate 1e-5 |s| s[2] * (s[0] * s[1]).powi(3);
        [(&[2, 2, 1], "..*"), (&[1, 1, 1], "**.")]
        [&[4, 4, 0], &[4, 4, 1], &[4, 4, 19], &[8, 8, 1], &[8, 8, 2], &[8, 8, 5], &[12, 12, 0], &[12, 12, 1],
        &[12, 12, 3], &[16, 16, 0], &[16, 16, 1], &[16, 16, 2]];
    softmax: "softmax.atl" "softmax" softmax 1e-5 |s| product(s); [(&[2, 3], "**")];
    layer_norm: "layer_norm.atl" "layer_norm" layer_norm 1e-4 |s| product(s); [(&[2, 3], "**")];
}
