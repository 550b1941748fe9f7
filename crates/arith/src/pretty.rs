//! Polynomials as index terms that are cheap to compute and pleasant to read.
//!
//! The cost counts operations, division and remainder several times. `pretty` factors greedily (Horner),
//! puts positive terms before negative ones and larger strides before smaller (`io*64 + ii`), and writes
//! `x - d*(x/d)` as `x % d` where that is cheaper.

use crate::readback::divide;
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Ix, IxOp, Var};
use std::sync::Arc;

/// What an access to memory costs, an addition costing 1.
const READ: u64 = 4;

/// The cost of computing a term, then its size.
pub(crate) fn cost(ix: &Ix) -> (u64, u64) {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => (0, 1),
        Ix::Bin(op, ab) => {
            let weight = match op {
                IxOp::Add | IxOp::Sub | IxOp::Mul => 1,
                IxOp::Min | IxOp::Max => 2,
                IxOp::Div | IxOp::Mod => 6,
            };
            let ((a, m), (b, n)) = (cost(&ab.0), cost(&ab.1));
            (a.saturating_add(b).saturating_add(weight), m.saturating_add(n).saturating_add(1))
        }
        Ix::Read(_, at) => {
            at.iter().map(cost).fold((READ, 1), |(w, s), (v, t)| (w.saturating_add(v), s.saturating_add(t)))
        }
    }
}

/// The cheaper of two terms; the first where they cost the same.
pub(crate) fn cheaper(a: Ix, b: Option<Ix>) -> Ix {
    match b {
        Some(b) if cost(&b) < cost(&a) => b,
        _ => a,
    }
}

/// Remainders are looked for this deep.
const REMAINDERS: usize = 3;

/// A cheap term with the normal form `p`; `None` where a coefficient does not fit 64 bits.
pub(crate) fn pretty(p: &Poly) -> Option<Ix> {
    with_remainders(p, REMAINDERS)
}

fn with_remainders(p: &Poly, depth: usize) -> Option<Ix> {
    let mut best = horner(p)?;
    if depth > 0 {
        for q in atoms(p) {
            best = cheaper(best, remainder(p, &q, depth));
        }
    }
    Some(best)
}

/// `p = r - k*d*(x/d)` as `(r - k*x) + k*(x % d)`, where `q` is `x/d`.
fn remainder(p: &Poly, q: &Arc<Atom>, depth: usize) -> Option<Ix> {
    let Atom::Div(x, d) = &**q else { return None };
    let (beside, rest) = apart(p, q)?;
    let (k, left) = divide(&beside, d)?;
    let k = Poly::default().minus(&k).ok()?;
    if left != Poly::default() {
        return None;
    }
    let rest = with_remainders(&rest.minus(&k.times(x).ok()?).ok()?, depth - 1)?;
    let modulus = with_remainders(x, depth - 1)? % with_remainders(d, depth - 1)?;
    Some(match k.as_constant() {
        Some(-1) => rest - modulus,
        Some(c) if c < 0 => rest - modulus * Ix::Lit(i64::try_from(c.checked_neg()?).ok()?),
        _ => {
            let term = modulus * horner(&k)?;
            if rest == Ix::ZERO { term } else { rest + term }
        }
    })
}

/// The atoms of a polynomial, in order.
fn atoms(p: &Poly) -> Vec<Arc<Atom>> {
    let mut atoms: Vec<Arc<Atom>> = p.terms().flat_map(|(m, _)| m.iter().cloned()).collect();
    atoms.sort();
    atoms.dedup();
    atoms
}

/// `p = beside * x + rest`.
fn apart(p: &Poly, x: &Arc<Atom>) -> Option<(Poly, Poly)> {
    let (mut beside, mut rest) = (Poly::default(), Poly::default());
    for (m, c) in p.terms() {
        let found = m.iter().position(|a| a == x);
        let mut term = Poly::constant(c);
        for (k, a) in m.iter().enumerate() {
            if Some(k) != found {
                term = term.times(&Poly::atom((**a).clone())).ok()?;
            }
        }
        let sum = if found.is_some() { &mut beside } else { &mut rest };
        *sum = sum.plus(&term).ok()?;
    }
    Some((beside, rest))
}

