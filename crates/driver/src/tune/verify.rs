//! Proposals against the interpreter and against the function as written.
//!
//! Every proposal is a theorem, and its loops were proved to be right; what is looked for here is a compiler that makes
//! something else of them.

use super::agree::agree;
use crate::arguments::Arguments;
use crate::backends::interp;
use crate::call::Compiled;
use crate::failure::Failure;
use crate::program::Program;
use crate::scheduled::Lowered;
use atl_diag::err;
use atl_kernel::Rounding;
use atl_lang::Function;
use atl_search::cost::flops;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

/// The values tried for all sizes: the empty case, the smallest, and the largest that the interpreter soon has done.
const SIZES: [i64; 6] = [37, 19, 9, 5, 3, 2];
const SMALLEST: [i64; 2] = [0, 1];
const OPERATIONS: f64 = 200_000.0;

/// Every kernel gives what the interpreter gives, at small sizes and on random numbers.
pub(super) fn small(
    program: &Program,
    function: &Function,
    written: &Lowered,
    kernels: &[Compiled],
    classes: &[Rounding],
) -> Result<(), Failure> {
    let meaning = written.compile(&interp::BACKEND, Default::default())?;
    let quick = |n: &&i64| {
        flops(&written.kernel, &vec![**n; function.sizes.len()]).is_some_and(|count| count <= OPERATIONS)
    };
    let random = RandomState::new();
    for n in SMALLEST.iter().chain(SIZES.iter().find(quick)) {
        let mut arguments = Arguments::default();
        let order = |k: usize| (random.hash_one(k) >> 32) as usize;
        // Not every function has a meaning where all sizes are the same.
        if arguments.complete_with(program, function, *n, &order).is_err() {
            continue;
        }
        let expected = meaning.call(&arguments.arrays(), &arguments.sizes())?;
        for (kernel, rounding) in kernels.iter().zip(classes) {
            let found = kernel.call(&arguments.arrays(), &arguments.sizes())?;
            if !agree(&expected, &found, *rounding) {
                return Err(differs(program, kernel, *rounding));
            }
        }
    }
    Ok(())
}

/// Every kernel gives what the first one does, as far as its class says; how long the first one took.
pub(super) fn all_agree(
    program: &Program,
    kernels: &[Compiled],
    classes: &[Rounding],
    arguments: &Arguments,
) -> Result<Duration, Failure> {
    let (arrays, sizes) = (arguments.arrays(), arguments.sizes());
    let (mut expected, mut taken) = (None, Duration::ZERO);
    for (kernel, rounding) in kernels.iter().zip(classes) {
        let start = Instant::now();
        let result = kernel.call(&arrays, &sizes)?;
        match &expected {
            None => (expected, taken) = (Some(result), start.elapsed()),
            Some(expected) if agree(expected, &result, *rounding) => {}
            Some(_) => return Err(differs(program, kernel, *rounding)),
        }
    }
    Ok(taken)
}

fn differs(program: &Program, kernel: &Compiled, rounding: Rounding) -> Failure {
    let name = &kernel.function().name;
    Failure::new(
        program.sources(),
        err!(E0901, "a proposal for `{name}` computes something else than `{name}` does")
            .note(format!("its theorem is `{rounding}` in floating point"))
            .help("the loops were proved to be right, so suspect the C compiler: try `--backend cranelift`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::Options;
    use crate::backends::cranelift::BACKEND;

    #[test]
    fn a_kernel_that_computes_something_else_is_found_out() {
        let text = "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] } } fn g(x: f32[N]) -> f32[N] { gen i < N { 2 * x[i] } }";
        let program = Program::parse("f.atl", text).expect("it is accepted");
        let lowered = |name| program.scheduled(name, None).and_then(|f| f.lower()).expect("it is lowered");
        let kernel = |name| lowered(name).compile(&BACKEND, Options::default()).expect("it compiles");
        let f = program.function(Some("f"), None).expect("it is there");
        let mut arguments = Arguments::default();
        arguments.complete(&program, f, 3).expect("sizes are found");
        let check =
            |other| all_agree(&program, &[kernel("f"), kernel(other)], &[Rounding::Bitwise; 2], &arguments);
        assert!(check("f").is_ok());
        assert_eq!(check("g").expect_err("it differs").codes(), ["E0901"]);
        let written = lowered("f");
        let interpreted = |other| small(&program, f, &written, &[kernel(other)], &[Rounding::Bitwise]);
        assert!(interpreted("f").is_ok());
        assert_eq!(interpreted("g").expect_err("it differs").codes(), ["E0901"]);
    }
}
