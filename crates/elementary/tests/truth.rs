//! What the functions are, to nearly 200 bits, from arithmetic of any precision.

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use atl_elementary::Function;

/// Bits that are computed with.
const P: usize = 256;
const NEAREST: RoundingMode = RoundingMode::ToEven;

/// Constants are kept here.
pub(crate) struct Truth(Consts);

fn big(x: f64) -> BigFloat {
    if x == 0.0 || x.abs() >= f64::MIN_POSITIVE {
        return BigFloat::from_f64(x, P);
    }
    // Subnormal numbers are scaled, so that their first bit is set.
    let mut scaled = BigFloat::from_f64(x * 2f64.powi(100), P);
    let exponent = scaled.exponent().unwrap_or(0);
    scaled.set_exponent(exponent - 100);
    scaled
}

fn sum(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.add(b, P, NEAREST)
}

fn difference(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.sub(b, P, NEAREST)
}

fn product(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.mul(b, P, NEAREST)
}

fn quotient(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.div(b, P, NEAREST)
}

impl Truth {
    pub(crate) fn new() -> Truth {
        Truth(Consts::new().expect("there is memory"))
    }

    fn exp(&mut self, x: &BigFloat) -> BigFloat {
        x.exp(P, NEAREST, &mut self.0)
    }

    fn log(&mut self, x: &BigFloat) -> BigFloat {
        x.ln(P, NEAREST, &mut self.0)
    }

    fn pi(&mut self) -> BigFloat {
        self.0.pi(P, NEAREST)
    }

    /// The value for finite operands where the function has a finite one; `None` where no truth is known here.
    pub(crate) fn of(&mut self, function: Function, operands: &[f64]) -> Option<BigFloat> {
        let x = big(operands[0]);
        let y = operands.get(1).map(|y| big(*y));
        let one = big(1.0);
        // Near zero, what is added to 1 must not be lost.
        let tiny = operands[0].abs() < 1e-30;
        Some(match (function, y) {
            (Function::Exp, _) => self.exp(&x),
            (Function::Exp2, _) => {
                let ln_2 = self.log(&big(2.0));
                self.exp(&product(&x, &ln_2))
            }
            (Function::Exp10, _) => {
                let ln_10 = self.log(&big(10.0));
                self.exp(&product(&x, &ln_10))
            }
            (Function::Expm1 | Function::Sinh | Function::Tanh | Function::Log1p, _) if tiny => return None,
            (Function::Expm1, _) => difference(&self.exp(&x), &one),
            (Function::Sinh, _) => x.sinh(P, NEAREST, &mut self.0),
            (Function::Cosh, _) => x.cosh(P, NEAREST, &mut self.0),
            (Function::Tanh, _) => x.tanh(P, NEAREST, &mut self.0),
            (Function::Log, _) => self.log(&x),
            (Function::Log2, _) => x.log2(P, NEAREST, &mut self.0),
            (Function::Log10, _) => x.log10(P, NEAREST, &mut self.0),
            (Function::Log1p, _) => self.log(&sum(&one, &x)),
            (Function::Sin, _) => x.sin(P, NEAREST, &mut self.0),
            (Function::Cos, _) => x.cos(P, NEAREST, &mut self.0),
            (Function::Tan, _) => x.tan(P, NEAREST, &mut self.0),
            (Function::Atan, _) => x.atan(P, NEAREST, &mut self.0),
            (Function::Asin, _) => x.asin(P, NEAREST, &mut self.0),
            (Function::Acos, _) => x.acos(P, NEAREST, &mut self.0),
            (Function::Cbrt, _) => x.cbrt(P, NEAREST),
            (Function::Sqrt, _) => x.sqrt(P, NEAREST),
            (Function::Rsqrt, _) => quotient(&one, &x.sqrt(P, NEAREST)),
            (Function::Erf, _) if operands[0].abs() < 2.0 => self.erf(&x),
            (Function::Erf, _) => {
                let tail = self.erfc_far(&x.abs());
                let value = difference(&one, &tail);
                if operands[0] < 0.0 { value.neg() } else { value }
            }
            (Function::Erfc, _) if operands[0] < 2.0 => {
                let erf = if operands[0] > -2.0 {
                    self.erf(&x)
                } else {
                    difference(&self.erfc_far(&x.abs()), &one)
                };
                difference(&one, &erf)
            }
            (Function::Erfc, _) => self.erfc_far(&x),
            (Function::Hypot, Some(y)) => {
                // Squares of all doubles are numbers here.
                sum(&product(&x, &x), &product(&y, &y)).sqrt(P, NEAREST)
            }
            (Function::Atan2, Some(x_coordinate)) => {
                let angle = quotient(&x, &x_coordinate).atan(P, NEAREST, &mut self.0);
                match (operands[1] < 0.0, operands[0] < 0.0) {
                    (true, false) => sum(&angle, &self.pi()),
                    (true, true) => difference(&angle, &self.pi()),
                    (false, _) => angle,
                }
            }
            (Function::Pow, Some(y)) => {
                let power = product(&self.log(&x.abs()), &y);
                let value = self.exp(&power);
                if operands[0] < 0.0 && operands[1] % 2.0 != 0.0 { value.neg() } else { value }
            }
            _ => return None,
        })
    }

