//! Where there is nothing to round: zeros, infinities, NaN, exact results; and symmetries.

use crate::arguments::Random;
use atl_elementary::{Double, Function, Single};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const TINY: f64 = f64::from_bits(1);

fn double(function: Function, operands: &[f64]) -> f64 {
    Double::call(function, operands).expect("takes as many operands")
}

fn single(function: Function, operands: &[f64]) -> f32 {
    let operands: Vec<f32> = operands.iter().map(|x| *x as f32).collect();
    Single::call(function, &operands).expect("takes as many operands")
}

/// The same bits, or both NaN.
fn check_double(function: Function, operands: &[f64], expected: f64) {
    let found = double(function, operands);
    let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
    assert!(is_same, "{}{operands:?} is {found:e}, not {expected:e}", function.name());
}

/// The same of both formats.
fn check(function: Function, operands: &[f64], expected: f64) {
    check_double(function, operands, expected);
    let found = single(function, operands);
    let is_same = found.to_bits() == (expected as f32).to_bits() || found.is_nan() && expected.is_nan();
    assert!(is_same, "{}{operands:?} is {found:e} as f32, not {expected:e}", function.name());
}

#[test]
fn another_number_of_operands_is_refused() {
    for function in Function::ALL {
        for count in (0..5).filter(|count| *count != function.arity()) {
            assert_eq!(Double::call(*function, &vec![0.5; count]), None);
        }
    }
}

#[test]
fn nan_gives_nan() {
    for function in Function::ALL {
        for k in 0..function.arity() {
            let mut operands = vec![0.5; function.arity()];
            operands[k] = NAN;
            if (*function, k) != (Function::Copysign, 1) {
                check(*function, &operands, NAN);
            }
        }
    }
    for nan in [NAN, -NAN] {
        check(Function::Copysign, &[-3.0, nan], 3.0);
    }
    check(Function::Pow, &[1.0, NAN], 1.0);
    check(Function::Pow, &[NAN, 0.0], 1.0);
    check(Function::Pow, &[NAN, -0.0], 1.0);
    check(Function::Hypot, &[NAN, -INF], INF);
    check(Function::Hypot, &[INF, NAN], INF);
}

#[test]
fn zeros_keep_their_signs() {
    use Function as F;
    let odd =
        [F::Asin, F::Atan, F::Cbrt, F::Erf, F::Expm1, F::Log1p, F::Sign, F::Sin, F::Sinh, F::Tan, F::Tanh];
    let rounded = [F::Ceil, F::Floor, F::Round, F::Sqrt, F::Trunc];
    for function in odd.into_iter().chain(rounded) {
        check(function, &[0.0], 0.0);
        check(function, &[-0.0], -0.0);
    }
    for function in [F::Cos, F::Cosh, F::Erfc, F::Exp, F::Exp10, F::Exp2] {
        check(function, &[0.0], 1.0);
        check(function, &[-0.0], 1.0);
    }
    check(F::Acos, &[-0.0], FRAC_PI_2);
    check(F::Rsqrt, &[0.0], INF);
    check(F::Rsqrt, &[-0.0], -INF);
    for function in [F::Log, F::Log2, F::Log10] {
        check(function, &[0.0], -INF);
        check(function, &[-0.0], -INF);
        check(function, &[1.0], 0.0);
    }
    check(F::Ceil, &[-0.5], -0.0);
    check(F::Round, &[-0.5], -0.0);
    check(F::Fmod, &[-4.0, 2.0], -0.0);
    check(F::Copysign, &[3.0, -0.0], -3.0);
    // The least numbers are their own sines.
    for function in odd.into_iter().filter(|f| ![F::Cbrt, F::Erf, F::Sign].contains(f)) {
        check_double(function, &[TINY], TINY);
        check_double(function, &[-TINY], -TINY);
    }
}

