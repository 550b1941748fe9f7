//! Polynomials over the integers: the normal form that certificates are checked in.
//!
//! Atoms are context variables, floor quotients, minima and maxima whose arguments are themselves in
//! normal form; `a % d` is expanded to `a - d * (a / d)`, which is its definition. Coefficients are
//! checked: an overflow is an error, never a wrap.

use crate::ix::{Ix, IxOp, Var, eval_op};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Arithmetic left the range of 128-bit integers, or a bound variable escaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

/// An indivisible factor.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Atom {
    /// The context variable at this level.
    Var(u32),
    /// The floor quotient of two polynomials.
    Div(Poly, Poly),
    /// The smaller of two polynomials.
    Min(Poly, Poly),
    /// The larger of two polynomials.
    Max(Poly, Poly),
}

/// A product of atoms, sorted, with repetition for powers; empty for the constant.
pub type Monomial = Vec<Arc<Atom>>;

/// A sum of monomials with nonzero coefficients.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Poly {
    terms: BTreeMap<Monomial, i128>,
}

impl Poly {
    /// A constant.
    pub fn constant(c: i128) -> Poly {
        let mut p = Poly::default();
        if c != 0 {
            p.terms.insert(Vec::new(), c);
        }
        p
    }

    /// A single atom.
    pub fn atom(a: Atom) -> Poly {
        Poly { terms: BTreeMap::from([(vec![Arc::new(a)], 1)]) }
    }

    /// The monomials with their coefficients, in order.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.terms.iter().map(|(m, c)| (m, *c))
    }

    /// The value, if this is a constant.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The constant term.
    pub fn constant_term(&self) -> i128 {
        self.terms.get(&Vec::new()).copied().unwrap_or(0)
    }

    fn add_term(&mut self, m: Monomial, c: i128) -> Result<(), Overflow> {
        use std::collections::btree_map::Entry;
        match self.terms.entry(m) {
            Entry::Vacant(_) if c == 0 => {}
            Entry::Vacant(v) => {
                v.insert(c);
            }
            Entry::Occupied(mut o) => match o.get().checked_add(c).ok_or(Overflow)? {
                0 => {
                    o.remove();
                }
                s => *o.get_mut() = s,
            },
        }
        Ok(())
    }

    /// `self + factor * other`.
    pub fn add_scaled(&self, factor: i128, other: &Poly) -> Result<Poly, Overflow> {
        let mut sum = self.clone();
        for (m, c) in &other.terms {
            sum.add_term(m.clone(), c.checked_mul(factor).ok_or(Overflow)?)?;
        }
        Ok(sum)
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
        let mut product = Poly::default();
        for (m, c) in &self.terms {
            for (n, d) in &other.terms {
                let mut mn: Monomial = m.iter().chain(n).cloned().collect();
                mn.sort();
                product.add_term(mn, c.checked_mul(*d).ok_or(Overflow)?)?;
            }
        }
        Ok(product)
    }

    /// From `0 <= self` conclude `0 <= result`: every other coefficient is a multiple of `d > 0`; divide, and
    /// round the constant down. `None` where they are not multiples.
    pub fn cut(&self, d: i128) -> Option<Poly> {
        let mut out = Poly::default();
        for (m, c) in &self.terms {
            let q = if m.is_empty() {
                c.div_euclid(d)
            } else if c % d == 0 {
                c / d
            } else {
                return None;
            };
            if q != 0 {
                out.terms.insert(m.clone(), q);
            }
        }
        (d > 0).then_some(out)
    }

    /// The normal form of an index term without bound variables.
    pub fn of(ix: &Ix) -> Result<Poly, Overflow> {
        let (op, ab) = match ix {
            Ix::Lit(n) => return Ok(Poly::constant(i128::from(*n))),
            Ix::Var(Var::Free(l)) => return Ok(Poly::atom(Atom::Var(*l))),
            Ix::Var(Var::Bound(_)) => return Err(Overflow),
            Ix::Bin(op, ab) => (*op, ab),
        };
        let (a, b) = (Poly::of(&ab.0)?, Poly::of(&ab.1)?);
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