/// A polynomial with the factor that most of its terms share taken out, and so on.
fn horner(p: &Poly) -> Option<Ix> {
    let shared = atoms(p)
        .into_iter()
        .map(|x| (p.terms().filter(|(m, _)| m.contains(&x)).count(), x))
        .filter(|(n, _)| *n > 1)
        .max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
    if let Some((_, x)) = shared {
        let (beside, rest) = apart(p, &x)?;
        let product = horner(&beside)? * atom(&x)?;
        return plus(product, &rest);
    }
    let content = p.terms().fold(0_i128, |g, (_, c)| gcd(g, c));
    let proper = p.terms().count();
    if content > 1 && proper > 1 && crate::readback::constant_term(p) == 0 {
        let mut inner = Poly::default();
        for (m, c) in p.terms() {
            let mut term = Poly::constant(c / content);
            for a in m {
                term = term.times(&Poly::atom((**a).clone())).ok()?;
            }
            inner = inner.plus(&term).ok()?;
        }
        return Some(horner(&inner)? * Ix::Lit(i64::try_from(content).ok()?));
    }
    flat(p)
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// `head + p`, with a difference for a single negative term.
fn plus(head: Ix, p: &Poly) -> Option<Ix> {
    if *p == Poly::default() {
        return Some(head);
    }
    let negated = Poly::default().minus(p).ok()?;
    let (plain, negated) = (head.clone() + horner(p)?, head - horner(&negated)?);
    Some(cheaper(plain, Some(negated)))
}

/// The terms one after the other: strides descending, positive before negative, the constant last.
fn flat(p: &Poly) -> Option<Ix> {
    let mut terms: Vec<_> = p.terms().filter(|(m, _)| !m.is_empty()).collect();
    terms.sort_by_key(|(m, c)| (*c < 0, std::cmp::Reverse(c.unsigned_abs()), std::cmp::Reverse(m.len())));
    let constant = i64::try_from(crate::readback::constant_term(p)).ok()?;
    let all_negative = terms.first().is_some_and(|(_, c)| *c < 0);
    let mut sum = if all_negative { Ix::Lit(constant) } else { Ix::ZERO };
    for (m, c) in terms {
        let mut product = Ix::ONE;
        for a in m {
            product = product * atom(a)?;
        }
        let scaled = product * Ix::Lit(i64::try_from(c.checked_abs()?).ok()?);
        sum = if c < 0 { sum - scaled } else { sum + scaled };
    }
    Some(match constant {
        _ if all_negative => sum,
        c if c < 0 => sum - Ix::Lit(c.checked_neg()?),
        c => sum + Ix::Lit(c),
    })
}

fn atom(a: &Atom) -> Option<Ix> {
    Some(match a {
        Atom::Var(l) => Ix::free(*l),
        Atom::Div(p, q) => operand(p)? / operand(q)?,
        Atom::Min(p, q) => Ix::min(operand(p)?, operand(q)?),
        Atom::Max(p, q) => Ix::max(operand(p)?, operand(q)?),
        Atom::Read(l, at) => Ix::Read(Var::Free(*l), at.iter().map(operand).collect::<Option<_>>()?),
    })
}

/// An operand of an atom: one remainder is looked for in each.
fn operand(p: &Poly) -> Option<Ix> {
    with_remainders(p, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first is written as the second.
    fn check(ix: Ix, expected: Ix) {
        let p = Poly::of(&ix).unwrap();
        assert_eq!(Poly::of(&expected), Ok(p.clone()));
        assert_eq!(pretty(&p), Some(expected));
    }

    #[test]
    fn sums_are_factored_and_ordered() {
        let n = Ix::Lit;
        let [x, y, k] = [0, 1, 2].map(|l| move || Ix::free(l));
        check(y() + n(64) * x(), x() * n(64) + y());
        check(n(0) - n(3) - x() + y(), y() - x() - n(3));
        check(n(0) - x() + n(3), n(3) - x());
        check(k() * k() + x() * y() * k(), (x() * y() + k()) * k());
        check(x() * n(4) + y() * n(4), (x() + y()) * n(4));
        check(x() * k() - y() * k(), (x() - y()) * k());
    }

    #[test]
    fn remainders_are_found() {
        let n = Ix::Lit;
        let [x, y] = [0, 1].map(|l| move || Ix::free(l));
        let q = || x() / n(64);
        check(x() - q() * n(64), x() % n(64));
        check(y() + x() - q() * n(64), y() + x() % n(64));
        check(q() * n(64) - x() + y(), y() - x() % n(64));
        check(x() - x() / y() * y(), x() % y());
        check(n(64) * q(), q() * n(64));
    }

    #[test]
    fn remainders_are_found_within_other_operations() {
        let n = Ix::Lit;
        let [x, y, z] = [0, 1, 2].map(|l| move || Ix::free(l));
        let written_out = || x() - x() / y() * y();
        let read = |at: Ix| Ix::Read(Var::Free(3), Arc::from([at]));
        check(written_out() / n(2), x() % y() / n(2));
        check(z() - (z() - written_out() / n(2)), x() % y() / n(2));
        check(z() / (written_out() + n(1)), z() / (n(1) + x() % y()));
        check(Ix::min(written_out(), z()), Ix::min(x() % y(), z()));
        check(read(written_out()), read(x() % y()));
        check(read(read(written_out()) / n(2)), read(read(x() % y()) / n(2)));
        check((x() - z() / y() * y()) / n(2), (x() - y() * (z() / y())) / n(2));
    }
}