#[test]
fn infinities() {
    use Function as F;
    let cases = [
        (F::Atan, FRAC_PI_2, -FRAC_PI_2),
        (F::Cbrt, INF, -INF),
        (F::Ceil, INF, -INF),
        (F::Cos, NAN, NAN),
        (F::Cosh, INF, INF),
        (F::Erf, 1.0, -1.0),
        (F::Erfc, 0.0, 2.0),
        (F::Exp, INF, 0.0),
        (F::Exp10, INF, 0.0),
        (F::Exp2, INF, 0.0),
        (F::Expm1, INF, -1.0),
        (F::Log, INF, NAN),
        (F::Log10, INF, NAN),
        (F::Log1p, INF, NAN),
        (F::Log2, INF, NAN),
        (F::Rsqrt, 0.0, NAN),
        (F::Sign, 1.0, -1.0),
        (F::Sin, NAN, NAN),
        (F::Sinh, INF, -INF),
        (F::Tan, NAN, NAN),
        (F::Tanh, 1.0, -1.0),
        (F::Acos, NAN, NAN),
        (F::Asin, NAN, NAN),
    ];
    for (function, positive, negative) in cases {
        check(function, &[INF], positive);
        check(function, &[-INF], negative);
    }
    check(F::Log1p, &[-1.0], -INF);
    check(F::Log1p, &[-2.0], NAN);
    check(F::Log, &[-1.0], NAN);
    check(F::Fmod, &[INF, 2.0], NAN);
    check(F::Fmod, &[2.0, INF], 2.0);
    check(F::Fmod, &[2.0, 0.0], NAN);
}

#[test]
fn special_powers() {
    let table = [
        (0.0, -3.0, INF),
        (-0.0, -3.0, -INF),
        (-0.0, -2.0, INF),
        (-0.0, -0.5, INF),
        (-0.0, 3.0, -0.0),
        (-0.0, 0.5, 0.0),
        (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0),
        (1.0, INF, 1.0),
        (-2.0, 0.5, NAN),
        (0.5, -INF, INF),
        (2.0, -INF, 0.0),
        (0.5, INF, 0.0),
        (2.0, INF, INF),
        (-INF, -3.0, -0.0),
        (-INF, 3.0, -INF),
        (-INF, 2.0, INF),
        (INF, -1.0, 0.0),
        (-8.0, 3.0, -512.0),
        (-8.0, 2.0, 64.0),
        (4.0, 0.5, 2.0),
        (0.0, 0.0, 1.0),
        (-INF, 0.0, 1.0),
    ];
    for (x, y, expected) in table {
        check(Function::Pow, &[x, y], expected);
    }
    // From 2^53 on every number is even.
    check_double(Function::Pow, &[-1.0, 2f64.powi(52) + 1.0], -1.0);
    check_double(Function::Pow, &[-1.0, 2f64.powi(53) - 1.0], -1.0);
    check_double(Function::Pow, &[-1.0, 2f64.powi(53)], 1.0);
    check_double(Function::Pow, &[-2.0, -1075.0], -0.0);
}

#[test]
fn angles_on_the_axes() {
    let table = [
        (0.0, 1.0, 0.0),
        (-0.0, 1.0, -0.0),
        (0.0, -1.0, PI),
        (-0.0, -1.0, -PI),
        (0.0, 0.0, 0.0),
        (0.0, -0.0, PI),
        (-0.0, -0.0, -PI),
        (1.0, 0.0, FRAC_PI_2),
        (-1.0, -0.0, -FRAC_PI_2),
        (INF, INF, FRAC_PI_4),
        (-INF, -INF, -3.0 * FRAC_PI_4),
        (INF, 1.0, FRAC_PI_2),
        (1.0, INF, 0.0),
        (-1.0, -INF, -PI),
    ];
    for (y, x, expected) in table {
        check(Function::Atan2, &[y, x], expected);
    }
    // Quotients that are no numbers.
    check_double(Function::Atan2, &[TINY, f64::MAX], 0.0);
    check_double(Function::Atan2, &[f64::MAX, TINY], FRAC_PI_2);
    check_double(Function::Atan2, &[TINY, TINY], FRAC_PI_4);
    check_double(Function::Atan2, &[f64::MAX, f64::MAX], FRAC_PI_4);
}

