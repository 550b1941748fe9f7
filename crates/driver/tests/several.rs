//! Functions with several results: every back end gives what plain Rust gives, under every schedule.

use atl_driver::backends::Backend;
use atl_driver::{Buffer, Compile, Compiled, Memory, Output, Program, backends};

const SOURCE: &str = "
    fn stats(x: f32[N, M]) -> (total: f32[N], rest: f32[N, M], count: i64) {
        let t = gen i < N { sum j < M { x[i, j] } };
        (t, gen i < N, j < M { x[i, j] - t[i] }, i64(N * M))
    }
    schedule tiled of stats { split rest/j by 4; peel; vectorize rest/j.i; parallel rest/i; }
    schedule both of stats { split i by 2; }
    schedule inlined of stats { inline t; }
    schedule shared of stats { parallel t/i; unroll t/j; }

    fn order(a: i32[N], b: i32[N]) -> (i32[N], i32[N]) {
        (gen i < N { min(a[i], b[i]) }, gen i < N { max(a[i], b[i]) })
    }
    schedule lanes of order { vectorize i by 8 with tail; }

    fn spread(a: i32[N], b: i32[N]) -> i32[N] {
        let (lo, hi) = order(a, b);
        gen i < N { hi[i] - lo[i] }
    }
    fn again(a: i32[N], b: i32[N]) -> (i32[N], bool[N]) {
        let (lo, hi) = order(a, b);
        (lo, gen i < N { hi[i] == lo[i] })
    }
    fn passed_on(a: i32[N], b: i32[N]) -> (i32[N], i32[N]) { order(b, a) }
    fn histogram(x: i32[N]) -> (i32[8], f64) {
        (sum i < N { gen b < 8 { [x[i] == b] * 1 } }, sum i < N { f64(x[i]) })
    }
";

fn program() -> Program {
    Program::parse("several.atl", SOURCE).unwrap_or_else(|e| panic!("{e}"))
}

fn compiled(function: &str, schedule: Option<&str>, backend: &'static Backend) -> Compiled {
    let lowered = program().scheduled(function, schedule).and_then(|scheduled| scheduled.lower());
    let kernel = lowered.and_then(|lowered| lowered.compile(backend, Default::default()));
    kernel.unwrap_or_else(|e| panic!("{function} {schedule:?} on {}: {e}", backend.name))
}

/// Every back end that this machine has.
fn available() -> impl Iterator<Item = &'static Backend> {
    backends::TABLE.iter().copied().filter(|backend| (backend.unavailable)().is_none())
}

fn numbers(n: usize, by: usize) -> Vec<i32> {
    (0..n).map(|i| i32::try_from(i * by % 11).unwrap() - 3).collect()
}

#[test]
fn results_of_different_shapes_and_types() {
    for schedule in [None, Some("tiled"), Some("both"), Some("inlined"), Some("shared")] {
        for backend in available() {
            let kernel = compiled("stats", schedule, backend);
            for (n, m) in [(0, 0), (0, 3), (1, 1), (3, 0), (4, 5), (7, 13), (33, 9)] {
                let x: Vec<f32> = numbers(n * m, 7).into_iter().map(|x| x as f32).collect();
                let total: Vec<f32> =
                    (0..n).map(|i| x[i * m..(i + 1) * m].iter().fold(0.0, |sum, x| sum + x)).collect();
                let rest: Vec<f32> = (0..n * m).map(|k| x[k] - total[k / m]).collect();
                let x = Buffer::from_vec(x, &[n, m]).unwrap();
                let found = kernel.call(&[("x", x.view())], &[]).results().unwrap_or_else(|e| panic!("{e}"));
                let at = format!("{schedule:?} on {}, N = {n}, M = {m}", backend.name);
                assert_eq!(found.len(), 3);
                assert_eq!(found[0].as_slice::<f32>().unwrap(), total, "{at}");
                assert_eq!(found[1].as_slice::<f32>().unwrap(), rest, "{at}");
                assert_eq!(found[1].shape(), [n, m], "{at}");
                assert_eq!(found[2].as_slice::<i64>().unwrap(), [(n * m) as i64], "{at}");
            }
        }
    }
}

