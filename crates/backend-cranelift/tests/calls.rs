//! Compiled kernels against the trapping interpreter, and what calls refuse.

use atl_backend_cranelift::{Appended, Arg, CallError, Error, compile};
use atl_loops::cases::{
    Case, appending_case, early_exit_case, functions_case, merging_case, operations_case, pairs_case,
    random_case, searches_case,
};
use atl_loops::interp::{Cells, Options, interpret};
use atl_loops::parse_kernel;
use atl_loops::{Literal, Scalar};

macro_rules! arguments {
    ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        fn input(cells: &Cells) -> Arg<'_> {
            match cells {
                $(Cells::$name(cells) => Arg::input(cells),)*
            }
        }

        fn output(cells: &mut Cells) -> Arg<'_> {
            match cells {
                $(Cells::$name(cells) => Arg::output(cells),)*
            }
        }

        fn appended(found: &Appended) -> Cells {
            match found.scalar() {
                $(Scalar::$name => Cells::$name(found.cells().to_vec()),)*
            }
        }
    };
}

atl_loops::scalars!(arguments);

/// The bits of the cells, with every NaN the same.
fn bits(cells: &Cells) -> Vec<u64> {
    let canonical = |literal: Literal| if literal.is_nan() { u64::MAX } else { literal.bits() };
    cells.literals().into_iter().map(canonical).collect()
}

/// Runs a kernel on `x = [1, 2, 3]` into `y[N]`, with `N = 3`.
fn check(body: &str, expected: Result<[i32; 3], CallError>) {
    let text = format!("kernel t(N) in i32 x[N] out i32 y[N] requires N < 4 {{ {body} }}");
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut y = [0; 3];
    let jitted = compile(&kernel).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let result = jitted.call(&[3], &mut [Arg::input(&[1, 2, 3]), Arg::output(&mut y)]);
    assert_eq!(result.map(|()| y), expected, "{text}");
}

/// Checks that the compiled kernel gives what the interpreter gives.
fn check_case(case: &Case) {
    let expected = interpret(&case.kernel, &case.sizes, &case.inputs, Options::default())
        .unwrap_or_else(|error| panic!("{error}\n{}", case.kernel));
    let mut found: Vec<Cells> = expected
        .iter()
        .map(|cells| Cells::from_literals(cells.scalar(), &vec![Literal::u8(1); cells.len()]))
        .collect();
    let mut args: Vec<Arg<'_>> = case.inputs.iter().map(input).collect();
    args.extend(found.iter_mut().map(output));
    let jitted = compile(&case.kernel).unwrap_or_else(|error| panic!("{error}\n{}", case.kernel));
    assert_eq!(jitted.call(&case.sizes, &mut args), Ok(()), "{}", case.kernel);
    for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(bits(found), bits(expected), "output {k}\n{}", case.kernel);
    }
}

/// The same for a kernel whose outputs all grow; called twice with the same records.
fn check_appending(case: &Case) {
    let expected = interpret(&case.kernel, &case.sizes, &case.inputs, Options::default())
        .unwrap_or_else(|error| panic!("{error}\n{}", case.kernel));
    let jitted = compile(&case.kernel).unwrap_or_else(|error| panic!("{error}\n{}", case.kernel));
    let mut found: Vec<Appended> = expected.iter().map(|cells| Appended::new(cells.scalar())).collect();
    for _ in 0..2 {
        let mut args: Vec<Arg<'_>> = case.inputs.iter().map(input).collect();
        args.extend(found.iter_mut().map(Arg::appended));
        assert_eq!(jitted.call(&case.sizes, &mut args), Ok(()), "{}", case.kernel);
        for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let cells = appended(found);
            assert_eq!(bits(&cells), bits(expected), "output {k}\n{}", case.kernel);
        }
    }
}

#[test]
fn outputs_that_grow_agree_with_the_interpreter() {
    (0..100).map(appending_case).for_each(|case| check_appending(&case));
    let grows = parse_kernel("kernel f() out append i32 y { push y = 1i32 }").unwrap();
    let mut fixed = [0i32];
    let refused = compile(&grows).unwrap().call(&[], &mut [Arg::output(&mut fixed)]);
    assert_eq!(refused, Err(CallError::Arguments));
}

