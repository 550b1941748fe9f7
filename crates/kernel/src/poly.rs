//! Polynomials over the integers: the normal form that certificates are checked in.
//!
//! Atoms are context variables, floor quotients, minima, maxima and elements of tensors whose arguments are
//! themselves in normal form; `a % d` is expanded to `a - d * (a / d)`, which is its definition. Coefficients are
//! checked: an overflow is an error, never a wrap.

use crate::ix::{Ix, IxOp, Var, eval_op};
use crate::size::ix_fits;
use std::cmp::Ordering;
use std::sync::Arc;

/// Arithmetic left the range of 128-bit integers, a polynomial grew too large, or a bound variable escaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

/// A product of more terms is treated as an overflow: nothing that people write is so long.
const MAX_TERMS: usize = 1 << 12;

/// So is a product of more atoms.
const MAX_DEGREE: usize = 1 << 8;

/// And one whose atoms, with the polynomials inside, are more than this: two are compared part by part.
const MAX_WEIGHT: u32 = 1 << 18;

/// An indivisible factor.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Atom {
    /// The context variable at this level.
    Var(u32),
    /// The floor quotient of two polynomials.
    Div(Poly, Poly),
    /// The smaller of two polynomials.
    Min(Poly, Poly),
    /// The larger of two polynomials.
    Max(Poly, Poly),
    /// The element of the context's tensor at this level.
    Read(u32, Vec<Poly>),
}

impl Atom {
    /// How many atoms it is, with those inside.
    fn weight(&self) -> u32 {
        let parts = match self {
            Atom::Var(_) => 0,
            Atom::Div(a, b) | Atom::Min(a, b) | Atom::Max(a, b) => a.weight.saturating_add(b.weight),
            Atom::Read(_, at) => at.iter().fold(0, |sum: u32, p| sum.saturating_add(p.weight)),
        };
        parts.saturating_add(1)
    }

    fn key(&self) -> (u8, u32, [&Poly; 2], &[Poly]) {
        static NONE: Poly = Poly { terms: Vec::new(), weight: 0 };
        match self {
            Atom::Var(level) => (0, *level, [&NONE; 2], &[]),
            Atom::Div(a, b) => (1, 0, [a, b], &[]),
            Atom::Min(a, b) => (2, 0, [a, b], &[]),
            Atom::Max(a, b) => (3, 0, [a, b], &[]),
            Atom::Read(level, at) => (4, *level, [&NONE; 2], at),
        }
    }
}

/// The order of the variants and then of their parts. An atom is shared by what is made of it, so it often meets itself.
impl Ord for Atom {
    fn cmp(&self, other: &Atom) -> Ordering {
        if std::ptr::eq(self, other) { Ordering::Equal } else { self.key().cmp(&other.key()) }
    }
}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Atom) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A product of atoms, sorted, with repetition for powers; empty for the constant.
type Monomial = Arc<[Arc<Atom>]>;

/// A sum of monomials, sorted, with nonzero coefficients.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Poly {
    terms: Vec<(Monomial, i128)>,
    /// How many atoms there are, with those inside of others.
    weight: u32,
}

impl Poly {
    /// A constant.
    pub fn constant(c: i128) -> Poly {
        Poly { terms: if c == 0 { vec![] } else { vec![(Monomial::default(), c)] }, weight: 0 }
    }

    /// A single atom.
    pub fn atom(a: Atom) -> Poly {
        Poly { weight: a.weight(), terms: vec![([Arc::new(a)].into(), 1)] }
    }

    /// The monomials with their coefficients, in order.
    pub fn terms(&self) -> impl Iterator<Item = (&[Arc<Atom>], i128)> {
        self.terms.iter().map(|(m, c)| (&**m, *c))
    }

