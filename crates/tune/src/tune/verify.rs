//! Proposals against the interpreter and against the function as written.
//!
//! Every proposal is a theorem, and bounds of its loops are proved; what is looked for here is a compiler
//! that makes something else of them.

use atl_call::Arguments;
use atl_call::agree::agree;
use atl_call::backends::interp;
use atl_call::{Compile, Compiled};
use atl_cost::steps;
use atl_diag::err;
use atl_kernel::Rounding;
use atl_lang::Function;
use atl_runtime::Buffer;
use atl_session::Failure;
use atl_session::Lowered;
use atl_session::Program;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

/// The values tried for all sizes: the empty case, the smallest, and the largest that the interpreter soon
/// has done.
const SIZES: [i64; 6] = [37, 19, 9, 5, 3, 2];
const SMALLEST: [i64; 2] = [0, 1];
const OPERATIONS: f64 = 200_000.0;

/// A kernel, and what it comes from.
pub(super) struct Candidate {
    pub(super) kernel: Compiled,
    pub(super) lowered: Lowered,
    pub(super) rounding: Rounding,
    /// The sizes that its schedule promises.
    pub(super) promised: Vec<(String, i64)>,
}

/// Every kernel gives what the interpreter gives, at small sizes and on random numbers: for the function as
/// written, or where sizes are promised, at which that may take very long, for the function as scheduled,
/// which is the same by its theorem.
pub(super) fn small(
    program: &Program,
    function: &Function,
    written: &Lowered,
    candidates: &[Candidate],
) -> Result<(), Failure> {
    let meaning = written.compile(&interp::BACKEND, Default::default())?;
    let (free, bound): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(|c| c.promised.is_empty());
    interpreted(program, function, (written, &meaning), &free, &[])?;
    for candidate in bound {
        let meaning = candidate.lowered.compile(&interp::BACKEND, Default::default())?;
        let promised = &candidate.promised;
        interpreted(program, function, (&candidate.lowered, &meaning), &[candidate], promised)?;
    }
    Ok(())
}

/// The kernels against a meaning, with some sizes given.
fn interpreted(
    program: &Program,
    function: &Function,
    (lowered, meaning): (&Lowered, &Compiled),
    candidates: &[&Candidate],
    given: &[(String, i64)],
) -> Result<(), Failure> {
    let size = |name: &str, n: i64| given.iter().find(|(given, _)| given == name).map_or(n, |(_, n)| *n);
    let quick = |n: &&i64| {
        let sizes: Vec<i64> = function.sizes.iter().map(|s| size(&s.name, **n)).collect();
        // Where arrays decide what is done, nothing large is.
        steps(&lowered.kernel, &sizes).map_or(**n <= 9, |count| count <= OPERATIONS)
    };
    let random = RandomState::new();
    for n in SMALLEST.iter().chain(SIZES.iter().find(quick)) {
        let mut arguments = Arguments { sizes: given.to_vec(), ..Arguments::default() };
        let order = |k: usize| (random.hash_one(k) >> 32) as usize;
        // Not every function has a meaning where all sizes are the same.
        if arguments.complete_with(program, function, *n, &order).is_err() {
            continue;
        }
        let expected = match meaning.call(&arguments.arrays(), &arguments.sizes()).results() {
            // Nor for elements that were not made up to its requirements.
            Err(refusal) if refusal.codes() == ["E0506"] => continue,
            result => result?,
        };
        for Candidate { kernel, rounding, .. } in candidates {
            atl_interrupt::checkpoint();
            let found = kernel.call(&arguments.arrays(), &arguments.sizes()).results()?;
            if !all_alike(&expected, &found, *rounding) {
                return Err(differs(program, kernel, *rounding));
            }
        }
    }
    Ok(())
}

/// Every kernel gives what the first one does, as far as its class says; how long the first one took.
pub(super) fn all_agree(
    program: &Program,
    candidates: &[Candidate],
    arguments: &Arguments,
) -> Result<Duration, Failure> {
    let (arrays, sizes) = (arguments.arrays(), arguments.sizes());
    let (mut expected, mut taken) = (None, Duration::ZERO);
    for Candidate { kernel, rounding, .. } in candidates {
        let start = Instant::now();
        let result = kernel.call(&arrays, &sizes).results()?;
        match &expected {
            None => (expected, taken) = (Some(result), start.elapsed()),
            Some(expected) if all_alike(expected, &result, *rounding) => {}
            Some(_) => return Err(differs(program, kernel, *rounding)),
        }
    }
    Ok(taken)
}

