//! Operations on unknown elements' fields, on one way.
//!
//! The one idea: a value of a float type is an infinity, or a real number that is a quotient of
//! polynomials; an integer is a polynomial modulo two to its width. Where an operation has no value, as a
//! quotient by zero, or where it is not known to, the way ends unproved. An integer is compared, or
//! becomes one of another type, only if the polynomial is the integer itself and not only equal to it
//! modulo that power.

use super::formula::Numbers;
use super::fraction::Fraction;
use super::way::{Step, Stop, Way};
use atl_interp::{Domain, Exact, Machine, Number as Known, Ratio};
use atl_kernel::poly::Poly;
use atl_kernel::{Function, Number, Prim, Scalar};
use std::cmp::Ordering;

/// A field's value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Finite(Fraction),
    Infinity,
    NegInfinity,
    /// Of an integer type: what is equal to the polynomial modulo two to its width.
    Integer(Scalar, Poly),
    Truth(bool),
}

use Value::{Finite, Infinity, Integer, NegInfinity, Truth};

/// Operations on one way.
pub(super) struct Symbolic<'a> {
    pub(super) way: &'a Way,
    /// What infinity is, if it is a number that is greater than all others.
    pub(super) greatest: Option<Poly>,
}

/// The number of a float type that the machine has for a finite literal, where it is of moderate size.
///
/// Where formulas only compare and choose, laws are those of the machine's numbers, so literals are these.
pub(super) fn represented(scalar: Scalar, number: Number) -> Option<Ratio> {
    let mut x = Machine::number(scalar, number).ok()?.to_f64();
    let mut halvings = 0;
    while x.is_finite() && x.fract() != 0.0 && halvings < 100 {
        x *= 2.0;
        halvings += 1;
    }
    (x.fract() == 0.0 && x.abs() < 1e36).then(|| Ratio::try_new(x as i128, 1 << halvings)).flatten()
}

impl Numbers for Symbolic<'_> {
    type Value = Value;
    type Stop = Stop;

    fn literal(&self, scalar: Scalar, number: Number) -> Step<Value> {
        let exact = Exact::number(scalar, number).map_err(|_| Stop::Unproved)?;
        let known = match exact {
            Known::Ratio(_) if self.greatest.is_some() => {
                Known::Ratio(represented(scalar, number).ok_or(Stop::Unproved)?)
            }
            exact => exact,
        };
        match known {
            Known::Ratio(ratio) => {
                let under = Fraction::constant(ratio.denominator()).reciprocal()?;
                Ok(Finite(Fraction::constant(ratio.numerator()).times(&under)?))
            }
            Known::Infinity => Ok(self.infinity(Ordering::Greater)?),
            Known::NegInfinity => Ok(self.infinity(Ordering::Less)?),
            Known::Discrete(atl_interp::Value::Bool(holds)) => Ok(Truth(holds)),
            Known::Discrete(value) => {
                let n = value.to_integer().ok_or(Stop::Unproved)?;
                Ok(Integer(scalar, Poly::constant(n)))
            }
        }
    }

    fn truth(&self, value: &Value) -> Step<bool> {
        self.way.spend(1)?;
        if let Truth(holds) = value { Ok(*holds) } else { Err(Stop::Unproved) }
    }

    fn unknown(&self) -> Stop {
        Stop::Unproved
    }

    fn prim(&self, prim: Prim, args: &[Value]) -> Step<Value> {
        self.way.spend(1)?;
        match (prim, args) {
            (Prim::Eq, [Truth(x), Truth(y)]) => Ok(Truth(x == y)),
            (Prim::Eq, [x, y]) => Ok(Truth(self.order(x, y)?.is_eq())),
            (Prim::Lt, [x, y]) => Ok(Truth(self.is_less(x, y)?)),
            (Prim::Le, [x, y]) => Ok(Truth(!self.is_less(y, x)?)),
            (Prim::Min, [x, y]) => Ok(if self.is_less(y, x)? { y } else { x }.clone()),
            (Prim::Max, [x, y]) => Ok(if self.is_less(x, y)? { y } else { x }.clone()),
            (Prim::Not, [Truth(x)]) => Ok(Truth(!x)),
            (Prim::Add, [x, y]) => self.sum(x, y, 1),
            (Prim::Sub, [x, y]) => self.sum(x, y, -1),
            (Prim::Neg, [x]) => self.negated(x),
            (Prim::Abs, [x]) => {
                if self.sign(x)?.is_lt() {
                    self.negated(x)
                } else {
                    Ok(x.clone())
                }
            }
            (Prim::Mul, [x, y]) => self.product(x, y),
            (Prim::Div, [x @ (Finite(_) | Infinity | NegInfinity), y]) => {
                self.product(x, &self.reciprocal(y)?)
            }
            (Prim::Cast(to), [x]) => self.converted(x, to.scalar),
            (Prim::Call(function), args) => self.called(function, args),
            _ => Err(Stop::Unproved),
        }
    }
}

