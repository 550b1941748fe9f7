//! Trying claims on tuples of numbers: where something may change, and by chance.
//!
//! The one idea: few numbers for each field, so that fields are often equal, and simple ones first, so
//! that what refutes a claim is easily seen. Numbers are exact; where a formula has functions that give
//! no rational numbers they are known up to an error ([`super::approximate`]). This refutes claims and
//! proves none.

use super::Tuples;
use super::approximate::Approximate;
use super::formula::{self, Numbers, values};
use crate::statement::{Operations, Side, Statement};
use crate::trial::{Draws, shown};
use atl_interp::{Domain, EvalError, Exact, Number};
use atl_kernel::{Expr, Function, Node, Prim, Scalar};

/// A message and its notes.
type Fault = (String, Vec<String>);

/// The most triples of elements that are tried, and about the most nodes of formulas that they take.
const TRIPLES: usize = 1500;
const NODES: usize = 1_000_000;

/// Why there is no number.
#[derive(Clone)]
pub(super) enum Failure {
    /// The operation has no value at its operands.
    Undefined(String),
    /// It may have one, which is not known.
    Unknown,
}

/// Numbers that claims are tried on.
pub(super) trait Trying: Numbers<Stop = Failure> {
    fn element(&self, x: Number) -> Self::Value;
    /// Is it certain that they are not the same?
    fn differ(&self, x: &Self::Value, y: &Self::Value) -> bool;
    /// Is it the one infinity, or the other?
    fn infinity(&self, x: &Self::Value) -> Option<bool>;
    fn shown(&self, x: &Self::Value) -> String;
}

/// Exact numbers.
struct Exactly;

impl Numbers for Exactly {
    type Value = Number;
    type Stop = Failure;

    fn literal(&self, scalar: Scalar, number: atl_kernel::Number) -> Result<Number, Failure> {
        Exact::number(scalar, number).map_err(|_| Failure::Unknown)
    }

    fn prim(&self, prim: Prim, args: &[Number]) -> Result<Number, Failure> {
        Exact::prim(prim, args).map_err(|why| match why {
            EvalError::NotExact(prim) if !matches!(prim, Prim::Call(_)) => {
                Failure::Undefined(undefined(prim))
            }
            _ => Failure::Unknown,
        })
    }

    fn truth(&self, value: &Number) -> Result<bool, Failure> {
        if let Number::Discrete(atl_interp::Value::Bool(holds)) = value {
            Ok(*holds)
        } else {
            Err(Failure::Unknown)
        }
    }

    fn unknown(&self) -> Failure {
        Failure::Unknown
    }
}

impl Trying for Exactly {
    fn element(&self, x: Number) -> Number {
        x
    }

    fn differ(&self, x: &Number, y: &Number) -> bool {
        x != y
    }

    fn infinity(&self, x: &Number) -> Option<bool> {
        matches!(x, Number::Infinity | Number::NegInfinity).then_some(*x == Number::Infinity)
    }

    fn shown(&self, x: &Number) -> String {
        shown(*x)
    }
}

/// Why an operation has no value.
pub(super) fn undefined(prim: Prim) -> String {
    match prim {
        Prim::Div => "a quotient by zero, or of two infinities, is not a number".to_owned(),
        Prim::Mul => "zero times an infinity is not a number".to_owned(),
        Prim::Call(function) => format!("`{}` has no value there", function.name()),
        _ => "an infinity minus an infinity is not a number".to_owned(),
    }
}

/// The fields of what these closed terms are.
pub(super) fn constant(terms: &[Expr]) -> Option<Vec<Number>> {
    values(&Exactly, terms, &[]).ok()
}

