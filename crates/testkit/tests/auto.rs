//! Schedules that are chosen: every function of the examples has one, it computes what the function
//! means, its script is a schedule like any other, and it is the same every time.

use atl_driver::auto::Kind;
use atl_driver::backends::{c, interp, loops};
use atl_driver::{Arguments, Buffer, Compile, Compiled, Program, Rounding, Scheduled};
use atl_kernel::{Expr, Node};
use atl_testkit::parallel::in_parallel;
use std::path::{Path, PathBuf};

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "atl"));
    files.sort();
    files
}

/// The functions of a file, but for those that it imports.
fn own(program: &Program, path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("the example is there");
    let names = program.functions().iter().map(|f| f.name.clone());
    names.filter(|name| text.contains(&format!("fn {name}("))).collect()
}

pub(super) fn chosen(program: &Program, function: &str, schedule: &str) -> Scheduled {
    program.scheduled(function, Some(schedule)).unwrap_or_else(|e| panic!("{function}: {e}"))
}

fn compiled(scheduled: &Scheduled, backend: &'static atl_driver::backends::Backend) -> Compiled {
    let lowered = scheduled.lower().unwrap_or_else(|e| panic!("{}: {e}", scheduled.function.name));
    lowered
        .compile(backend, Default::default())
        .unwrap_or_else(|e| panic!("{}: {e}", scheduled.function.name))
}

/// Equal, or, but for `bitwise`, up to rounding.
fn is_same(a: &Buffer, b: &Buffer, rounding: Rounding) -> bool {
    // Which NaN an operation gives is the machine's.
    let close = |x: f64, y: f64| {
        let is_near = || x == y || (x - y).abs() <= 1e-4 * x.abs().max(1.0);
        let is_same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
        is_same || rounding != Rounding::Bitwise && is_near()
    };
    if a.shape() != b.shape() {
        return false;
    }
    match (a.as_slice::<f32>(), b.as_slice::<f32>(), a.as_slice::<f64>(), b.as_slice::<f64>()) {
        (Ok(x), Ok(y), ..) => x.iter().zip(y).all(|(x, y)| close((*x).into(), (*y).into())),
        (_, _, Ok(x), Ok(y)) => x.iter().zip(y).all(|(x, y)| close(*x, *y)),
        _ => a == b,
    }
}

