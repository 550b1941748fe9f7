//! Loops in proof files: that what is followed is accepted, and that a program of another meaning is not.
//!
//! A mutant is the loop program of a file with one change, beside the steps of the original. If the checker
//! accepts it, the interpreter of loops must give what it gives for the original, at all of some small
//! sizes, without a trap.

use atl_driver::backends::c::printer_options;
use atl_driver::evidence::{Followed, followed, with_loops};
use atl_driver::proof::certificate;
use atl_driver::{Lowered, Program, Scheduled};
use atl_loops::interp::{Cells, Options, RunError, interpret};
use atl_loops::{Access, Kernel, Literal, Stmt};
use atl_recheck::Text;
use atl_testkit::loop_changes::changes;
use atl_testkit::proofs::Derivation;
use std::time::Instant;

/// One mutant of these many is tried; all, where the variable `ATL_LOOPS` is set.
const SLICE: usize = 5;

fn is_whole() -> bool {
    std::env::var_os("ATL_LOOPS").is_some()
}

/// Programs whose loops are followed, with a schedule `s`.
pub(crate) const PROGRAMS: &[(&str, &str)] = &[
    ("blur", "fn f(x: f32[N]) -> f32[N] { gen i < N { x?[i - 1] + x[i] } } schedule s of f { parallel i; }"),
    (
        "product",
        "fn f(a: f64[N, K], b: f64[K, M]) -> f64[N, M] { gen i < N, j < M { sum k < K { a[i, k] * b[k, j] } } }
         schedule s of f { reorder j, i; parallel j; }",
    ),
    (
        "shortest",
        "fn f(a: min_plus<f32>[N, N]) -> min_plus<f32>[N, N] { gen i < N, j < N { sum k < N { a[i, k] * a[k, j] } } }
         schedule s of f { split k by 4; }",
    ),
    (
        "tiles",
        "fn f(a: i32[N, M]) -> i32[N] { gen i < N { sum k < M { a[i, k] } } }
         schedule s of f { split i by 4; peel; }",
    ),
    (
        "stages",
        "fn f(x: f32[N]) -> f32[N] {
             let t = gen i < N { x?[i - 1] + x[i] };
             gen j < N { t[j] + t?[j + 1] }
         }
         schedule s of f { split j by 8; compute t at j.o; }",
    ),
    (
        "choices",
        "fn f(x: f32[N], y: f32[N]) -> f32[N] { gen i < N { select(i < 3, x[i], y[i]) * 2 } } schedule s of f {}",
    ),
    ("unrolled", "fn f(x: f32[N, 4]) -> f32[N, 4] { gen i < N, j < 4 { x[i, 3 - j] } } schedule s of f { unroll j; }"),
    ("vectors", "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] * x[i] } } schedule s of f { vectorize i by 4; }"),
    (
        "window",
        "fn f(x: f32[N + 2, 4]) -> f32[N, 4] {
             let t = gen y < N + 2, j < 4 { x[y, j] * 2 };
             gen i < N, j < 4 { t[i, j] + t[i + 1, j] + t[i + 2, j] }
         }
         schedule s of f { compute t at i; store t in register; unroll t/y; carry t along i; }",
    ),
    (
        "masks",
        "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] * x[i] } }
         schedule s of f { split i by 8; vectorize i.i by 8; }",
    ),
    (
        "types",
        "fn f(x: i32[N], y: f32[N]) -> f32[N] { gen i < N { select(0 < i, f32(x[i]) * y[i - 1], y[i]) } }
         schedule s of f { parallel i; }",
    ),
    (
        "clamped",
        "fn f(x: f32[N], lo: f32) -> bool[N] { gen i < N { x[i] <= lo } } schedule s of f {}",
    ),
    (
        "results",
        "fn f(x: f32[N]) -> (total: f32, rest: f32[N], first: f32[2]) {
             let t = sum i < N { x[i] };
             (t, gen i < N { x[i] - t }, gen i < 2 { x?[i] * t })
         }
         schedule s of f {}",
    ),
    // Rounds by pairs: a state in two buffers in turn, beside one that stays where it is.
    (
        "in turn",
        "fn f(u: f64[N], v: f64[T]) -> f64[N] {
             iterate t < T from x = u, s = f64(0) {
                 gen i < N { x?[i - 1] + x?[i + 1] * s },
                 s + v[t]
             } in x
         }
         schedule s of f {}",
    ),
    // Loops whose labels have a dot: `t.first`, `t.o`.
    (
        "scan in blocks",
        "fn f(x: f64[N]) -> f64[N] { scan t < N from s = f64(0) { s + x[t] } give s }
         schedule s of f { rounding real; split t by 4; }",
    ),
    // What each round gives is of two states, in another buffer than theirs.
    (
        "both",
        "fn f(x: f64[N]) -> f64[N, 2] {
             scan t < N from u = f64(0), v = f64(1) { u + x[t], v * x[t] - u } give gen h < 2 { select(h == 0, u, v) }
         }
         schedule s of f {}",
    ),
    // Tensors that are results: read by another one, one after the other, the last.
    (
        "centred",
        "fn f(x: f32[N, M]) -> (mean: f32[N], rest: f32[N, M]) {
             let m = gen i < N { sum j < M { x[i, j] } };
             (m, gen i < N, j < M { x[i, j] - m[i] })
         }
         schedule s of f { parallel i; }",
    ),
    (
        "in turn",
        "fn f(x: f64[N]) -> (f64[N], f64, f64[N]) {
             let a = gen i < N { x[i] + x?[i + 1] };
             let b = gen i < N { a[i] * a?[i - 1] };
             (b, sum i < N { a[i] - b[i] }, a)
         }
         schedule s of f {}",
    ),
    // Padding that is dropped again, so that cells may begin with nothing; dimensions that are exchanged.
    ("padded", "fn f(a: i32[N]) -> i32[N] { trunc_r(1, trunc_r(2, pad_r(3, a))) } schedule s of f {}"),
    (
        "padded in front",
        "fn f(a: i32[N], b: i32[M]) -> i32[N + M] { trunc_l(2, pad_l(2, trunc_r(1, a ++ pad_r(1, b)))) } schedule s of f {}",
    ),
    (
        "four dimensions",
        "fn f(x: f32[N, 2, 3, M]) -> f32[M, N, 2, 3] { rotate_4(gen i < N, j < 2, k < 3, l < M { x[i, j, k, l] }) }
         schedule s of f {}",
    ),
    // Iterations: scalars, one read after the new one is there; states in the output, of which a round stores
    // one cell, all of them downwards, a part of them, or those of a nest; rounds inside of rounds.
    (
        "pair",
        "fn f(a: f64, b: f64, n: size) -> f64 { iterate t < n from p = a, q = b { q, p + q } in p }
         schedule s of f {}",
    ),
    (
        "prefixes",
        "fn f(x: f64[N]) -> f64[N] {
             iterate t < N from s = f64(0), r = gen i < N { f64(0) } { s + x[t], gen i < N { select(i == t, s, r[i]) } } in r
         }
         schedule s of f {}",
    ),
    (
        "resonator",
        "fn f(x: f64[N]) -> f64[N] { rec y: f64 = gen t < N { x[t] + 0.5 * y?[t - 1] - 0.3 * y?[t - 2] }; y }
         schedule s of f {}",
    ),
    (
        "downwards",
        "fn f(u: f64[N], n: size) -> f64[N] { iterate t < n from x = u { gen i < N { x[i] + x?[i - 1] } } }
         schedule s of f {}",
    ),
    (
        "triangular",
        "fn f(l: f64[N, N], b: f64[N]) -> f64[N] {
             rec x: f64 = gen i < N { b[i] - (sum j < i { l[i, j] * x[j] }) };
             x
         }
         schedule s of f {}",
    ),
    (
        "corner",
        "fn f(x: i64[N, M]) -> i64[N, M] { rec s: i64 = gen i < N, j < M { x[i, j] + s?[i - 1, j] - s?[i, j - 1] }; s }
         schedule s of f {}",
    ),
    (
        "sweeps",
        "fn f(a: f64[N, N], b: f64[N], n: size) -> f64[N] {
             iterate t < n from x = gen i < N { f64(0) } {
                 iterate i < N from y = x { gen p < N { select(p == i, b[i] - (sum j < N { a[i, j] * y[j] }), y[p]) } }
             }
         }
         schedule s of f {}",
    ),
    (
        "some cells",
        "fn f(u: f64[N], n: size) -> f64[N] {
             iterate t < n from x = u { gen i < N { select(2 * t - 1 == i, x[i] + x?[i + 1], x[i]) } }
         }
         schedule s of f {}",
    ),
    (
        "elimination",
        "fn f(a: f64[N, N]) -> f64[N, N] {
             iterate k < N from u = a {
                 gen i < N, j < N { select(k < i && k < j, u[i, j] - u[i, k] * u[k, j], u[i, j]) }
             }
         }
         schedule s of f {}",
    ),
    (
        "scaled",
        "fn f(u: f64[N], n: size) -> f64[N] { iterate t < n from x = u { gen i < N { x[i] * 2 } } }
         schedule s of f { parallel i; }",
    ),
    ("rows", atl_testkit::mutation::ROWS),
    (
        "sums",
        "fn f(x: f32[N]) -> f32[N] { gen i < N { let t = gen j < 4 { x?[i - j] }; sum k < 4 { t[k] } } }
         schedule s of f { store t in register; unroll t/j, k; }",
    ),
];

