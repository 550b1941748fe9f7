//! Proving what is claimed of operations on tuples, for all elements.
//!
//! The proof follows each law, and the claim that sums and products are elements again, on every way
//! ([`super::way`]), field by field. A way also chooses whether a field that is read is an infinity, or
//! which truth value. A claim may be true and not be proved.

use super::Tuples;
use super::formula;
use super::fraction::Fraction;
use super::linear::Relation;
use super::symbolic::{Symbolic, Value};
use super::way::{Sort, Step, Stop, Way};
use crate::statement::{Operations, Side, Statement};
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Expr, Scalar};

/// The most work that a declaration is worth.
pub(super) const WORK: u64 = 5_000_000;
/// What beginning a way is counted as.
const BEGIN: usize = 20;

type Tuple<'a> = formula::Tuple<'a, Symbolic<'a>>;

/// What is to be shown of all elements, of one field.
#[derive(Clone, Copy)]
enum Claim<'a> {
    /// What the terms make of two elements, or of none, is an element.
    Element(&'a [Expr]),
    Law(&'a Statement),
}

impl Tuples<'_> {
    /// What is not proved, after "whether it"; none if all is.
    pub(super) fn unproved(&self, way: &Way) -> Option<String> {
        let holds = |claim, arity| {
            (0..self.claimed.fields.len()).all(|field| self.on_every_way(way, arity, claim, field))
        };
        if !self.claimed.constants().all(|constant| holds(Claim::Element(constant), 0)) {
            return Some("has its zero and one among its elements".to_owned());
        }
        if let Some((name, _)) = self.operations.iter().find(|(_, terms)| !holds(Claim::Element(terms), 2)) {
            return Some(format!("has each {name} among its elements"));
        }
        let law = self.laws.iter().find(|law| !holds(Claim::Law(law), law.arity))?;
        Some(format!("has the law `{}`, `{}`", law.name(), law.text))
    }

    /// Does the claim hold on every way?
    fn on_every_way(&self, way: &Way, arity: usize, claim: Claim, field: usize) -> bool {
        loop {
            let on = self.begun(way, arity);
            match on.and_then(|on| self.holds(&on, arity, claim, field)) {
                Ok(()) | Err(Stop::Nowhere) => {}
                Err(Stop::Unproved) => return false,
            }
            if !way.advance() {
                return true;
            }
        }
    }

    /// That the claim holds on a way.
    fn holds<'a>(&'a self, on: &'a Symbolic, arity: usize, claim: Claim<'a>, field: usize) -> Step<()> {
        let count = self.claimed.fields.len();
        let element = |k: usize| Tuple::new(count, move |field| self.unknown(on, k * count + field, field));
        let elements: Vec<Tuple> = (0..arity).map(element).collect();
        match claim {
            Claim::Element(terms) => {
                let contained = match Tuple::made(on, terms, elements).field(field)? {
                    Value::Infinity => self.infinite[field][0],
                    Value::NegInfinity => self.infinite[field][1],
                    Value::Finite(_) | Value::Integer(..) | Value::Truth(_) => true,
                };
                if contained { Ok(()) } else { Err(Stop::Unproved) }
            }
            Claim::Law(law) => {
                let of = |terms: Option<&'a Vec<Expr>>, operands: Vec<Tuple<'a>>| {
                    Ok(Tuple::made(on, terms.ok_or(Stop::Unproved)?, operands))
                };
                let zero = of(Some(&self.claimed.zero), Vec::new())?;
                // A law that speaks of the one is claimed only where there is one.
                let one = of(self.claimed.one.as_ref().or(Some(&self.claimed.zero)), Vec::new())?;
                let ops: Operations<Tuple, Stop> =
                    (&|x, y| of(Some(&self.claimed.add), vec![x, y]), &|x, y| {
                        of(self.claimed.mul.as_ref(), vec![x, y])
                    });
                let side = |side: &Side| side.fold(&elements, [&zero, &one], ops)?.field(field);
                on.same(&side(&law.lhs)?, &side(&law.rhs)?)
            }
        }
    }

    /// A field of an unknown element, which is this atom if it is a number.
    fn unknown(&self, on: &Symbolic, atom: usize, field: usize) -> Step<Value> {
        let scalar = self.claimed.fields[field].scalar;
        if scalar == Scalar::Bool {
            return Ok(Value::Truth(on.way.choice(2)? == 0));
        }
        let mut kinds = vec![if scalar.is_float() {
            Value::Finite(Fraction::of(Poly::atom(Atom::Var(atom as u32))))
        } else {
            Value::Integer(scalar, Poly::atom(Atom::Var(atom as u32)))
        }];
        let infinities = [Value::Infinity, Value::NegInfinity].into_iter().zip(self.infinite[field]);
        kinds.extend(infinities.filter(|(_, may)| *may && !self.chooses).map(|(kind, _)| kind));
        let chosen = on.way.choice(kinds.len())?;
        Ok(kinds.swap_remove(chosen))
    }

    /// The beginning of a way. The atom after the elements' fields is more than every number, where
    /// infinities are numbers.
    fn begun<'a>(&self, way: &'a Way, arity: usize) -> Step<Symbolic<'a>> {
        way.spend(BEGIN + arity * self.claimed.fields.len() + self.mentioned.len())?;
        let scalars = (0..arity).flat_map(|_| self.claimed.fields.iter().map(|field| field.scalar));
        let scalars: Vec<_> = scalars.collect();
        let whole = |scalar: &Scalar| scalar.range().filter(|_| scalar.is_integer());
        let sort = |scalar| whole(scalar).map_or(Sort::Real, |(least, most)| Sort::Integer(least, most));
        let mut sorts: Vec<_> = scalars.iter().map(sort).collect();
        let atom = |level: usize| Poly::atom(Atom::Var(level as u32));
        let greatest = self.chooses.then(|| atom(scalars.len()));
        let mut bounds = Vec::new();
        if let Some(greatest) = &greatest {
            sorts.push(Sort::Real);
            for k in (0..scalars.len()).filter(|k| scalars[*k].is_float()) {
                bounds.push((greatest.minus(&atom(k))?, Relation::AtLeastZero));
                bounds.push((greatest.plus(&atom(k))?, Relation::AtLeastZero));
            }
            for (n, d) in &self.mentioned {
                let scaled = Poly::constant(*d).times(greatest)?;
                bounds.push((scaled.minus(&Poly::constant(*n))?, Relation::AboveZero));
                bounds.push((scaled.plus(&Poly::constant(*n))?, Relation::AboveZero));
            }
        }
        way.begin(sorts, greatest.as_ref().map(|_| (scalars.len() as u32, bounds)));
        Ok(Symbolic { way, greatest })
    }
}