impl Tuples<'_> {
    /// A claim that numbers refute.
    pub(super) fn refuted(&self) -> Option<Fault> {
        let irrational = |node: &Node| match node {
            Node::Prim(Prim::Call(function), _) => *function != Function::Floor,
            _ => false,
        };
        let is_exact = !self.claimed.terms().any(|term| formula::any(term, &mut |node| irrational(node)));
        if is_exact { self.refuted_on(&Exactly) } else { self.refuted_on(&Approximate) }
    }

    fn refuted_on<N: Trying>(&self, numbers: &N) -> Option<Fault> {
        let pools: Vec<Vec<Number>> = (0..self.claimed.fields.len()).map(|field| self.pool(field)).collect();
        let constants = self.claimed.constants().filter_map(|terms| constant(terms));
        let constants: Vec<_> = constants.collect();
        let mut nodes = 0;
        self.claimed.terms().for_each(|term| {
            formula::any(term, &mut |_| {
                nodes += 1;
                false
            });
        });
        let triples = TRIPLES.min(NODES / (4 * nodes.max(1) * self.laws.len().max(1)) + 20);
        let mut draws = Draws(1);
        (0..triples as u64).find_map(|k| {
            // At first the simplest numbers only.
            let few = 2 + k / 50;
            let elements: Vec<Vec<N::Value>> = (0..3)
                .map(|_| {
                    let element = match draws.below(12) {
                        0 => constants.get(draws.below(constants.len().max(1) as u64) as usize).cloned(),
                        _ => None,
                    };
                    let mut drawn =
                        |pool: &Vec<Number>| pool[draws.below(few.min(pool.len() as u64)) as usize];
                    let element = element.unwrap_or_else(|| pools.iter().map(&mut drawn).collect());
                    element.into_iter().map(|x| numbers.element(x)).collect()
                })
                .collect();
            let closed = || self.open(numbers, &elements);
            self.laws.iter().find_map(|law| self.unlawful(numbers, law, &elements)).or_else(closed)
        })
    }

    /// A sum or product of two elements that is none.
    fn open<N: Trying>(&self, numbers: &N, elements: &[Vec<N::Value>]) -> Option<Fault> {
        self.operations.iter().find_map(|(name, terms)| {
            let at = named(numbers, &elements[..2]);
            match values(numbers, terms, &elements[..2].concat()) {
                Ok(result) => {
                    let allowed = |(field, x): (usize, &N::Value)| match numbers.infinity(x) {
                        Some(positive) => self.infinite[field][usize::from(!positive)],
                        None => true,
                    };
                    (!result.iter().enumerate().all(allowed)).then(|| {
                        let notes = vec![
                            format!("the {name} of {at} is {}", tuple(numbers, &result)),
                            "a field may be infinite only where that of zero or one is the same infinity"
                                .to_owned(),
                        ];
                        (format!("is not closed: a {name} is not among its elements"), notes)
                    })
                }
                Err(Failure::Undefined(why)) => {
                    Some((format!("has no {name} of some elements"), vec![format!("where {at}: {why}")]))
                }
                Err(Failure::Unknown) => None,
            }
        })
    }

    /// What is wrong with a law at these elements.
    fn unlawful<N: Trying>(&self, numbers: &N, law: &Statement, elements: &[Vec<N::Value>]) -> Option<Fault> {
        let sides = self.sides(numbers, law, elements);
        let at = named(numbers, &elements[..law.arity]);
        let notes = match sides {
            Ok([lhs, rhs]) if lhs.iter().zip(&rhs).any(|(x, y)| numbers.differ(x, y)) => vec![
                format!("`{}`: where {at}", law.text),
                format!(
                    "the left side is {}, the right side is {}",
                    tuple(numbers, &lhs),
                    tuple(numbers, &rhs)
                ),
            ],
            Err(Failure::Undefined(why)) => vec![format!("`{}` has no value where {at}: {why}", law.text)],
            Ok(_) | Err(Failure::Unknown) => return None,
        };
        Some((format!("does not have the law `{}`", law.name()), notes))
    }

    /// Both sides of a law at these elements.
    pub(super) fn sides<N: Numbers>(
        &self,
        numbers: &N,
        law: &Statement,
        elements: &[Vec<N::Value>],
    ) -> Result<[Vec<N::Value>; 2], N::Stop> {
        let claimed = self.claimed;
        let of = |terms: Option<&Vec<Expr>>, operands: &[N::Value]| {
            values(numbers, terms.ok_or_else(|| numbers.unknown())?, operands)
        };
        let zero = of(Some(&claimed.zero), &[])?;
        // A law that speaks of the one is claimed only where there is one.
        let one = of(claimed.one.as_ref().or(Some(&claimed.zero)), &[])?;
        let ops: Operations<Vec<N::Value>, N::Stop> =
            (&|x, y| of(Some(&claimed.add), &[x, y].concat()), &|x, y| {
                of(claimed.mul.as_ref(), &[x, y].concat())
            });
        let side = |side: &Side| side.fold(elements, [&zero, &one], ops);
        Ok([side(&law.lhs)?, side(&law.rhs)?])
    }

    /// The numbers that a field is tried with, simple ones first.
    fn pool(&self, field: usize) -> Vec<Number> {
        let scalar = self.claimed.fields[field].scalar;
        let mut pool: Vec<Number> = Vec::new();
        let mut keep = |x: Number| {
            if !pool.contains(&x) {
                pool.push(x);
            }
        };
        let decimal = |(n, exponent)| Exact::decimal(scalar, n, exponent).ok();
        [(0, 0), (1, 0)].into_iter().filter_map(decimal).for_each(&mut keep);
        let infinities = [Number::Infinity, Number::NegInfinity].into_iter().zip(self.infinite[field]);
        infinities.filter(|(_, may)| *may).for_each(|(x, _)| keep(x));
        [(-1, 0), (2, 0)].into_iter().filter_map(decimal).for_each(&mut keep);
        let range = scalar.range().into_iter();
        range
            .flat_map(|(least, greatest)| [greatest, least])
            .filter_map(|n| decimal((n, 0)))
            .for_each(&mut keep);
        let literals = self.claimed.literals().into_iter().filter(|(of, _)| *of == scalar);
        for number in literals.filter_map(|(of, number)| Exact::number(of, number).ok()) {
            let one = decimal((1, 0));
            let next = one.and_then(|one| Exact::prim(Prim::Add, &[number, one]).ok());
            let last = one.and_then(|one| Exact::prim(Prim::Sub, &[number, one]).ok());
            let near = [Some(number), next, last].into_iter().flatten();
            near.filter(|x| matches!(x, Number::Ratio(_) | Number::Discrete(_))).for_each(&mut keep);
        }
        [(-2, 0), (3, 0), (5, -1), (5, 0), (-7, 0)].into_iter().filter_map(decimal).for_each(&mut keep);
        let mut draws = Draws(7);
        if let Some((least, greatest)) = scalar.range() {
            let width = (greatest - least) / (1 << 7);
            let drawn = (0..6).map(|_| (least + width * i128::from(draws.below(1 << 7)), 0));
            drawn.filter_map(decimal).for_each(&mut keep);
        }
        pool
    }
}

fn tuple<N: Trying>(numbers: &N, element: &[N::Value]) -> String {
    let fields: Vec<_> = element.iter().map(|x| numbers.shown(x)).collect();
    if let [field] = &fields[..] { field.clone() } else { format!("({})", fields.join(", ")) }
}

fn named<N: Trying>(numbers: &N, elements: &[Vec<N::Value>]) -> String {
    let named = ["a", "b", "c"].iter().zip(elements);
    let named: Vec<_> =
        named.map(|(name, element)| format!("{name} = {}", tuple(numbers, element))).collect();
    named.join(", ")
}