pub(crate) fn lowered(program: &str) -> (Scheduled, Lowered) {
    let program = Program::parse("loops.atl", program).unwrap_or_else(|e| panic!("{e}"));
    let scheduled = program.scheduled("f", Some("s")).unwrap_or_else(|e| panic!("{e}"));
    let lowered = scheduled.lower().unwrap_or_else(|e| panic!("{e}"));
    (scheduled, lowered)
}

#[test]
fn loops_that_are_followed_are_accepted() {
    for (name, program) in PROGRAMS {
        let (scheduled, lowered) = lowered(program);
        let theorem = certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"));
        let followed = followed(&lowered).unwrap_or_else(|e| panic!("{name}: {e}\n{}", lowered.kernel));
        let text = with_loops(&theorem, &lowered, &followed).unwrap_or_else(|e| panic!("{name}: {e}"));
        let claim = atl_recheck::check(text.as_bytes())
            .unwrap_or_else(|e| panic!("{name}: {e}\n{}\n{text}", lowered.kernel));
        assert!(claim.to_string().contains("loops: from memory that holds"), "{claim}");
    }
}

/// What a condition stands around may be nothing, where no loop inside has an iteration.
#[test]
fn conditions_around_nothing_are_followed() {
    for program in [
        "fn f(x: f32[N]) -> f32[0] { [2 < N] * (gen i < 0 { x?[i] }) }",
        "fn f(x: f32[N]) -> f32[1] { [N - 1 <= 1] * (gen i < 1 { x?[i - 1] }) }",
        "fn f(x: min_plus<f32>[N], s: min_plus<f32>) -> min_plus<f32>[1] {
             select(1 < N, gen i < 1 { x?[i - 1] }, gen i < 1 { x?[i - 2] }) + (sum k < 3 { let t = x?[k]; gen i < 1 { s } })
         }",
    ] {
        let (scheduled, lowered) = lowered(&format!("{program} schedule s of f {{}}"));
        assert!(lowered.kernel.to_string().contains("{\n  }"), "{}", lowered.kernel);
        let theorem = certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"));
        let followed = followed(&lowered).unwrap_or_else(|e| panic!("{e}\n{}", lowered.kernel));
        let text = with_loops(&theorem, &lowered, &followed).unwrap_or_else(|e| panic!("{e}"));
        atl_recheck::check(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{}", lowered.kernel));
    }
}

