//! Formulas of minima and maxima, and formulas of bits: what they are of two values says what they are of
//! all.
//!
//! The one idea: whether a minimum or a maximum is at least some number depends on that alone of its
//! operands. So two such formulas are equal in every order if they are where each operand is either below
//! the number or not. And a bit of an operation on bits depends on those of the operands in its place. So
//! the proof tries every choice of truth values, and needs no cases for the orders of numbers.
//! It knows nothing of other formulas.

use super::Tuples;
use super::formula::Numbers;
use super::way::{Step, Stop};
use atl_interp::{Domain, Exact};
use atl_kernel::{Number, Prim, Scalar};

/// The most truth values that are chosen for a law.
const CHOSEN: usize = 12;

/// What a truth value says of a number.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    /// That it is not below some number, the same one for all, which is above the least and not above the
    /// greatest.
    NotBelow,
    /// That its bit in some place is set, the same one for all.
    BitIsSet,
}

/// A truth value, or what one says of a number.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Truth(bool),
    Number(bool),
}

use Value::{Number as Of, Truth};

impl Numbers for Says {
    type Value = Value;
    type Stop = Stop;

    fn literal(&self, scalar: Scalar, number: Number) -> Step<Value> {
        let integer = Exact::number(scalar, number).ok().and_then(|number| match number {
            atl_interp::Number::Discrete(value) => value.to_integer(),
            _ => None,
        });
        match (self, scalar.range(), integer) {
            (_, _, Some(n)) if scalar == Scalar::Bool => Ok(Truth(n != 0)),
            (Says::NotBelow, None, _) if number == Number::Infinity => Ok(Of(true)),
            (Says::NotBelow, None, _) if number == Number::NegInfinity => Ok(Of(false)),
            (Says::NotBelow, Some((_, greatest)), Some(n)) if n == greatest => Ok(Of(true)),
            (Says::NotBelow, Some((least, _)), Some(n)) if n == least => Ok(Of(false)),
            (Says::BitIsSet, Some(_), Some(0)) => Ok(Of(false)),
            (Says::BitIsSet, Some((0, greatest)), Some(n)) if n == greatest => Ok(Of(true)),
            (Says::BitIsSet, Some((..0, _)), Some(-1)) => Ok(Of(true)),
            _ => Err(Stop::Unproved),
        }
    }

    fn prim(&self, prim: Prim, args: &[Value]) -> Step<Value> {
        match (self, prim, args) {
            (_, Prim::Not, [Truth(x)]) => Ok(Truth(!x)),
            (_, Prim::Eq, [Truth(x), Truth(y)]) => Ok(Truth(x == y)),
            (Says::NotBelow, Prim::Min, [Of(x), Of(y)]) | (Says::BitIsSet, Prim::BitAnd, [Of(x), Of(y)]) => {
                Ok(Of(*x && *y))
            }
            (Says::NotBelow, Prim::Max, [Of(x), Of(y)]) | (Says::BitIsSet, Prim::BitOr, [Of(x), Of(y)]) => {
                Ok(Of(*x || *y))
            }
            (Says::BitIsSet, Prim::BitXor, [Of(x), Of(y)]) => Ok(Of(x != y)),
            (Says::BitIsSet, Prim::BitNot, [Of(x)]) => Ok(Of(!x)),
            _ => Err(Stop::Unproved),
        }
    }

    fn truth(&self, value: &Value) -> Step<bool> {
        if let Truth(holds) = value { Ok(*holds) } else { Err(Stop::Unproved) }
    }

    fn unknown(&self) -> Stop {
        Stop::Unproved
    }
}

impl Tuples<'_> {
    /// Does each law hold whatever the truth values, of formulas that these decide?
    pub(super) fn hold_of_two_values(&self) -> bool {
        let is_float = self.claimed.fields.iter().any(|field| field.scalar.is_float());
        // What a float is has no bits here. Where formulas only choose, infinities are the ends of the
        // order.
        (self.chooses && self.hold(Says::NotBelow)) || (!is_float && self.hold(Says::BitIsSet))
    }

    fn hold(&self, says: Says) -> bool {
        let fields = &self.claimed.fields;
        self.laws.iter().all(|law| {
            let count = law.arity * fields.len();
            let holds = |chosen: usize| {
                let value = |k: usize| {
                    let holds = chosen >> k & 1 == 1;
                    if fields[k % fields.len()].scalar == Scalar::Bool { Truth(holds) } else { Of(holds) }
                };
                let values: Vec<_> = (0..count).map(value).collect();
                let elements: Vec<_> = values.chunks(fields.len()).map(<[Value]>::to_vec).collect();
                self.sides(&says, law, &elements).is_ok_and(|[lhs, rhs]| lhs == rhs)
            };
            count <= CHOSEN && (0..1 << count).all(holds)
        })
    }
}