#[test]
fn merges_agree_with_the_interpreter() {
    (0..300).map(merging_case).for_each(|case| check_appending(&case));
}

#[test]
fn random_cases_agree_with_the_interpreter() {
    (0..400).for_each(|seed| check_case(&random_case(seed)));
}

#[test]
fn searches_agree_with_the_interpreter() {
    (0..400).for_each(|seed| check_case(&searches_case(seed)));
}

#[test]
fn loops_that_end_early_agree_with_the_interpreter() {
    (0..400).for_each(|seed| check_case(&early_exit_case(seed)));
}

#[test]
fn operations_agree_with_the_interpreter_at_the_edges() {
    Scalar::ALL.into_iter().for_each(|scalar| check_case(&operations_case(scalar)));
}

/// On 100,000 pairs of a type, all if it has 8 bits; on more with `ATL_PAIRS`, which is a number of millions.
#[test]
fn operations_agree_on_many_pairs_of_values() {
    let millions = std::env::var("ATL_PAIRS").ok().and_then(|value| value.parse::<usize>().ok());
    let count = millions.map_or(100_000, |millions| millions * 1_000_000);
    for scalar in Scalar::ALL {
        let (case, expected) = pairs_case(scalar, count, 11);
        let blank = |cells: &Cells| Cells::from_literals(cells.scalar(), &vec![Literal::u8(1); cells.len()]);
        let mut found: Vec<Cells> = expected.iter().map(blank).collect();
        let mut args: Vec<Arg<'_>> = case.inputs.iter().map(input).collect();
        args.extend(found.iter_mut().map(output));
        assert_eq!(compile(&case.kernel).unwrap().call(&case.sizes, &mut args), Ok(()));
        for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let differing = bits(found).iter().zip(&bits(expected)).position(|(a, b)| a != b);
            if let Some(at) = differing {
                let operands: Vec<Literal> = case.inputs.iter().map(|cells| cells.literals()[at]).collect();
                panic!(
                    "output {k} of {operands:?} is {:?}, not {:?}\n{}",
                    found.literals()[at],
                    expected.literals()[at],
                    case.kernel
                );
            }
        }
    }
}

#[test]
fn stray_accesses_are_reported_and_harmless() {
    check("for i in 0..N { y[i] = x[i + 1] }", Err(CallError::OutOfBounds));
    check("reset y = 0i32 y[0 - N] += 1i32", Err(CallError::OutOfBounds));
    check("reset y = 0i32 alloc stack i32 s[2] uninit { s[N * N] = 1i32 }", Err(CallError::OutOfBounds));
    check("for i in 0..N { y[i] = (0 < i ? x[i - 1] : 9i32) }", Ok([9, 1, 2]));
}

/// What the left side of a condition keeps from being read is not read.
#[test]
fn stray_reads_of_indices_are_reported_and_harmless() {
    check("for i in 0..N { y[x[i] - 1] = x[0] }", Ok([1; 3]));
    check("for i in 0..N { y[x[i + 1] - 1] = x[0] }", Err(CallError::OutOfBounds));
    check("reset y = 0i32 for i in 0..9 { if i < N && x[i] == 2 { y[i] = 1i32 } }", Ok([0, 1, 0]));
    check(
        "reset y = 0i32 for i in 0..9 { if i == 2 || N <= i || x[i] == 7 { y[0] += 1i32 } }",
        Ok([7, 0, 0]),
    );
    check(
        "reset y = 0i32 for i in 0..9 { if i < N && x[i] == 2 || x[0] == i { y[i] = 1i32 } }",
        Ok([0, 1, 0]),
    );
    check("for i in 0..N { y[i] = (0 < i ? i32(int(x[i - 1])) : 9i32) }", Ok([9, 1, 2]));
    check("reset y = 1i32 for i in 0..y[0] + 2 { y[0] += 1i32 }", Ok([4, 1, 1]));
    check(
        "alloc stack u8 s[1] = 200u8 { alloc register bool b = true { reset y = 0i32 y[b[0]] += i32(int(s[0])) } }",
        Ok([0, 200, 0]),
    );
}

