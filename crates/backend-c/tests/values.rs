//! Operations and functions of values: all pairs of small types, many of the others, and functions in vectors.

use super::harness::{bytes, canonical, check, check_after, compiler, for_each_compiled, run};
use atl_backend_c::{Options, Rounding, STATUS_OK, print_kernel};
use atl_loops::cases::{Case, functions_case, operations_case, pairs_case};
use atl_loops::elementary::Single;
use atl_loops::interp::Cells;
use atl_loops::{Function, Literal, Name, Scalar, parse_kernel};

#[test]
fn operations_agree_with_the_interpreter_at_the_edges() {
    check("operations", &Scalar::ALL.map(operations_case), Options::default());
}

/// How many pairs of values the operations of a type are tried on, if not all: more with `ATL_PAIRS`, in
/// millions.
fn pairs() -> usize {
    let millions = std::env::var("ATL_PAIRS").ok().and_then(|value| value.parse::<usize>().ok());
    millions.map_or(100_000, |millions| millions * 1_000_000)
}

#[test]
fn operations_agree_on_many_pairs_of_values() {
    for scalar in Scalar::ALL {
        let (case, expected) = pairs_case(scalar, pairs(), 7);
        for_each_compiled(
            &format!("pairs_{scalar}"),
            std::slice::from_ref(&case),
            Options::default(),
            |case, _, f| {
                let (status, found) = run(f, case, &expected);
                assert_eq!(status, STATUS_OK);
                for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let wanted = bytes(&expected.literals());
                    let size = expected.scalar().size();
                    let differs = |(found, wanted): (&[u8], &[u8])| {
                        found != wanted
                            && canonical(expected.scalar(), found) != canonical(expected.scalar(), wanted)
                    };
                    let at = found.chunks(size).zip(wanted.chunks(size)).position(differs);
                    if let Some(at) = at {
                        let operands: Vec<Literal> =
                            case.inputs.iter().map(|cells| cells.literals()[at]).collect();
                        panic!(
                            "output {k} of {operands:?}, not {:?}\n{}",
                            expected.literals()[at],
                            case.kernel
                        );
                    }
                }
            },
        );
    }
}

/// Scalars and vectors, and with a compiler that may fuse what belongs to no function.
#[test]
fn functions_of_floats_have_the_bits_of_the_interpreter() {
    let singles = [1, 2, 4, 8, 16].map(|lanes| functions_case(Scalar::F32, lanes, 1));
    let doubles = [1, 2, 4, 8].map(|lanes| functions_case(Scalar::F64, lanes, 1));
    let halves = [Scalar::F16, Scalar::BF16].map(|scalar| functions_case(scalar, 1, 1));
    let cases: Vec<Case> = singles.into_iter().chain(doubles).chain(halves).collect();
    let has_vectors = |case: &Case| {
        print_kernel(&case.kernel, &Options::default()).expect("it prints").c.contains("vector_size")
    };
    assert_eq!(cases.iter().filter(|case| has_vectors(case)).count(), 7, "vectors are of 2 lanes or more");
    check("functions", &cases, Options::default());
    check("fused", &cases, Options { rounding: Rounding::Real, ..Options::default() });
}

/// Functions that round twice, to another integer, or too early have other bits.
#[test]
fn functions_that_are_carried_out_otherwise_are_found() {
    let planted = [
        "#define __builtin_fma(a, b, c) ((a) * (b) + (c))\n",
        "#define __builtin_rint(a) __builtin_trunc(a)\n",
        "#define __builtin_sqrt(a) ((double)__builtin_sqrtf((float)(a)))\n",
    ];
    let case = [functions_case(Scalar::F64, 1, 1)];
    for lines in planted {
        let found = std::panic::catch_unwind(|| check_after(lines, "planted", &case, Options::default()));
        assert!(found.is_err() || compiler().is_none(), "{lines}");
    }
}

/// Every `f32` with `ATL_ELEMENTARY=all`, else a sample: in vectors, as the compiler was told to leave products alone, and
/// as it may fuse what belongs to no function.
#[test]
fn vectors_of_all_floats_have_the_bits_of_the_definition() {
    const BLOCK: u32 = 1 << 16;
    let is_all = std::env::var("ATL_ELEMENTARY").is_ok_and(|value| value == "all");
    let case = |name: &str| {
        let text = format!(
            "kernel all_{name}() in f32 x[{BLOCK}] out f32 y[{BLOCK}] {{ \
             f32x16 for i in 0..{BLOCK} {{ y[i] = {name}(x[i]) }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Case { kernel, sizes: Vec::new(), inputs: Vec::new() }
    };
    let unary = || Function::ALL.iter().copied().filter(|function| function.arity() == 1);
    for rounding in [Rounding::Bitwise, Rounding::Real] {
        let label = format!("all_floats_{rounding:?}");
        for_each_compiled(
            &label,
            &unary().map(|function| case(function.name())).collect::<Vec<_>>(),
            Options { rounding, openmp: false },
            |case, _, f| {
                let function = unary().find(|f| case.kernel.name == Name::from(format!("all_{}", f.name())));
                let function = function.expect("is a function");
                for block in (0..BLOCK).step_by(if is_all { 1 } else { 16_001 }) {
                    let x: Vec<f32> = (0..BLOCK).map(|k| f32::from_bits(block << 16 | k)).collect();
                    let mut case = case.clone();
                    case.inputs = vec![Cells::F32(x.clone())];
                    let (_, found) = run(f, &case, &[Cells::F32(vec![0.0; x.len()])]);
                    for (x, found) in x.iter().zip(found[0].chunks(4)) {
                        let wanted = Single::call(function, &[*x]).expect("takes one");
                        let wanted = canonical(Scalar::F32, &wanted.to_le_bytes());
                        assert_eq!(canonical(Scalar::F32, found), wanted, "{} of {x:e}", case.kernel.name);
                    }
                }
            },
        );
    }
}