#[test]
fn exact_results() {
    for k in -1074..1024 {
        let power = if k < -1022 { f64::from_bits(1 << (k + 1074)) } else { 2f64.powi(k) };
        check_double(Function::Exp2, &[f64::from(k)], power);
        check_double(Function::Log2, &[power], f64::from(k));
    }
    for k in 0..=22u32 {
        let power = 10u128.pow(k) as f64;
        check_double(Function::Exp10, &[f64::from(k)], power);
        check_double(Function::Log10, &[power], f64::from(k));
        check_double(Function::Pow, &[10.0, f64::from(k)], power);
    }
    for k in 1..2000u32 {
        let (x, cube) = (f64::from(k), f64::from(k).powi(3));
        check_double(Function::Cbrt, &[cube], x);
        check_double(Function::Cbrt, &[-cube], -x);
        check_double(Function::Pow, &[x, 2.0], x * x);
        check_double(Function::Hypot, &[3.0 * x, -4.0 * x], 5.0 * x);
        check_double(Function::Rsqrt, &[x * x], 1.0 / x);
    }
    check(Function::Acos, &[1.0], 0.0);
    check(Function::Acos, &[-1.0], PI);
    check(Function::Asin, &[1.0], FRAC_PI_2);
    check(Function::Acos, &[1.5], NAN);
    check(Function::Asin, &[-1.5], NAN);
    check(Function::Atan, &[1.0], FRAC_PI_4);
    check_double(Function::Exp, &[-746.0], 0.0);
    check_double(Function::Exp2, &[1024.0], INF);
    check_double(Function::Cosh, &[711.0], INF);
}

/// Arguments whose multiples of a quarter of a turn have hundreds of digits, among them the one that is nearest to a multiple.
#[test]
fn huge_angles() {
    let worst = 6_381_956_970_095_103.0 * 2f64.powi(797);
    check_double(Function::Cos, &[worst], -f64::from_bits(0x3c21_4ae7_2e6b_a22f));
    check_double(Function::Sin, &[worst], 1.0);
    check_double(Function::Sin, &[1e22], -0.852_200_849_767_188_8);
    check_double(Function::Sin, &[f64::MAX], 0.004_961_954_789_184_062);
    check_double(Function::Cos, &[f64::MAX], -0.999_987_689_426_559_9);
    check_double(Function::Sin, &[-f64::MAX], -0.004_961_954_789_184_062);
    let largest = single(Function::Cos, &[f64::from(f32::MAX)]);
    assert_eq!(largest, double(Function::Cos, &[f64::from(f32::MAX)]) as f32);
}

#[test]
fn symmetries() {
    use Function as F;
    let odd =
        [F::Asin, F::Atan, F::Cbrt, F::Erf, F::Round, F::Sign, F::Sin, F::Sinh, F::Tan, F::Tanh, F::Trunc];
    let even = [F::Cos, F::Cosh];
    for function in odd.into_iter().chain(even) {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let x = random.argument(function);
            let (at, mirrored) = (double(function, &[x]), double(function, &[-x]));
            let expected = if even.contains(&function) { at } else { -at };
            assert!(mirrored.to_bits() == expected.to_bits() || at.is_nan(), "{}({x:e})", function.name());
        }
    }
}

#[test]
fn integral_numbers_and_remainders() {
    let mut random = Random::new(9);
    for _ in 0..20_000 {
        let (x, y) = (random.argument(Function::Fmod), random.argument(Function::Fmod));
        check_double(Function::Fmod, &[x, y], x % y);
        check_double(Function::Floor, &[x], x.floor());
        check_double(Function::Ceil, &[x], x.ceil());
        check_double(Function::Trunc, &[x], x.trunc());
        check_double(Function::Round, &[x], x.round_ties_even());
        check_double(Function::Copysign, &[x, y], if y.is_nan() { x.abs() } else { x.copysign(y) });
        check_double(Function::Fma, &[x, y, x], x.mul_add(y, x));
    }
    for (x, rounded) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-2.5, -2.0), (0.49999999999999994, 0.0)] {
        check_double(Function::Round, &[x], rounded);
    }
    // One rounding, where two would lose the difference.
    let x = 1.0 + 2f64.powi(-30);
    check_double(Function::Fma, &[x, x, -x * x], 2f64.powi(-60));
}
