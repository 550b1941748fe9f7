//! Proposed schedules: every one is a theorem that the kernel accepts and computes what the function means, the model
//! ranks known schedules as measurements do, and what is written is what was proposed.

use atl_driver::backends::{cranelift, interp, loops};
use atl_driver::tune::{
    Estimate, Found, Machine, Proposal, Remark, Wanted, estimate, propose, replay, schedule_file,
};
use atl_driver::{Arguments, Compile, Program, Rounding};
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn example(name: &str) -> Program {
    atl_driver::load(examples().join(format!("{name}.atl"))).expect("the example is accepted")
}

fn proposals(program: &Program, function: &str, sizes: &[i64], rounding: Rounding, budget: usize) -> Found {
    let function = program.function(Some(function), None).expect("the function exists");
    let wanted = Wanted { rounding, budget, machine: Machine::default() };
    propose(program, function, sizes, &wanted, &mut |_| {}).expect("the function is accepted")
}

/// Every proposal for the functions of an example gives what the source means: for no iterations, for one, and for sizes
/// that are no multiples of any tile.
fn check(name: &str, budget: usize, sizes: &[i64]) {
    let own = std::fs::read_to_string(examples().join(format!("{name}.atl"))).expect("the example is there");
    check_program(&example(name), &own, budget, sizes);
}

/// The same, for the functions of a program that stand in this text.
fn check_program(program: &Program, own: &str, budget: usize, sizes: &[i64]) {
    for f in program.functions().iter().filter(|f| own.contains(&format!("fn {}(", f.name))) {
        let large = vec![1000; f.sizes.len()];
        let found = proposals(program, &f.name, &large, Rounding::Real, budget);
        assert!(found.proposals.len() > 1, "{}: {:?}", f.name, found.refused);
        let meaning = program.scheduled(&f.name, None).and_then(|s| s.lower()).expect("the function lowers");
        let meaning = meaning.compile(&interp::BACKEND, Default::default()).expect("it is interpreted");
        for proposal in &found.proposals {
            let steps = proposal.steps.join("; ");
            let lowered = replay(program, f, &proposal.steps).and_then(|s| s.lower()).expect(&steps);
            assert_eq!(lowered.rounding, proposal.rounding, "{steps}");
            let kernel = lowered.compile(&loops::BACKEND, Default::default()).expect(&steps);
            for size in sizes {
                let mut arguments = Arguments::default();
                if arguments.complete(program, f, *size).is_err() {
                    continue;
                }
                let call = |kernel: &atl_driver::Compiled| {
                    kernel.call(&arguments.arrays(), &arguments.sizes()).dense()
                };
                let expected = call(&meaning).expect("the function has a value");
                // Made-up numbers are eighths, so sums are exact in any order.
                let result = call(&kernel).unwrap_or_else(|e| panic!("{} at {size}, {steps}: {e}", f.name));
                assert!(close(&expected, &result), "{} at {size}, {steps}", f.name);
            }
        }
    }
}

/// Equal, or up to the rounding of divisions and exponentials.
fn close(a: &atl_driver::Buffer, b: &atl_driver::Buffer) -> bool {
    match (a.as_slice::<f32>(), b.as_slice::<f32>()) {
        (Ok(x), Ok(y)) => {
            a.shape() == b.shape()
                && x.iter().zip(y).all(|(x, y)| x == y || (x - y).abs() <= 1e-5 * x.abs().max(1.0))
        }
        _ => a == b,
    }
}

#[test]
fn proposals_for_stencils_are_right() {
    check("blur", 14, &[0, 1, 2, 37]);
    check("pipeline", 14, &[0, 1, 3, 70]);
}

#[test]
fn proposals_for_products_are_right() {
    check("matmul", 20, &[0, 1, 19]);
    check("relax", 14, &[0, 1, 19]);
    check("transitive_closure", 10, &[0, 1, 11]);
}

#[test]
fn proposals_for_convolutions_are_right() {
    check("conv1d", 10, &[0, 1, 21]);
    check("conv2d", 10, &[0, 1, 7]);
    check("im2col", 8, &[1, 5]);
}

#[test]
fn proposals_for_other_examples_are_right() {
    check("softmax", 8, &[0, 1, 9]);
    check("layer_norm", 8, &[1, 9]);
    check("tensor_add", 8, &[0, 1, 5]);
    check("image", 8, &[0, 1, 9]);
}

