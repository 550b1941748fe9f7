//! Polynomials of index terms: a normal form with integer coefficients over variables, quotients, minima and maxima.
//!
//! Atoms, monomials and polynomials are interned each in turn, so equality of normal forms is equality of numbers.
//! Whatever leaves the coefficients' range, or the limits, has no polynomial: `None` only ever refuses.

use crate::index::{Ix, IxNode, IxOp, floor_div};
use crate::intern::Interner;
use crate::limits;
use crate::store::Store;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// A polynomial, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Poly(u32);

/// What a monomial multiplies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Atom {
    Free(u32),
    Quotient(Poly, Poly),
    Min(Poly, Poly),
    Max(Poly, Poly),
}

/// The empty product; interned first.
pub(crate) const UNIT: u32 = 0;

/// Monomials by number, in order, none with the coefficient 0.
type Terms = Rc<[(u32, i128)]>;

/// The polynomials of a run.
pub(crate) struct Polynomials {
    atoms: Interner<Atom>,
    monomials: Interner<Rc<[u32]>>,
    sums: Interner<Terms>,
    /// The polynomials of index terms that were asked for.
    known: HashMap<Ix, Option<Poly>>,
    /// Terms of all polynomials.
    kept: usize,
}

impl Polynomials {
    pub(crate) fn new() -> Polynomials {
        let mut monomials = Interner::new();
        // Of an empty arena the first number is `UNIT`.
        let unit = monomials.add(Rc::from([]));
        debug_assert_eq!(unit, Ok(UNIT));
        let (atoms, sums) = (Interner::new(), Interner::new());
        Polynomials { atoms, monomials, sums, known: HashMap::new(), kept: 0 }
    }

    pub(crate) fn terms(&self, poly: Poly) -> Terms {
        Rc::clone(self.sums.at(poly.0))
    }

    /// The polynomial with these terms, which are in order.
    fn sum(&mut self, mut terms: Vec<(u32, i128)>) -> Option<Poly> {
        terms.retain(|(_, coefficient)| *coefficient != 0);
        let terms: Terms = terms.into();
        if let Some(known) = self.sums.find(&terms) {
            return Some(Poly(known));
        }
        self.kept += terms.len();
        if self.kept > limits::POLYNOMIAL_TERMS {
            return None;
        }
        self.sums.add(terms).ok().map(Poly)
    }

    pub(crate) fn constant(&mut self, value: i128) -> Option<Poly> {
        self.sum(vec![(UNIT, value)])
    }

    /// The value of a polynomial without atoms.
    pub(crate) fn as_constant(&self, poly: Poly) -> Option<i128> {
        match self.sums.at(poly.0)[..] {
            [] => Some(0),
            [(UNIT, value)] => Some(value),
            _ => None,
        }
    }

    fn atom(&mut self, atom: Atom) -> Option<Poly> {
        let atom = self.atoms.add(atom).ok()?;
        let monomial = self.monomials.add(Rc::from([atom])).ok()?;
        self.sum(vec![(monomial, 1)])
    }

    /// The most atoms in a monomial of it.
    fn degree(&self, poly: Poly) -> u64 {
        self.sums.at(poly.0).iter().map(|(m, _)| self.monomials.at(*m).len() as u64).max().unwrap_or(0)
    }

    /// What multiplying costs: terms times degree. `None` if there would be too many terms.
    pub(crate) fn cost(&self, a: Poly, b: Poly) -> Option<u64> {
        let terms = self.sums.at(a.0).len() * self.sums.at(b.0).len();
        (terms <= limits::PRODUCT_TERMS).then(|| terms as u64 * (self.degree(a) + self.degree(b)).max(1))
    }

    /// Every coefficient with what `change` makes of it; it is told whether the coefficient is the constant.
    pub(crate) fn map(
        &mut self,
        poly: Poly,
        mut change: impl FnMut(bool, i128) -> Option<i128>,
    ) -> Option<Poly> {
        let terms: Option<Vec<(u32, i128)>> =
            self.terms(poly).iter().map(|(m, c)| Some((*m, change(*m == UNIT, *c)?))).collect();
        self.sum(terms?)
    }
}

impl Store {
    /// `a + factor * b`.
    pub(crate) fn poly_add(&mut self, a: Poly, factor: i128, b: Poly) -> Option<Poly> {
        let (left, right) = (self.polynomials.terms(a), self.polynomials.terms(b));
        self.work((left.len() + right.len()) as u64).ok()?;
        let mut sum = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
        loop {
            sum.push(match (left.peek(), right.peek()) {
                (Some((m, c)), Some((n, d))) if m == n => {
                    let both = (*m, c.checked_add(factor.checked_mul(*d)?)?);
                    left.next();
                    right.next();
                    both
                }
                (Some(term), other) if other.is_none_or(|(n, _)| term.0 < *n) => {
                    let term = *term;
                    left.next();
                    term
                }
                (_, Some((n, d))) => {
                    let term = (*n, factor.checked_mul(*d)?);
                    right.next();
                    term
                }
                (_, None) => break,
            });
        }
        self.polynomials.sum(sum)
    }

    /// `a * b`.
    pub(crate) fn poly_mul(&mut self, a: Poly, b: Poly) -> Option<Poly> {
        let cost = self.polynomials.cost(a, b)?;
        self.work(cost).ok()?;
        let (left, right) = (self.polynomials.terms(a), self.polynomials.terms(b));
        let mut sum: BTreeMap<u32, i128> = BTreeMap::new();
        for (m, c) in left.iter() {
            for (n, d) in right.iter() {
                let monomials = &mut self.polynomials.monomials;
                let mut atoms = [&monomials.at(*m)[..], &monomials.at(*n)[..]].concat();
                atoms.sort_unstable();
                let monomial = monomials.add(atoms.into()).ok()?;
                let coefficient = sum.entry(monomial).or_insert(0);
                *coefficient = coefficient.checked_add(c.checked_mul(*d)?)?;
            }
        }
        self.polynomials.sum(sum.into_iter().collect())
    }

