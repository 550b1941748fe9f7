//! Polynomials of index terms: a normal form with integer coefficients over variables, quotients, minima and maxima.
//!
//! Atoms, monomials and polynomials are interned each in turn, so equality of normal forms is equality of numbers.
//! Whatever leaves the coefficients' range, or the limits, has no polynomial: an overflow only ever refuses.

use crate::index::floor_div;
use crate::intern::Interner;
use crate::prelude::*;
use crate::refusal::Refusal;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// A polynomial, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Poly(u32);

/// What a monomial multiplies.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Atom {
    Free(u32),
    Quotient(Poly, Poly),
    Min(Poly, Poly),
    Max(Poly, Poly),
    /// An element of the tensor at this level.
    Element(u32, Rc<[Poly]>),
}

/// Monomials by number, in order, with coefficients other than 0.
type Sum = Rc<[(u32, i128)]>;

/// The polynomials of a run.
#[derive(Default)]
pub(crate) struct Polynomials {
    atoms: Interner<Atom>,
    monomials: Interner<Rc<[u32]>>,
    sums: Interner<Sum>,
    /// The polynomials of index terms that were asked for.
    known: RefCell<HashMap<Ix, Checked<Poly>>>,
    /// Terms of all polynomials, and factors of all monomials.
    kept: Cell<usize>,
}

/// The result of an operation on coefficients, which may overflow.
fn fits<T>(result: Option<T>) -> Checked<T> {
    result.ok_or("an index term or a certificate overflows".into())
}

impl Polynomials {
    /// The polynomial with these terms, which are in order.
    fn sum(&self, mut terms: Vec<(u32, i128)>) -> Checked<Poly> {
        terms.retain(|(_, coefficient)| *coefficient != 0);
        self.sums.add(terms.into(), |terms| self.keep(terms.len())).map(Poly)
    }

    /// Count what is kept, a factor of a monomial like a term of a polynomial.
    fn keep(&self, more: usize) -> Checked<()> {
        self.kept.set(self.kept.get() + more);
        require(self.kept.get() <= limits::POLYNOMIALS, "polynomials are too large")
    }

    fn monomial(&self, mut atoms: Vec<u32>) -> Checked<u32> {
        atoms.sort_unstable();
        self.monomials.add(atoms.into(), |atoms| self.keep(atoms.len()))
    }

    pub(crate) fn constant(&self, value: i128) -> Checked<Poly> {
        self.sum(vec![(self.monomial(vec![])?, value)])
    }

    /// The value of a polynomial without atoms.
    pub(crate) fn as_constant(&self, poly: Poly) -> Option<i128> {
        match self.sums.at(poly.0)[..] {
            [] => Some(0),
            [(monomial, value)] if self.degree_of(monomial) == 0 => Some(value),
            _ => None,
        }
    }

    fn atom(&self, atom: Atom) -> Checked<Poly> {
        let atom = self.atoms.add(atom, |_| Ok(()))?;
        self.sum(vec![(self.monomial(vec![atom])?, 1)])
    }

    fn degree_of(&self, monomial: u32) -> usize {
        self.monomials.at(monomial).len()
    }

    fn degree(&self, poly: Poly) -> usize {
        self.sums.at(poly.0).iter().map(|(m, _)| self.degree_of(*m)).max().unwrap_or(0)
    }

    /// What multiplying costs, terms times degree; refused if there would be too many terms.
    pub(crate) fn cost(&self, a: Poly, b: Poly) -> Checked<u64> {
        let terms = self.sums.at(a.0).len() * self.sums.at(b.0).len();
        require(terms <= limits::PRODUCT_TERMS, "a product of polynomials has too many terms")?;
        Ok((terms * (self.degree(a) + self.degree(b)).max(1)) as u64)
    }

    /// Every coefficient divided, the constant rounded down; refused if another is no multiple.
    pub(crate) fn cut(&self, poly: Poly, divisor: i128) -> Checked<Poly> {
        let mut terms = self.sums.at(poly.0).to_vec();
        for (monomial, coefficient) in &mut terms {
            let exact = self.degree_of(*monomial) == 0 || *coefficient % divisor == 0;
            require(exact, "a certificate divides what is no multiple")?;
            *coefficient = fits(floor_div(*coefficient, divisor))?;
        }
        self.sum(terms)
    }
}

/// What sums may lose of their constants: `i + 1 < 8`.
const SMALL: i128 = 1 << 32;