/// Products with something done to each sum.
const EPILOGUES: &str = "
    fn dense(a: f32[B, M, K], b: f32[B, K, N], bias: f32[N]) -> f32[B, M, N] {
        gen p < B, i < M, j < N { max(0.0, bias[j] + sum k < K { a[p, i, k] * b[p, k, j] }) }
    }
    fn shortest(d: min_plus<f32>[N, N]) -> min_plus<f32>[N, N] {
        let c = gen i < N, j < N { sum k < N { d[i, k] * d[k, j] } };
        gen i < N, j < N { d[i, j] + c[i, j] }
    }
    fn chain(a: f32[M, K], b: f32[K, L], c: f32[L, N]) -> f32[M, N] {
        let ab = gen i < M, l < L { sum k < K { a[i, k] * b[k, l] } };
        gen i < M, j < N { sum l < L { ab[i, l] * c[l, j] } }
    }
";

#[test]
fn proposals_for_products_with_epilogues_are_right() {
    let program = Program::parse("epilogues.atl", EPILOGUES).expect("the program is accepted");
    check_program(&program, EPILOGUES, 14, &[0, 1, 9]);
}

#[test]
fn sums_are_reordered_under_epilogues_and_in_producers() {
    let program = Program::parse("epilogues.atl", EPILOGUES).expect("the program is accepted");
    let better = |function: &str, sizes: &[i64], least: f64, step: &str| {
        let found = proposals(&program, function, sizes, Rounding::Bitwise, 16);
        let (best, source) = (found.best(1).remove(0), found.source().expect("it is there").estimate);
        assert!(best.steps.iter().any(|s| s.starts_with(step)), "{function}: {}", best.steps.join("; "));
        assert!(best.estimate.cycles() * least < source.cycles(), "{function}: {}", best.steps.join("; "));
    };
    better("dense", &[2, 256, 256, 256], 8.0, "stage k as acc");
    better("shortest", &[512], 8.0, "");
    better("chain", &[256, 256, 256, 256], 8.0, "reorder ab/");
}

#[test]
fn no_prediction_is_beyond_what_a_machine_does() {
    let text = "fn scale(a: f32[B, N]) -> f32[B, N] { gen p < B, i < N { 2.0 * a[p, i] } }";
    let program = Program::parse("scale.atl", text).expect("the program is accepted");
    let machine = Machine::default();
    let at_once = f64::from(machine.cores * machine.vector_bytes / 4);
    for sizes in [[1, 1], [2, 100_000], [3, 50], [100_000, 2], [1000, 1000]] {
        for proposal in &proposals(&program, "scale", &sizes, Rounding::Bitwise, 40).proposals {
            let (cycles, cells) = (proposal.estimate.cycles(), (sizes[0] * sizes[1]) as f64);
            assert!(cycles * at_once >= cells, "{sizes:?}, {}: {cycles}", proposal.steps.join("; "));
        }
    }
}

#[test]
fn little_work_is_measured_on_one_thread_too() {
    let program = example("matmul");
    let found = proposals(&program, "matmul", &[40, 40, 40], Rounding::Bitwise, 20);
    for count in 1..6 {
        let best = found.best(count);
        let sequential = best.iter().filter(|p| p.is_sequential()).count();
        assert!(best.len() == count && 2 * sequential >= count, "{sequential} of {count}");
    }
}

/// What is chosen without sizes is measured beside what is proposed for sizes; for one alone the model decides.
#[test]
fn what_is_chosen_without_sizes_is_measured_too() {
    let text = "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] - (sum k < N { x[k] }) / f32(N) } }";
    let program = Program::parse("f.atl", text).expect("it is accepted");
    for (class, name) in [(Rounding::Bitwise, "auto bitwise"), (Rounding::Real, "auto real")] {
        let found = proposals(&program, "f", &[3000], class, 60);
        let chosen = program.chosen_steps("f", name).expect("it is derived").expect("a choice");
        assert_eq!(found.chosen.as_ref(), Some(&chosen), "{class}");
        for count in [2, 5] {
            let best = found.best(count);
            assert!(best.len() <= count && best.iter().any(|one| one.steps == chosen), "{class}: {best:?}");
        }
        let cycles = |one: &Proposal| one.estimate.cycles();
        let least =
            found.proposals.iter().filter(|one| !one.steps.is_empty()).map(cycles).fold(f64::MAX, f64::min);
        assert!(cycles(&found.best(1)[0]) <= least, "{class}");
    }
}

