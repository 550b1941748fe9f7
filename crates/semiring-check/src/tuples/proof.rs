//! Proving what is claimed of operations on tuples, for all elements.
//!
//! Each law, and that sums and products are elements again, is gone through way by way ([`super::way`]),
//! for each choice of which fields are infinities and of truth values. A claim may be true and not be
//! proved.

use super::Tuples;
use super::formula::values;
use super::fraction::Fraction;
use super::linear::Relation;
use super::symbolic::{Symbolic, Value, represented};
use super::way::{Sort, Step, Stop, Way};
use crate::statement::{Operations, Side, Statement};
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Expr, Scalar};

/// The most work that a declaration is worth.
pub(super) const WORK: u64 = 1_000_000;
/// What beginning a way is counted as.
const BEGIN: usize = 20;

/// What an unknown field is.
#[derive(Clone, Copy)]
enum Kind {
    /// A number of its type.
    Number,
    Infinity,
    NegInfinity,
    Truth(bool),
}

type Tuple = Vec<Value>;

/// A statement about elements.
type Claim<'a> = &'a dyn Fn(&Symbolic, &[Tuple]) -> Step<()>;

impl Tuples<'_> {
    /// What is not proved, after "whether it"; none if all is.
    pub(super) fn unproved(&self, way: &Way) -> Option<String> {
        for constant in self.claimed.constants() {
            let is_element = |on: &Symbolic, _: &[Tuple]| self.contained(&values(on, constant, &[])?);
            if !self.on_every_way(way, 0, &is_element) {
                return Some("has its zero and one among its elements".to_owned());
            }
        }
        for (name, terms) in &self.operations {
            let closed =
                |on: &Symbolic, elements: &[Tuple]| self.contained(&values(on, terms, &elements.concat())?);
            if !self.on_every_way(way, 2, &closed) {
                return Some(format!("has each {name} among its elements"));
            }
        }
        for law in &self.laws {
            let lawful = |on: &Symbolic, elements: &[Tuple]| {
                let (lhs, rhs) = self.sides(on, law, elements)?;
                lhs.iter().zip(&rhs).try_for_each(|(x, y)| on.same(x, y))
            };
            if !self.on_every_way(way, law.arity, &lawful) {
                return Some(format!("has the law `{}`, `{}`", law.name(), law.text));
            }
        }
        None
    }

    /// Both sides of a law, at these elements.
    fn sides(&self, on: &Symbolic, law: &Statement, elements: &[Tuple]) -> Step<(Tuple, Tuple)> {
        let of = |terms: &Option<Vec<Expr>>, operands: &[Value]| {
            values(on, terms.as_ref().ok_or(Stop::Unproved)?, operands)
        };
        let zero = values(on, &self.claimed.zero, &[])?;
        let one = if self.claimed.one.is_some() { of(&self.claimed.one, &[])? } else { Vec::new() };
        let ops: Operations<Tuple, Stop> =
            (&|x, y| values(on, &self.claimed.add, &[x, y].concat()), &|x, y| {
                of(&self.claimed.mul, &[x, y].concat())
            });
        let side = |side: &Side| side.fold(elements, [&zero, &one], ops);
        Ok((side(&law.lhs)?, side(&law.rhs)?))
    }

    /// That these are the fields of an element.
    fn contained(&self, tuple: &[Value]) -> Step<()> {
        let contained = tuple.iter().enumerate().all(|(field, value)| match value {
            Value::Infinity => self.infinite[field][0],
            Value::NegInfinity => self.infinite[field][1],
            Value::Finite(_) | Value::Integer(..) | Value::Truth(_) => true,
        });
        if contained { Ok(()) } else { Err(Stop::Unproved) }
    }

    /// Does the claim hold on every way, of every choice of elements?
    fn on_every_way(&self, way: &Way, arity: usize, claim: Claim) -> bool {
        let kinds: Vec<Vec<Kind>> =
            (0..arity).flat_map(|_| (0..self.claimed.fields.len()).map(|k| self.kinds(k))).collect();
        let mut at = vec![0; kinds.len()];
        loop {
            let chosen: Vec<Kind> = kinds.iter().zip(&at).map(|(kinds, k)| kinds[*k]).collect();
            if !self.on_ways_of(way, &chosen, claim) {
                return false;
            }
            let Some(next) = (0..at.len()).find(|k| at[*k] + 1 < kinds[*k].len()) else { return true };
            at[next] += 1;
            at[..next].fill(0);
        }
    }

    /// Does it hold on every way of elements that have fields of these kinds, one after the other?
    fn on_ways_of(&self, way: &Way, kinds: &[Kind], claim: Claim) -> bool {
        loop {
            let outcome = self.begun(way, kinds).and_then(|(on, elements)| claim(&on, &elements));
            match outcome {
                Ok(()) | Err(Stop::Nowhere) => {}
                Err(Stop::Unproved) => return false,
            }
            if !way.advance() {
                return true;
            }
        }
    }

    /// The elements at the beginning of a way. The atom after their fields is more than every number, where
    /// infinities are numbers.
    fn begun<'a>(&self, way: &'a Way, kinds: &[Kind]) -> Step<(Symbolic<'a>, Vec<Tuple>)> {
        way.spend(BEGIN)?;
        let atom = |level: usize| Poly::atom(Atom::Var(level as u32));
        let greatest = self.chooses.then(|| atom(kinds.len()));
        let (mut sorts, mut bounds, mut fields) = (Vec::new(), Vec::new(), Vec::new());
        for (k, kind) in kinds.iter().enumerate() {
            let scalar = self.claimed.fields[k % self.claimed.fields.len()].scalar;
            let range = scalar.range().filter(|_| scalar.is_integer());
            sorts.push(range.map_or(Sort::Real, |(least, greatest)| Sort::Integer(least, greatest)));
            if let Some(greatest) = greatest.as_ref().filter(|_| scalar.is_float()) {
                bounds.push((greatest.minus(&atom(k))?, Relation::AtLeastZero));
                bounds.push((greatest.plus(&atom(k))?, Relation::AtLeastZero));
            }
            fields.push(match kind {
                Kind::Infinity => Value::Infinity,
                Kind::NegInfinity => Value::NegInfinity,
                Kind::Truth(holds) => Value::Truth(*holds),
                Kind::Number if scalar.is_float() => Value::Finite(Fraction::of(atom(k))),
                Kind::Number => Value::Integer(scalar, atom(k)),
            });
        }
        if let Some(greatest) = &greatest {
            sorts.push(Sort::Real);
            for (n, d) in self.finite_literals() {
                let scaled = Poly::constant(d).times(greatest)?;
                bounds.push((scaled.minus(&Poly::constant(n))?, Relation::AboveZero));
                bounds.push((scaled.plus(&Poly::constant(n))?, Relation::AboveZero));
            }
        }
        way.begin(sorts, greatest.as_ref().map(|_| (kinds.len() as u32, bounds)));
        let elements = fields.chunks(self.claimed.fields.len()).map(<[Value]>::to_vec).collect();
        Ok((Symbolic { way, greatest }, elements))
    }

    /// The numbers that the formulas mention, of a float type, and zero: numerators and denominators.
    fn finite_literals(&self) -> Vec<(i128, i128)> {
        let mut found = vec![(0, 1)];
        for (scalar, literal) in self.claimed.literals().into_iter().filter(|(scalar, _)| scalar.is_float()) {
            if let Some(ratio) = represented(scalar, literal) {
                found.push((ratio.numerator(), ratio.denominator()));
            }
        }
        found
    }

    /// What a field may be.
    fn kinds(&self, field: usize) -> Vec<Kind> {
        if self.claimed.fields[field].scalar == Scalar::Bool {
            return vec![Kind::Truth(true), Kind::Truth(false)];
        }
        let mut kinds = vec![Kind::Number];
        let infinities = [Kind::Infinity, Kind::NegInfinity].into_iter().zip(self.infinite[field]);
        kinds.extend(infinities.filter(|(_, may)| *may && !self.chooses).map(|(kind, _)| kind));
        kinds
    }
}
