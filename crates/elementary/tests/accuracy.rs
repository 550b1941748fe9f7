//! How far the functions are from the truth, in units in the last place of the result.
//!
//! For `f32` the truth is what `f64` has, rounded no more than the 29th bit below the last; for `f64` it is computed in pairs of
//! floats, to about 100 bits. Some of the arguments are looked at here, and with `ATL_ELEMENTARY=all` every `f32`, and
//! many millions of `f64`:
//!
//! ```sh
//! ATL_ELEMENTARY=all cargo test --release -p atl-elementary -- --nocapture
//! ```
#![allow(clippy::print_stdout)]

use atl_elementary::{Double, Single};

/// No result may be further off.
const MOST: f64 = 1.0;

fn is_all() -> bool {
    std::env::var("ATL_ELEMENTARY").is_ok_and(|value| value == "all")
}

/// The distance between floats of this many bits of precision at a positive number; `least` is the least one.
fn unit(x: f64, precision: i32, least: i32) -> f64 {
    let exponent = if x < f64::MIN_POSITIVE { -1023 } else { (x.to_bits() >> 52) as i32 - 1023 };
    let exponent = (exponent + 1 - precision).max(least);
    if exponent < -1022 { f64::from_bits(1 << (exponent + 1074)) } else { 2f64.powi(exponent) }
}