#[test]
fn a_search_finds_the_same_again() {
    let program = example("matmul");
    let search = || proposals(&program, "matmul", &[200, 300, 400], Rounding::Real, 20);
    let (first, second) = (search(), search());
    assert_eq!(first, second);
    assert_eq!(first.judged, 20);
    assert_eq!(first.proposals.len() + first.refused.values().sum::<usize>(), 20);
}

#[test]
fn nothing_above_the_class_is_proposed() {
    let program = example("matmul");
    let classes = |rounding| -> Vec<Rounding> {
        let found = proposals(&program, "matmul", &[512, 512, 512], rounding, 12);
        found.proposals.iter().map(|p| p.rounding).collect()
    };
    assert!(classes(Rounding::Bitwise).iter().all(|class| *class == Rounding::Bitwise));
    assert!(classes(Rounding::Real).contains(&Rounding::Real));
}

/// Tensors with matrices along three axes: square ones and others, read by rows or by columns, in another algebra.
const AXES: &str = "
    fn project(a: f32[Q, P], b: f32[P, P], u: f32[E, P, P, P]) -> f32[E, Q, P, P] {
        gen e < E, x < Q, y < P, z < P { sum i < P, j < P, k < P { u[e, i, j, k] * a[x, i] * b[j, y] * b[k, z] } }
    }
    fn nearest(a: min_plus<f32>[Q, P], u: min_plus<f32>[E, P, P, P]) -> min_plus<f32>[E, Q, Q, Q] {
        gen e < E, t < Q, s < Q, g < Q {
            sum i < P, j < P, k < P { a[t, i] * a[s, j] * a[g, k] * u[e, i, j, k] }
        }
    }
";

/// Proposals that promise sizes compute what the function means at these, for some numbers of what is called `E`; there are so many,
/// and these.
fn check_promising(
    program: &Program,
    function: &str,
    sizes: &[i64],
    kinds: usize,
    budget: usize,
) -> Vec<String> {
    let f = program.function(Some(function), None).expect("the function exists");
    let found = proposals(program, function, sizes, Rounding::Real, budget);
    let promises = |steps: &[String]| steps.first().is_some_and(|s| s.starts_with("assume"));
    let promising: Vec<_> = found.proposals.iter().filter(|p| promises(&p.steps)).collect();
    assert!(promising.len() >= kinds, "{function} at {sizes:?}: {:?}", found.refused);
    let named: Vec<(String, i64)> =
        f.sizes.iter().map(|s| s.name.clone()).zip(sizes.iter().copied()).collect();
    for count in [0, 1, 3] {
        let sizes = named.iter().map(|(name, n)| (name.clone(), if name == "E" { count } else { *n }));
        let mut arguments = Arguments { sizes: sizes.collect(), ..Arguments::default() };
        arguments.complete(program, f, 0).expect("sizes are known");
        let call = |steps: &[String], backend| {
            let lowered = replay(program, f, steps).and_then(|s| s.lower()).expect("it was accepted");
            let kernel = lowered.compile(backend, Default::default()).expect("it compiles");
            let result = kernel.call(&arguments.arrays(), &arguments.sizes()).dense();
            result.unwrap_or_else(|e| panic!("{e}: {}", steps.join("; ")))
        };
        // As written it is too much work for an interpreter.
        let expected = call(&[], &cranelift::BACKEND);
        for proposal in &promising {
            assert!(
                close(&expected, &call(&proposal.steps, &loops::BACKEND)),
                "{function}: {}",
                proposal.steps.join("; ")
            );
        }
    }
    promising.iter().map(|p| p.steps.join("; ")).collect()
}