#[test]
fn callers_name_the_results() {
    let functions = [("order", Some("lanes")), ("spread", None), ("again", None), ("passed_on", None)];
    for (function, schedule) in functions {
        for backend in available() {
            let kernel = compiled(function, schedule, backend);
            for n in [0, 1, 3, 8, 17] {
                let (a, b) = (numbers(n, 7), numbers(n, 5));
                let pairs = || a.iter().zip(&b);
                let lo: Vec<i32> = pairs().map(|(a, b)| *a.min(b)).collect();
                let hi: Vec<i32> = pairs().map(|(a, b)| *a.max(b)).collect();
                let [a, b] = [&a, &b].map(|x| Buffer::from_vec(x.clone(), &[n]).unwrap());
                let call = kernel.call(&[("a", a.view()), ("b", b.view())], &[]);
                let found = call.results().unwrap_or_else(|e| panic!("{e}"));
                let at = format!("{function} on {}, N = {n}", backend.name);
                let first = found[0].as_slice::<i32>().unwrap();
                match function {
                    "spread" => {
                        let spread: Vec<i32> = lo.iter().zip(&hi).map(|(lo, hi)| hi - lo).collect();
                        assert_eq!((first, found.len()), (&spread[..], 1), "{at}");
                    }
                    "again" => {
                        let same: Vec<bool> = lo.iter().zip(&hi).map(|(lo, hi)| hi == lo).collect();
                        assert_eq!(first, lo, "{at}");
                        assert_eq!(found[1].as_slice::<bool>().unwrap(), same, "{at}");
                    }
                    _ => {
                        assert_eq!(first, lo, "{at}");
                        assert_eq!(found[1].as_slice::<i32>().unwrap(), hi, "{at}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_result_that_accumulates_begins_as_zero() {
    for backend in available() {
        let kernel = compiled("histogram", None, backend);
        for n in [0, 1, 19] {
            let x: Vec<i32> = numbers(n, 7).into_iter().map(|x| x.max(0)).collect();
            let counts: Vec<i32> = (0..8).map(|b| x.iter().filter(|x| **x == b).count() as i32).collect();
            let sum: f64 = x.iter().map(|x| f64::from(*x)).sum();
            let x = Buffer::from_vec(x, &[n]).unwrap();
            let bound = kernel.call(&[("x", x.view())], &[]).bind().unwrap();
            // What the memory holds at first does not matter.
            let mut memory = bound.memory().unwrap();
            for _ in 0..2 {
                bound.run(Output::Stored(&mut memory)).unwrap();
            }
            let Memory::Several(found) = &memory else { panic!("there are several results") };
            assert_eq!(found[0].as_slice::<i32>().unwrap(), counts, "{}, N = {n}", backend.name);
            assert_eq!(found[1].as_slice::<f64>().unwrap(), [sum], "{}, N = {n}", backend.name);
        }
    }
}

#[test]
fn outputs_fit_the_results() {
    let kernel = compiled("order", None, &backends::cranelift::BACKEND);
    let [a, b] = [7, 5].map(|by| Buffer::from_vec(numbers(4, by), &[4]).unwrap());
    let bound = kernel.call(&[("a", a.view()), ("b", b.view())], &[]).bind().unwrap();
    let zeros = |n: usize| Buffer::from_vec(vec![0i32; n], &[n]).unwrap();
    let refused = |outputs: Vec<Buffer>| {
        let mut outputs = outputs;
        let views = outputs.iter_mut().map(Buffer::view_mut).collect();
        bound.run(Output::Several(views)).map_err(|why| why.codes())
    };
    assert_eq!(refused(vec![zeros(4), zeros(4)]), Ok(()));
    assert_eq!(refused(vec![zeros(4), zeros(3)]), Err(vec!["E0504".to_owned()]));
    assert_eq!(refused(vec![zeros(4)]), Err(vec!["E0552".to_owned()]));
    assert_eq!(refused(vec![zeros(4), zeros(4), zeros(4)]), Err(vec!["E0552".to_owned()]));
    let floats = Buffer::from_vec(vec![0f32; 4], &[4]).unwrap();
    assert_eq!(refused(vec![zeros(4), floats]), Err(vec!["E0504".to_owned()]));
    assert_eq!(bound.dense().map_err(|why| why.codes()).unwrap_err(), ["E0552"]);
    let mut one = zeros(4);
    let done = bound.run(Output::Dense(one.view_mut()));
    assert_eq!(done.map_err(|why| why.codes()), Err(vec!["E0552".to_owned()]));
    let done = bound.run(Output::Stored(&mut Memory::Dense(zeros(4))));
    assert_eq!(done.map_err(|why| why.codes()), Err(vec!["E0504".to_owned()]));
    let iterated = bound.iterate("a", atl_driver::StopCondition::Times(2));
    assert_eq!(iterated.map(drop).map_err(|why| why.codes()), Err(vec!["E0552".to_owned()]));
}

#[test]
fn programs_that_mistake_several_results_for_one() {
    let check = |text: &str, code: &str| {
        let text = format!("{SOURCE}\n{text}");
        let codes = Program::parse("t.atl", &text).map(drop).map_err(|why| why.codes());
        assert_eq!(codes, Err(vec![code.to_owned()]), "{text}");
    };
    let head = "fn f(a: i32[N], b: i32[N])";
    check(&format!("{head} -> i32[N] {{ order(a, b) }}"), "E0300");
    check(&format!("{head} -> i32[N] {{ gen i < N {{ order(a, b)[i] }} }}"), "E0300");
    check(&format!("{head} -> i32[N] {{ (a, b) }}"), "E0300");
    check(&format!("{head} -> i32[N] {{ let t = (a, b); t }}"), "E0300");
    check(&format!("{head} -> i32[N] {{ let (x, y, z) = order(a, b); x }}"), "E0300");
    check(&format!("{head} -> i32[N] {{ let (x, y) = spread(a, b); x }}"), "E0300");
    check(&format!("{head} -> i32[N] {{ let (x, y) = a; x }}"), "E0300");
    check(&format!("{head} -> (i32[N], i32[N]) {{ a }}"), "E0300");
    check(&format!("{head} -> (i32[N], i32[N]) {{ (a, b, a) }}"), "E0300");
    check(&format!("{head} -> (i32[N], i32[N] as [compressed]) {{ (a, b) }}"), "E0300");
    check(&format!("{head} -> (i32[N], i64[N]) {{ (a, b) }}"), "E0215");
    check(&format!("{head} -> (i32[N], i32) {{ (a, b) }}"), "E0216");
    check(&format!("{head} -> (i32[N], i32[N + 1]) {{ (a, b) }}"), "E0217");
    check(&format!("{head} -> (a: i32[N], i32[N]) {{ (a, b) }}"), "E0206");
    check(&format!("{head} -> (x: i32[N], x: i32[N]) {{ (a, b) }}"), "E0206");
}

#[test]
fn the_example_is_accepted_under_every_schedule() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/several.atl");
    let program = atl_driver::load(path).unwrap_or_else(|e| panic!("{e}"));
    let remarks = program.check_with(&|_| Vec::new()).unwrap_or_else(|e| panic!("{e}"));
    assert!(remarks.is_empty(), "{remarks:?}");
}

#[test]
fn proofs_are_of_all_results() {
    for (function, schedule) in [("stats", Some("tiled")), ("stats", Some("inlined")), ("passed_on", None)] {
        let scheduled = program().scheduled(function, schedule).unwrap();
        let lowered = scheduled.lower().unwrap();
        assert!(lowered.theorem.ty().is_bundle());
        let text = atl_driver::proof::certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"));
        assert!(text.contains(" bundle "), "{text}");
        let verified = atl_driver::proof::verify("t.atlp", &text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(verified.theorem.rhs(), lowered.theorem.rhs());
    }
}