/// The error of a single result; an infinite one stands for the power of two that is too large.
fn error_of_single(found: f32, truth: f64) -> f64 {
    if found.is_nan() || truth.is_nan() {
        return if found.is_nan() && truth.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let most = 2f64.powi(128);
    let (found, truth) = (f64::from(found).clamp(-most, most), truth.clamp(-most, most));
    (found - truth).abs() / unit(truth.abs(), 24, -149)
}

/// The largest error over the arguments, with its argument.
fn worst<T: Copy>(arguments: impl Iterator<Item = T>, error: impl Fn(T) -> f64) -> Option<(f64, T)> {
    let mut worst: Option<(f64, T)> = None;
    for x in arguments {
        let found = error(x);
        if worst.is_none_or(|(most, _)| found > most) {
            worst = Some((found, x));
        }
    }
    worst
}

#[test]
fn errors_of_single_results() {
    let step = if is_all() { 1 } else { 4099 };
    let exp = |x: f32| error_of_single(Single::exp(x), f64::from(x).exp());
    let log = |x: f32| error_of_single(Single::log(x), f64::from(x).ln());
    let functions: [(&str, &dyn Fn(f32) -> f64); 2] = [("exp", &exp), ("log", &log)];
    for (name, error) in functions {
        let arguments = (0..=u32::MAX).step_by(step).map(f32::from_bits);
        let (error, at) = worst(arguments, error).expect("there are arguments");
        println!("{name} f32: {error:.3} ulp at {at:e}");
        assert!(error < MOST, "{name}({at:e}) is {error} ulp off");
    }
}

/// A number as the sum of two floats, the second below half a unit of the first.
#[derive(Clone, Copy)]
struct Pair(f64, f64);

impl Pair {
    fn sum(a: f64, b: f64) -> Pair {
        let total = a + b;
        let of_b = total - a;
        Pair(total, (a - (total - of_b)) + (b - of_b))
    }

    fn product(a: f64, b: f64) -> Pair {
        let product = a * b;
        Pair(product, a.mul_add(b, -product))
    }

    fn plus(self, other: Pair) -> Pair {
        let (high, low) = (Pair::sum(self.0, other.0), Pair::sum(self.1, other.1));
        let first = Pair::sum(high.0, high.1 + low.0);
        Pair::sum(first.0, first.1 + low.1)
    }

    fn times(self, other: Pair) -> Pair {
        let Pair(high, low) = Pair::product(self.0, other.0);
        Pair::sum(high, low + (self.0 * other.1 + self.1 * other.0))
    }

    fn per(self, n: f64) -> Pair {
        let first = self.0 / n;
        let Pair(high, low) = Pair::product(first, n);
        Pair::sum(first, ((self.0 - high) - low + self.1) / n)
    }
}

/// `exp x` as `2^k` times a pair.
fn exp_of(x: f64) -> (i32, Pair) {
    const LN_2: [f64; 3] = [std::f64::consts::LN_2, 2.3190468138462996e-17, 5.707708438416212e-34];
    let k = (x / LN_2[0]).round();
    let mut r = Pair(x, 0.0);
    for part in LN_2 {
        r = r.plus(Pair::product(-k, part));
    }
    let mut sum = Pair(1.0, 0.0);
    for n in (1..=28).rev() {
        sum = Pair(1.0, 0.0).plus(r.times(sum).per(f64::from(n)));
    }
    (k as i32, sum)
}

/// `x * 2^k`, where the result is normal.
fn scaled(x: f64, k: i32) -> f64 {
    x * 2f64.powi(k / 2) * 2f64.powi(k - k / 2)
}

/// The error of `exp`, measured before the scaling.
fn error_of_exp(x: f64) -> f64 {
    let found = Double::exp(x);
    let is_out_of_range = !(-745.1332191019411..=709.782712893384).contains(&x);
    if is_out_of_range {
        let is_right = match x {
            x if x.is_nan() => found.is_nan(),
            x if x > 0.0 => found >= f64::MAX,
            _ => (0.0..=f64::from_bits(1)).contains(&found),
        };
        return if is_right { 0.0 } else { f64::INFINITY };
    }
    let (k, truth) = exp_of(x);
    // The unit of the result, which is coarser where that is subnormal, and the result beside the pair.
    let unit = unit(truth.0, 53, -1074 - k);
    let found = scaled(scaled(found, -k / 2), -k - -k / 2);
    ((found - truth.0) - truth.1).abs() / unit
}

/// The error of `log`: `log x = y + log(x exp(-y))`, where the second logarithm is near zero.
fn error_of_log(x: f64) -> f64 {
    let found = Double::log(x);
    if x.is_nan() || x < 0.0 {
        return if found.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if x == 0.0 || x == f64::INFINITY {
        return if found == x.ln() { 0.0 } else { f64::INFINITY };
    }
    let (k, power) = exp_of(-found);
    let moved = Pair(scaled(scaled(x, k / 2), k - k / 2), 0.0);
    let t = moved.times(power).plus(Pair(-1.0, 0.0)).0;
    if found == 0.0 {
        (t / f64::from_bits(1)).abs()
    } else {
        (t - t * t / 2.0).abs() / unit(found.abs(), 53, -1074)
    }
}

/// Numbers as bits at random, and as many in a range.
fn doubles(count: u64, range: (f64, f64)) -> impl Iterator<Item = f64> {
    (0..count).map(move |n| {
        // A bijection that mixes well enough.
        let mut bits = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits ^= bits >> 29;
        let part = (bits >> 11) as f64 / 2f64.powi(53);
        if n % 2 == 0 { f64::from_bits(bits) } else { range.0 + (range.1 - range.0) * part }
    })
}

/// A function's name, its error, and where it is looked at most.
type Measured = (&'static str, fn(f64) -> f64, (f64, f64));

#[test]
fn errors_of_double_results() {
    let count = if is_all() { 1 << 25 } else { 1 << 16 };
    let functions: [Measured; 4] = [
        ("exp", error_of_exp, (-746.0, 710.0)),
        ("exp", error_of_exp, (-1.0, 1.0)),
        ("log", error_of_log, (0.5, 2.0)),
        ("log", error_of_log, (0.0, 1e6)),
    ];
    for (name, error, range) in functions {
        let (error, at) = worst(doubles(count, range), error).expect("there are arguments");
        println!("{name} f64: {error:.3} ulp at {at:e}");
        assert!(error < MOST, "{name}({at:e}) is {error} ulp off");
    }
}

#[test]
fn where_there_is_nothing_to_round() {
    for (x, exp) in [(0.0, 1.0), (-0.0, 1.0), (f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, 0.0)] {
        assert_eq!((Double::exp(x), Single::exp(x as f32)), (exp, exp as f32));
    }
    let infinite = f64::NEG_INFINITY;
    for (x, log) in [(1.0, 0.0), (0.0, infinite), (-0.0, infinite), (f64::INFINITY, f64::INFINITY)] {
        assert_eq!((Double::log(x), Single::log(x as f32)), (log, log as f32));
    }
    for x in [f64::NAN, -1.0, f64::NEG_INFINITY, -f64::from_bits(1)] {
        assert!(Double::log(x).is_nan());
    }
    assert!(Single::log(-f32::from_bits(1)).is_nan() && Single::exp(f32::NAN).is_nan());
    assert!(Double::exp(f64::NAN).is_nan());
}