/// Are results those that are expected, as far as a class says?
fn all_alike(expected: &[Buffer], found: &[Buffer], rounding: Rounding) -> bool {
    expected.len() == found.len() && expected.iter().zip(found).all(|(a, b)| agree(a, b, rounding))
}

fn differs(program: &Program, kernel: &Compiled, rounding: Rounding) -> Failure {
    let name = &kernel.function().name;
    Failure::new(
        program.sources(),
        err!(E0901, "a proposal for `{name}` computes something else than `{name}` does")
            .note(format!("its theorem is `{rounding}` in floating point"))
            .help("the theorem says that the schedule computes the same, so suspect the C compiler: try `--backend cranelift`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_call::backends::Options;
    use atl_call::backends::cranelift::BACKEND;

    #[test]
    fn a_kernel_that_computes_something_else_is_found_out() {
        let text = "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] } } fn g(x: f32[N]) -> f32[N] { gen i < N { 2 * x[i] } }";
        let program = Program::parse("f.atl", text).expect("it is accepted");
        let lowered = |name| program.scheduled(name, None).and_then(|f| f.lower()).expect("it is lowered");
        let candidate = |name| Candidate {
            kernel: lowered(name).compile(&BACKEND, Options::default()).expect("it compiles"),
            lowered: lowered(name),
            rounding: Rounding::Bitwise,
            promised: Vec::new(),
        };
        let f = program.function(Some("f"), None).expect("it is there");
        let mut arguments = Arguments::default();
        arguments.complete(&program, f, 3).expect("sizes are found");
        let check = |other| all_agree(&program, &[candidate("f"), candidate(other)], &arguments);
        assert!(check("f").is_ok());
        assert_eq!(check("g").expect_err("it differs").codes(), ["E0901"]);
        let written = lowered("f");
        let interpreted = |other| small(&program, f, &written, &[candidate(other)]);
        assert!(interpreted("f").is_ok());
        assert_eq!(interpreted("g").expect_err("it differs").codes(), ["E0901"]);
    }

    #[test]
    fn made_up_elements_that_a_function_refuses_are_passed_over() {
        let text = "fn f(x: f32[N], at: i32[K]) -> f32[K] where all p < K { 0 <= at[p] < N }, \
            all p < K { at[p] * at[p] == 2 } { gen p < K { x[at[p]] } }";
        let program = Program::parse("f.atl", text).expect("it is accepted");
        let f = program.function(Some("f"), None).expect("it is there");
        let lowered = || program.scheduled("f", None).and_then(|f| f.lower()).expect("it is lowered");
        let candidate = Candidate {
            kernel: lowered().compile(&BACKEND, Options::default()).expect("it compiles"),
            lowered: lowered(),
            rounding: Rounding::Bitwise,
            promised: Vec::new(),
        };
        small(&program, f, &lowered(), &[candidate]).expect("nothing differs");
    }

    #[test]
    fn a_kernel_for_certain_sizes_is_compared_at_these() {
        let text = "fn f(x: f32[N, M]) -> f32[N, M] { gen i < N, j < M { x[i, j] } } \
            schedule s of f { assume M == 4; }";
        let program = Program::parse("f.atl", text).expect("it is accepted");
        let f = program.function(Some("f"), None).expect("it is there");
        let lowered = |name| program.scheduled("f", name).and_then(|f| f.lower()).expect("it is lowered");
        let check = |promised: &[(&str, i64)]| {
            let candidate = Candidate {
                kernel: lowered(Some("s")).compile(&BACKEND, Options::default()).expect("it compiles"),
                lowered: lowered(Some("s")),
                rounding: Rounding::Bitwise,
                promised: promised.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            };
            small(&program, f, &lowered(None), &[candidate])
        };
        assert!(check(&[("M", 4)]).is_ok());
        assert_eq!(check(&[]).expect_err("other sizes are refused").codes(), ["E0506"]);
    }
}
