//! How far the functions are from the truth, in units in the last place of the result: no further than their rows say.
//!
//! For `f64` the truth comes from arithmetic of any precision; for `f32` it is what `f64` has, which is close enough then. Some
//! of the arguments are looked at here; with `ATL_ELEMENTARY=all` every `f32`, and a hundred times as many `f64`; with a number
//! every `f32` that is a multiple of it, and as many `f64` as with `all`:
//!
//! ```sh
//! ATL_ELEMENTARY=all cargo test --release -p atl-elementary -- --nocapture
//! ```
#![allow(clippy::print_stdout)]

use crate::arguments::Random;
use crate::truth::{Truth, error};
use atl_elementary::{Double, Error, Function, Single, TABLE};

/// Each how many-th single is looked at, and how many doubles are.
fn sample() -> (usize, usize) {
    match std::env::var("ATL_ELEMENTARY").as_deref() {
        Ok("all") => (1, 60_000),
        Ok(step) => (step.parse().unwrap_or(40_009), 60_000),
        Err(_) => (40_009, 600),
    }
}

/// The functions that round, with their errors.
fn rounding() -> impl Iterator<Item = (Function, f64, f64)> {
    TABLE.iter().filter_map(|row| match row.error {
        Error::Exact => None,
        Error::Rounded if row.function == Function::Fma => None,
        Error::Rounded => Some((row.function, 0.5, 0.5)),
        Error::Units(double, single) => Some((row.function, double, single)),
    })
}

/// The distance between singles at a positive number.
fn unit_of_single(x: f64) -> f64 {
    let exponent = if x < f64::MIN_POSITIVE { -1023 } else { (x.to_bits() >> 52) as i32 - 1023 };
    2f64.powi((exponent - 23).max(-149))
}

/// The error of a single result; an infinite one stands for the power of two that is too large.
fn error_of_single(found: f32, truth: f64) -> f64 {
    if found.is_nan() || truth.is_nan() {
        return if found.is_nan() && truth.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let most = 2f64.powi(128);
    let (found, truth) = (f64::from(found).clamp(-most, most), truth.clamp(-most, most));
    (found - truth).abs() / unit_of_single(truth.abs())
}

/// The largest error, with its operands.
struct Worst(f64, Vec<f64>);

impl Worst {
    fn note(&mut self, error: f64, operands: &[f64]) {
        if error > self.0 || error.is_nan() {
            *self = Worst(error, operands.to_vec());
        }
    }

    /// It is no larger than said.
    fn judge(&self, function: Function, format: &str, most: f64) {
        let Worst(error, at) = self;
        println!("{} {format}: {error:.4} at {at:?}", function.name());
        assert!(*error <= most, "{}{at:?} as {format} is {error} units off, not {most}", function.name());
    }
}

#[test]
fn errors_of_single_results() {
    let (step, _) = sample();
    for (function, _, most) in rounding() {
        let mut worst = Worst(0.0, Vec::new());
        let mut random = Random::new(7);
        for bits in (0..=u32::MAX).step_by(step) {
            let mut operands = vec![f64::from(f32::from_bits(bits))];
            operands.extend((1..function.arity()).map(|_| f64::from(random.argument(function) as f32)));
            let singles: Vec<f32> = operands.iter().map(|x| *x as f32).collect();
            let (single, double) = (Single::call(function, &singles), Double::call(function, &operands));
            let error =
                single.zip(double).map_or(f64::NAN, |(single, double)| error_of_single(single, double));
            worst.note(error, &operands);
        }
        worst.judge(function, "f32", most);
    }
}

#[test]
fn errors_of_double_results() {
    let (_, count) = sample();
    let mut truth = Truth::new();
    for (function, most, _) in rounding() {
        let mut worst = Worst(0.0, Vec::new());
        let mut random = Random::new(11);
        for _ in 0..count {
            let operands = random.operands(function);
            let Some(found) = Double::call(function, &operands) else { continue };
            // What is said of these is in `special`.
            if operands.iter().any(|x| !x.is_finite() || *x == 0.0) || found.is_nan() {
                continue;
            }
            if let Some(truth) = truth.of(function, &operands) {
                worst.note(error(found, &truth), &operands);
            }
        }
        worst.judge(function, "f64", most);
    }
}