#[test]
fn proposals_along_axes_are_right() {
    let interpolation = example("interpolation");
    let axes = Program::parse("axes.atl", AXES).expect("the program is accepted");
    let check = |program: &Program, function: &str, sizes: &[i64], kinds| {
        check_promising(program, function, sizes, kinds, 10);
    };
    // Vectors of eight lanes: a slice of 4 by 4 is two vectors, a row of 6 leaves lanes idle.
    check(&interpolation, "interpolate", &[4, 4, 100], 4);
    check(&interpolation, "interpolate", &[8, 8, 100], 2);
    check(&interpolation, "interpolate", &[8, 6, 100], 1);
    check(&axes, "project", &[8, 4, 100], 1);
    check(&axes, "nearest", &[4, 4, 100], 1);
}

/// Windows in one direction and in two, with channels and without, other names and another order of indices, in another algebra.
const WINDOWS: &str = "
    fn layer(x: f32[E, C, L], w: f32[K, C, R]) -> f32[E, K, L - R + 1] where R <= L + 1 {
        gen e < E, k < K, p < L - R + 1 { sum c < C, r < R { x[e, c, p + r] * w[k, c, r] } }
    }
    fn picture(x: f32[E, C, H, W], w: f32[R, S, K, C]) -> f32[K, E, H - R + 1, W - S + 1]
        where R <= H + 1, S <= W + 1 {
        gen f < K, e < E, y < H - R + 1, z < W - S + 1 {
            sum a < R, b < S, c < C { w[a, b, f, c] * x[e, c, y + a, z + b] }
        }
    }
    fn stencils(x: f32[H, W], w: f32[K, R, S]) -> f32[K, H - R + 1, W - S + 1] where R <= H + 1, S <= W + 1 {
        gen k < K, p < H - R + 1, q < W - S + 1 { sum r < R, s < S { x[p + r, q + s] * w[k, r, s] } }
    }
    fn paths(x: min_plus<f32>[E, C, L], w: min_plus<f32>[K, C, R]) -> min_plus<f32>[E, K, L - R + 1] where R <= L + 1 {
        gen e < E, k < K, p < L - R + 1 { sum c < C, r < R { x[e, c, p + r] * w[k, c, r] } }
    }
";

#[test]
fn windows_get_tables_of_taps_and_joined_rows() {
    let program = Program::parse("windows.atl", WINDOWS).expect("the program is accepted");
    let check = |function: &str, sizes: &[i64], budget: usize, wanted: &[&[&str]]| {
        let scripts = check_promising(&program, function, sizes, 1, budget);
        for wanted in wanted {
            let all = |script: &String| wanted.iter().all(|step| script.contains(step));
            assert!(scripts.iter().any(all), "{function}: {wanted:?} not in {scripts:#?}");
        }
    };
    let taps: &[&str] = &["as table along k.o", "unroll", "acc/r", "vectorize panel/p.i"];
    check("layer", &[3, 4, 40, 9, 3], 8, &[taps]);
    check("paths", &[3, 4, 40, 9, 3], 8, &[taps]);
    let joined: &[&str] = &["rotate_4, flatten", "as rows", "as table along rows/f.o"];
    check("picture", &[3, 4, 9, 14, 3, 2, 9], 11, &[joined, &["reorder e, ", "as table along f.o"]]);
    check("stencils", &[7, 14, 9, 3, 3], 3, &[&["by flatten", "as rows", "as table along rows/k.o"]]);
}

#[test]
fn loops_with_scalar_lets_get_lanes() {
    let text = "fn f(x: f32[N]) -> f32[N] { gen i < N { let t = 2.0 * x[i]; t * t + t } }";
    let program = Program::parse("lets.atl", text).expect("the program is accepted");
    let best = proposals(&program, "f", &[10_000], Rounding::Bitwise, 10).best(1).remove(0);
    assert!(best.steps.iter().any(|s| s.starts_with("vectorize i")), "{}", best.steps.join("; "));
}

/// What the model thinks of a schedule of an example; `None` is the function as written.
fn thought(program: &Program, function: &str, schedule: Option<&str>, sizes: &[i64]) -> Estimate {
    let lowered =
        program.scheduled(function, schedule).and_then(|s| s.lower()).expect("the schedule is accepted");
    estimate(&lowered.kernel, sizes, &Machine::default()).expect("it has a cost")
}