/// Cells that satisfy what programs ask of arrays: positions never fall, coordinates are small.
fn inputs(kernel: &Kernel, sizes: &[i64]) -> Option<Vec<Cells>> {
    let counts = kernel.cell_counts(sizes).ok()?;
    let inputs = kernel.params.iter().zip(counts).filter(|(param, _)| param.access == Access::Read);
    let cells = inputs.map(|(param, count)| {
        let value = |k: usize| match param.name.as_str() {
            "pos" => k.min(2) as i128,
            "crd" => 0,
            _ => ((k * 7 + param.name.as_str().len()) % 11) as i128,
        };
        let fraction = if param.scalar.is_float() { -1 } else { 0 };
        let literals = (0..count).map(|k| Literal::decimal(param.scalar, value(k), fraction));
        Some(Cells::from_literals(param.scalar, &literals.collect::<Option<Vec<_>>>()?))
    });
    cells.collect()
}

/// What a kernel gives at small sizes, or where it traps; nothing where a call is refused.
fn runs(kernel: &Kernel, at: &[Vec<i64>]) -> Vec<Option<Result<Vec<Cells>, String>>> {
    let run = |sizes: &Vec<i64>| {
        let inputs = inputs(kernel, sizes)?;
        match interpret(kernel, sizes, &inputs, Options::default()) {
            Ok(outputs) => Some(Ok(outputs)),
            Err(RunError::Unmet(_)) => None,
            Err(why) => Some(Err(why.to_string())),
        }
    };
    at.iter().map(run).collect()
}

/// All lists of so many small sizes.
fn small(count: usize) -> Vec<Vec<i64>> {
    (0..count).fold(vec![vec![]], |lists, _| {
        let with = |list: Vec<i64>| [0, 1, 2, 5, 9].map(|n| [list.clone(), vec![n]].concat());
        lists.into_iter().flat_map(with).collect()
    })
}