/// A mark is of the cell that was stored to, if there is one.
#[test]
fn stray_marks_are_harmless() {
    let touched = |stores: &str| {
        format!("reset y = 0i32 alloc touched i32 w[N] = 0i32 {{ {stores} visit j of w {{ y[j] += w[j] }} }}")
    };
    check(&touched("w[N] += 1i32"), Err(CallError::OutOfBounds));
    check(&touched("w[0 - 1] += 1i32 reset w = 0i32"), Err(CallError::OutOfBounds));
    check(&touched("w[1] += 4i32 reset w = 0i32 w[0] += 5i32"), Ok([5, 0, 0]));
    check(&touched("w[0] += 2i32 w[w[0]] += 1i32"), Ok([2, 0, 1]));
    check(&touched("w[0] += 1i32 w[w[0]] += 1i32 w[w[0] - 1] += 1i32"), Ok([2, 1, 0]));
}

#[test]
fn failing_to_allocate_is_reported() {
    check(
        "reset y = 0i32 alloc heap i64 s[N * 1000000000, 1000000000, 1000000000] uninit { s[0] = 1i64 }",
        Err(CallError::NoMemory),
    );
    check("alloc heap i32 s[0 - N, 0 - N] = 1i32 { reset y = 5i32 }", Ok([5; 3]));
}

#[test]
fn functions_of_floats_have_the_bits_of_the_interpreter() {
    [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64]
        .into_iter()
        .for_each(|scalar| check_case(&functions_case(scalar, 1, 0)));
}

#[test]
fn arguments_are_checked() {
    let text = "kernel t(N) in f32 x[N] out f32 y[N] requires 1 <= N { for i in 0..N { y[i] = x[i] } }";
    let jitted = compile(&parse_kernel(text).expect("reads")).expect("compiles");
    let (x, mut y, mut z) = ([1f32; 2], [0f32; 2], [0i32; 2]);
    let arguments = Err(CallError::Arguments);
    assert_eq!(jitted.call(&[2], &mut [Arg::input(&x), Arg::output(&mut y)]), Ok(()));
    assert_eq!(jitted.call(&[2], &mut [Arg::input(&x), Arg::output(&mut z)]), arguments);
    assert_eq!(jitted.call(&[2], &mut [Arg::output(&mut y), Arg::input(&x)]), arguments);
    assert_eq!(jitted.call(&[2], &mut [Arg::input(&x)]), arguments);
    assert_eq!(jitted.call(&[3], &mut [Arg::input(&x), Arg::output(&mut y)]), arguments);
    assert_eq!(jitted.call(&[], &mut [Arg::input(&x), Arg::output(&mut y)]), arguments);
    assert_eq!(jitted.call(&[0], &mut [Arg::input(&x), Arg::output(&mut y)]), Err(CallError::Refused));
    assert_eq!(jitted.call(&[-1], &mut [Arg::input(&x), Arg::output(&mut y)]), Err(CallError::Refused));
}

#[test]
fn ill_formed_kernels_are_not_compiled() {
    let kernel = parse_kernel("kernel t(N) out f32 y[N] { y[i] = 0i32 }").expect("reads");
    assert!(matches!(compile(&kernel), Err(Error::IllFormed(violations)) if violations.len() == 2));
}

#[test]
fn every_scalar_is_an_element() {
    for scalar in Scalar::ALL {
        let text = format!("kernel t() in {scalar} x[1] out {scalar} y[1] {{ y[0] = x[0] }}");
        let jitted = compile(&parse_kernel(&text).expect("reads")).expect("compiles");
        let x = Cells::from_literals(scalar, &[Literal::u8(1)]);
        let mut y = Cells::from_literals(scalar, &[Literal::u8(0)]);
        assert_eq!(jitted.call(&[], &mut [input(&x), output(&mut y)]), Ok(()));
        assert_eq!(x, y);
    }
}