    /// The value, if this is a constant.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(m, c)] if m.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// `self + factor * other`.
    pub fn add_scaled(&self, factor: i128, other: &Poly) -> Result<Poly, Overflow> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((m, _)), Some((n, _))) => m.cmp(n),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Poly::of_terms(terms),
            };
            let mut sum = 0i128;
            let mut monomial = None;
            if let Some((m, c)) = left.next_if(|_| order.is_le()) {
                (monomial, sum) = (Some(m), *c);
            }
            if let Some((m, c)) = right.next_if(|_| order.is_ge()) {
                let scaled = c.checked_mul(factor).ok_or(Overflow)?;
                (monomial, sum) = (Some(m), sum.checked_add(scaled).ok_or(Overflow)?);
            }
            terms.extend(monomial.filter(|_| sum != 0).map(|m| (m.clone(), sum)));
        }
    }

    /// The polynomial of these terms, which are in order.
    fn of_terms(terms: Vec<(Monomial, i128)>) -> Result<Poly, Overflow> {
        let atoms = terms.iter().flat_map(|(monomial, _)| monomial.iter());
        let weight = atoms.fold(0, |sum: u32, atom| sum.saturating_add(atom.weight()));
        if weight > MAX_WEIGHT { Err(Overflow) } else { Ok(Poly { terms, weight }) }
    }

    /// The sum.
    pub fn plus(&self, other: &Poly) -> Result<Poly, Overflow> {
        self.add_scaled(1, other)
    }

    /// The difference.
    pub fn minus(&self, other: &Poly) -> Result<Poly, Overflow> {
        self.add_scaled(-1, other)
    }

    /// The product.
    pub fn times(&self, other: &Poly) -> Result<Poly, Overflow> {
        if self.terms.len() * other.terms.len() > MAX_TERMS {
            return Err(Overflow);
        }
        let mut product = Poly::default();
        for (m, c) in &self.terms {
            let mut row = Vec::with_capacity(other.terms.len());
            for (n, d) in &other.terms {
                if m.len() + n.len() > MAX_DEGREE {
                    return Err(Overflow);
                }
                let mut mn: Vec<_> = m.iter().chain(n.iter()).cloned().collect();
                mn.sort();
                row.push((mn.into(), c.checked_mul(*d).ok_or(Overflow)?));
            }
            row.sort();
            product = product.plus(&Poly::of_terms(row)?)?;
        }
        Ok(product)
    }

    /// From `0 <= self` conclude `0 <= result`: every other coefficient is a multiple of `d > 0`; divide, and
    /// round the constant down. `None` where they are not multiples, or `d` is not positive.
    pub fn cut(&self, d: i128) -> Option<Poly> {
        if d <= 0 {
            return None;
        }
        let mut terms = Vec::with_capacity(self.terms.len());
        for (m, c) in &self.terms {
            let q = if m.is_empty() {
                c.div_euclid(d)
            } else if c % d == 0 {
                c / d
            } else {
                return None;
            };
            if q != 0 {
                terms.push((m.clone(), q));
            }
        }
        Poly::of_terms(terms).ok()
    }

    /// The normal form of an index term without bound variables.
    pub fn of(ix: &Ix) -> Result<Poly, Overflow> {
        if ix_fits(ix) { Poly::normal(ix) } else { Err(Overflow) }
    }

    fn normal(ix: &Ix) -> Result<Poly, Overflow> {
        let (op, ab) = match ix {
            Ix::Lit(n) => return Ok(Poly::constant(i128::from(*n))),
            Ix::Var(Var::Free(l)) => return Ok(Poly::atom(Atom::Var(*l))),
            Ix::Var(Var::Bound(_)) => return Err(Overflow),
            Ix::Bin(op, ab) => (*op, ab),
            Ix::Read(Var::Free(l), at) => {
                return Ok(Poly::atom(Atom::Read(
                    *l,
                    at.iter().map(Poly::normal).collect::<Result<_, _>>()?,
                )));
            }
            Ix::Read(..) => return Err(Overflow),
        };
        let (a, b) = (Poly::normal(&ab.0)?, Poly::normal(&ab.1)?);
        Ok(match op {
            IxOp::Add => a.plus(&b)?,
            IxOp::Sub => a.minus(&b)?,
            IxOp::Mul => a.times(&b)?,
            IxOp::Div => quotient(a, b)?,
            IxOp::Mod => a.minus(&b.times(&quotient(a.clone(), b.clone())?)?)?,
            IxOp::Min | IxOp::Max if a == b => a,
            IxOp::Min | IxOp::Max => match (a.as_constant(), b.as_constant()) {
                (Some(x), Some(y)) => Poly::constant(eval_op(op, x, y).ok_or(Overflow)?),
                _ if op == IxOp::Min => Poly::atom(Atom::Min(a, b)),
                _ => Poly::atom(Atom::Max(a, b)),
            },
        })
    }
}

/// `a / b` in normal form: an atom, unless both are constants or the divisor is one.
fn quotient(a: Poly, b: Poly) -> Result<Poly, Overflow> {
    match (a.as_constant(), b.as_constant()) {
        (Some(x), Some(y)) => Ok(Poly::constant(eval_op(IxOp::Div, x, y).ok_or(Overflow)?)),
        (_, Some(1)) => Ok(a),
        _ => Ok(Poly::atom(Atom::Div(a, b))),
    }
}