impl Symbolic<'_> {
    fn infinity(&self, sign: Ordering) -> Step<Value> {
        Ok(match (&self.greatest, sign) {
            (Some(greatest), Ordering::Less) => Finite(Fraction::of(greatest.clone()).negated()?),
            (Some(greatest), _) => Finite(Fraction::of(greatest.clone())),
            (None, Ordering::Less) => NegInfinity,
            (None, _) => Infinity,
        })
    }

    /// The order of two numbers of one type.
    fn order(&self, x: &Value, y: &Value) -> Step<Ordering> {
        match (x, y) {
            (Infinity, Infinity) | (NegInfinity, NegInfinity) => Ok(Ordering::Equal),
            (Infinity, Finite(_) | NegInfinity) | (Finite(_), NegInfinity) => Ok(Ordering::Greater),
            (NegInfinity, Finite(_) | Infinity) | (Finite(_), Infinity) => Ok(Ordering::Less),
            (Finite(x), Finite(y)) => self.way.sign(&self.combined(x, -1, y)?.over),
            (Integer(of, x), Integer(_, y)) => {
                self.way.sign(&self.exact(*of, x)?.minus(&self.exact(*of, y)?)?)
            }
            _ => Err(Stop::Unproved),
        }
    }

    /// Is a number less than another of its type? Where formulas only choose, it need not be known on a way
    /// which numbers are equal.
    fn is_less(&self, x: &Value, y: &Value) -> Step<bool> {
        match (x, y) {
            (Finite(x), Finite(y)) if self.greatest.is_some() => {
                self.way.is_negative(&self.combined(x, -1, y)?.over)
            }
            (Integer(of, x), Integer(_, y)) if self.greatest.is_some() => {
                self.way.is_negative(&self.exact(*of, x)?.minus(&self.exact(*of, y)?)?)
            }
            _ => Ok(self.order(x, y)?.is_lt()),
        }
    }

    fn sign(&self, x: &Value) -> Step<Ordering> {
        match x {
            Infinity => Ok(Ordering::Greater),
            NegInfinity => Ok(Ordering::Less),
            Finite(x) => self.way.sign(&x.over),
            Integer(of, x) => self.way.sign(&self.exact(*of, x)?),
            Truth(_) => Err(Stop::Unproved),
        }
    }

    /// The polynomial, if the integer is that and no other one that is equal modulo two to the width.
    fn exact(&self, of: Scalar, x: &Poly) -> Step<Poly> {
        let (least, greatest) = of.range().ok_or(Stop::Unproved)?;
        self.way.between(least, x, greatest)?;
        Ok(x.clone())
    }

    /// `x + factor * y`, of which the work is that of multiplying by what the other denominator has more.
    fn combined(&self, x: &Fraction, factor: i128, y: &Fraction) -> Step<Fraction> {
        let count = |of: &Poly| of.terms().count();
        let scaled = |x: &Fraction, y: &Fraction| {
            y.under.iter().map(count).fold(count(&x.over), usize::saturating_mul)
        };
        self.way.spend(scaled(x, y).saturating_add(scaled(y, x)))?;
        Ok(x.add_scaled(factor, y)?)
    }

    /// `x + factor * y`, where the factor is one or minus one.
    fn sum(&self, x: &Value, y: &Value, factor: i128) -> Step<Value> {
        match (x, y) {
            (Finite(x), Finite(y)) => Ok(Finite(self.combined(x, factor, y)?)),
            (Integer(of, x), Integer(other, y)) if of == other => Ok(Integer(*of, x.add_scaled(factor, y)?)),
            (Infinity | NegInfinity, Finite(_)) => Ok(x.clone()),
            (_, Infinity | NegInfinity) => {
                let y = if factor < 0 { self.negated(y)? } else { y.clone() };
                match (x, &y) {
                    (Finite(_), _) | (Infinity, Infinity) | (NegInfinity, NegInfinity) => Ok(y),
                    _ => Err(Stop::Unproved),
                }
            }
            _ => Err(Stop::Unproved),
        }
    }

    fn negated(&self, x: &Value) -> Step<Value> {
        match x {
            Finite(x) => Ok(Finite(x.negated()?)),
            Infinity => Ok(NegInfinity),
            NegInfinity => Ok(Infinity),
            Integer(of, x) => Ok(Integer(*of, Poly::default().minus(x)?)),
            Truth(_) => Err(Stop::Unproved),
        }
    }

    fn product(&self, x: &Value, y: &Value) -> Step<Value> {
        match (x, y) {
            (Finite(x), Finite(y)) => {
                self.way.spend(x.over.terms().count() * y.over.terms().count())?;
                Ok(Finite(x.times(y)?))
            }
            (Integer(of, x), Integer(other, y)) if of == other => {
                self.way.spend(x.terms().count() * y.terms().count())?;
                Ok(Integer(*of, x.times(y)?))
            }
            (Finite(_) | Infinity | NegInfinity, Finite(_) | Infinity | NegInfinity) => {
                // Zero times an infinity is no number.
                match (self.sign(x)?, self.sign(y)?) {
                    (Ordering::Equal, _) | (_, Ordering::Equal) => Err(Stop::Unproved),
                    (x, y) => Ok(if x == y { Infinity } else { NegInfinity }),
                }
            }
            _ => Err(Stop::Unproved),
        }
    }

    /// One over a number of a float type.
    fn reciprocal(&self, x: &Value) -> Step<Value> {
        match x {
            Infinity | NegInfinity => Ok(Finite(Fraction::constant(0))),
            Finite(finite) => match self.way.sign(&finite.over)? {
                Ordering::Equal => Err(Stop::Unproved),
                Ordering::Greater => Ok(Finite(finite.reciprocal()?)),
                Ordering::Less => Ok(Finite(finite.negated()?.reciprocal()?.negated()?)),
            },
            Integer(..) | Truth(_) => Err(Stop::Unproved),
        }
    }

    fn converted(&self, x: &Value, to: Scalar) -> Step<Value> {
        match x {
            Finite(_) | Infinity | NegInfinity if to.is_float() => Ok(x.clone()),
            Integer(of, x) if to.is_float() => Ok(Finite(Fraction::of(self.exact(*of, x)?))),
            Integer(of, x) if to.is_integer() && to.bits() <= of.bits() => Ok(Integer(to, x.clone())),
            Integer(of, x) if to.is_integer() => Ok(Integer(to, self.exact(*of, x)?)),
            Truth(holds) if to.is_float() => Ok(Finite(Fraction::constant(i128::from(*holds)))),
            Truth(holds) if to.is_integer() => Ok(Integer(to, Poly::constant(i128::from(*holds)))),
            Truth(_) => Ok(x.clone()),
            _ => Err(Stop::Unproved),
        }
    }

    fn called(&self, function: Function, args: &[Value]) -> Step<Value> {
        let one = Finite(Fraction::constant(1));
        match (function, args) {
            (Function::Exp, [Finite(x)]) => Ok(Finite(self.way.exp(x)?)),
            (Function::Exp, [Infinity]) => Ok(Infinity),
            (Function::Exp, [NegInfinity]) => Ok(Finite(Fraction::constant(0))),
            (Function::Expm1, [x]) => {
                self.sum(&self.called(Function::Exp, std::slice::from_ref(x))?, &one, -1)
            }
            (Function::Log, [Infinity]) => Ok(Infinity),
            (Function::Log, [Finite(x)]) => match self.way.sign(&x.over)? {
                Ordering::Less => Err(Stop::Unproved),
                Ordering::Equal => Ok(NegInfinity),
                Ordering::Greater => Ok(Finite(self.way.log(x)?)),
            },
            (Function::Log1p, [x]) => self.called(Function::Log, &[self.sum(x, &one, 1)?]),
            (Function::Fma, [x, y, z]) => self.sum(&self.product(x, y)?, z, 1),
            _ => Err(Stop::Unproved),
        }
    }

    /// That two values of a field are one.
    pub(super) fn same(&self, x: &Value, y: &Value) -> Step<()> {
        match (x, y) {
            (Infinity, Infinity) | (NegInfinity, NegInfinity) => Ok(()),
            (Truth(x), Truth(y)) if x == y => Ok(()),
            (Finite(x), Finite(y)) => self.way.equal(&self.combined(x, -1, y)?),
            (Integer(of, x), Integer(other, y)) if of == other => {
                self.way.zero_modulo(&x.minus(y)?, of.bits())
            }
            _ => Err(Stop::Unproved),
        }
    }
}
