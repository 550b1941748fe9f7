//! Certificates: evidence that a predicate follows from a context, checked by polynomial arithmetic alone.
//!
//! A certificate is a refutation. The hypotheses of the context and the negated goal are taken apart into
//! *facts* `0 <= p` and *pending* disjunctions, numbered in order of appearance; the certificate derives
//! more facts until one is a negative constant. Nothing is searched here; `arith` searches.

use crate::ctx::{Ctx, Entry};
use crate::ix::{Cmp, Ix, IxOp, Pred, Var};
use crate::poly::{Overflow, Poly};
use crate::size::pred_fits;
use crate::subst::instantiate_all;
use std::sync::Arc;

/// A refutation of the facts and disjunctions at hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cert {
    /// This fact's polynomial is a negative constant.
    Absurd(usize),
    /// Derive facts, which are numbered next, and go on.
    Step(Derive, Box<Cert>),
    /// Both sides of this pending disjunction are refuted.
    Split(usize, Box<Cert>, Box<Cert>),
    /// Refuted where the predicate holds, and where it does not.
    Case(Pred, Box<Cert>, Box<Cert>),
}

/// A derivation of facts from facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Derive {
    /// One fact: the sum of these nonnegative multiples of products of facts.
    Combine(Vec<(i128, Vec<usize>)>),
    /// One fact: the gcd cut of a fact by a positive divisor; see [`Poly::cut`].
    Cut(usize, i128),
    /// Two facts, `0 <= a - d*(a/d)` and `0 <= d*(a/d) + d - 1 - a`; the fact cited is `0 <= d - 1`.
    Euclid(Ix, Ix, usize),
    /// Two facts, `min(a,b) <= a` and `min(a,b) <= b`, and the disjunction `a <= min(a,b) || b <= min(a,b)`.
    Min(Ix, Ix),
    /// Two facts, `a <= max(a,b)` and `b <= max(a,b)`, and the disjunction `max(a,b) <= a || max(a,b) <= b`.
    Max(Ix, Ix),
    /// What a hypothesis for all integers, the context's first being 0, says of these.
    Instance(usize, Vec<Ix>),
    /// Two facts, that the element at these indices of the tensor at this level is neither below nor above
    /// what its type holds.
    Type(u32, Vec<Ix>),
}

/// Why a certificate was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CertError {
    /// It cites a fact or disjunction that is not there.
    NoSuchFact(usize),
    /// The fact cited as absurd is not a negative constant.
    NotAbsurd(usize),
    /// A coefficient of a combination is negative, or a divisor not positive.
    NotPositive,
    /// A cut's coefficients are not multiples of its divisor.
    NotMultiple,
    /// The fact cited does not say that the divisor is positive.
    DivisorNotPositive,
    /// A coefficient left the range of 128-bit integers.
    Overflow,
    /// The certificate nests too deeply.
    TooDeep,
}

impl From<Overflow> for CertError {
    fn from(_: Overflow) -> CertError {
        CertError::Overflow
    }
}

/// A formula assumed (`true`) or denied (`false`), that is a disjunction.
pub type Pending = (Pred, bool);

/// The facts and disjunctions that a refutation starts from, or has derived.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    /// Polynomials known to be nonnegative.
    pub polys: Vec<Arc<Poly>>,
    /// Disjunctions not yet split.
    pub pending: Vec<Pending>,
    /// The context's hypotheses for all integers: for how many variables, and what.
    pub general: Vec<(usize, Arc<Pred>)>,
    /// The context's tensors whose elements are read in indices: the level, the rank, the least and the
    /// greatest element.
    pub ranges: Vec<(u32, usize, i64, i64)>,
}