/// The function under a schedule, by the interpreter of loops and by these back ends, against its meaning;
/// how many calls there were.
pub(super) fn compared(
    program: &Program,
    name: &str,
    under: &Scheduled,
    sizes: &[i64],
    backends: &[&'static atl_driver::backends::Backend],
) -> usize {
    let written = program.scheduled(name, None).unwrap_or_else(|e| panic!("{e}"));
    let (f, meaning) = (&written.function, compiled(&written, &interp::BACKEND));
    let mut kernels = vec![compiled(under, &loops::BACKEND)];
    let there = backends.iter().filter(|backend| (backend.unavailable)().is_none());
    kernels.extend(there.map(|backend| compiled(under, backend)));
    let mut calls = 0;
    for &size in sizes {
        let mut arguments = Arguments::default();
        if arguments.complete(program, f, size).is_err() {
            continue;
        }
        let call = |kernel: &Compiled| kernel.call(&arguments.arrays(), &arguments.sizes()).dense();
        let Ok(expected) = call(&meaning) else { continue };
        for kernel in &kernels {
            let found = call(kernel).unwrap_or_else(|e| panic!("{name} at {size}: {e}"));
            let is_right = is_same(&expected, &found, under.rounding());
            assert!(is_right, "{name} at {size} on {}\n{:?}", kernel.backend(), under.chosen);
            calls += 1;
        }
    }
    calls
}

/// What was compared of functions of the examples: calls, and recurrences.
#[derive(Default)]
struct Compared {
    calls: usize,
    recurrences: usize,
}

/// What is chosen for each function of a file: it means the same, was judged among few, is not dearer than the
/// function as it is written, and does no more in a recurrence. NumPy's tests compare all functions of the
/// examples on C, and here every third one is.
fn check(path: &Path) -> Compared {
    let program = atl_driver::load(path).unwrap_or_else(|e| panic!("{e}"));
    let mut found = Compared::default();
    for (turn, name) in own(&program, path).into_iter().enumerate() {
        let f = program.function(Some(&name), None).expect("it is there").clone();
        let under = chosen(&program, &name, "auto");
        let class = under.rounding();
        assert!(class == Rounding::Bitwise || !f.sparse.is_empty(), "{name} is {class}");
        let choice = &under.chosen.as_ref().expect("it is chosen").choice;
        assert!((1..=12).contains(&choice.considered.len()), "{name}: {choice:?}");
        let taken = choice.considered.iter().find(|one| one.steps == choice.steps);
        let is_dearer = taken.is_some_and(|one| one.is_dearer(choice.considered.first()));
        assert!(!is_dearer, "{name}: {choice:?}");
        let backends: &[_] = if turn % 3 == 0 { &[&c::BACKEND] } else { &[] };
        found.calls += compared(&program, &name, &under, &[0, 1, 3, 9], backends);
        found.recurrences += usize::from(has_rounds(&f.body) && does_no_more(&program, &name, &under));
    }
    found
}

/// A state that is updated in place stays so: a script that made each round copy it would be quadratic. Says
/// whether there are arguments to compare the numbers of steps on.
fn does_no_more(program: &Program, name: &str, under: &Scheduled) -> bool {
    let written = program.scheduled(name, None).unwrap_or_else(|e| panic!("{e}"));
    let mut arguments = Arguments::default();
    if arguments.complete(program, &written.function, 60).is_err() {
        return false;
    }
    let steps = |scheduled: &Scheduled| {
        let kernel = compiled(scheduled, &loops::BACKEND);
        let bound = kernel.call(&arguments.arrays(), &arguments.sizes()).bind();
        bound.map_or(f64::NAN, |bound| bound.steps())
    };
    let (written, found) = (steps(&written), steps(under));
    // Where numbers that are computed say how far loops go, nothing is known.
    let unknown = written.is_nan() || found.is_nan();
    assert!(unknown || found <= 1.2 * written, "{name}: {found} steps, {written} as written");
    !written.is_nan()
}

#[test]
fn what_is_chosen_for_the_examples_means_the_same_and_does_no_more() {
    let files = examples();
    let found = in_parallel(0..files.len() as u64, |k| check(&files[k as usize]));
    let calls: usize = found.iter().map(|found| found.calls).sum();
    let recurrences: usize = found.iter().map(|found| found.recurrences).sum();
    assert!(calls > 400 && recurrences > 20, "{calls}, {recurrences}");
}

fn has_rounds(e: &Expr) -> bool {
    matches!(**e, Node::Iterate(_)) || e.children().any(|at| e.child(at).is_some_and(has_rounds))
}

#[test]
fn a_script_is_a_schedule_like_any_other_and_the_same_every_time() {
    let text = "fn f(a: f64[M, K], b: f64[K, N]) -> f64[M, N] { gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } } }";
    let program = || Program::parse("f.atl", text).expect("it is accepted");
    for name in ["auto", "auto real"] {
        let (first, again) = (chosen(&program(), "f", name), chosen(&program(), "f", name));
        let script = first.chosen.as_ref().expect("it is chosen").script.clone();
        assert_eq!(script, again.chosen.as_ref().expect("it is chosen").script);
        assert!(script.contains("vectorize"), "{script}");
        let copied = Program::parse("f.atl", &format!("{text}\n{script}")).expect("it is accepted");
        let copied = copied.scheduled("f", Some("auto")).and_then(|s| s.lower()).expect("it is derived");
        assert!(!copied.is_chosen);
        assert_eq!(copied.kernel, first.lower().expect("it is lowered").kernel);
    }
}

#[test]
fn a_script_may_leave_its_end() {
    let text = "fn f(x: f32[N]) -> f32[N] { let a = gen i < N { x[i] + 1.0 }; gen i < N { a[i] * 2.0 } }
        schedule begun of f { inline a; auto; }
        schedule early of f { auto; inline a; }";
    let program = Program::parse("f.atl", text).expect("it is accepted");
    let begun = chosen(&program, "f", "begun");
    let script = &begun.chosen.as_ref().expect("it is chosen").script;
    assert!(script.contains("inline a;") && script.contains("vectorize i"), "{script}");
    assert_eq!(begun.schedule.as_deref(), Some("begun"));
    let early = program.scheduled("f", Some("early")).map(|_| ()).expect_err("it is refused");
    assert_eq!(early.codes(), ["E0306"]);
}

/// A producer that nothing reads, and a read with a guard: without the one and the other split off it costs
/// more.
#[test]
fn nothing_dearer_than_what_is_written_is_chosen() {
    let text = "fn f(x: max_times<f32>[N], a: max_times<f32>[N, M], s: max_times<f32>) -> max_times<f32>[1] {
        let t = gen i < 1 { s };
        gen i < 1 { a?[i, i] }
    }";
    let program = Program::parse("f.atl", text).expect("it is accepted");
    let choice = chosen(&program, "f", "auto").chosen.as_ref().expect("it is chosen").choice.clone();
    let taken = choice.considered.iter().find(|one| one.steps == choice.steps).expect("it was considered");
    assert!(!taken.is_dearer(choice.considered.first()), "{choice:?}");
}