impl Store {
    /// `a + factor * b`.
    pub(crate) fn poly_add(&self, a: Poly, factor: i128, b: Poly) -> Checked<Poly> {
        let (left, right) = (self.polynomials.sums.at(a.0), self.polynomials.sums.at(b.0));
        self.work((left.len() + right.len()) as u64)?;
        let mut sum: BTreeMap<u32, i128> = left.iter().copied().collect();
        for (monomial, d) in right.iter() {
            let coefficient = sum.entry(*monomial).or_insert(0);
            *coefficient = fits(factor.checked_mul(*d).and_then(|d| coefficient.checked_add(d)))?;
        }
        self.polynomials.sum(sum.into_iter().collect())
    }

    /// `a * b`.
    pub(crate) fn poly_mul(&self, a: Poly, b: Poly) -> Checked<Poly> {
        let polynomials = &self.polynomials;
        self.work(polynomials.cost(a, b)?)?;
        let mut sum: BTreeMap<u32, i128> = BTreeMap::new();
        for (m, c) in polynomials.sums.at(a.0).iter() {
            let left = polynomials.monomials.at(*m);
            for (n, d) in polynomials.sums.at(b.0).iter() {
                let monomial = polynomials.monomial([&left[..], &polynomials.monomials.at(*n)].concat())?;
                let coefficient = sum.entry(monomial).or_insert(0);
                *coefficient = fits(c.checked_mul(*d).and_then(|d| coefficient.checked_add(d)))?;
            }
        }
        polynomials.sum(sum.into_iter().collect())
    }