    /// By its series.
    fn erf(&mut self, x: &BigFloat) -> BigFloat {
        let square = product(x, x).neg();
        let (mut term, mut total) = (x.clone(), x.clone());
        for n in 1..120 {
            term = quotient(&product(&term, &square), &big(f64::from(n)));
            total = sum(&total, &quotient(&term, &big(f64::from(2 * n + 1))));
        }
        product(&total, &quotient(&big(2.0), &self.pi().sqrt(P, NEAREST)))
    }

    /// By its continued fraction, from 2 on.
    fn erfc_far(&mut self, x: &BigFloat) -> BigFloat {
        let mut below = x.clone();
        for n in (1..=700).rev() {
            below = sum(x, &quotient(&big(f64::from(n) / 2.0), &below));
        }
        let power = self.exp(&product(x, x).neg());
        quotient(&power, &product(&below, &self.pi().sqrt(P, NEAREST)))
    }
}

/// How far a double is from the truth, in units in the last place of the truth; an infinite one stands for the power of two that
/// is too large.
pub(crate) fn error(found: f64, truth: &BigFloat) -> f64 {
    if found.is_nan() {
        return f64::INFINITY;
    }
    if truth.is_inf() {
        return if found.is_infinite() && found.is_sign_negative() == truth.is_negative() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let Some((_, _, _, exponent, _)) = truth.as_raw_parts() else { return f64::INFINITY };
    if found.is_infinite() && exponent > 1024 && found.is_sign_negative() == truth.is_negative() {
        return 0.0;
    }
    let found = if found.is_infinite() {
        product(&big(found.signum() * 2f64.powi(1023)), &big(2.0))
    } else {
        big(found)
    };
    let off = difference(&found, truth);
    if off.is_zero() {
        return 0.0;
    }
    let Some((words, _, _, place, _)) = off.as_raw_parts() else { return f64::INFINITY };
    let leading = words.last().copied().unwrap_or(0) as f64 / 2f64.powi(64);
    let unit = if truth.is_zero() { -1074 } else { (exponent - 53).max(-1074) };
    leading * 2f64.powi((place - unit).min(1000))
}

#[test]
fn the_truth_is_that_of_tables() {
    let mut truth = Truth::new();
    let mut check = |function, operands: &[f64], nearest: f64| {
        let value = truth.of(function, operands).expect("is known");
        assert!(error(nearest, &value) <= 0.5, "{function:?}{operands:?}");
        let sign = if nearest < 0.0 { Sign::Neg } else { Sign::Pos };
        assert_eq!(value.sign(), Some(sign));
    };
    check(Function::Erf, &[1.0], 0.842_700_792_949_714_9);
    check(Function::Erfc, &[3.0], 2.209_049_699_858_544e-5);
    check(Function::Erfc, &[-3.0], 1.999_977_909_503_001_5);
    check(Function::Sin, &[1e22], -0.852_200_849_767_188_8);
    check(Function::Atan2, &[-1.0, -1.0], -2.356_194_490_192_345);
    check(Function::Pow, &[-3.0, 5.0], -243.0);
    // One unit off is more than a half.
    let value = truth.of(Function::Exp, &[1.0]).expect("is known");
    let e = std::f64::consts::E;
    assert!(error(e, &value) < 0.5 && error(e.next_up(), &value) > 0.5);
}
