//! Numbers that are known up to an error, for formulas with functions that give no rational numbers.
//!
//! The one idea: each number of a float type carries a bound of how far it may be from the exact one, by
//! the first order of what errors become. Where that leaves open which of two is less, there is no
//! answer, so a law is refuted only by a difference that errors do not explain.

use super::formula::Numbers;
use super::trial::{Failure, Trying, undefined};
use atl_interp::{Domain, Exact, Machine, Number, Value};
use atl_kernel::{Prim, Scalar};

/// Operations on such numbers.
pub(super) struct Approximate;

/// A number.
#[derive(Clone, Copy, Debug)]
pub(super) enum About {
    /// Of a float type: what is computed, and how far the exact one may be from it.
    Real(f64, f64),
    Discrete(Value),
}

use About::{Discrete, Real};

/// How much less than one the machine knows.
const ROUNDING: f64 = f64::EPSILON;
/// Bounds are of the first order; a multiple of them is believed.
const MARGIN: f64 = 64.0;

impl Numbers for Approximate {
    type Value = About;
    type Stop = Failure;

    fn literal(&self, scalar: Scalar, number: atl_kernel::Number) -> Result<About, Failure> {
        Ok(Approximate.element(Exact::number(scalar, number).map_err(|_| Failure::Unknown)?))
    }

    fn truth(&self, value: &About) -> Result<bool, Failure> {
        if let Discrete(Value::Bool(holds)) = value { Ok(*holds) } else { Err(Failure::Unknown) }
    }

    fn unknown(&self) -> Failure {
        Failure::Unknown
    }

    fn prim(&self, prim: Prim, args: &[About]) -> Result<About, Failure> {
        match (prim, args) {
            (Prim::Cast(to), [x]) if to.scalar.is_float() => Ok(match x {
                Real(..) => *x,
                Discrete(value) => rounded(value.to_f64(), 0.0, value.to_f64().abs() < 1e15),
            }),
            (Prim::Add, [Real(x, e), Real(y, f)]) => sum(*x, *y, e + f),
            (Prim::Sub, [Real(x, e), Real(y, f)]) => sum(*x, -y, e + f),
            (Prim::Neg, [Real(x, e)]) => Ok(Real(-x, *e)),
            (Prim::Abs, [Real(x, e)]) => Ok(Real(x.abs(), *e)),
            (Prim::Mul, [Real(x, e), Real(y, f)]) => product(prim, (*x, *e), (*y, *f)),
            (Prim::Div, [x, Real(y, f)]) => match *y {
                _ if y.abs() <= MARGIN * f && *f > 0.0 => Err(Failure::Unknown),
                0.0 => Err(Failure::Undefined(undefined(prim))),
                _ => {
                    let over = 1.0 / y;
                    let Real(x, e) = *x else { return Err(Failure::Unknown) };
                    let error = if over == 0.0 { 0.0 } else { f * over * over };
                    let exact = over.mul_add(*y, -1.0) == 0.0 || over == 0.0;
                    let Real(over, f) = rounded(over, error, exact) else { return Err(Failure::Unknown) };
                    product(prim, (x, e), (over, f))
                }
            },
            (Prim::Min, [x @ Real(..), y @ Real(..)]) => Ok(if less(x, y)? { *x } else { *y }),
            (Prim::Max, [x @ Real(..), y @ Real(..)]) => Ok(if less(y, x)? { *x } else { *y }),
            (Prim::Lt, [x @ Real(..), y @ Real(..)]) => Ok(Discrete(Value::Bool(less(x, y)?))),
            (Prim::Le, [x @ Real(..), y @ Real(..)]) => Ok(Discrete(Value::Bool(!less(y, x)?))),
            (Prim::Eq, [x @ Real(..), y @ Real(..)]) => {
                Ok(Discrete(Value::Bool(!less(x, y)? && !less(y, x)?)))
            }
            (Prim::Call(_), args) => called(prim, args),
            (_, args) => {
                let discrete = args.iter().map(|x| if let Discrete(x) = x { Some(*x) } else { None });
                let discrete = discrete.collect::<Option<Vec<_>>>().ok_or(Failure::Unknown)?;
                Machine::prim(prim, &discrete).map(Discrete).map_err(|_| Failure::Unknown)
            }
        }
    }
}

/// A result with an error that comes of its operands, and one of its own unless it is exact.
fn rounded(x: f64, error: f64, exact: bool) -> About {
    Real(x, error + if exact { 0.0 } else { ROUNDING * x.abs() })
}