    /// Does a polynomial depend on a variable, or on an element: is it there, or inside of what is?
    pub(crate) fn poly_mentions(&self, poly: Poly, part: Poly) -> Checked<bool> {
        self.work(1)?;
        if poly == part {
            return Ok(true);
        }
        let polynomials = &self.polynomials;
        for (monomial, _) in polynomials.sums.at(poly.0).iter() {
            for atom in polynomials.monomials.at(*monomial).iter() {
                let inside: Vec<Poly> = match polynomials.atoms.at(*atom) {
                    Atom::Free(_) => vec![],
                    Atom::Quotient(a, b) | Atom::Min(a, b) | Atom::Max(a, b) => vec![a, b],
                    Atom::Element(_, at) => at.to_vec(),
                };
                let own = polynomials.sum(vec![(polynomials.monomial(vec![*atom])?, 1)])?;
                if own == part
                    || inside
                        .into_iter()
                        .try_fold(false, |found, i| Ok::<_, Refusal>(found || self.poly_mentions(i, part)?))?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Every coefficient without its sign.
    fn magnitudes(&self, poly: Poly) -> Checked<Poly> {
        let terms = self.polynomials.sums.at(poly.0);
        let terms = terms.iter().map(|(m, c)| Ok((*m, fits(c.checked_abs())?))).collect::<Checked<_>>()?;
        self.polynomials.sum(terms)
    }

    /// Has a sum, a difference or a product each monomial of its operands, as often as they have it? Some
    /// of a small constant may be lost, if that is allowed.
    pub(crate) fn keeps(&self, op: IxOp, [a, b]: [Ix; 2], but_constant: bool) -> Checked<bool> {
        let whole = self.poly(self.ix(IxNode::Op(op, a, b))?)?;
        let (a, b) = (self.magnitudes(self.poly(a)?)?, self.magnitudes(self.poly(b)?)?);
        let all = match op {
            IxOp::Mul => self.poly_mul(a, b)?,
            _ => self.poly_add(a, 1, b)?,
        };
        let lost = self.poly_add(all, -1, self.magnitudes(whole)?)?;
        let terms = self.polynomials.sums.at(all.0);
        let constant = terms.iter().find(|(m, _)| self.polynomials.degree_of(*m) == 0).map_or(0, |(_, c)| *c);
        let least = if but_constant && constant <= SMALL { SMALL } else { 0 };
        let is_number = |poly| self.polynomials.as_constant(poly).is_some();
        let is_zero = |poly| self.polynomials.as_constant(poly) == Some(0);
        let vanishes = op == IxOp::Mul && ((is_zero(a) && !is_number(b)) || (is_zero(b) && !is_number(a)));
        Ok(!vanishes && self.polynomials.as_constant(lost).is_some_and(|lost| lost <= least))
    }

    /// Is every coefficient a multiple of a number?
    pub(crate) fn is_multiple(&self, poly: Poly, number: i128) -> Checked<bool> {
        self.work(1)?;
        Ok(self.polynomials.sums.at(poly.0).iter().all(|(_, coefficient)| coefficient % number == 0))
    }

    /// The polynomial of an index term, if it has one.
    pub(crate) fn poly(&self, ix: Ix) -> Checked<Poly> {
        let known = self.polynomials.known.borrow().get(&ix).cloned();
        known.unwrap_or_else(|| {
            let poly = self.new_poly(ix);
            self.polynomials.known.borrow_mut().insert(ix, poly.clone());
            poly
        })
    }

    fn new_poly(&self, ix: Ix) -> Checked<Poly> {
        let (op, a, b) = match self.ix_node(ix) {
            IxNode::Literal(value) => return self.polynomials.constant(i128::from(value)),
            IxNode::Free(level) => return self.polynomials.atom(Atom::Free(level)),
            IxNode::Bound(_) => return refuse("a certificate is about a bound variable"),
            IxNode::Op(op, a, b) => (op, self.poly(a)?, self.poly(b)?),
            IxNode::Read(array, at) => {
                let TermNode::Free(level) = self.node(array) else {
                    return refuse("a certificate is about an element of what is no variable of the context");
                };
                let at = self.ix_list(at).into_iter().map(|i| self.poly(i)).collect::<Checked<_>>()?;
                return self.polynomials.atom(Atom::Element(level, at));
            }
        };
        let constants = self.polynomials.as_constant(a).zip(self.polynomials.as_constant(b));
        match (op, constants) {
            (IxOp::Add, _) => self.poly_add(a, 1, b),
            (IxOp::Sub, _) => self.poly_add(a, -1, b),
            (IxOp::Mul, _) => self.poly_mul(a, b),
            (IxOp::Div, _) => self.quotient(a, b),
            (IxOp::Mod, _) => self.poly_remainder(a, b),
            (IxOp::Min | IxOp::Max, _) if a == b => Ok(a),
            (IxOp::Min, Some((x, y))) => self.polynomials.constant(x.min(y)),
            (IxOp::Max, Some((x, y))) => self.polynomials.constant(x.max(y)),
            (IxOp::Min, None) => self.polynomials.atom(Atom::Min(a, b)),
            (IxOp::Max, None) => self.polynomials.atom(Atom::Max(a, b)),
        }
    }

    /// `a - b * (a div b)`.
    pub(crate) fn poly_remainder(&self, a: Poly, b: Poly) -> Checked<Poly> {
        self.poly_add(a, -1, self.poly_mul(b, self.quotient(a, b)?)?)
    }

    fn quotient(&self, a: Poly, b: Poly) -> Checked<Poly> {
        let polynomials = &self.polynomials;
        match (polynomials.as_constant(a), polynomials.as_constant(b)) {
            (Some(x), Some(y)) => polynomials.constant(fits(floor_div(x, y))?),
            (_, Some(1)) => Ok(a),
            _ => polynomials.atom(Atom::Quotient(a, b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x`, `y` and a literal.
    fn parts(store: &Store, literal: i64) -> (Ix, Ix, Ix) {
        (store.free_ix(0).unwrap(), store.free_ix(1).unwrap(), store.literal(literal).unwrap())
    }

    fn op(store: &Store, op: IxOp, a: Ix, b: Ix) -> Ix {
        store.ix(IxNode::Op(op, a, b)).unwrap()
    }

    #[test]
    fn equal_polynomials_have_one_number() {
        let store = &Store::default();
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
        let store = &Store::default();
        let (x, _, four) = parts(store, 4);
        let (rest, quotient) = (op(store, IxOp::Mod, x, four), op(store, IxOp::Div, x, four));
        let multiple = op(store, IxOp::Mul, quotient, four);
        let whole = op(store, IxOp::Add, multiple, rest);
        assert_eq!(store.poly(whole), store.poly(x));
    }

    #[test]
    fn overflow_is_no_polynomial() {
        let store = &Store::default();
        let (x, _, most) = parts(store, i64::MAX);
        let square = op(store, IxOp::Mul, most, most);
        assert!(store.poly(square).is_ok());
        let cube = op(store, IxOp::Mul, square, most);
        assert!(store.poly(cube).is_err());
        let around = op(store, IxOp::Add, cube, x);
        assert!(store.poly(around).is_err());
    }

    #[test]
    fn products_are_bounded() {
        let store = &Store::default();
        let mut sum = store.literal(0).unwrap();
        for level in 0..65 {
            let variable = store.free_ix(level).unwrap();
            sum = op(store, IxOp::Add, sum, variable);
        }
        let square = op(store, IxOp::Mul, sum, sum);
        assert!(store.poly(sum).is_ok());
        assert!(store.poly(square).is_err());
    }
}