impl Facts {
    /// The starting point for proving `goal` in `ctx`: every hypothesis, then the goal denied.
    pub fn refuting(ctx: &Ctx, goal: &Pred) -> Result<Facts, Overflow> {
        let mut facts = Facts::default();
        for (level, entry) in (0..).zip(ctx.entries()) {
            if let Some(known) = entry.facts() {
                facts.polys.extend(known.polys.iter().cloned());
                facts.pending.extend(known.pending.iter().cloned());
            } else if let Entry::All(labels, p) = entry {
                facts.general.push((labels.len(), p.clone()));
            } else if let Entry::Tensor(_, ty) = entry
                && let Some((least, greatest)) = ty.elem.scalar.index_range()
            {
                facts.ranges.push((level, ty.shape.len(), least, greatest));
            }
        }
        facts.assume(goal, false)?;
        Ok(facts)
    }

    /// Take a formula apart: conjunctions into facts, disjunctions onto the pending list.
    pub fn assume(&mut self, p: &Pred, holds: bool) -> Result<(), Overflow> {
        if pred_fits(p) { self.take_apart(p, holds) } else { Err(Overflow) }
    }

    fn take_apart(&mut self, p: &Pred, holds: bool) -> Result<(), Overflow> {
        match (p, holds) {
            (Pred::True, true) | (Pred::False, false) => Ok(()),
            (Pred::True, false) | (Pred::False, true) => {
                self.fact(Poly::constant(-1));
                Ok(())
            }
            (Pred::Not(q), _) => self.take_apart(q, !holds),
            (Pred::And(ab), true) | (Pred::Or(ab), false) => {
                self.take_apart(&ab.0, holds)?;
                self.take_apart(&ab.1, holds)
            }
            (Pred::And(_), false) | (Pred::Or(_), true) | (Pred::Cmp(Cmp::Eq, ..), false) => {
                self.pending.push((p.clone(), holds));
                Ok(())
            }
            (Pred::Cmp(Cmp::Eq, a, b), true) => {
                self.order(a, b, 0)?;
                self.order(b, a, 0)
            }
            (Pred::Cmp(Cmp::Le, a, b), true) => self.order(a, b, 0),
            (Pred::Cmp(Cmp::Lt, a, b), true) => self.order(a, b, 1),
            (Pred::Cmp(Cmp::Le, a, b), false) => self.order(b, a, 1),
            (Pred::Cmp(Cmp::Lt, a, b), false) => self.order(b, a, 0),
        }
    }

    /// `a + gap <= b`.
    fn order(&mut self, a: &Ix, b: &Ix, gap: i128) -> Result<(), Overflow> {
        let p = Poly::of(b)?.minus(&Poly::of(a)?)?.minus(&Poly::constant(gap))?;
        self.fact(p);
        Ok(())
    }

    fn fact(&mut self, p: Poly) {
        self.polys.push(Arc::new(p));
    }

    fn poly(&self, k: usize) -> Result<&Arc<Poly>, CertError> {
        self.polys.get(k).ok_or(CertError::NoSuchFact(k))
    }

    /// Assume one side of a pending disjunction.
    pub fn assume_side(&mut self, k: usize, left: bool) -> Result<(), CertError> {
        let (p, holds) = self.pending.get(k).ok_or(CertError::NoSuchFact(k))?.clone();
        match &p {
            Pred::And(ab) | Pred::Or(ab) => Ok(self.assume(if left { &ab.0 } else { &ab.1 }, holds)?),
            Pred::Cmp(Cmp::Eq, a, b) if left => Ok(self.order(a, b, 1)?),
            Pred::Cmp(Cmp::Eq, a, b) => Ok(self.order(b, a, 1)?),
            _ => Err(CertError::NoSuchFact(k)),
        }
    }

