//! `polynomials`: where a result comes from, with how many of each.
//!
//! **Carrier.** Polynomials in numbered unknowns that commute, with coefficients of another semiring; none of them is
//! zero. Give each input an unknown: a result then says how it was made. Over `counts` these are the provenance polynomials,
//! of which every result in a commutative semiring is an image; over `or_and` they leave out how often.
//! **Zero, one.** No term, and the one of no unknowns. **Addition, multiplication.** Of polynomials.
//! **Laws.** A semiring over a semiring, commutative or idempotent if that is.

use crate::Arithmetic;
use atl_kernel::Laws;
use std::collections::BTreeMap;

/// A product of unknowns: each with its multiplicity, in order.
pub type Monomial = BTreeMap<u32, u32>;

/// A coefficient for each monomial, none of them zero.
pub type Polynomial<E> = BTreeMap<Monomial, E>;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Polynomials<A>(pub A);

impl<A: Arithmetic> Polynomials<A> {
    /// The polynomial that is one unknown.
    pub fn unknown(&self, number: u32) -> Polynomial<A::Element> {
        self.sum([(Monomial::from([(number, 1)]), self.0.one())])
    }

    fn sum(&self, terms: impl IntoIterator<Item = (Monomial, A::Element)>) -> Polynomial<A::Element> {
        let mut sum = Polynomial::new();
        for (monomial, coefficient) in terms {
            let before = sum.get(&monomial);
            let coefficient = before.map_or(coefficient.clone(), |before| self.0.add(before, &coefficient));
            sum.insert(monomial, coefficient);
        }
        sum.retain(|_, coefficient| *coefficient != self.0.zero());
        sum
    }
}

fn product(a: &Monomial, b: &Monomial) -> Monomial {
    let mut product = a.clone();
    for (unknown, times) in b {
        let before = product.entry(*unknown).or_default();
        *before = before.saturating_add(*times);
    }
    product
}

impl<A: Arithmetic> Arithmetic for Polynomials<A> {
    type Element = Polynomial<A::Element>;

    fn name(&self) -> String {
        format!("polynomials over {}", self.0.name())
    }

    fn laws(&self) -> Laws {
        super::over(&self.0, Laws::COMM_SEMIRING.and(Laws::ADD_IDEM))
    }

    fn zero(&self) -> Self::Element {
        Polynomial::new()
    }

    fn one(&self) -> Self::Element {
        self.sum([(Monomial::new(), self.0.one())])
    }

    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.sum(a.iter().chain(b).map(|(m, c)| (m.clone(), c.clone())))
    }

    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let right = |(m, c): (&Monomial, &A::Element)| {
            let terms = b.iter().map(|(n, d)| (product(m, n), self.0.mul(c, d)));
            terms.collect::<Vec<_>>()
        };
        self.sum(a.iter().flat_map(right))
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> Self::Element {
        let mut term = || {
            let unknowns: Vec<u32> = (0..below(3)).map(|_| below(3) as u32).collect();
            let monomial = unknowns.into_iter().fold(Monomial::new(), |m, x| product(&m, &[(x, 1)].into()));
            (monomial, self.0.sample(below))
        };
        let terms = [term(), term()];
        self.sum(terms.into_iter().skip(below(3)))
    }
}