#[test]
fn loops_of_another_meaning_are_refused() {
    let (mut count, mut accepted) = (0, 0);
    for (name, program) in PROGRAMS {
        let (scheduled, lowered) = lowered(program);
        let theorem = certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"));
        let original = followed(&lowered).unwrap_or_else(|e| panic!("{name}: {e}"));
        let kernel = |body: &Stmt| Kernel { body: body.clone(), ..lowered.kernel.clone() };
        let sizes = small(lowered.kernel.sizes.len());
        let expected = runs(&kernel(&original.body), &sizes);
        assert!(expected.iter().flatten().count() > 2, "{name} runs");
        assert!(expected.iter().flatten().all(Result::is_ok), "{name}: {expected:?}");
        let buffers: Vec<_> = lowered.kernel.params.iter().map(|param| param.name.clone()).collect();
        let mutants = changes(&original.body, &lowered.kernel.sizes, &buffers).into_iter().enumerate();
        for (k, body) in mutants.filter(|(k, _)| is_whole() || k % SLICE == 0) {
            let mutant = Followed { body: body.clone(), ..original.clone() };
            // No section is written for loops that the format has no word for, nor where no steps are found for them.
            let again = || {
                let mut faulty = lowered.clone();
                faulty.ready.kernel = kernel(&body);
                followed(&faulty).and_then(|found| with_loops(&theorem, &faulty, &found)).ok()
            };
            let again = if is_whole() || k % (10 * SLICE) == 0 { again() } else { None };
            let Ok(text) = with_loops(&theorem, &lowered, &mutant) else { continue };
            count += 1;
            let is_accepted = |text: &str| atl_recheck::check(text.as_bytes()).is_ok();
            if !is_accepted(&text) && !again.is_some_and(|text| is_accepted(&text)) {
                continue;
            }
            accepted += 1;
            // Whether vectors can do a body is not the checker's matter, but what the loop means is.
            let mutant = kernel(&body.plain_loops());
            assert_eq!(runs(&mutant, &sizes), expected, "{name} is accepted as\n{mutant}");
        }
    }
    println!("{count} mutants, {accepted} accepted");
    assert!(count > 300 && accepted > 0 && accepted < count / 5, "{count} mutants, {accepted} accepted");
}

#[test]
fn damaged_steps_are_read_to_the_end_or_refused() {
    let mut refused = 0;
    for (name, program) in PROGRAMS {
        let (scheduled, lowered) = lowered(program);
        let theorem = certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"));
        let followed = followed(&lowered).unwrap_or_else(|e| panic!("{name}: {e}"));
        let text = with_loops(&theorem, &lowered, &followed).unwrap_or_else(|e| panic!("{name}: {e}"));
        let lines: Vec<&str> = text.lines().collect();
        let section = lines.iter().position(|line| *line == "loops").expect("loops");
        for at in (section..lines.len()).filter(|at| (at + name.len()) % SLICE == 0) {
            for change in ["0", "1", "7"] {
                let mut lines = lines.clone();
                let last =
                    lines[at].rsplit_once(|c: char| c.is_ascii_digit()).map_or("", |(before, _)| before);
                let changed = format!("{last}{change}");
                lines[at] = &changed;
                // The program may be as it was, or another that is right; what counts is that there is an
                // answer.
                if let Err(why) = atl_recheck::check((lines.join("\n") + "\n").as_bytes()) {
                    assert!(!why.to_string().contains("the checker itself failed"), "{name}: {changed}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Is it one of those that are tried where not all are?
fn is_tried(name: &str) -> bool {
    is_whole() || name.bytes().map(usize::from).sum::<usize>() % 12 == 0
}

/// The bytes of a derivation's proof file with loops, which is accepted; why there is none; or what is wrong.
pub(crate) fn judged(derivation: &Derivation, theorem: &str) -> Option<Result<String, String>> {
    let Derivation { name, lowered, .. } = derivation;
    if !is_tried(name) {
        return None;
    }
    let start = Instant::now();
    let text = match followed(lowered).and_then(|followed| with_loops(theorem, lowered, &followed)) {
        Ok(text) => text,
        Err(why) => return Some(Ok(format!("loops: none: {why}"))),
    };
    let options = printer_options(lowered.rounding, true);
    let c = match atl_backend_c::print_kernel(&lowered.kernel, &options) {
        Ok(source) => source.c,
        Err(why) => return Some(Err(format!("{name} is not printed: {why:?}"))),
    };
    let (found, start) = (start.elapsed(), Instant::now());
    let verdict = atl_recheck::check_text(text.as_bytes(), &c).map_err(|why| why.to_string());
    let (bytes, checked) = (text.len(), start.elapsed());
    let read = atl_proof::read(&text).map_err(|why| why.to_string());
    let verdict = verdict.and_then(|(_, found_text)| match found_text {
        Text::Differs(why) => Err(format!("its text differs: {why}\n{c}")),
        Text::Loops(_) => Ok("text: the loops".to_owned()),
        unknown @ Text::Unknown(_) => Ok(unknown.to_string()),
    });
    let verdict = verdict.and_then(|seen| {
        read.map(|_| format!("loops: {bytes} bytes, found in {found:.1?}, checked in {checked:.1?}; {seen}"))
    });
    Some(verdict.map_err(|why| format!("{name} has loops that are not accepted: {why}")))
}