    /// Add what a derivation yields.
    pub fn derive(&mut self, step: &Derive) -> Result<(), CertError> {
        match step {
            Derive::Combine(parts) => {
                let mut sum = Poly::default();
                for (c, factors) in parts {
                    if *c < 0 {
                        return Err(CertError::NotPositive);
                    }
                    let mut product = Poly::constant(1);
                    for f in factors {
                        product = product.times(self.poly(*f)?)?;
                    }
                    sum = sum.add_scaled(*c, &product)?;
                }
                self.fact(sum);
            }
            Derive::Cut(f, d) => {
                if *d <= 0 {
                    return Err(CertError::NotPositive);
                }
                let cut = self.poly(*f)?.cut(*d).ok_or(CertError::NotMultiple)?;
                self.fact(cut);
            }
            Derive::Euclid(a, d, positive) => {
                let (pa, pd) = (Poly::of(a)?, Poly::of(d)?);
                if **self.poly(*positive)? != pd.minus(&Poly::constant(1))? {
                    return Err(CertError::DivisorNotPositive);
                }
                let below = pa.minus(&pd.times(&Poly::of(&(a.clone() / d.clone()))?)?)?;
                let above = pd.minus(&Poly::constant(1))?.minus(&below)?;
                self.fact(below);
                self.fact(above);
            }
            Derive::Min(a, b) | Derive::Max(a, b) => {
                let min = matches!(step, Derive::Min(..));
                let m = Ix::bin(if min { IxOp::Min } else { IxOp::Max }, a.clone(), b.clone());
                let le = |x: &Ix, y: &Ix| {
                    let (x, y) = if min { (x, y) } else { (y, x) };
                    Pred::le(x.clone(), y.clone())
                };
                self.assume(&le(&m, a), true)?;
                self.assume(&le(&m, b), true)?;
                self.assume(&Pred::Or(Arc::new((le(a, &m), le(b, &m)))), true)?;
            }
            Derive::Instance(k, at) => {
                let fits = |(count, p): &&(usize, Arc<Pred>)| *count == at.len() && pred_fits(p);
                let (_, p) = self.general.get(*k).filter(fits).ok_or(CertError::NoSuchFact(*k))?;
                self.assume(&instantiate_all(p, at), true)?;
            }
            Derive::Type(level, at) => {
                // Outside of its box a tensor reads 0 in an index, which is in the range of every type.
                let known = self.ranges.iter().find(|(l, rank, ..)| l == level && *rank == at.len());
                let (.., least, greatest) = *known.ok_or(CertError::NoSuchFact(*level as usize))?;
                let element = Ix::Read(Var::Free(*level), at.as_slice().into());
                self.assume(&Pred::le(Ix::Lit(least), element.clone()), true)?;
                self.assume(&Pred::le(element, Ix::Lit(greatest)), true)?;
            }
        }
        Ok(())
    }
}

/// Certificates nest at most this deep.
const MAX_DEPTH: usize = 1_000;

/// Check that `cert` proves `goal` in `ctx`.
pub fn check(ctx: &Ctx, goal: &Pred, cert: &Cert) -> Result<(), CertError> {
    refute(&mut Facts::refuting(ctx, goal)?, cert, 0)
}

fn refute(facts: &mut Facts, mut cert: &Cert, mut depth: usize) -> Result<(), CertError> {
    loop {
        depth += 1;
        if depth > MAX_DEPTH {
            return Err(CertError::TooDeep);
        }
        let (left, right) = match cert {
            Cert::Absurd(k) => {
                let negative = facts.poly(*k)?.as_constant().is_some_and(|c| c < 0);
                return if negative { Ok(()) } else { Err(CertError::NotAbsurd(*k)) };
            }
            Cert::Step(step, rest) => {
                facts.derive(step)?;
                cert = rest;
                continue;
            }
            Cert::Split(_, l, r) | Cert::Case(_, l, r) => (l, r),
        };
        let (polys, pending) = (facts.polys.len(), facts.pending.len());
        for (side, rest) in [(true, left), (false, right)] {
            match cert {
                Cert::Split(k, ..) => facts.assume_side(*k, side)?,
                Cert::Case(p, ..) => facts.assume(p, side)?,
                _ => {}
            }
            refute(facts, rest, depth)?;
            facts.polys.truncate(polys);
            facts.pending.truncate(pending);
        }
        return Ok(());
    }
}