    /// The polynomial of an index term, if it has one.
    pub(crate) fn poly(&mut self, ix: Ix) -> Option<Poly> {
        if let Some(known) = self.polynomials.known.get(&ix) {
            return *known;
        }
        let poly = self.new_poly(ix);
        self.polynomials.known.insert(ix, poly);
        poly
    }

    fn new_poly(&mut self, ix: Ix) -> Option<Poly> {
        let (op, a, b) = match self.ix_node(ix) {
            IxNode::Literal(value) => return self.polynomials.constant(i128::from(value)),
            IxNode::Free(level) => return self.polynomials.atom(Atom::Free(level)),
            IxNode::Bound(_) => return None,
            IxNode::Op(op, a, b) => (op, self.poly(a)?, self.poly(b)?),
        };
        match op {
            IxOp::Add => self.poly_add(a, 1, b),
            IxOp::Sub => self.poly_add(a, -1, b),
            IxOp::Mul => self.poly_mul(a, b),
            IxOp::Div => self.quotient(a, b),
            IxOp::Mod => {
                let quotient = self.quotient(a, b)?;
                let multiple = self.poly_mul(b, quotient)?;
                self.poly_add(a, -1, multiple)
            }
            IxOp::Min => self.extremum(a, b, i128::min, Atom::Min),
            IxOp::Max => self.extremum(a, b, i128::max, Atom::Max),
        }
    }

    fn quotient(&mut self, a: Poly, b: Poly) -> Option<Poly> {
        let polynomials = &mut self.polynomials;
        match (polynomials.as_constant(a), polynomials.as_constant(b)) {
            (Some(x), Some(y)) => polynomials.constant(floor_div(x, y)?),
            (_, Some(1)) => Some(a),
            _ => polynomials.atom(Atom::Quotient(a, b)),
        }
    }

    fn extremum(
        &mut self,
        a: Poly,
        b: Poly,
        of: fn(i128, i128) -> i128,
        atom: fn(Poly, Poly) -> Atom,
    ) -> Option<Poly> {
        let polynomials = &mut self.polynomials;
        match (polynomials.as_constant(a), polynomials.as_constant(b)) {
            _ if a == b => Some(a),
            (Some(x), Some(y)) => polynomials.constant(of(x, y)),
            _ => polynomials.atom(atom(a, b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x`, `y` and a literal.
    fn parts(store: &mut Store, literal: i64) -> (Ix, Ix, Ix) {
        (store.free_ix(0).unwrap(), store.free_ix(1).unwrap(), store.literal(literal).unwrap())
    }

    fn op(store: &mut Store, op: IxOp, a: Ix, b: Ix) -> Ix {
        store.ix(IxNode::Op(op, a, b)).unwrap()
    }

    #[test]
    fn equal_polynomials_have_one_number() {
        let store = &mut Store::new();
        let (x, y, two) = parts(store, 2);
        let sum = op(store, IxOp::Add, x, y);
        let square = op(store, IxOp::Mul, sum, sum);
        let (xx, xy, yy) =
            (op(store, IxOp::Mul, x, x), op(store, IxOp::Mul, y, x), op(store, IxOp::Mul, y, y));
        let twice = op(store, IxOp::Mul, xy, two);
        let outer = op(store, IxOp::Add, yy, xx);
        let expanded = op(store, IxOp::Add, outer, twice);
        assert_eq!(store.poly(square), store.poly(expanded));
        assert_ne!(store.poly(square), store.poly(xx));
        let (left, right) = (op(store, IxOp::Div, square, two), op(store, IxOp::Div, expanded, two));
        assert_eq!(store.poly(left), store.poly(right));
        let (one_way, other_way) = (op(store, IxOp::Min, x, y), op(store, IxOp::Min, y, x));
        assert_ne!(store.poly(one_way), store.poly(other_way));
    }

    #[test]
    fn a_remainder_is_what_a_quotient_leaves() {
        let store = &mut Store::new();
        let (x, _, four) = parts(store, 4);
        let (rest, quotient) = (op(store, IxOp::Mod, x, four), op(store, IxOp::Div, x, four));
        let multiple = op(store, IxOp::Mul, quotient, four);
        let whole = op(store, IxOp::Add, multiple, rest);
        assert_eq!(store.poly(whole), store.poly(x));
    }

    #[test]
    fn overflow_is_no_polynomial() {
        let store = &mut Store::new();
        let (x, _, most) = parts(store, i64::MAX);
        let square = op(store, IxOp::Mul, most, most);
        assert!(store.poly(square).is_some());
        let cube = op(store, IxOp::Mul, square, most);
        assert_eq!(store.poly(cube), None);
        let around = op(store, IxOp::Add, cube, x);
        assert_eq!(store.poly(around), None);
    }

    #[test]
    fn products_are_bounded() {
        let store = &mut Store::new();
        let mut sum = store.literal(0).unwrap();
        for level in 0..65 {
            let variable = store.free_ix(level).unwrap();
            sum = op(store, IxOp::Add, sum, variable);
        }
        let square = op(store, IxOp::Mul, sum, sum);
        assert!(store.poly(sum).is_some());
        assert_eq!(store.poly(square), None);
    }
}