/// Rounds of three tensors in one another have more loops than scripts are tried for.
#[test]
fn a_function_of_many_copies_stays_as_it_is_written() {
    for (deep, is_tried) in [(1, true), (5, false)] {
        let rounds = (0..deep).rev().fold(String::new(), |inside, k| {
            let (a, b, c) = if k == 0 { ("x".into(), "y".into(), "x".into()) } else { below(k - 1) };
            let shared = if inside.is_empty() { inside } else { format!("let (u, v, w) = {inside}; ") };
            let add = if shared.is_empty() { "y[i]" } else { "u[i] + v[i] * w[i]" };
            let step = |own: &str| format!("gen i < N {{ {own}{k}[i] + {add} }}");
            let steps = [step("a"), step("b"), step("c")].join(", ");
            format!("iterate t{k} < 2 from a{k} = {a}, b{k} = {b}, c{k} = {c} {{ {shared}{steps} }}")
        });
        let head = "fn f(x: f64[N], y: f64[N]) -> (f64[N], f64[N], f64[N])";
        let program = Program::parse("t.atl", &format!("{head} {{ {rounds} }}"));
        let program = program.unwrap_or_else(|e| panic!("{e}"));
        let choice = chosen(&program, "f", "auto").chosen.as_ref().expect("it is chosen").choice.clone();
        assert_eq!(choice.considered.len() > 1, is_tried, "{deep}: {choice:?}");
        assert!(is_tried || choice.steps.is_empty());
    }
}

/// The names of the states at a depth.
fn below(k: usize) -> (String, String, String) {
    (format!("a{k}"), format!("b{k}"), format!("c{k}"))
}

/// What the model finds dearer than the function as written is not chosen.
#[test]
fn vectors_that_take_rounds_apart_are_not_chosen() {
    let text = "fn f(start: f64[S], a: f64[S, S], e: f64[T, S]) -> (path: i32[T], score: f64) where 0 < T, 0 < S {
        let (h, back) = scan t < T - 1 from h = gen s < S { start[s] + e[0, s] }, back = gen s < S { i32(0) } {
            let (v, at) = gen s < S {
                iterate r < S from v = f64(-inf), at = i32(0) {
                    let c = h[r] + a[r, s];
                    select(c > v, c, v), select(c > v, i32(r), at)
                }
            };
            gen s < S { v[s] + e[t + 1, s] }, at
        };
        let (best, last) = iterate s < S from v = f64(-inf), at = i32(0) {
            select(h[T - 1, s] > v, h[T - 1, s], v), select(h[T - 1, s] > v, i32(s), at)
        };
        let reversed = scan k < T - 1 from s = last { back?[T - 1 - k, s] };
        (gen t < T { reversed[T - 1 - t] }, best)
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let choice = chosen(&program, "f", "auto").chosen.expect("it is chosen").choice.clone();
    let written = choice.considered.first();
    let plain = choice.considered.iter().find(|one| one.kind == Kind::Plain && one.verdict.is_ok());
    // Vectors of what is stored would take the rounds apart, and are refused or dearer.
    assert!(plain.is_none_or(|one| one.is_dearer(written)), "{choice:?}");
    assert!(choice.steps.is_empty(), "{choice:?}");
}

/// Where guards split off and sums written out are too many statements together, the sums stay loops.
#[test]
fn large_programs_are_split_with_sums_as_loops() {
    let text = "use std.image.{sobel};
    fn f(img: u8[H, W], k: f32) -> f32[H, W] {
        let (dy, dx) = sobel(f32(img));
        let xx = dx * dx;
        let yy = dy * dy;
        let xy = dx * dy;
        gen y < H, x < W {
            let a = sum i < 3, j < 3 { xx?[y + i - 1, x + j - 1] };
            let b = sum i < 3, j < 3 { yy?[y + i - 1, x + j - 1] };
            let c = sum i < 3, j < 3 { xy?[y + i - 1, x + j - 1] };
            a * b - c * c - k * (a + b) * (a + b)
        }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let under = chosen(&program, "f", "auto");
    let choice = &under.chosen.as_ref().expect("it is chosen").choice;
    let has = |word: &str| choice.steps.iter().any(|step| step.starts_with(word));
    assert!(has("peel") && has("vectorize") && !has("unroll"), "{choice:?}");
    assert!(choice.considered.iter().any(|one| one.what.contains("sums as loops")), "{choice:?}");
    assert!(compared(&program, "f", &under, &[0, 1, 3, 19], &[&c::BACKEND]) >= 4);
}
