//! Random programs under the schedules that are chosen, against what they mean: sums over operands in
//! formats, and dense ones with all that the language has.
//!
//! `ATL_AUTO=100` tries 100 times as many, and `ATL_SEED` is where they begin. Sizes are 0, 1, a few, and
//! past the tiles; a third of the floats are not finite or at an end of the range where every bit has to be
//! kept. A chosen schedule may not fail where the function as written is accepted, keep fewer bits than it
//! says, or consider more scripts than its budget.

use atl_driver::backends::{Backend, c, cranelift, loops};
use atl_driver::{Lowered, Program, Rounding, Scheduled};
use atl_interp::{Domain, Machine, Value};
use atl_kernel::Elem;
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, Outcome, Point, agree, close, compile, replay};
use atl_testkit::parallel::in_parallel;
use atl_testkit::programs::program;
use atl_testkit::sparse::packed_arguments;
use atl_testkit::sums::{Sums, sums};

/// `N`, `M` and `K`: where all stages are compared.
const SMALL: &[(usize, usize, usize)] = &[(0, 2, 1), (1, 1, 0), (3, 0, 2), (4, 5, 3)];

/// And where the code is compared with the meaning of the function.
const LARGE: &[(usize, usize, usize)] = &[(17, 9, 5), (5, 67, 3), (66, 3, 4), (3, 4, 131)];

/// A random program: its text, and the tensors that it takes with their shapes.
#[derive(Clone)]
struct Drawn {
    text: String,
    operands: Vec<(&'static str, Vec<&'static str>)>,
}

/// A program whose operands are dense, or a sum over some in formats.
fn drawn(seed: u64) -> Drawn {
    let choices = &mut Choices::new(seed);
    if seed % 2 == 1 {
        let depth = 1 + choices.below(4) as u32;
        let operands = vec![("x", vec!["N"]), ("a", vec!["N", "M"]), ("s", vec![])];
        return Drawn { text: program(choices, depth).text, operands };
    }
    let Sums { text, operands } = sums(choices);
    Drawn { text, operands }
}

/// Arrays for a call; those of operands in formats have few entries.
fn arguments(
    lowered: &Lowered,
    operands: &[(&'static str, Vec<&'static str>)],
    (n, m, k): (usize, usize, usize),
    choices: &mut Choices,
) -> Result<Arguments, String> {
    let is_extreme = lowered.rounding == Rounding::Bitwise;
    let elem = lowered.function.params.iter().find(|p| p.name == "s").ok_or("no `s`")?.ty.elem;
    let zero = zero(elem)?;
    let mut arrays = Vec::new();
    for (name, shape) in operands {
        let extent = |size: &&str| match *size {
            "N" => n,
            "M" => m,
            _ => k,
        };
        let shape: Vec<usize> = shape.iter().map(extent).collect();
        let mut array = match is_extreme {
            true => Array::extreme(elem, &shape, choices),
            false => Array::random(elem, &shape, choices),
        };
        if lowered.signature.operand(name).is_some() {
            let kept = 1 + choices.below(3);
            array.data.iter_mut().filter(|_| choices.below(4) >= kept).for_each(|x| *x = zero);
        }
        arrays.push(((*name).to_owned(), array));
    }
    packed_arguments(lowered, &Arguments { sizes: vec![], arrays })
}

fn zero(elem: Elem) -> Result<Value, String> {
    let operations = atl_semirings::of(elem.algebra).and_then(|algebra| algebra.on(elem.scalar));
    Machine::constant(elem.scalar, operations.ok_or("no zero")?.zero).map_err(|why| why.to_string())
}

/// What became of a program.
#[derive(Default)]
struct Tried {
    /// Programs that the function as written is refused for.
    refused: usize,
    /// Schedules with steps, and calls of them.
    chosen: usize,
    calls: usize,
    /// The words of the steps.
    words: Vec<String>,
}