fn sum(x: f64, y: f64, error: f64) -> Result<About, Failure> {
    let sum = x + y;
    match (x.is_finite() && y.is_finite(), sum) {
        (true, sum) if sum.is_infinite() => Err(Failure::Unknown),
        (true, sum) => Ok(rounded(sum, error, sum - x == y && sum - y == x)),
        (false, sum) if sum.is_nan() => Err(Failure::Undefined(undefined(Prim::Add))),
        (false, sum) => Ok(Real(sum, 0.0)),
    }
}

fn product(prim: Prim, (x, e): (f64, f64), (y, f): (f64, f64)) -> Result<About, Failure> {
    let product = x * y;
    if x.is_finite() && y.is_finite() {
        if product.is_infinite() {
            return Err(Failure::Unknown);
        }
        let exact = x.mul_add(y, -product) == 0.0 && (product != 0.0 || x == 0.0 || y == 0.0);
        return Ok(rounded(product, x.abs() * f + y.abs() * e, exact));
    }
    // Of an infinity and a number whose sign is not known, the product is not known either.
    let unsure = |x: f64, e: f64| e > 0.0 && x.abs() <= MARGIN * e;
    match product {
        _ if unsure(x, e) || unsure(y, f) => Err(Failure::Unknown),
        product if product.is_nan() => Err(Failure::Undefined(undefined(prim))),
        product => Ok(Real(product, 0.0)),
    }
}

fn less(x: &About, y: &About) -> Result<bool, Failure> {
    let (Real(x, e), Real(y, f)) = (x, y) else { return Err(Failure::Unknown) };
    let open = e + f > 0.0 && x.is_finite() && y.is_finite() && (x - y).abs() <= MARGIN * (e + f);
    if open { Err(Failure::Unknown) } else { Ok(x < y) }
}

/// A function's value, with what it is at both ends of what its operands may be.
fn called(prim: Prim, args: &[About]) -> Result<About, Failure> {
    let at = |shift: f64| {
        let shifted = args.iter().map(|x| match x {
            Real(x, e) => Some(Value::F64(x + shift * e)),
            Discrete(_) => None,
        });
        let shifted = shifted.collect::<Option<Vec<_>>>()?;
        Machine::prim(prim, &shifted).ok().map(Value::to_f64)
    };
    let is_exact = args.iter().all(|x| matches!(x, Real(_, 0.0)));
    let is_finite = args.iter().all(|x| matches!(x, Real(x, _) if x.is_finite()));
    let [Some(x), Some(below), Some(above)] = [at(0.0), at(-1.0), at(1.0)] else {
        return Err(Failure::Unknown);
    };
    match x {
        x if x.is_nan() && is_exact => Err(Failure::Undefined(undefined(prim))),
        // Too large a number, or a pole.
        x if x.is_nan() || (x.is_infinite() && is_finite) => Err(Failure::Unknown),
        x if x.is_infinite() || !is_finite => Ok(Real(x, 0.0)),
        x => {
            let error = (x - below).abs().max((x - above).abs());
            if error.is_finite() {
                Ok(rounded(x, 2.0 * error + ROUNDING * x.abs(), false))
            } else {
                Err(Failure::Unknown)
            }
        }
    }
}

impl Trying for Approximate {
    fn element(&self, x: Number) -> About {
        match x {
            Number::Ratio(ratio) => {
                let (n, d) = (ratio.numerator() as f64, ratio.denominator() as f64);
                rounded(n / d, 0.0, n.abs() < 1e15 && (n / d).mul_add(d, -n) == 0.0)
            }
            Number::Infinity => Real(f64::INFINITY, 0.0),
            Number::NegInfinity => Real(f64::NEG_INFINITY, 0.0),
            Number::Discrete(value) => Discrete(value),
        }
    }

    fn differ(&self, x: &About, y: &About) -> bool {
        match (x, y) {
            (Real(x, _), Real(y, _)) if !x.is_finite() || !y.is_finite() => x != y,
            (Real(x, e), Real(y, f)) => {
                (x - y).abs() > 1e-9 * x.abs().max(y.abs()) + MARGIN * MARGIN * (e + f)
            }
            (Discrete(x), Discrete(y)) => x != y,
            _ => false,
        }
    }

    fn infinity(&self, x: &About) -> Option<bool> {
        if let Real(x, _) = x { x.is_infinite().then_some(*x > 0.0) } else { None }
    }

    fn shown(&self, x: &About) -> String {
        match x {
            Real(x, _) if x.is_infinite() => format!("{x}"),
            Real(x, _) => {
                let text = format!("{x:.6}");
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            Discrete(x) => crate::trial::shown(Number::Discrete(*x)),
        }
    }
}