#[test]
fn the_model_ranks_as_measurements_do() {
    let ranked = |name: &str, function: &str, sizes: &[i64], order: &[Option<&str>]| {
        let program = example(name);
        let costs: Vec<f64> = order.iter().map(|s| thought(&program, function, *s, sizes).cycles()).collect();
        assert!(costs.is_sorted_by(|a, b| a < b), "{order:?}: {costs:?}");
    };
    let blur = [Some("interior"), Some("tiled"), Some("two_stage"), None];
    ranked("blur", "blur", &[2000, 2000], &blur);
    let matmul = [Some("blocked"), Some("tiled"), Some("rows"), None];
    ranked("matmul", "matmul", &[1024, 1024, 1024], &matmul);
}

#[test]
fn what_is_found_is_as_good_as_what_is_written_by_hand() {
    let better = |name: &str, function: &str, sizes: &[i64], rounding, hand: &str, budget| {
        let program = example(name);
        let best = proposals(&program, function, sizes, rounding, budget).best(1).remove(0);
        let by_hand = thought(&program, function, Some(hand), sizes);
        let (found, hand) = (best.estimate.cycles(), by_hand.cycles());
        assert!(found <= hand, "{}: {found} against {hand}", best.steps.join("; "));
    };
    better("blur", "blur", &[2000, 2000], Rounding::Bitwise, "interior", 24);
    better("matmul", "matmul", &[1024, 1024, 1024], Rounding::Bitwise, "tiled", 12);
    better("matmul", "matmul", &[1024, 1024, 1024], Rounding::Real, "tiled", 12);
}

#[test]
fn one_core_is_proposed_no_threads() {
    let program = example("matmul");
    let f = program.function(Some("matmul"), None).expect("the function exists");
    let threaded = |cores| {
        let machine = Machine::default().with_cores(cores);
        let wanted = Wanted { rounding: Rounding::Bitwise, budget: 24, machine };
        let found = propose(&program, f, &[300, 300, 300], &wanted, &mut |_| {}).expect("it is accepted");
        found.proposals.iter().filter(|p| !p.is_sequential()).count()
    };
    assert_eq!(threaded(1), 0);
    assert!(threaded(4) > 0);
}

#[test]
fn how_far_the_search_is_is_told() {
    let program = example("blur");
    let mut told = Vec::new();
    let wanted = Wanted { rounding: Rounding::Bitwise, budget: 3, machine: Machine::default() };
    let f = program.function(Some("blur"), None).expect("the function exists");
    let found = propose(&program, f, &[100, 100], &wanted, &mut |line| told.push(line.to_owned()));
    assert_eq!(found.expect("it is accepted").judged, 3);
    assert_eq!(told, ["1 of 3 schedules tried", "2 of 3 schedules tried", "3 of 3 schedules tried"]);
}

#[test]
fn the_written_file_replays_to_the_same_theorem() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tuning");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let source = folder.join("blur.atl");
    std::fs::copy(examples().join("blur.atl"), &source).expect("the example can be copied");
    let program = atl_driver::load(&source).expect("the example is accepted");
    let f = program.function(Some("blur"), None).expect("the function exists");
    let best = proposals(&program, "blur", &[500, 500], Rounding::Bitwise, 12).best(1).remove(0);
    let sizes = vec![("N".to_owned(), 500), ("M".to_owned(), 500)];
    let remark = Remark { sizes, ratio: 2.5, backend: "c", rounding: best.rounding };
    let out = folder.join("blur-tuned.atl");
    let text = schedule_file(&program, (&source, &out), "blur", &best.steps, &remark).expect("it is written");
    assert!(text.starts_with("import \"blur.atl\"\n"), "{text}");
    std::fs::write(&out, text).expect("the file can be written");
    let again = atl_driver::load(&out).expect("the file is accepted");
    let (first, second) = (replay(&program, f, &best.steps), again.scheduled("blur", Some("tuned")));
    let (first, second) = (first.expect("it derives"), second.expect("it derives again"));
    let (first, second) = (first.theorem().expect("a theorem"), second.theorem().expect("a theorem"));
    assert_eq!((first.lhs(), first.rhs()), (second.lhs(), second.rhs()));
    assert_eq!(first.rounding(), second.rounding());
    let own = schedule_file(&program, (&source, &source), "blur", &best.steps, &remark);
    assert_eq!(own.expect_err("it would replace the program").codes(), ["E0902"]);
}