/// A program under both schedules.
fn check(drawn: &Drawn, seed: u64, back_ends: &[&'static Backend]) -> Result<Tried, String> {
    let program = Program::parse("random.atl", &drawn.text).map_err(|e| e.to_string())?;
    let Ok(written) = program.scheduled("f", Some("none")).and_then(|s| s.lower()) else {
        return Ok(Tried { refused: 1, ..Tried::default() });
    };
    let mut tried = Tried::default();
    let mut before = vec![written.kernel.to_string()];
    for schedule in ["auto", "auto real"] {
        let under = program.scheduled("f", Some(schedule)).map_err(|e| format!("under `{schedule}`: {e}"))?;
        let lowered = under.lower().map_err(|e| format!("under `{schedule}`: {e}"))?;
        let script = under.chosen.as_ref().map_or(String::new(), |chosen| chosen.script.clone());
        let at = |why: String| format!("under `{schedule}`: {why}\n{script}");
        budget(&under, schedule).map_err(at)?;
        replay(&lowered.theorem).map_err(at)?;
        let kernel = lowered.kernel.to_string();
        if before.contains(&kernel) {
            continue;
        }
        before.push(kernel);
        tried.chosen += 1;
        tried.words.extend(
            script.split([';', '{']).filter_map(|step| Some(step.split_whitespace().next()?.to_owned())),
        );
        let tried_calls = calls(&written, &lowered, (&drawn.operands, seed), back_ends);
        tried.calls +=
            tried_calls.or_else(|why| in_doubles(drawn, &script, seed, back_ends).ok_or(why)).map_err(at)?;
    }
    Ok(tried)
}

/// The calls of the program and the script with `f64` for narrower floats, if these agree: where sums cancel,
/// few digits of the narrow ones are left, and their order shows in those. What is wrong is wrong in both.
fn in_doubles(drawn: &Drawn, script: &str, seed: u64, back_ends: &[&'static Backend]) -> Option<usize> {
    let text = ["bf16", "f16", "f32"].iter().fold(drawn.text.clone(), |text, ty| text.replace(ty, "f64"));
    if !script.contains("rounding real") || text == drawn.text {
        return None;
    }
    let lower = |text: &str, schedule: &str| {
        Program::parse("random.atl", text).and_then(|p| p.scheduled("f", Some(schedule))?.lower()).ok()
    };
    let (written, under) = (lower(&text, "none")?, lower(&format!("{text}\n{script}"), "auto")?);
    calls(&written, &under, (&drawn.operands, seed), back_ends).ok()
}

/// A chosen schedule considered no more than it may and keeps what it says; of dense operands it is not
/// dearer than what is written.
fn budget(under: &Scheduled, schedule: &str) -> Result<(), String> {
    let choice = &under.chosen.as_ref().ok_or("it is not chosen")?.choice;
    if !(1..=12).contains(&choice.considered.len()) {
        return Err(format!("{} scripts were considered", choice.considered.len()));
    }
    let is_dense = under.function.sparse.is_empty();
    if schedule == "auto" && is_dense && under.rounding() != Rounding::Bitwise {
        return Err(format!("it is {}", under.rounding()));
    }
    let taken = choice.considered.iter().find(|one| one.steps == choice.steps);
    match is_dense && taken.is_some_and(|one| one.is_dearer(choice.considered.first())) {
        true => Err(format!("the model finds it dearer: {choice:?}")),
        false => Ok(()),
    }
}

/// Calls at all sizes; how many there were.
fn calls(
    written: &Lowered,
    lowered: &Lowered,
    (operands, seed): (&[(&'static str, Vec<&'static str>)], u64),
    back_ends: &[&'static Backend],
) -> Result<usize, String> {
    let mut choices = Choices::new(seed);
    let is_bitwise = lowered.rounding == Rounding::Bitwise;
    let mut count = 0;
    let worded = |outcome: Outcome| match outcome {
        Outcome::Refused(failure) => format!("refused: {failure}"),
        Outcome::Wrong(why) => why,
    };
    for sizes in SMALL {
        let arguments = arguments(lowered, operands, *sizes, &mut choices)?;
        if Point::of_call(written, &arguments).is_err() {
            continue;
        }
        agree(lowered, back_ends, &arguments).map_err(worded)?;
        count += back_ends.len();
    }
    let sizes = *choices.of(LARGE);
    let arguments = arguments(lowered, operands, sizes, &mut choices)?;
    let Ok(point) = Point::of_call(written, &arguments) else { return Ok(count) };
    // The interpreter has a budget of steps.
    let Ok(expected) = point.machine(&written.function.body) else { return Ok(count) };
    for back_end in back_ends {
        let found = compile(lowered, back_end).and_then(|kernel| kernel.run(&arguments)).map_err(worded)?;
        if !(if is_bitwise { found == expected } else { close(&found, &expected, 1e-3) }) {
            return Err(format!("{} at {sizes:?}: {found}, not {expected}", back_end.name));
        }
        count += 1;
    }
    Ok(count)
}

/// Signed sums side by side, whose values a compiler took before their lanes were added up.
#[test]
fn sums_of_integers_in_a_few_accumulators_are_whole() {
    let text = "fn f(A: i32[N, M] as coo, B: i32[N, M], x: i32[M], y: i32[N], z: i32[K], U: i32[N, K], s: i32) -> i32[N, M] {
        gen i < N, j < M { B[i, j] * (min k < M { x[k] * (x[k] * (sum l < N { y[l] })) }) }
    }";
    let operands = sums(&mut Choices::new(0)).operands;
    let drawn = Drawn { text: text.to_owned(), operands };
    for seed in 0..4 {
        let tried = check(&drawn, seed, &back_ends()).unwrap_or_else(|why| panic!("{why}"));
        assert!(tried.words.iter().any(|word| word == "rfactor"), "{:?}", tried.words);
    }
}

fn back_ends() -> Vec<&'static Backend> {
    let all: [&'static Backend; 3] = [&loops::BACKEND, &cranelift::BACKEND, &c::BACKEND];
    all.into_iter().filter(|backend| (backend.unavailable)().is_none()).collect()
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn what_is_chosen_for_random_programs_means_the_same() {
    let (first, count) = (number("ATL_SEED").unwrap_or(0), 10 * number("ATL_AUTO").unwrap_or(1));
    let back_ends = back_ends();
    let found = in_parallel(first..first + count, |seed| {
        let drawn = drawn(seed);
        check(&drawn, seed, &back_ends).map_err(|why| format!("seed {seed}\n{}\n{why}", drawn.text))
    });
    let failures: Vec<&String> = found.iter().filter_map(|found| found.as_ref().err()).collect();
    let all = failures.iter().map(|why| why.as_str()).collect::<Vec<_>>().join("\n\n");
    let found: Vec<&Tried> = found.iter().flatten().collect();
    let sum = |part: fn(&Tried) -> usize| found.iter().map(|tried| part(tried)).sum::<usize>();
    let (refused, chosen, calls) = (sum(|t| t.refused), sum(|t| t.chosen), sum(|t| t.calls));
    assert!(
        failures.is_empty(),
        "{} of {count} fail; {chosen} schedules, {calls} calls\n{all}",
        failures.len()
    );
    assert!(
        4 * refused < found.len() && 4 * chosen > found.len(),
        "{refused} refused, {chosen} schedules, {calls} calls"
    );
    let has = |word: &str| found.iter().any(|tried| tried.words.iter().any(|own| own == word));
    for word in ["sparsify", "hoist", "repack", "vectorize", "split"] {
        assert!(count < 600 || has(word), "no schedule uses `{word}`");
    }
}
