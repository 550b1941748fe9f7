//! What a certificate's products and instances would cost, before the kernel multiplies them out or builds them.
//!
//! A product of facts may be cited as a factor of the next, so the degree of what a short certificate derives can double with every
//! step. The kernel bounds each product; here what they write down together is bounded, and each is
//! estimated first. A certificate without products needs no care: its facts have the monomials that the context has,
//! or those of an instance of a general hypothesis, which is held to the limits of a predicate.

use crate::measure::{Within, instance};
use atl_kernel::cert::{CertError, Derive, Facts};
use atl_kernel::poly::Poly;
use atl_kernel::{Cert, Ctx, Entry, Pred};

/// May the kernel check this certificate? Takes what its products write down from `left`.
///
/// Where the certificate is wrong the answer does not matter: the kernel will say so.
pub(crate) fn affordable(ctx: &Ctx, goal: &Pred, cert: &Cert, left: &mut u64) -> Within<()> {
    let facts = if multiplies(cert) { Facts::refuting(ctx, goal).ok() } else { None };
    let affordable = facts.is_none_or(|mut facts| walk(&mut facts, cert, left));
    if affordable { Ok(()) } else { Err("the products of a certificate") }
}

/// The nodes of the predicates that general hypotheses give a certificate, each within its limits.
pub(crate) fn instances(ctx: &Ctx, cert: &Cert) -> Within<u64> {
    let general = ctx.entries().filter_map(|entry| match entry {
        Entry::All(_, p) => Some(&**p),
        _ => None,
    });
    instantiated(&general.collect::<Vec<_>>(), cert)
}

fn instantiated(general: &[&Pred], cert: &Cert) -> Within<u64> {
    match cert {
        Cert::Absurd(_) => Ok(0),
        Cert::Step(step, rest) => {
            let nodes = match step {
                Derive::Instance(k, at) => general.get(*k).map_or(Ok(0), |p| Ok(instance(p, at)?.nodes))?,
                _ => 0,
            };
            Ok(nodes + instantiated(general, rest)?)
        }
        Cert::Split(_, l, r) | Cert::Case(_, l, r) => {
            Ok(instantiated(general, l)? + instantiated(general, r)?)
        }
    }
}

fn multiplies(cert: &Cert) -> bool {
    match cert {
        Cert::Absurd(_) => false,
        Cert::Step(Derive::Combine(parts), _) if parts.iter().any(|(_, factors)| factors.len() > 1) => true,
        Cert::Step(_, rest) => multiplies(rest),
        Cert::Split(_, l, r) | Cert::Case(_, l, r) => multiplies(l) || multiplies(r),
    }
}

fn walk(facts: &mut Facts, cert: &Cert, left: &mut u64) -> bool {
    let (polys, pending) = (facts.polys.len(), facts.pending.len());
    match cert {
        Cert::Absurd(_) => true,
        Cert::Step(step, rest) => {
            let cost = cost(facts, step);
            let affordable = left.checked_sub(cost).map(|rest| *left = rest).is_some();
            affordable
                && match facts.derive(step) {
                    Err(why) => why != CertError::Overflow,
                    Ok(()) => walk(facts, rest, left),
                }
        }
        Cert::Split(_, l, r) | Cert::Case(_, l, r) => {
            [(true, l), (false, r)].into_iter().all(|(side, rest)| {
                let assumed = match cert {
                    Cert::Case(p, ..) => facts.assume(p, side).is_ok(),
                    Cert::Split(k, ..) => facts.assume_side(*k, side).is_ok(),
                    _ => true,
                };
                let affordable = !assumed || walk(facts, rest, left);
                facts.polys.truncate(polys);
                facts.pending.truncate(pending);
                affordable
            })
        }
    }
}

/// Atoms that a step writes down: for each product, its terms times its degree.
fn cost(facts: &Facts, step: &Derive) -> u64 {
    let Derive::Combine(parts) = step else { return 1 };
    let product = |factors: &[usize]| {
        let known = factors.iter().filter_map(|f| facts.polys.get(*f));
        known.fold((1u64, 0u64), |(terms, degree), p| {
            let (t, d) = size(p);
            (terms.saturating_mul(t), degree.saturating_add(d))
        })
    };
    parts.iter().map(|(_, factors)| product(factors)).fold(1, |sum: u64, (terms, degree)| {
        sum.saturating_add(terms.saturating_mul(degree.saturating_add(1)))
    })
}

/// How many terms, and the highest degree.
fn size(p: &Poly) -> (u64, u64) {
    p.terms().fold((0, 0), |(terms, degree), (atoms, _)| (terms + 1, degree.max(atoms.len() as u64)))
}
